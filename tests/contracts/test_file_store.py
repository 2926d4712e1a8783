"""What every store of files does, and what `Files` makes of it."""

import pytest

from agent_core.conversation.files import KEPT, MAX_BYTES, Files, KeptFile
from agent_core.conversation.model import Conversation
from agent_core.errors import FileTooLarge
from agent_core.people.model import Identity
from agent_core.stores.sql.conversation import SqlConversationStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.files import SqlFileStore
from agent_core.stores.sql.people import SqlPeopleStore
from tests.clock import FakeClock

CONTENT = bytes(range(256)) * 3


async def made(database: Database) -> tuple[Files, FakeClock]:
    await SqlPeopleStore(database).person_for(
        Identity("terminal", "ann"), "Ann", new_id="ann", operator=False
    )
    for place in ("here", "there"):
        new = Conversation(id=place, platform="terminal", place=place, private=True, default_role="none")
        await SqlConversationStore(database).conversation_at(new)
    clock, ids = FakeClock(), iter("abcdef")
    return Files(store=SqlFileStore(database), clock=clock, new_id=lambda: next(ids)), clock


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


async def test_file_that_no_platform_takes_is_refused(database: Database) -> None:
    files, _ = await made(database)

    with pytest.raises(FileTooLarge):
        await files.attach("here", "ann", "big", "text/plain", bytes(MAX_BYTES + 1))
    assert await files.store.due_files() == ()
