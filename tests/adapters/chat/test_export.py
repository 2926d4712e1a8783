"""A book taken out by a typed command: its file comes into the room, and not to readers."""

from tests.adapters.chat.paper import Paper


async def test_typed_export_sends_the_book(paper: Paper) -> None:
    room = await paper.say("ann", "/export epub")

    [file] = room.files
    assert (file.name, file.media_type) == ("The Heron.epub", "application/epub+zip")
    assert file.content.startswith(b"PK")


async def test_readers_are_told_plainly_and_get_nothing(paper: Paper) -> None:
    room = await paper.say("bea", "/export docx", "7")

    assert room.files == []
    assert "readers" in room.texts[-1]
