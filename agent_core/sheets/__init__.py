"""Spreadsheets: read with bounded memory, written without losing anything in silence."""
