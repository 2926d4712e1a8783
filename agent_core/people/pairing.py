"""Opens a fresh chat platform: who enters the code that the console printed is its operator."""

from dataclasses import dataclass, replace

from agent_core.clock import NewId
from agent_core.people.codes import Codes, hash_of
from agent_core.people.model import Admission, CodeKind, Door, Identity, Person
from agent_core.people.store import OperatorStore, PeopleStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """Who speaks where, in the platform's own ids. `server` and `chat` are None in a private chat."""

    identity: Identity
    server: str | None = None
    chat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Makes operators by code, and says who is let in."""

    people: PeopleStore
    operators: OperatorStore
    codes: Codes
    new_id: NewId

    async def new_code(self) -> str:
        """Return a fresh pairing code for the console; it takes the place of an earlier one."""
        return await self.codes.issue(CodeKind.PAIR, None)

    async def is_paired(self, platform: str) -> bool:
        """Return whether the platform has an operator; until then it knows `/start CODE` and `/help` only."""
        return await self.operators.has_operator(platform)

    async def pair(self, identity: Identity, name: str, text: str) -> Person:
        """Use up the code and return the person who entered it, an operator from now on.

        Raises:
            RateLimited: too many guesses.
            NotPermitted: reason "code".
        """
        code = await self.codes.find(hash_of(text), CodeKind.PAIR, f"{identity.platform}:{identity.user}")
        await self.codes.take(code.hash, CodeKind.PAIR)
        person = await self.people.person_for(identity, name, new_id=self.new_id(), operator=True)
        await self.operators.make_operator(person.id)
        return replace(person, operator=True)

    async def lets_in(self, knock: Knock, person: Person) -> bool:
        """Return whether this person is heard here."""
        return admitted(await self.operators.admissions(knock.identity.platform), knock, person)


def admitted(admissions: tuple[Admission, ...], knock: Knock, person: Person) -> bool:
    """Return whether an operator, or somebody whom an operator let in: as a person, chat or server."""
    if person.operator:
        return True
    platform = knock.identity.platform
    wanted = [(Door.PERSON, knock.identity.user), (Door.CHAT, knock.chat), (Door.SERVER, knock.server)]
    return any(key is not None and Admission(platform, door, key) in admissions for door, key in wanted)
