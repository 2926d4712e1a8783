"""The HTTP API with its streams of events, and the page."""
