"""LoreKeeper on Discord: threads are books."""
