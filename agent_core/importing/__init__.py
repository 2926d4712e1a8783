"""Manuscripts from files."""
