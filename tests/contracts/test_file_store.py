"""What every store of files does, and what `Files` makes of it."""

import pytest

from agent_core.clock import NewId
from agent_core.conversation.files import KEPT, KEPT_OF_A_PLACE, MAX_BYTES, Files, KeptFile
from agent_core.conversation.model import Conversation
from agent_core.errors import FileTooLarge
from agent_core.people.model import Identity
from agent_core.stores.sql.conversation import SqlConversationStore
from agent_core.stores.sql.database import Database, Durability
from agent_core.stores.sql.files import SqlFileStore
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.united import unite
from tests.clock import FakeClock, counting_ids

CONTENT = bytes(range(256)) * 3


async def made(database: Database, ids: NewId | None = None) -> tuple[Files, FakeClock]:
    await SqlPeopleStore(database).person_for(
        Identity("terminal", "ann"), "Ann", new_id="ann", operator=False
    )
    for place in ("here", "there"):
        new = Conversation(id=place, platform="terminal", place=place, private=True, default_role="none")
        await SqlConversationStore(database).conversation_at(new)
    clock = FakeClock()
    return Files(store=SqlFileStore(database), clock=clock, new_id=ids or counting_ids()), clock


async def attached(files: Files, name: str, place: str = "here") -> KeptFile:
    return await files.attach(place, "ann", name, "application/x-tar", CONTENT)


async def test_file_is_due_where_it_was_made_for_until_it_has_arrived(database: Database) -> None:
    files, _ = await made(database)
    file = await attached(files, "ein Buch.tar")

    assert await files.store.due_files("here") == (file,)
    assert await files.store.due_files("there") == ()
    await files.store.file_arrived(file.id)
    assert await files.store.due_files() == ()


async def test_files_are_due_in_the_order_they_were_made(database: Database) -> None:
    files, clock = await made(database)
    first = await attached(files, "z")
    clock.advance(seconds=1)
    second = await attached(files, "a", "there")

    assert await files.store.due_files() == (first, second)


async def test_content_comes_back_byte_for_byte_also_after_it_has_arrived(database: Database) -> None:
    files, _ = await made(database)
    file = await attached(files, "a")
    await files.store.file_arrived(file.id)

    assert await files.store.content(file.id) == CONTENT
    assert await files.store.file(file.id) == file
    assert (await files.store.content("other"), await files.store.file("other")) == (None, None)


async def test_old_files_go_when_a_new_one_is_kept(database: Database) -> None:
    files, clock = await made(database)
    old = await attached(files, "old")
    clock.advance(days=KEPT.days, seconds=1)
    new = await attached(files, "new")

    assert await files.store.file(old.id) is None
    assert await files.store.due_files() == (new,)


async def test_of_what_has_arrived_in_a_place_the_newest_are_kept(database: Database) -> None:
    files, clock = await made(database, ids=counting_ids())
    waiting = await attached(files, "waiting")
    arrived = []
    for number in range(KEPT_OF_A_PLACE + 2):
        clock.advance(seconds=1)
        arrived.append(await attached(files, str(number)))
        await files.store.file_arrived(arrived[-1].id)
    await attached(files, "last")

    kept = [file for file in arrived if await files.store.file(file.id)]

    assert kept == arrived[2:]
    assert await files.store.file(waiting.id) == waiting


async def test_file_of_a_person_who_is_joined_to_another_is_theirs(database: Database) -> None:
    files, _ = await made(database)
    people = SqlPeopleStore(database)
    ben = await people.person_for(Identity("terminal", "ben"), "Ben", new_id="ben", operator=False)
    await attached(files, "a")

    await database.write(lambda tx: unite(tx, "ann", ben.id), Durability.FULL)

    assert [file.person for file in await files.store.due_files()] == ["ben"]


async def test_file_that_no_platform_takes_is_refused(database: Database) -> None:
    files, _ = await made(database)

    with pytest.raises(FileTooLarge):
        await files.attach("here", "ann", "big", "text/plain", bytes(MAX_BYTES + 1))
    assert await files.store.due_files() == ()
