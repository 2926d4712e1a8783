"""Joins the identities of one human being: two persons become one, by a code typed on the other side."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from agent_core.errors import NotPermitted
from agent_core.people.codes import Codes
from agent_core.people.model import Code, CodeKind, Membership, Person, Progress, Rights, SeriesRole
from agent_core.people.store import PeopleStore

# Returns the earlier of two nodes in the reading order of a series.
Earlier = Callable[[str, str, str], Awaitable[str]]

_RANK = {SeriesRole.NONE: 0, SeriesRole.READER: 1, SeriesRole.EDITOR: 2, SeriesRole.OWNER: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """Issues codes to persons, and unites who typed one with who asked for it."""

    people: PeopleStore
    codes: Codes

    async def code_for(self, person: Person) -> str:
        """Return a fresh code by which this person can be joined from elsewhere."""
        return await self.codes.issue(CodeKind.LINK, person.id)

    async def claim(self, code_hash: str, person: Person) -> Person:
        """Return who asked for the code that a person typed; nothing has happened yet.

        Raises:
            RateLimited: too many guesses.
            NotPermitted: reason "code" or "own_code".
        """
        return await self._issuer(await self.codes.find(code_hash, CodeKind.LINK, person.id), person)

    async def unite(self, code_hash: str, person: Person, earlier: Earlier) -> Person:
        """Use up the code and make two persons one; return who they are now: the one who asked for it.

        Raises:
            NotPermitted: reason "code" or "own_code"; nothing has changed but that the code is used up.
        """
        code = await self.codes.take(code_hash, CodeKind.LINK)
        kept = await self._issuer(code, person)
        ours, theirs = await self.people.rights(kept.id), await self.people.rights(person.id)
        await self.people.unite(person.id, kept.id, await united_rights(kept.id, ours, theirs, earlier))
        return await self.people.person(kept.id) or kept

    async def _issuer(self, code: Code, person: Person) -> Person:
        issuer = await self.people.person(code.person) if code.person else None
        if issuer is None:
            raise NotPermitted(reason="code")
        if issuer.id == person.id:
            raise NotPermitted(reason="own_code")
        return issuer


async def united_rights(person: str, one: Rights, other: Rights, earlier: Earlier) -> Rights:
    """Return the rights of two persons who are one: in each series the higher role and the lower progress.

    One who has nothing to do with a series lowers nothing there; one who belongs to it and has read
    nothing lowers the other to nothing.
    """
    roles = {series: (_role(one, series), _role(other, series)) for series in _all_series(one, other)}
    return Rights(
        memberships=tuple(replace(_higher(*pair), person=person) for pair in roles.values() if any(pair)),
        progress=tuple(
            [
                united
                for series in roles
                if (united := await _progress(person, series, one, other, earlier)) is not None
            ]
        ),
    )


def _all_series(*sides: Rights) -> list[str]:
    roles = {one.series for side in sides for one in side.memberships}
    return sorted(roles | {one.series for side in sides for one in side.progress})


def _role(side: Rights, series: str) -> Membership | None:
    return next((one for one in side.memberships if one.series == series), None)


def _read(side: Rights, series: str) -> Progress | None:
    return next((one for one in side.progress if one.series == series), None)


def _higher(one: Membership | None, other: Membership | None) -> Membership:
    there = [membership for membership in (one, other) if membership is not None]
    highest = max(there, key=lambda membership: _RANK[membership.role])
    return replace(highest, may_destroy=any(membership.may_destroy for membership in there))


async def _progress(
    person: str, series: str, one: Rights, other: Rights, earlier: Earlier
) -> Progress | None:
    sides = [side for side in (one, other) if _role(side, series) or _read(side, series)]
    found = [_read(side, series) or Progress(person=person, series=series) for side in sides]
    if not any(_read(side, series) for side in sides):
        return None
    finished, ceiling = found[0].finished, found[0].ceiling
    for further in found[1:]:
        nothing = finished is None or further.finished is None
        finished = None if nothing else await _lower(series, finished, further.finished, earlier)
        ceiling = await _lower(series, ceiling, further.ceiling, earlier)
    return Progress(person=person, series=series, finished=finished, ceiling=ceiling)


async def _lower(series: str, one: str | None, other: str | None, earlier: Earlier) -> str | None:
    """Return the lower of two marks; one that is unset limits nothing."""
    if one is None or other is None or one == other:
        return one or other
    return await earlier(series, one, other)
