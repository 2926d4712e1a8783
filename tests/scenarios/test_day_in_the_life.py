"""A day in the life: two writers, a reader and a stranger at the real command line, from import to restore.

REWRITE_A_DAY=1 puts what was shown into docs/explanation/a-day.md, for somebody to look at.
"""

import asyncio
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent_core.conversation.model import Conversation
from agent_core.errors import LoreKeeperError
from agent_core.events import ignore
from agent_core.people.model import Identity
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import BatchStatus
from agent_core.texts import say
from bot.settings import Settings
from bot.wiring import build
from tests.agent_core.stores.test_migrate import select
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw
from tests.scenarios.day import DREAM, Day, check_page
from tests.scenarios.first_schema import as_first_schema

SERIES = "The Salt Roads"
READER = "bea@b1:2"
BOOK = """# The Heron

## Chapter 1

Mara waits at the harbour of Vel. Her eyes are green, and her coat is grey.

***

The Heron sails at dusk. Tom, the smith, stays behind.

## Chapter 2

In Oru, Mara loses her scarf.

***

Captain Ilse Brandt counts the crates twice. One is missing.

## Chapter 3

Tom comes aboard by night. He is no smith: he is the brother of the salt queen.
"""

REFUSED_KEY = Raw(status=401, body={"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})

# What is asked again on every machine that the notes come to: who asks, and what.
QUESTIONS = (
    ("", "/lore Mara"),
    ("", "/lore Mara @1.1"),
    ("", "/lore Mara @2 ~3"),
    ("", "/lore Tom"),
    ("", "/timeline"),
    ("", "/search brother"),
    ("", "/history Mara"),
    (READER, "/lore Tom"),
    (READER, "/lore Mara"),
    (READER, "/search brother"),
    (READER, "/timeline"),
    (READER, "/history Tom"),
)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_day_in_the_life_loses_nothing_and_reads_as_told(tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    await asyncio.to_thread(folder.mkdir)
    await asyncio.to_thread((folder / "heron.md").write_text, BOOK, "utf-8")
    async with ModelEndpoint() as endpoint:
        day = Day(
            folder,
            {
                "LOGNAME": "nora",
                "COLUMNS": "96",
                "LOREKEEPER_LOG_LEVEL": "error",
                "LOREKEEPER_MODEL": "scripted",
                "LOREKEEPER_MODEL_BASE_URL": endpoint.url,
                "LOREKEEPER_MODEL_API_KEY": "a-key-that-is-long-enough",
            },
        )
        await _begin(day)
        await _ask_and_note(day, endpoint)
        await _write_the_same_thing_twice(day, endpoint)
        await _read_along(day, endpoint)
        await _steal_a_card(day)
        await _take_back(day)
        await _lose_the_key_at_night(day, endpoint)
        await _fill_the_disk(day)
        evening = await _answers(day, folder)
        await _restore_elsewhere(day, tmp_path, evening)
        await _move_elsewhere(day, tmp_path, evening)
        await _come_from_the_first_schema(day, tmp_path, evening)
    await asyncio.to_thread(check_page, day.shown)


async def _begin(day: Day) -> None:
    shown = await day.types("import", "heron.md", "--series", SERIES, "--yes", scene="the book")
    assert "3 chapters, 5 scenes" in shown
    assert "Your role here" in await day.says("/lore Mara", who="ann", code=1)
    shown = await day.says("/members set terminal:ann editor", "--yes")
    assert "ann: no role → co-author" in shown
    await day.says("/entry new character Mara eyes=green told start", "--yes")
    shown = await day.says("/entry new character Tom trade=smith told 1.2", "--yes", who="ann")
    assert "Saved, edit no. 3 by ann" in shown


async def _ask_and_note(day: Day, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "scarf"}), Call("get_entity_state", {"entityId": "Mara"}))
    endpoint.reply(
        "She loses it in Oru (2.1). I would note that:",
        Call(
            "record_lore_state",
            {"entityId": "Mara", "statePatch": {"scarf": "lost in Oru"}, "chapterId": "2.1"},
        ),
    )
    shown = await day.says("Does Mara lose her scarf? Then note it.", scene="a question")
    assert "lost in Oru" in shown
    assert "lost in Oru" not in await day.says("/lore Mara")
    endpoint.reply("Noted: from 2.1 on her scarf is lost.")
    assert "Saved, edit no. 4 by nora" in await day.types("chat", "--yes", scene="a question")
    await day.says("/record Tom kin=brother of the salt queen @start told 3", "--yes", who="ann")


async def _write_the_same_thing_twice(day: Day, endpoint: ModelEndpoint) -> None:
    endpoint.reply(
        "That contradicts 1.1. If you mean it:",
        Call(
            "record_lore_state",
            {"entityId": "Mara", "statePatch": {"eyes": "brown"}, "chapterId": "start", "retcon": True},
        ),
    )
    assert "green → brown" in await day.says("Mara's eyes were brown all along.", scene="two writers")
    shown = await day.says("/retcon Mara eyes=grey @start", "--yes", who="ann")
    assert "green → grey" in shown
    shown = await day.types("chat", "--yes", scene="two writers")
    assert "grey → brown" in shown
    endpoint.reply("Grey it stays.")
    assert "Grey it stays." in await day.types("chat", "--no")
    assert "eyes  grey" in await day.says("/lore Mara")


async def _read_along(day: Day, endpoint: ModelEndpoint) -> None:
    shown = await day.says("/lore Tom", who="ann")
    assert "brother of the salt queen" in shown
    shown = await day.says("/lore Tom", who=READER, scene="a reader")
    assert "queen" not in shown
    assert "Nothing found" in await day.says("/search queen", who=READER)
    endpoint.reply(Call("get_entity_state", {"entityId": "Tom"}), Call("search_lore", {"query": "queen"}))
    endpoint.reply("Tom is a smith (1.2). I know of no kin of his.")
    await day.says("Who is Tom really?", who="bea", scene="a reader")
    sent = "".join(str(message["content"]) for message in endpoint.requests[-1].messages[1:])
    assert "smith" in sent
    assert "brother" not in sent
    shown = await day.says("/record Tom trade=thief @2", "--yes", who="bea", code=1, scene="a reader")
    assert "isn’t open to beta readers" in shown


async def _steal_a_card(day: Day) -> None:
    await day.says("/record Mara coat=torn", who="ann")
    settings = Settings(data_dir=day.folder / "notes", language="en", time_zone=ZoneInfo("UTC"))
    query = "SELECT id FROM batch WHERE status = 'open'"
    [(batch,)] = await asyncio.to_thread(select, settings.database, query)
    assert isinstance(batch, str)
    shown = await day.types("chat", "--as", "mallory", "--yes", code=1, scene="a stranger")
    assert shown == "No proposal is open."
    assert await day.types("chat", "--as", "bea", "--yes", code=1) == shown
    for thief in ("mallory", "bea"):
        refused = await _decides(settings, thief, batch)
        day.tells("a stranger", f"({thief} sends “save” for the id of ann’s card)\n{refused}")
    assert "coat  torn" in await day.types("chat", "--as", "ann", "--no")
    assert "torn" not in await day.says("/lore Mara")


async def _decides(settings: Settings, user: str, batch: str) -> str:
    """Return the sentence that refuses a decision about somebody else's card."""
    async with build(settings) as app:
        place = Conversation(id="new", platform="terminal", place=f"main/{user}", private=True)
        asker = await app.core.askers.identify(Identity("terminal", user), user, place, operator=False)
        with pytest.raises(LoreKeeperError) as refused:
            await app.core.decide(batch, Decision(approve=True), asker, ignore)
        kept = await app.core.batch(batch)
        assert kept is not None
        assert kept.status is BatchStatus.OPEN
        return say("en", refused.value.text_key, **refused.value.facts)


async def _take_back(day: Day) -> None:
    assert "lost in Oru → not noted" in await day.says("/undo", "--yes", scene="taken back")
    assert "scarf" not in await day.says("/lore Mara")
    await day.says("/undo 7", "--yes", scene="taken back")
    assert "lost in Oru (2.1)" in await day.says("/lore Mara")
    shown = await day.says("/lore Mara @2 ~3", scene="as it stood")
    assert "green" in shown
    assert "scarf" not in shown


async def _lose_the_key_at_night(day: Day, endpoint: ModelEndpoint) -> None:
    for _ in range(3):
        endpoint.reply(REFUSED_KEY)
    asked = await day.says("Is Ilse aboard?", who="ann", code=1, scene="the key")
    found = await day.says("/lore Mara @1", scene="the key")
    again = [await day.says("Is Ilse aboard?", who=who, code=1) for who in ("ann", "")]
    assert again == [asked, asked]
    assert found.count("LOREKEEPER_MODEL_API_KEY") == 1
    assert "eyes  grey" in found
    assert "LOREKEEPER_MODEL_API_KEY" not in asked
    day.variables["LOREKEEPER_MODEL_API_KEY"] = "a-fresh-key-that-is-good"
    endpoint.reply(Call("search_lore", {"query": "Ilse"}))
    endpoint.reply("Yes: she counts the crates on board (2.2).")
    assert "counts the crates" in await day.says("Is Ilse aboard?", who="ann", scene="the key renewed")
    assert endpoint.requests[-1].headers["authorization"] == "Bearer a-fresh-key-that-is-good"
    endpoint.reply(REFUSED_KEY)
    await day.says("Is she?", who="ann", code=1)
    assert "LOREKEEPER_MODEL_API_KEY" in await day.says("/lore Mara @1")  # it broke anew


async def _fill_the_disk(day: Day) -> None:
    before = await _answers(day, day.folder)
    dream = f"/record Mara dream={DREAM} @3"
    shown = await day.says_on_full_disk(dream, who="ann", scene="the disk")
    assert shown.startswith("The disk is full.")
    assert await _answers(day, day.folder) == before
    shown = await day.says(dream, "--yes", who="ann")
    assert "Saved, edit no. 9 by ann" in shown
    assert "characters in all" in shown


async def _answers(day: Day, folder: Path) -> dict[tuple[str, str], str]:
    """Return what everybody reads on a machine, by who asks what."""
    answers = {}
    for who, question in QUESTIONS:
        seat = ("--as", who) if who else ()
        answers[who, question] = await day.types("chat", *seat, "--say", question, at=folder)
    return answers


async def _restore_elsewhere(day: Day, tmp_path: Path, evening: dict[tuple[str, str], str]) -> None:
    await day.types("backup", "heron.db", scene="another machine")
    new = tmp_path / "laptop"
    await asyncio.to_thread(new.mkdir)
    await asyncio.to_thread((day.folder / "heron.db").rename, new / "heron.db")
    await day.types("restore", "heron.db", "--yes", at=new, scene="another machine")
    assert await _answers(day, new) == evening


async def _move_elsewhere(day: Day, tmp_path: Path, evening: dict[tuple[str, str], str]) -> None:
    new = tmp_path / "studio"
    await asyncio.to_thread(new.mkdir)
    await day.types("export", "salt-roads.zip", scene="an export")
    await asyncio.to_thread((day.folder / "salt-roads.zip").rename, new / "salt-roads.zip")
    await day.types("import", "salt-roads.zip", "--yes", at=new, scene="an export")
    assert await _answers(day, new) == evening


async def _come_from_the_first_schema(day: Day, tmp_path: Path, evening: dict[tuple[str, str], str]) -> None:
    old = tmp_path / "attic"
    await asyncio.to_thread((old / "notes").mkdir, parents=True)
    await asyncio.to_thread(as_first_schema, day.folder / "notes/lorekeeper.db", old / "notes/lorekeeper.db")
    await day.types("migrate", at=old, scene="old notes")
    assert await _answers(day, old) == evening
