"""Who answers when no model is set up: rules of language, and look-ups instead of memory."""

from agent_core.llm.offline.responder import OfflineResponder

__all__ = ["OfflineResponder"]
