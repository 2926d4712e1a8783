"""Persons, their roles in a series and how far they have read."""
