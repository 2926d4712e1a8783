"""The terminal, the smallest place to talk."""
