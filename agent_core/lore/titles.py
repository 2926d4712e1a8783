"""How long a title may be that somebody gives, and how it is kept."""

from agent_core.errors import LoreRefusal
from agent_core.lore.fold import spelled
from agent_core.lore.plan_create import MAX_NAME_CHARS


def titled(title: str) -> str:
    """Return a title as it is kept.

    Raises:
        LoreRefusal: reason "title_too_long".
    """
    kept = spelled(title)
    if len(kept) > MAX_NAME_CHARS:
        raise LoreRefusal(reason="title_too_long", chars=len(kept), limit=MAX_NAME_CHARS)
    return kept
