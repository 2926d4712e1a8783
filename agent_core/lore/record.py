"""Every write to the canon, planned: one import for tools, commands and importers."""

from collections.abc import Mapping

from agent_core.lore.plan import Plan
from agent_core.lore.plan_create import plan_create
from agent_core.lore.plan_fact import plan_record
from agent_core.lore.plan_manuscript import plan_manuscript
from agent_core.lore.plan_merge import plan_merge
from agent_core.lore.plan_place import plan_place
from agent_core.lore.plan_retcon import plan_retcon
from agent_core.lore.plan_scene import MAX_SCENE_CHARS, plan_scene
from agent_core.lore.plan_undo import plan_undo
from agent_core.lore.plan_update import Update, plan_update
from agent_core.messages import Json

__all__ = [
    "MAX_SCENE_CHARS",
    "Plan",
    "Update",
    "answered",
    "plan_create",
    "plan_manuscript",
    "plan_merge",
    "plan_place",
    "plan_record",
    "plan_retcon",
    "plan_scene",
    "plan_undo",
    "plan_update",
]


def answered(arguments: Mapping[str, Json], name: str, value: str) -> dict[str, Json]:
    """Return the resolved arguments of a fact with the card's question `name` answered.

    "It was always so" reaches back to the beginning, not only to the place where it was noticed. A told that
    only followed the old place follows the new one.
    """
    place = arguments.get("sourceSceneId") or arguments.get("chapterId")
    followed = "not_revealed" if place == "start" else place
    moved = {key: one for key, one in arguments.items() if key not in ("chapterId", "sourceSceneId")}
    if moved.get("toldAt") == followed:
        del moved["toldAt"]
    if name == "at":
        return {**moved, "chapterId": value}
    if value == "retcon":
        return {**moved, "chapterId": "start", "retcon": True}
    return {**arguments, "retcon": False}
