"""Searching, fetching and crawling the web."""
