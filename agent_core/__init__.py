"""Everything LoreKeeper knows and does; imports nothing above it."""
