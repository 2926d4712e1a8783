"""Starts things: settings, wiring, command line."""
