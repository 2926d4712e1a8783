"""What an import of a bible would do, as sentences to decide on: nothing is guessed in silence."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from agent_core.errors import Fact
from agent_core.importing.bible.comparing import Compared
from agent_core.importing.bible.model import Remark
from agent_core.lore.answers import Warn
from agent_core.lore.lens import json_value

SHOWN = 8
NAMED = 5
LISTED = 20

_TOGETHER = frozenset({
    "scene_fields_stay", "sections_stay", "text_stays", "research_stays", "keys_stay", "not_codex", "no_kind",
    "kind_assumed", "same_name", "stranger",
})  # fmt: skip
"""Remarks that hold for many files alike: they are counted, with the first few by name."""


@dataclass(slots=True)
class Review:
    """What was found, collected while it is planned. Counts are of details, but for entries and scenes."""

    new_entries: int = 0
    known_entries: int = 0
    new: int = 0
    same: int = 0
    differ: int = 0
    differing: list[Warn] = field(default_factory=list)
    added: list[Warn] = field(default_factory=list)
    scenes: list[Warn] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def differs(self, name: str, one: Compared, place: str) -> None:
        """Note that the canon says something else than a note; the canon stands."""
        self.differ += 1
        facts: dict[str, str | int] = {
            "spot": str(one.detail.spot),
            "name": name,
            "key": ".".join(one.path),
            "place": place,
        }
        values = {"note": json_value(one.detail.value), "canon": json_value(one.canon)}
        self.differing.append(Warn(code="bible_differs", facts=facts, values=values))

    @property
    def unclear(self) -> int:
        """How many things were left out since they are unclear."""
        return sum(remark.code not in _TOGETHER for remark in self.remarks)

    def lines(self, shown: int | None = None) -> tuple[Warn, ...]:
        """Return all sentences, the counts first; of each kind at most `shown`, with how many more."""
        counts: dict[str, str | int] = {
            "entries": self.new_entries,
            "known": self.known_entries,
            "new": self.new,
            "same": self.same,
            "differ": self.differ,
            "unclear": self.unclear,
        }
        groups = (self.differing, list(_unclear(self.remarks)), self.scenes, self.added)
        listed = [warn for group in groups for warn in _cut(group, shown)]
        return (Warn(code="bible_counts", facts=counts), *listed)


def _unclear(remarks: Sequence[Remark]) -> Iterator[Warn]:
    together: dict[str, list[Remark]] = defaultdict(list)
    for remark in remarks:
        if remark.code in _TOGETHER:
            together[remark.code].append(remark)
        else:
            yield Warn(code=f"bible_{remark.code}", facts={"spot": str(remark.spot), **_plain(remark.facts)})
    for code, alike in together.items():
        files = list(dict.fromkeys(remark.spot.file for remark in alike))
        named = ", ".join(files[:NAMED]) + (" …" if len(files) > NAMED else "")
        fields = list(dict.fromkeys(name for remark in alike for name in _names(remark.facts.get("fields"))))
        facts: dict[str, str | int] = {
            "n": len(files),
            "files": named,
            "fields": ", ".join(fields[:LISTED]) + (" …" if len(fields) > LISTED else ""),
        }
        yield Warn(code=f"bible_{code}", facts=facts)


def _cut(group: Sequence[Warn], shown: int | None) -> Iterable[Warn]:
    by_code: dict[str, list[Warn]] = defaultdict(list)
    for warn in group:
        by_code[warn.code].append(warn)
    for alike in by_code.values():
        yield from islice(alike, shown)
        if shown is not None and len(alike) > shown:
            yield Warn(code="bible_more", facts={"n": len(alike) - shown})


def _plain(facts: Mapping[str, Fact]) -> dict[str, str | int]:
    return {
        name: ", ".join(value)
        if isinstance(value, tuple)
        else value
        if isinstance(value, int)
        else str(value)
        for name, value in facts.items()
    }


def _names(value: Fact) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
