"""Where persons, roles, reading progress, codes, admissions and spending last."""

from datetime import datetime
from typing import Protocol

from agent_core.people.model import (
    Admission,
    Code,
    CodeKind,
    Identity,
    Membership,
    Person,
    Progress,
    Rights,
    Spent,
)


class PeopleStore(Protocol):
    """Persons by identity, their memberships and progress."""

    async def person_for(self, identity: Identity, name: str, *, new_id: str, operator: bool) -> Person:
        """Return the person with this identity; create one (`new_id`, `operator`) where there is none."""
        ...

    async def person_known_as(self, identity: Identity) -> Person | None:
        """Return the person with this identity, or None."""
        ...

    async def identities(self, person: str) -> tuple[Identity, ...]:
        """Return how the platforms know a person, by platform and user."""
        ...

    async def person(self, person: str) -> Person | None:
        """Return the person with this id, or None; one who was united is who they are now."""
        ...

    async def membership(self, person: str, series: str) -> Membership | None:
        """Return the person's membership in the series, or None."""
        ...

    async def members(self, series: str) -> tuple[Membership, ...]:
        """Return all memberships of the series, leads first, then by person id."""
        ...

    async def set_membership(self, membership: Membership) -> None:
        """Store the membership in place of any earlier one; role NONE removes it.

        Raises:
            NotPermitted: reason "last_lead"; the series would be left without a lead. Nothing was written.

        """
        ...

    async def progress(self, person: str, series: str) -> Progress | None:
        """Return the person's progress in the series, or None where none was set."""
        ...

    async def set_progress(self, progress: Progress) -> None:
        """Store the progress in place of any earlier one."""
        ...

    async def rights(self, person: str) -> Rights:
        """Return all memberships and progress of the person, each by series id."""
        ...

    async def known_as(self, person: str) -> frozenset[str]:
        """Return the person's id and those of all who became a part of them."""
        ...

    async def unite(self, gone: str, kept: str, rights: Rights) -> None:
        """Make two persons one, who has exactly these rights (under the id `kept`), in one transaction.

        Identities, turns, messages and proposals of `gone` become those of `kept`, who is an operator if
        either was; `person(gone)` gives `kept` from then on.
        """
        ...


class CodeStore(Protocol):
    """Single-use codes by hash, and how often somebody guessed."""

    async def add_code(self, code: Code) -> None:
        """Store a code; an earlier one of the same kind and person is no longer good."""
        ...

    async def code(self, code_hash: str, kind: CodeKind, *, now: datetime) -> Code | None:
        """Return a code of this kind that is still good, or None."""
        ...

    async def take_code(self, code_hash: str, kind: CodeKind, *, now: datetime) -> Code | None:
        """Return a code that is still good and use it up; None for any but the first to take it."""
        ...

    async def count_guess(self, guesser: str, *, window: datetime) -> int:
        """Count one try in the window that starts at `window`; return the tries so far, this one included."""
        ...


class OperatorStore(Protocol):
    """What operators let in, where they can be told something in private, and what they were told."""

    async def make_operator(self, person: str) -> None:
        """Let the person run the installation."""
        ...

    async def has_operator(self, platform: str) -> bool:
        """Return whether an operator has an identity on this platform."""
        ...

    async def admissions(self, platform: str | None = None) -> tuple[Admission, ...]:
        """Return what is let in, of one platform or all, in their order."""
        ...

    async def set_admission(self, admission: Admission, *, admitted: bool) -> None:
        """Let it in, or no longer."""
        ...

    async def note_place(self, person: str, platform: str, conversation: str) -> None:
        """Note the private conversation in which an operator is spoken to on this platform."""
        ...

    async def operator_places(self) -> tuple[str, ...]:
        """Return the private conversations of all operators, in the order of their ids."""
        ...

    async def open_notice(self, kind: str, at: datetime) -> bool:
        """Note that something is broken; False if that is known already."""
        ...

    async def close_notices(self) -> bool:
        """Note that everything works again; return whether something was broken."""
        ...


class UsageStore(Protocol):
    """What turns have used of models that cost something."""

    async def last_spent(self, person: str, conversation: str) -> Spent | None:
        """Return what the person's newest turn in this conversation has used, None where there is none."""
        ...

    async def spent(self, person: str | None, *, since: datetime) -> Spent:
        """Return what the turns started since then have used, of one person or of all."""
        ...
