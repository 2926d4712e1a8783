"""Tests of what the stores do below their contracts."""
