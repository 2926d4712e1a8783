"""Where people talk to LoreKeeper."""
