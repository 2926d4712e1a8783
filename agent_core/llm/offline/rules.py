"""Loads the rules of a language and turns them into patterns, once per process and only when asked for.

In the rules `{piece}` stands for another pattern and `<name>` for a part of the sentence that is taken out.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from agent_core.llm.offline.places import PlaceWords, place_source, when_sources
from agent_core.llm.offline.plain import plain
from agent_core.llm.offline.tables import RuleFile, RuleGroup

LANGUAGES = ("en", "de", "fr")

_PIECE = re.compile(r"\{([a-z_]+)\}")
_PART = re.compile(r"(?<!\?P)<([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Form:
    """One form of sentence, compiled, with what its group says."""

    pattern: re.Pattern[str]
    group: RuleGroup


class Rules:
    """The rules of one language with their patterns."""

    def __init__(self, language: str) -> None:
        self.language = language
        source = resources.files(__package__).joinpath("rules", f"{language}.toml").read_text("utf-8")
        self._file = RuleFile.model_validate(tomllib.loads(source))
        self._patterns: dict[str, re.Pattern[str]] = {}
        self.words = self._file.words
        self.loose = self._file.loose
        self.write = self._file.write
        self.statement = self._file.statement
        self.place = self._file.place
        self.known = self._file.known
        self.talk = self._file.talk
        self.question = self._file.question

    def pattern(self, source: str) -> re.Pattern[str]:
        """Return the pattern that a rule stands for; the result is kept."""
        found = self._patterns.get(source)
        if found is None:
            found = self._patterns[source] = re.compile(self._expanded(source))
        return found

    def rewritten(self, text: str) -> str:
        """Return the text with contractions written out."""
        for source, replacement in self._file.rewrite.items():
            text = re.sub(source, replacement, text, flags=re.IGNORECASE)
        return text

    @cached_property
    def pronouns(self) -> frozenset[str]:
        """Return the words that stand for somebody named elsewhere."""
        return frozenset(self.words.pronouns.split())

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Return the words by which the language is recognised."""
        return frozenset(self.words.function.split())

    @cached_property
    def place_words(self) -> PlaceWords:
        """Return the words from which places are made."""
        return PlaceWords(
            chapter=self.place.chapter,
            scene=self.place.scene,
            book=self.place.book,
            of=self.place.of,
            the=self.place.the,
            titles=self.place.titles,
            numbers=tuple(self.words.numbers.split()),
            ordinals=tuple(self.words.ordinals.split()),
            ordinal_mark=self.place.ordinal_mark,
        )

    @cached_property
    def question_forms(self) -> tuple[Form, ...]:
        """Return the forms of questions in the order in which they are tried."""
        return tuple(self._forms(self._file.question.rules))

    @cached_property
    def statement_forms(self) -> tuple[Form, ...]:
        """Return the forms of facts in the order in which they are tried."""
        return tuple(self._forms(self._file.statement.rules))

    def _forms(self, groups: tuple[RuleGroup, ...]) -> Iterator[Form]:
        for group in groups:
            for source in group.forms:
                yield Form(self.pattern(source), group)

    @cached_property
    def _pieces(self) -> Mapping[str, str]:
        words = self._file.words
        every, clear = when_sources(words.months, words.day_words, words.last)
        return {
            **self._file.pieces,
            "place": place_source(self.place_words),
            "type": f"(?:{'|'.join(self.write.types.values())})(?:s|es|n|en)?",
            "when": f"(?:{every}|{_unnamed(self.known.edit)})",
            "when_clear": f"(?:{clear}|{_unnamed(self.known.edit)})",
        }

    def _expanded(self, source: str) -> str:
        while _PIECE.search(source):
            source = _PIECE.sub(lambda found: self._pieces[found[1]], source)
        source = _PART.sub(self._part, source)
        return source.replace("ss", "(?:ss|ß)") if self.language == "de" else source

    def _part(self, found: re.Match[str]) -> str:
        name = found[1]
        return f"(?P<{name}>{self._pieces[name] if name in {'place', 'when', 'type', 'listed'} else '.+?'})"


@cache
def rules_of(language: str) -> Rules:
    """Return the rules of a language, read from the package once."""
    return Rules(language)


def match(pattern: re.Pattern[str], text: str) -> dict[str, str] | None:
    """Return the parts of `text` that the pattern takes out of the whole of it, as they stand there."""
    found = pattern.fullmatch(plain(text))
    return None if found is None else parts_of(found, text)


def parts_of(found: re.Match[str], text: str) -> dict[str, str]:
    """Return the named parts of a match on the plain form, as they stand in `text`."""
    return {
        name: text[slice(*found.span(name))].strip()
        for name in found.re.groupindex
        if found.span(name)[0] >= 0
    }


def _unnamed(source: str) -> str:
    return re.sub(r"\?P<\w+>", "?:", source)
