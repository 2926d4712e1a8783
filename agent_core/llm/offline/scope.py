"""Takes out of a sentence what binds it: a place in the story, a state of the notes, a reader's progress."""

import re
from dataclasses import dataclass, replace

from agent_core.llm.offline.places import place_label
from agent_core.llm.offline.plain import plain
from agent_core.llm.offline.rules import Rules, parts_of

BEGINNING = "start"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a sentence is bound to, as tools take it; "" where nothing was said."""

    place: str = ""
    starts: bool = False
    since: bool = False
    until: str = ""
    known: str = ""
    known_since: str = ""
    reader: str = ""
    told: str = ""


def scoped(text: str, rules: Rules) -> tuple[str, Scope]:
    """Return a question without what binds it, and that."""
    scope = Scope()
    text, parts = _taken(text, f"{_reader(rules)}<place>{rules.place.reader_after}", rules)
    if parts:
        scope = replace(scope, reader=place_label(parts["place"], rules.place_words))
    text, parts = _taken(text, rf"{rules.known.since}(?P<when>{{when}})", rules)
    if parts:
        scope = replace(scope, known_since=_moment(parts["when"], rules))
    known = rf"(?:{rules.known.before}(?P<when>{{when}})|{rules.known.bare}(?P<clear>{{when_clear}}))"
    text, parts = _taken(text, known, rules)
    if parts:
        scope = replace(scope, known=_moment(parts.get("when") or parts["clear"], rules))
    return _placed(text, scope, rules)


def scoped_fact(text: str, rules: Rules) -> tuple[str, Scope]:
    """Return a statement without its place in the story, and that."""
    scope = Scope()
    text, parts = _taken(text, f"{rules.place.told}<place>", rules)
    if parts:
        scope = replace(scope, told=place_label(parts["place"], rules.place_words))
    text, parts = _taken(text, rf",? ?\b(?:{rules.place.until}) (?:{rules.place.the})?<place>", rules)
    if parts:
        scope = replace(scope, until=place_label(parts["place"], rules.place_words))
    text, scope = _placed(text, scope, rules)
    text, _ = _taken(text, rf",? ?\b(?:{rules.place.here})", rules)
    return text, scope


def _placed(text: str, scope: Scope, rules: Rules) -> tuple[str, Scope]:
    words = rules.place
    phrase = (
        rf",? ?\b(?:(?P<start>{words.start})|(?P<since>{words.since})|(?:{words.at}|{words.until})) "
        rf"(?:{words.the})?<place>(?:{words.on})?"
    )
    text, parts = _taken(text, phrase, rules)
    if not parts:
        text, parts = _taken(text, r",? ?@(?P<place>[\w:.]*\w)", rules)
    if parts:
        label = place_label(parts["place"], rules.place_words)
        return text, replace(scope, place=label, starts="start" in parts, since="since" in parts)
    shorter, _ = _taken(text, rf",? ?\b(?:{words.beginning})", rules)
    return (shorter, replace(scope, place=BEGINNING)) if shorter != text else (text, scope)


def _reader(rules: Rules) -> str:
    return f"(?:{rules.place.reader}|{rules.place.spoilers})(?:{rules.place.the})?"


def _moment(text: str, rules: Rules) -> str:
    edit = rules.pattern(rules.known.edit).fullmatch(plain(text))
    if edit is not None:
        return edit["n"]
    return re.sub(r"(?<=\d|[a-z]) of (?=[a-z])", " ", text, flags=re.IGNORECASE)


def _taken(text: str, source: str, rules: Rules) -> tuple[str, dict[str, str]]:
    """Return the text without the first match, and the parts of that match ({} if there is none)."""
    pattern = rules.pattern(rf"(?<!\w){source}(?!\w)")
    found = pattern.search(plain(text))
    if found is None:
        return text, {}
    left = f"{text[: found.start()]} {text[found.end() :]}"
    return " ".join(left.split()).strip(" ,"), parts_of(found, text)
