"""Sentences by key and language, with facts filled in.

Templates are TOML strings, in a folder a language. `{name}` is a fact, `{n:,}` a count with the language's
thousands mark, `{kind:risk}` the text `risk.<kind>`; what stands in `[[ ]]` is left out when a fact in it is
missing or empty. A key may have the forms `.one` and `.other`, chosen by the fact `n`. A section's own
`other` stands in for keys that the section lacks.
"""

import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from string import Formatter

Fact = str | int | float | tuple[str, ...] | None

LANGUAGES = ("en", "de", "fr")

_DEFAULT = "en"
_LAST_RESORT = "error.internal"
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]")
_ID = re.compile(r"\s*\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b,?")
# What steers a screen instead of standing on it; the last two kinds turn the order of letters round.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_REFUSALS = ("error.", "command_error.")
_TYPED = frozenset(
    {
        "channel",
        "detail",
        "field",
        "heading",
        "message",
        "name",
        "position",
        "ref",
        "scene",
        "text",
        "title",
        "tool",
        "value",
        "who",
    }
)
_LONG, _KEPT = 200, 80
_THOUSANDS = {"en": ",", "de": ".", "fr": "\u202f"}


class MissingText(UserWarning):
    """A key or a fact that the catalogue lacks: an error in tests, English at run time."""


def say(language: str, key: str, /, **facts: Fact) -> str:
    """Return the sentence `key` in `language` (a tag such as `de-AT` will do) with the facts filled in.

    Ids that strayed into a fact are dropped, nobody is meant to read them, and so is what steers a screen. A
    refusal repeats only the start of a long text that somebody typed.
    """
    if key.startswith(_REFUSALS):
        facts = {name: _start(fact) if name in _TYPED else fact for name, fact in facts.items()}
    for choice in dict.fromkeys((pick(language), _DEFAULT)):
        form = _form(choice, key, facts.get("n"))
        if form is not None:
            return _fill(choice, form, facts)
        warnings.warn(f"no text {key!r} in {choice}", MissingText, stacklevel=2)
    parent = key.rpartition(".")[0]
    return say(language, parent if "." in parent else _LAST_RESORT, **facts)


def has(key: str) -> bool:
    """Tell whether the catalogue has a sentence or plural forms for `key`."""
    return _form(_DEFAULT, key, 2) is not None


def pick(tag: str) -> str:
    """Return the language of the catalogue that serves the tag best: `de-AT` gives de, an unknown one en."""
    language = re.split("[-_]", tag, maxsplit=1)[0].lower()
    return language if language in LANGUAGES else _DEFAULT


def standing(text: str) -> str:
    """Return the text without characters that steer a screen: no note may write over what stands there."""
    return _STEERING.sub("", text)


def without_ids(text: str) -> str:
    """Return the text without ids that strayed into it."""
    return _ID.sub("", text)


@cache
def load(language: str) -> Mapping[str, str]:
    """Return all templates of a language by full key, of all its files; read once per process."""
    folder = resources.files(__package__).joinpath(language)
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    tables = (tomllib.loads(folder.joinpath(name).read_text("utf-8")) for name in files)
    return dict(line for table in tables for line in _flat(table, ""))


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)


def _start(fact: Fact) -> Fact:
    return f"{fact[:_KEPT]}…" if isinstance(fact, str) and len(fact) > _LONG else fact


def _form(language: str, key: str, count: Fact) -> str | None:
    templates = load(language)
    if isinstance(count, int) and key not in templates:
        key = f"{key}.{'one' if _is_singular(language, count) else 'other'}"
    return templates.get(key) or templates.get(f"{key.partition('.')[0]}.other")


def _is_singular(language: str, count: int) -> bool:
    return abs(count) < 2 if language == "fr" else abs(count) == 1


def _fill(language: str, template: str, facts: Mapping[str, Fact]) -> str:
    def optional(match: re.Match[str]) -> str:
        names = (name for _, name, _, _ in Formatter().parse(match[1]) if name)
        return match[1] if all(facts.get(name) not in (None, "", ()) for name in names) else ""

    parts: list[str] = []
    for literal, name, spec, _ in Formatter().parse(_OPTIONAL.sub(optional, template)):
        parts.append(literal)
        if name is not None:
            parts.append(_fact(language, name, spec or "", facts))
    return "".join(parts)


def _fact(language: str, name: str, spec: str, facts: Mapping[str, Fact]) -> str:
    if name not in facts:
        warnings.warn(f"no fact {name!r}", MissingText, stacklevel=4)
        return "…"
    value = facts[name]
    if spec == "," and isinstance(value, int | float):  # one that was read out of a text stays as it is
        return f"{value:,}".replace(",", _THOUSANDS[language])
    if spec not in ("", ","):
        return say(language, f"{spec}.{value}")
    if isinstance(value, tuple):
        return ", ".join(without_ids(standing(item)) for item in value)
    return "" if value is None else without_ids(standing(str(value)))
