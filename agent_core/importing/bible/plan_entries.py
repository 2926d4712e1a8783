"""Plans what a bible's entries add to the canon: new entries, and details of those that are there."""

import json
from collections.abc import Iterator, Mapping, Sequence

from agent_core.clock import NewId
from agent_core.errors import BadPatch
from agent_core.importing.bible.comparing import Called, Verdict, compared, place_label
from agent_core.importing.bible.model import BibleEntry, Detail, Path, Remark
from agent_core.importing.bible.review import Review
from agent_core.lore import fold, search
from agent_core.lore.answers import Warn
from agent_core.lore.canon import Canon
from agent_core.lore.fact_card import check_patch
from agent_core.lore.lens import Lens
from agent_core.lore.merge import is_list
from agent_core.lore.model import (
    NOT_REVEALED,
    Asserted,
    Author,
    Created,
    JsonObject,
    Named,
    Row,
    Told,
)
from agent_core.lore.near_keys import near_key_warnings
from agent_core.lore.plan_create import MAX_NAME_CHARS
from agent_core.lore.timeline import Entry
from agent_core.messages import Json

MAX_PATCH_BYTES = 48_000
"""A fact of the canon can have a little more; what is longer becomes several facts."""


class EntryPlanner:
    """Plans the entries of one import against a canon that holds its scenes already."""

    def __init__(self, canon: Canon, review: Review, new_id: NewId) -> None:
        """Take the canon as it would be; what is found goes into the review."""
        self._canon = canon
        self._review = review
        self._new_id = new_id
        self._lens = Lens(canon, Author())
        self._called = Called(())

    async def rows(self, entries: Sequence[BibleEntry]) -> list[Row]:
        """Return the rows of all that is new; differences and doubts go into the review."""
        self._called = Called(await self._canon.all_entries(bound=Author()))
        self._review.remarks += self._strangers(entries)
        rows: list[Row] = []
        for said in entries:
            rows += await self._entry(said)
        return rows

    def _strangers(self, entries: Sequence[BibleEntry]) -> Iterator[Remark]:
        """Yield the details that are relations to names that no entry has."""
        known = {fold.name_key(name) for said in entries for name in (said.name, *said.aliases)}
        for said in entries:
            for detail in said.details.values():
                named = detail.value if is_list(detail.value) else [detail.value]
                for name in map(str, named if detail.relation else ()):
                    if fold.name_key(name) not in known and not self._called.of(name):
                        yield Remark("stranger", detail.spot, {"fields": (name,)})

    async def _entry(self, said: BibleEntry) -> list[Row]:
        name = fold.spelled(said.name)
        if not name or len(name) > MAX_NAME_CHARS:
            self._remark("bad_name", said, name=name[:60])
            return []
        there = self._called.of(name, said.hint)
        if len(there) > 1:
            self._remark("several", said, name=name, n=len(there))
            return []
        if not there:
            return await self._new(said, name)
        if there[0].type is not said.kind and not said.assumed:
            self._remark("other_type", said, name=name, type=there[0].type.value)
            return []
        return await self._known(said, there[0])

    async def _new(self, said: BibleEntry, name: str) -> list[Row]:
        scene = await search.first_mention(self._canon, name)
        told = NOT_REVEALED if scene is None else Told.at(scene)
        entity = self._new_id()
        aliases = self._aliases(said, None)
        details = dict(self._checked(said, said.details))
        shown = {path: one for path, one in details.items() if path[0] in said.told}
        hidden = {path: one for path, one in details.items() if path[0] not in said.told}
        if said.assumed:
            self._remark("kind_assumed", said)
        self._review.new_entries += 1
        self._review.new += len(details)
        facts: dict[str, str | int] = {"name": name, "type": said.kind.value, "n": len(details)}
        self._review.added.append(Warn(code="bible_new", facts=facts))
        return [
            Created(entity=entity, type=said.kind, told=told, disambiguator=fold.spelled(said.hint)),
            Named(id=self._new_id(), entity=entity, name=name, told=told),
            *self._alias_rows(entity, aliases),
            *self._facts(entity, shown, told, static=True),
            *self._facts(entity, hidden, NOT_REVEALED, static=True),
        ]

    async def _known(self, said: BibleEntry, entry: Entry) -> list[Row]:
        self._review.known_entries += 1
        if fold.name_key(entry.name) != fold.name_key(said.name):
            self._remark("known_as", said, name=said.name, entry=entry.name)
        fresh: dict[Path, Detail] = {}
        for one in compared(said, entry, None, self._canon.outline):
            if one.verdict is Verdict.NEW:
                fresh[one.path] = one.detail
            elif one.verdict is Verdict.SAME:
                self._review.same += 1
            else:
                self._review.differs(entry.name, one, place_label(one, self._lens))
        fresh = dict(self._checked(said, fresh))
        aliases = self._aliases(said, entry)
        if fresh or aliases:
            keys = list(dict.fromkeys(path[0] for path in fresh))
            self._review.new += len(fresh)
            facts: dict[str, str | int] = {"name": entry.name, "n": len(fresh), "keys": ", ".join(keys)}
            self._review.added.append(Warn(code="bible_more_facts", facts=facts))
            self._review.added += await near_key_warnings(self._canon, entry.type, entry, keys)
        return [
            *self._alias_rows(entry.entity, aliases),
            *self._facts(entry.entity, fresh, NOT_REVEALED, static=False),
        ]

    def _aliases(self, said: BibleEntry, entry: Entry | None) -> list[str]:
        """Return the aliases that nobody has yet; those of other entries go into the review."""
        fresh: list[str] = []
        for alias in map(fold.spelled, said.aliases):
            owners = self._called.of(alias)
            if not alias or len(alias) > MAX_NAME_CHARS:
                self._remark("bad_name", said, name=alias[:60])
            elif not owners:
                fresh.append(alias)
            elif entry is None or entry.entity not in {owner.entity for owner in owners}:
                self._remark("alias_taken", said, alias=alias, name=owners[0].name)
        return fresh

    def _checked(self, said: BibleEntry, details: Mapping[Path, Detail]) -> Iterator[tuple[Path, Detail]]:
        for path, detail in details.items():
            try:
                check_patch(nested({path: detail.value}))
            except BadPatch as error:
                facts = {"key": ".".join(path)[:80], "name": said.name, "why": str(error.facts["reason"])}
                self._review.remarks.append(Remark("bad_detail", detail.spot, facts))
            else:
                yield path, detail

    def _alias_rows(self, entity: str, aliases: Sequence[str]) -> Iterator[Row]:
        for alias in aliases:
            yield Named(id=self._new_id(), entity=entity, name=alias, told=NOT_REVEALED, alias=True)

    def _facts(
        self, entity: str, details: Mapping[Path, Detail], told: Told, *, static: bool
    ) -> Iterator[Row]:
        for patch in patches({path: detail.value for path, detail in details.items()}):
            yield Asserted(id=self._new_id(), entity=entity, patch=patch, told=told, static=static)

    def _remark(self, code: str, said: BibleEntry, **facts: str | int) -> None:
        self._review.remarks.append(Remark(code, said.spot, facts))


def nested(values: Mapping[Path, Json]) -> dict[str, Json]:
    """Return the object that has these values at their paths; of paths through a value the first counts."""
    whole: dict[str, Json] = {}
    for path, value in values.items():
        inner = whole
        for key in path[:-1]:
            below = inner.setdefault(key, {})
            if not isinstance(below, dict):
                break
            inner = below
        else:
            inner.setdefault(path[-1], value)
    return whole


def patches(values: Mapping[Path, Json]) -> Iterator[JsonObject]:
    """Yield patches that together give these values, none of them larger than a fact may be."""
    taken: dict[Path, Json] = {}
    size = 0
    for path, value in values.items():
        own = len(json.dumps(nested({path: value}), ensure_ascii=False).encode("utf-8", "replace"))
        if taken and size + own > MAX_PATCH_BYTES:
            yield nested(taken)
            taken, size = {}, 0
        taken[path] = value
        size += own
    if taken:
        yield nested(taken)
