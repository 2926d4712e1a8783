"""Where persons, roles and reading progress last."""

from typing import Protocol

from agent_core.people.model import Identity, Membership, Person, Progress


class PeopleStore(Protocol):
    """Persons by identity, their memberships and progress."""

    async def person_for(self, identity: Identity, name: str, *, new_id: str, operator: bool) -> Person:
        """Return the person with this identity; create one (`new_id`, `operator`) where there is none."""
        ...

    async def person(self, person: str) -> Person | None:
        """Return the person with this id, or None."""
        ...

    async def membership(self, person: str, series: str) -> Membership | None:
        """Return the person's membership in the series, or None."""
        ...

    async def members(self, series: str) -> tuple[Membership, ...]:
        """Return all memberships of the series, leads first, then by person id."""
        ...

    async def set_membership(self, membership: Membership) -> None:
        """Store the membership in place of any earlier one; role NONE removes it."""
        ...

    async def progress(self, person: str, series: str) -> Progress | None:
        """Return the person's progress in the series, or None where none was set."""
        ...

    async def set_progress(self, progress: Progress) -> None:
        """Store the progress in place of any earlier one."""
        ...
