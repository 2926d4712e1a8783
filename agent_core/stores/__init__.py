"""Where everything lasts."""
