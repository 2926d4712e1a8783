"""Measures what a turn and a look-up cost, beside what others pay for the same."""
