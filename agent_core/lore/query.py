"""Every question to the canon: one import for tools, commands and pages."""

from agent_core.lore.happenings import timeline_of
from agent_core.lore.history import history
from agent_core.lore.listing import chapter_scenes, contents, entry_list
from agent_core.lore.lookup import find_entry
from agent_core.lore.loose import loose_ends
from agent_core.lore.record_time import known_from_text
from agent_core.lore.state import entry_state, why

__all__ = [
    "chapter_scenes",
    "contents",
    "entry_list",
    "entry_state",
    "find_entry",
    "history",
    "known_from_text",
    "loose_ends",
    "timeline_of",
    "why",
]
