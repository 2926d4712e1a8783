"""The canon as a lorebook: SillyTavern's world info, or NovelAI's; names and aliases are its keys."""

import json
from collections.abc import Mapping

from agent_core.exporting.view import CanonEntry, CanonView
from agent_core.importing.bible.values import as_text
from agent_core.lore.merge import is_list, is_object
from agent_core.messages import Json
from agent_core.texts import say

NOVELAI_VERSION = 5


def world_info(view: CanonView, language: str) -> bytes:
    """Return a file that SillyTavern imports as world info, an entry each."""
    entries = {str(uid): _world_entry(uid, one, language) for uid, one in enumerate(view.entries)}
    return _encoded({"entries": entries})


def novelai(view: CanonView, language: str) -> bytes:
    """Return a `.lorebook` file that NovelAI imports, with a category a kind of entry."""
    kinds = dict.fromkeys(one.entry.type.value for one in view.entries)
    categories: list[Json] = [
        {
            "name": say(language, f"export.folder_{kind}"),
            "id": kind,
            "enabled": True,
            "createSubcontext": False,
            "useCategoryDefaults": False,
            "categoryBiasGroups": [],
            "open": True,
        }
        for kind in kinds
    ]
    return _encoded(
        {
            "lorebookVersion": NOVELAI_VERSION,
            "entries": [_novelai_entry(one, language) for one in view.entries],
            "settings": {"orderByKeyLocations": False},
            "categories": categories,
        }
    )


def _world_entry(uid: int, one: CanonEntry, language: str) -> dict[str, Json]:
    return {
        "uid": uid,
        "key": _keys(one),
        "keysecondary": [],
        "comment": one.entry.name,
        "content": _content(one, language),
        "constant": False,
        "selective": True,
        "selectiveLogic": 0,
        "addMemo": True,
        "order": 100,
        "position": 0,
        "disable": False,
        "excludeRecursion": False,
        "preventRecursion": False,
        "probability": 100,
        "useProbability": True,
        "depth": 4,
        "displayIndex": uid,
        "caseSensitive": None,
        "matchWholeWords": None,
    }


def _novelai_entry(one: CanonEntry, language: str) -> dict[str, Json]:
    return {
        "text": _content(one, language),
        "contextConfig": {
            "prefix": "",
            "suffix": "\n",
            "tokenBudget": 2048,
            "reservedTokens": 0,
            "budgetPriority": 400,
            "trimDirection": "trimBottom",
            "insertionType": "newline",
            "maximumTrimType": "sentence",
            "insertionPosition": -1,
        },
        "lastUpdatedAt": 0,
        "displayName": one.entry.name,
        "id": one.entry.id,
        "keys": _keys(one),
        "searchRange": 1000,
        "enabled": True,
        "forceActivation": False,
        "keyRelative": False,
        "nonStoryActivatable": False,
        "category": one.entry.type.value,
        "loreBiasGroups": [],
    }


def _keys(one: CanonEntry) -> list[Json]:
    return [one.entry.name, *one.entry.aliases]


def _content(one: CanonEntry, language: str) -> str:
    """Return what is true of an entry as lines: its kind, then a detail each."""
    kind = say(language, f"type.{one.entry.type.value}")
    hint = f", {one.entry.hint}" if one.entry.hint else ""
    return "\n".join((f"{one.entry.name} ({kind}{hint})", *_lines("", one.state)))


def _lines(before: str, value: Mapping[str, Json]) -> list[str]:
    lines: list[str] = []
    for key, said in value.items():
        name = f"{before} {key}".strip().replace("_", " ")
        if is_object(said) and said:
            lines += _lines(name, said)
        else:
            text = as_text(said)
            lines.append(f"{name}: {', '.join(map(str, text)) if is_list(text) else text}")
    return lines


def _encoded(whole: Json) -> bytes:
    return json.dumps(whole, ensure_ascii=False, indent=2).encode("utf-8", "replace")
