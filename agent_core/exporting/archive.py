"""The form of an archive: a zip with a manifest and JSON lines, the same bytes for the same series.

`manifest.json` names the version of the form, the series, and of every other member how many bytes and lines
it has and its SHA-256. `people.jsonl` holds persons. Each series has a folder with `changes.jsonl` (each
change, then its rows, oldest first), `nodes.jsonl` (the outline as it is), `members.jsonl` and
`progress.jsonl`. Nothing depends on the machine, the moment or the database that it was made with.
"""

import json
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel

from agent_core.clock import from_stamp, to_stamp
from agent_core.exporting.store import KnownPerson, WrittenChange
from agent_core.lore.model import Change, Series
from agent_core.people.model import Identity, Membership, Progress, SeriesRole

FORMAT = "lorekeeper-series"
VERSION = 1
MAX_LINE_BYTES = 32 * 1024 * 1024
"""A row holds a scene at most, which has a million characters."""
MANIFEST = "manifest.json"
PEOPLE = "people.jsonl"


def folder_of(place: int) -> str:
    """Return the folder of the series at a place in the manifest, from 1."""
    return f"series-{place}/"


class Line(BaseModel):
    """A line of an archive; what it doesn't know is refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, alias_generator=to_camel
    )

    def text(self) -> str:
        """Return the line as JSON."""
        return json.dumps(
            self.model_dump(by_alias=True), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )


class Member(Line):
    """What a member of the zip holds."""

    name: str
    bytes: int
    lines: int
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class SeriesLine(Line):
    """A series in the manifest."""

    id: str
    name: str
    owner: str
    edits: int

    def series(self) -> Series:
        """Return the series."""
        return Series(id=self.id, name=self.name, owner=self.owner)


class Manifest(Line):
    """The head of an archive."""

    format: Literal["lorekeeper-series"] = "lorekeeper-series"
    version: Literal[1] = 1
    series: list[SeriesLine]
    members: list[Member]


class PersonLine(Line):
    """A person and their accounts, each as [platform, user]."""

    person: str
    name: str
    united_with: str | None
    accounts: list[list[str]]

    @classmethod
    def of(cls, person: KnownPerson) -> "PersonLine":
        """Return the line of a person."""
        return cls(
            person=person.id,
            name=person.name,
            united_with=person.united_with,
            accounts=[[account.platform, account.user] for account in person.identities],
        )

    def known(self) -> KnownPerson:
        """Return the person.

        Raises:
            ValueError: an account is no pair.

        """
        accounts = tuple(Identity(platform, user) for platform, user in self.accounts)
        return KnownPerson(id=self.person, name=self.name, united_with=self.united_with, identities=accounts)


class MemberLine(Line):
    """A person's role in the series."""

    person: str
    role: Literal["owner", "editor", "reader"]
    may_destroy: bool

    @classmethod
    def of(cls, membership: Membership) -> "MemberLine":
        """Return the line of a role."""
        return cls.model_validate(
            {"person": membership.person, "role": membership.role.value, "mayDestroy": membership.may_destroy}
        )

    def membership(self, series: str, person: str) -> Membership:
        """Return the role for the person that stands for this one."""
        return Membership(
            person=person, series=series, role=SeriesRole(self.role), may_destroy=self.may_destroy
        )


class ProgressLine(Line):
    """How far a person has read the series."""

    person: str
    finished: str | None
    ceiling: str | None

    @classmethod
    def of(cls, progress: Progress) -> "ProgressLine":
        """Return the line of a reading progress."""
        return cls(person=progress.person, finished=progress.finished, ceiling=progress.ceiling)

    def progress(self, series: str, person: str) -> Progress:
        """Return the progress of the person that stands for this one."""
        return Progress(person=person, series=series, finished=self.finished, ceiling=self.ceiling)


class ChangeLine(Line):
    """A change; the next `rows` lines are its rows, each as [kind, subject, members]."""

    change: int
    token: str
    at: str
    proposed_by: str
    approved_by: str
    source: str
    summary: str
    keys: list[str]
    rows: int

    def as_change(self, series: str) -> Change:
        """Return the change.

        Raises:
            ValueError: its instant is none.

        """
        return Change(
            series=series,
            number=self.change,
            at=from_stamp(self.at),
            proposed_by=self.proposed_by,
            approved_by=self.approved_by,
            source=self.source,
            summary=self.summary,
        )


def change_lines(written: WrittenChange) -> Iterator[str]:
    """Yield the lines of a change: itself, then its rows."""
    change = written.change
    yield ChangeLine(
        change=change.number,
        token=written.token,
        at=to_stamp(change.at),
        proposed_by=change.proposed_by,
        approved_by=change.approved_by,
        source=change.source,
        summary=change.summary,
        keys=list(written.keys),
        rows=len(written.rows),
    ).text()
    for row in written.rows:
        yield f"[{_quoted(row.kind)},{_quoted(row.subject)},{row.body}]"


_quoted = json.JSONEncoder(ensure_ascii=False).encode
