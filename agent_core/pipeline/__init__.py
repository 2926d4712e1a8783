"""The one way every tool call goes."""
