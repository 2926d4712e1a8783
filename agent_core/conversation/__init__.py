"""Where people talk: a thread and the book it is bound to."""
