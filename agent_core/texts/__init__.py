"""What people read, in three languages: one catalogue, and no text for people outside it."""

from agent_core.texts.catalogue import (
    LANGUAGES,
    Fact,
    MissingText,
    has,
    load,
    pick,
    say,
    standing,
    without_ids,
)

__all__ = ["LANGUAGES", "Fact", "MissingText", "has", "load", "pick", "say", "standing", "without_ids"]
