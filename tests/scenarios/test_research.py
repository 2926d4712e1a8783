"""One question over canon, notes and the web: what it rests on stands below the answer on every surface."""

import io
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from adapters.chat.model import Speaker
from adapters.http.app import create_app
from adapters.http.host import hosted
from adapters.terminal.console import terminal_console
from adapters.terminal.host import Host
from adapters.terminal.output import TextOutput
from adapters.terminal.reader import LineReader
from adapters.terminal.session import Session
from agent_core.clock import new_id
from agent_core.people.model import Membership, SeriesRole
from bot.desks import desk_for
from tests.adapters.chat.paper import Paper, PaperRooms
from tests.adapters.http.conftest import ADDRESS, LOCAL, seated
from tests.adapters.http.events import listening
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.emulators.site import Site, article, open_site
from tests.house import BOOK, SERIES, House, found_in, open_house

WORDS = "The old ships lay at anchor for thirty years, and nobody dared to sail them out again."
NOTE = "# Vel\n\nA harbour of salt and rope.\nIts ships lie idle.\n"
QUESTION = "Why do the ships of Vel lie idle, and who knows?"


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with open_site() as served:
        served.page("/ships", article("Idle ships", WORDS))
        yield served


@pytest.fixture
async def house(tmp_path: Path, site: Site) -> AsyncIterator[House]:
    folder = await found_in(tmp_path / "house")
    notes = tmp_path / "novel"
    (notes / "Places").mkdir(parents=True)
    (notes / "Places" / "Vel.md").write_text(NOTE)
    changed = {"vaults": (("novel", notes),), "private_hosts": f"127.0.0.1:{site.port}", "http_port": 0}
    async with (
        ModelEndpoint() as endpoint,
        open_house(folder, endpoint, FakeClock(), new_id, **changed) as one,  # type: ignore[arg-type]  # settings
    ):
        await one.write("attach_notes", name="novel")
        await one.write(
            "record_lore_state",
            entityId="Mara",
            statePatch={"scarf": "lost"},
            sourceSceneId="2.1",
            toldAt="start",
        )
        yield one
    shutil.rmtree(folder)


def page(site: Site) -> str:
    return f"http://127.0.0.1:{site.port}/ships"


def script(house: House, site: Site, answer: str) -> None:
    """Let the model look in all three places and then answer."""
    house.endpoint.reply(
        "First what we have, then the page.",
        Call("get_entity_state", {"entityId": "Mara", "asOf": "2.2"}),
        Call("search_fulltext", {"query": "ships idle"}),
    )
    house.endpoint.reply(
        Call("read_file", {"path": "Places/Vel.md", "numbered": True}), Call("fetch_url", {"url": page(site)})
    )
    house.endpoint.reply(answer)


async def on_paper(house: House, site: Site, answer: str) -> str:
    """Return the answer as it stands in a room."""
    rooms = PaperRooms()
    paper = Paper(house, rooms, desk_for(house.app, rooms))
    await paper.say("ann", f"/start {await house.app.pairing.new_code()}", "@ann")
    terminal = await house.asker("ann")
    seat = await paper.desk.exchange.reception.seat(Speaker(user="ann", name="Ann"), paper.spot("@ann"))
    assert terminal.conversation.series is not None
    await house.core.askers.people.set_membership(
        Membership(person=seat.person.id, series=terminal.conversation.series, role=SeriesRole.OWNER)
    )
    await paper.say("ann", f"/book link {SERIES} / {BOOK}", "@ann")
    await paper.say("ann", "/settings web on", "@ann")
    script(house, site, answer)
    room = await paper.say("ann", f"/research {QUESTION} See {page(site)}", "@ann")
    return "\n".join(room.texts[-2:])


async def in_terminal(house: House, site: Site, answer: str) -> str:
    """Return the screen after the answer."""
    screen = io.StringIO()
    output = TextOutput(terminal_console(screen, width=200))
    script(house, site, answer)
    typed = io.StringIO(f"/settings web on\n/research {QUESTION} See {page(site)}\n")
    host = Host(house.core, house.app.settings.data_dir / "files", house.asker)
    await Session(host, output, LineReader(typed, output.console.print)).run()
    return screen.getvalue()


async def by_http(house: House, site: Site, answer: str) -> list[str]:
    """Return the sources of the message that the stream carries."""
    async with hosted(house.app) as host:
        transport = httpx.ASGITransport(create_app(host), client=LOCAL)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            desk = await seated(house, client, host)
            talk = (await desk.post(f"/api/conversations?bookId={desk.book}"))["id"]
            await desk.post(f"/api/conversations/{talk}/families", {"family": "web", "on": True})
            script(house, site, answer)
            body = {
                "bookId": desk.book,
                "conversationId": talk,
                "messages": [{"role": "user", "content": f"{QUESTION} See {page(site)}"}],
                "deepResearch": True,
            }
            async with listening(client, "/api/bookslm/agent", body=body) as ear:
                heard = await ear.rest()
    [message] = [sent for sent in heard if sent.name == "message"]
    return list(message.data["sources"])


async def test_sources_of_three_kinds_stand_below_an_answer_on_paper(house: House, site: Site) -> None:
    shown = await on_paper(house, site, "Nobody dares to sail them.")
    assert "Nobody dares to sail them." in shown
    assert f"Sources: Mara, 2.1, `Places/Vel.md:1`, [127.0.0.1:{site.port}/ships]({page(site)})" in shown
    asked = house.endpoint.requests[0].messages[0]["content"]
    assert "Deep research" in asked


async def test_sources_of_three_kinds_stand_below_an_answer_in_the_terminal(house: House, site: Site) -> None:
    shown = await in_terminal(house, site, "Nobody dares to sail them.")
    assert f"Sources: Mara, 2.1, Places/Vel.md:1, {page(site)}" in shown


async def test_sources_of_three_kinds_come_with_an_answer_by_http(house: House, site: Site) -> None:
    sources = await by_http(house, site, "Nobody dares to sail them.")
    assert sources == ["Mara", "2.1", "Places/Vel.md:1", page(site)]


async def test_the_line_that_an_answer_names_is_its_source(house: House, site: Site) -> None:
    sources = await by_http(house, site, "Its ships lie idle (Places/Vel.md:4).")
    assert sources[-2:] == ["Places/Vel.md:4", page(site)]


async def test_only_kinds_that_an_answer_does_not_name_stand_below_it(house: House, site: Site) -> None:
    shown = await in_terminal(house, site, "Its ships lie idle (Places/Vel.md:4).")
    last = shown.split("Its ships lie idle")[-1]
    assert page(site) in last
    assert last.count("Vel.md") == 1


async def test_the_model_sees_a_note_with_its_lines_numbered(house: House, site: Site) -> None:
    await by_http(house, site, "Idle.")
    results = [
        message["content"] for message in house.endpoint.requests[-1].messages if message["role"] == "tool"
    ]
    assert "3: A harbour of salt and rope.\\n4: Its ships lie idle." in results[2]
    assert WORDS in results[3]
