"""One turn of a conversation."""
