"""Values of details, dates and places as people write them: never JSON, never a `$` mark."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from adapters.cards.card import View
from agent_core.lore.answers import Place
from agent_core.lore.model import NodeKind
from agent_core.messages import Json
from agent_core.texts import say

MAX_VALUE = 400
_PART_WORDS = frozenset({"part", "book", "teil", "buch", "partie", "livre"})


def value_text(language: str, value: Json, *, max_chars: int = MAX_VALUE) -> str:
    """Return a value in words; None, as in a patch, means that the detail is no longer there."""
    text = _shown(language, value, nested=False)
    if len(text) <= max_chars:
        return text
    return say(language, "value.long", text=text[:max_chars].rstrip(), n=len(text))


def patch_text(language: str, patch: Json) -> str:
    """Return what a fact says: `eyes: green, home: city Vel`."""
    if not isinstance(patch, Mapping) or not patch or any(key.startswith("$") for key in patch):
        return value_text(language, patch)
    values = {key_text(key): value_text(language, value) for key, value in patch.items()}
    return _joined([say(language, "value.pair", key=key, value=value) for key, value in values.items()])


def key_text(key: str) -> str:
    """Return a detail's name as people read it: `eye_colour` gives "eye colour"."""
    return key.replace("_", " ").strip() or key


def number_text(language: str, number: float) -> str:
    """Return a number with the language's decimal mark."""
    text = str(number)
    return text if language == "en" else text.replace(".", ",")


def moment_text(view: View, stamp: str) -> str:
    """Return an ISO instant as date and time in the view's time zone."""
    local = datetime.fromisoformat(stamp.replace("Z", "+00:00")).astimezone(ZoneInfo(view.time_zone))
    return say(
        view.language,
        "date.moment",
        day=say(view.language, "date.first") if local.day == 1 else local.day,
        month=local.month,
        year=local.year,
        time=f"{local.hour:02}:{local.minute:02}",
    )


def relation_text(language: str, written: str) -> str:
    """Return a story place such as "before 1.1" in words."""
    relation, _, label = written.partition(" ")
    return say(language, f"place.{relation}", place=label)


def place_text(language: str, place: Place) -> str:
    """Return a place with its title, if it has one: `7.3 The Crossing`, `chapter 7`."""
    key = "place.chapter" if place.kind is NodeKind.CHAPTER else "place.titled"
    return say(language, key, label=place.label, title=place.title)


def part_text(language: str, part: str) -> str:
    """Return a part's title; the word "part" goes before it unless the title begins with such a word."""
    word = part.replace(":", " ").split(maxsplit=1)[0].casefold() if part.strip() else ""
    return part if word in _PART_WORDS else say(language, "contents.part", part=part)


def from_text(language: str, place: Place | None) -> str:
    """Return from where on something is true, in words."""
    if place is None:
        return say(language, "place.always")
    return say(language, "place.from", place=place_text(language, place))


def until_text(language: str, until: Place | None, last: str = "") -> str:
    """Return where something ends, or "": `through 5, ends as 6 begins`."""
    if until is None:
        return ""
    if last:
        return say(language, "place.through", last=last, until=until.label)
    return say(language, "place.until", until=until.label)


def told_text(language: str, told: str) -> str:
    """Return when the reader learns something, from a place's label, start, not_revealed, never or ""."""
    if told in {"start", "not_revealed", "never"}:
        return say(language, f"told.{told}")
    return say(language, "place.told", place=told) if told else ""


def bound_line(view: View) -> str:
    """Return the line that a bounded reader always reads."""
    if view.finished is None:
        return say(view.language, "card.bounded_nothing")
    kinds = {NodeKind.SCENE: "card.bounded_scene", NodeKind.BOOK: "card.bounded_book"}
    return say(view.language, kinds.get(view.finished.kind, "card.bounded"), place=view.finished.label)


def head_text(view: View) -> str:
    """Return the line above every card: series and book, or the book alone where it stands alone."""
    if view.single_book or not view.book or view.book == view.series:
        return view.book or view.series
    if not view.series:
        return view.book
    return say(view.language, "card.series_book", series=view.series, book=view.book)


def _shown(language: str, value: Json, *, nested: bool) -> str:
    if value is None:
        return say(language, "value.removed")
    if isinstance(value, bool):
        return say(language, "value.yes" if value else "value.no")
    if isinstance(value, int | float):
        return number_text(language, value)
    if isinstance(value, str):
        return value if value.strip() else say(language, "value.blank")
    if isinstance(value, Mapping):
        return _object(language, value, nested=nested)
    return _list(language, value)


def _object(language: str, value: Mapping[str, Json], *, nested: bool) -> str:
    if value.get("$none") is True:
        return say(language, "value.none")
    if value.get("$unknown") is True:
        return say(language, "value.unknown")
    if "$add" in value or "$remove" in value:
        return _list_change(language, value)
    shown = (f"{key_text(key)} {_shown(language, item, nested=True)}" for key, item in value.items())
    members = ", ".join(shown)
    if not members:
        return say(language, "value.nothing")
    return f"({members})" if nested else members


def _list_change(language: str, value: Mapping[str, Json]) -> str:
    parts = [
        say(language, f"value.{word}", items=_list(language, items))
        for word, items in (("add", value.get("$add")), ("remove", value.get("$remove")))
        if isinstance(items, Sequence) and items
    ]
    return ", ".join(parts) or say(language, "value.nothing")


def _list(language: str, items: Sequence[Json]) -> str:
    shown = [_shown(language, item, nested=True) for item in items]
    return _joined(shown) or say(language, "value.nothing")


def _joined(parts: Sequence[str]) -> str:
    """Return the parts with commas between them, or semicolons where a part has commas of its own."""
    return ("; " if any("," in part for part in parts) else ", ").join(parts)
