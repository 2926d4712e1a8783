"""What look-ups cost with the canon in Directus: `python -m bench.directus` prints a table, fails on a goal.

A Directus is started beside it. What is compared runs in turns against the same server and the same series.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvloop

from agent_core.clock import SystemClock, new_id
from agent_core.lore import query, search
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import (
    START,
    Asserted,
    Author,
    ChangeDraft,
    Created,
    EntityType,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Row,
    Series,
    TextSet,
)
from agent_core.stores.directus import access, schema
from agent_core.stores.directus.client import DirectusClient, open_client
from agent_core.stores.directus.ids import series_row
from agent_core.stores.directus.lore import DirectusLoreStore
from agent_core.stores.directus.series import DirectusSeriesStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.sqlite import open_database
from bench.machine import Goal, goals_met, machine
from bench.store import WORDS
from tests.directus_server import TOKEN, running_server

BOT = "token-of-the-bot-in-benches"
SERIES = Series(id=new_id(), name="The Salt Roads", owner="p1")
CHAPTERS, SCENES, ENTRIES, FACTS, AT_ONCE = 40, 5, 400, 10, 100
WARM_UP = 20


@dataclass
class Counted:
    """Requests that a client has sent; `last` is how the newest one read."""

    requests: int = 0
    last: list[httpx.Request] = field(default_factory=list)

    async def __call__(self, request: httpx.Request) -> None:
        self.requests += 1
        self.last = [request]


@dataclass
class Contestant:
    """Something that is done again and again: how long each took, how many requests it sent."""

    name: str
    run: Callable[[int], Awaitable[object]]
    counted: Counted
    times_ms: list[float] = field(default_factory=list)
    most_requests: int = 0

    async def turn(self, number: int) -> None:
        before, began = self.counted.requests, time.perf_counter()
        await self.run(number)
        took_ms = (time.perf_counter() - began) * 1000
        if number >= WARM_UP:
            self.times_ms.append(took_ms)
            self.most_requests = max(self.most_requests, self.counted.requests - before)

    @property
    def undisturbed_ms(self) -> float:
        """What it takes when the machine does little else: five of a hundred were quicker."""
        return statistics.quantiles(self.times_ms, n=20)[0]

    def line(self) -> str:
        median, p95 = statistics.median(self.times_ms), statistics.quantiles(self.times_ms, n=20)[-1]
        figures = f"{self.undisturbed_ms:.1f} | {median:.1f} | {p95:.1f}"
        return f"| {self.name} | {self.most_requests} | {figures} |"


def changes() -> Iterator[list[Row]]:
    """Yield the changes of the series: its outline, its texts, its entries."""
    yield [OutlineEdited(after=node) for node in nodes()]
    for chapter in range(1, CHAPTERS + 1):
        yield [
            TextSet(id=new_id(), scene=f"s{chapter}.{scene}", text=text(chapter * SCENES + scene))
            for scene in range(1, SCENES + 1)
        ]
    for first in range(0, ENTRIES, AT_ONCE):
        yield [row for number in range(first, first + AT_ONCE) for row in entry(number)]


def nodes() -> Iterator[Node]:
    yield Node(id="b1", kind=NodeKind.BOOK, parent=None, rank="a", title="The Heron", number="1")
    for chapter in range(1, CHAPTERS + 1):
        yield Node(
            id=f"c{chapter}", kind=NodeKind.CHAPTER, parent="b1", rank=f"{chapter:03}", number=str(chapter)
        )
        for scene in range(1, SCENES + 1):
            yield Node(
                id=f"s{chapter}.{scene}",
                kind=NodeKind.SCENE,
                parent=f"c{chapter}",
                rank=f"{scene:03}",
                number=str(scene),
            )


def text(number: int) -> str:
    """Return the text of a scene; each of its words stands in some fifteen others."""
    return " ".join(WORDS[(number * 300 + word * 7) % len(WORDS)] for word in range(300))


def entry(number: int) -> list[Row]:
    id_ = f"e{number}"
    rows: list[Row] = [
        Created(entity=id_, type=EntityType.CHARACTER, told=START),
        Named(id=new_id(), entity=id_, name=name(number), told=START),
    ]
    for fact in range(FACTS):
        patch = {f"detail{fact % 7}": f"value {number} {fact}", "mark": f"mark{number}"}
        rows.append(Asserted(id=new_id(), entity=id_, patch=patch, told=START, at=f"s{1 + fact * 3}.1"))
    return rows


def name(number: int) -> str:
    return f"{WORDS[number * 5 % len(WORDS)]} {WORDS[number * 11 % len(WORDS)]}".title()


def question(number: int) -> str:
    """Return a name, a word of one, what a fact says, two words of a scene, or a name with a letter less."""
    one = number % ENTRIES
    words = text(6 + number % (CHAPTERS * SCENES)).split()
    kinds = (name(one), name(one).split()[0], f"mark{one}", " ".join(words[40:42]), name(one)[:-1])
    return kinds[number % len(kinds)]


@dataclass(frozen=True)
class Place:
    """A Directus with the series in it."""

    url: str
    folder: Path


async def lay_out(place: Place) -> None:
    async with open_client(place.url, TOKEN, SystemClock(), deadline_s=120) as admin:
        await schema.apply(admin, schema.plan(await schema.survey(admin)).steps)
        await access.grant(admin, BOT)


async def fill(lore: DirectusLoreStore, all_series: DirectusSeriesStore) -> None:
    await all_series.add_series(SERIES)
    for since, rows in enumerate(changes()):
        draft = ChangeDraft(
            series=SERIES.id,
            rows=tuple(rows),
            since=since,
            keys=frozenset(),
            proposed_by="p1",
            approved_by="p1",
        )
        await lore.append(draft, f"change {since}", SystemClock().now())


def client_of(place: Place, counted: Counted) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=place.url,
        headers={"Authorization": f"Bearer {BOT}"},
        timeout=120,
        trust_env=False,
        event_hooks={"request": [counted]},
    )


def lore_over(http: httpx.AsyncClient, database: Database) -> tuple[DirectusLoreStore, DirectusSeriesStore]:
    client = DirectusClient(http, SystemClock(), deadline_s=120)
    copy, index = SqlLoreStore(database), SqlLoreIndex(database)
    lore = DirectusLoreStore(client, database, copy, index, SystemClock(), new_id)
    return lore, DirectusSeriesStore(client, database)


async def measure(place: Place, rounds: int) -> bool:
    await lay_out(place)
    ours, bare, naive = Counted(), Counted(), Counted()
    async with (
        open_database(place.folder / "ours.db") as database,
        client_of(place, ours) as http,
        client_of(place, bare) as bare_http,
        client_of(place, naive) as naive_http,
    ):
        lore, all_series = lore_over(http, database)
        began = time.perf_counter()
        await fill(lore, all_series)
        took_s = time.perf_counter() - began
        print(f"{ENTRIES * FACTS} facts and {CHAPTERS * SCENES} scenes were written in {took_s:.1f} s")
        await asyncio.sleep(11)  # rows that were changed just now are looked at anew for some seconds
        index, frames = SqlLoreIndex(database), FrameCache()

        async def opened() -> Canon:
            return await Canon.open(lore, index, SERIES, frames)

        async def state(number: int) -> object:
            return await query.entry_state(await opened(), f"e{number % ENTRIES}", bound=Author())

        async def searched(number: int) -> object:
            found = await search.search(await opened(), question(number), bound=Author())
            assert found.entries or found.scenes, question(number)
            return found

        async def asked(_: int) -> object:
            answer = await bare_http.get(ours.last[0].url)
            return answer.json()["data"][0]

        async def filtered(number: int) -> object:
            return await by_filter(naive_http, f"e{number % ENTRIES}")

        async def contained(number: int) -> object:
            return await by_containing(naive_http, question(number))

        contestants = (
            Contestant("state, ours", state, ours),
            Contestant("search, ours", searched, ours),
            Contestant("bare: the same request", asked, bare),
            Contestant("bare: newest edit, then the rows of an entry", filtered, naive),
            Contestant("bare: rows, then texts that hold a word", contained, naive),
        )
        await opened()
        for number in range(WARM_UP + rounds):
            for one in contestants:
                await one.turn(number)
    return told(contestants)


async def by_filter(http: httpx.AsyncClient, entity: str) -> Sequence[object]:
    """Return what somebody would ask who keeps no copy: the newest edit, then the rows of an entry."""
    of_series = f'{{"series":{{"_eq":"{series_row(SERIES.id)}"}}}}'
    newest = {"filter": of_series, "fields": "number", "sort": "-number", "limit": "1"}
    (await http.get("/items/lore_changes", params=newest)).json()
    rows = f'{{"subject":{{"_eq":"{entity}"}},"change":{of_series}}}'
    wanted = {"filter": rows, "fields": "change.number,ord,kind,subject,body", "limit": "-1"}
    found: Sequence[object] = (await http.get("/items/lore_states", params=wanted)).json()["data"]
    assert len(found) == FACTS + 2
    return found


async def by_containing(http: httpx.AsyncClient, question: str) -> object:
    """Return what somebody would search by who keeps no copy; it ranks nothing and knows no bound."""
    word, of_series = (
        json.dumps(question.split(maxsplit=1)[0].lower()),
        f'{{"_eq":"{series_row(SERIES.id)}"}}',
    )
    rows = f'{{"body":{{"_icontains":{word}}},"change":{{"series":{of_series}}}}}'
    texts = f'{{"text":{{"_icontains":{word}}},"series":{of_series}}}'
    wanted = {"filter": rows, "fields": "change.number,ord,kind,subject,body", "limit": "-1"}
    found = (await http.get("/items/lore_states", params=wanted)).json()["data"]
    wanted = {"filter": texts, "fields": "id,scene,text", "limit": "-1"}
    return found, (await http.get("/items/scene_revisions", params=wanted)).json()["data"]


def told(contestants: Sequence[Contestant]) -> bool:
    state, searched, bare, filtered, contained = contestants
    print(machine())
    print("| ms | requests | 5 of 100 | median | 95 of 100 |\n|---|---|---|---|---|")
    for one in contestants:
        print(one.line())
    return goals_met(
        [
            Goal("requests of a state", state.most_requests, 2),
            Goal("requests of a search", searched.most_requests, 2),
            Goal("state to the same request bare", state.undisturbed_ms / bare.undisturbed_ms, 1.5),
            Goal("state to bare requests that filter", state.undisturbed_ms / filtered.undisturbed_ms, 1.5),
            Goal(
                "search to bare requests that filter", searched.undisturbed_ms / contained.undisturbed_ms, 1.5
            ),
        ]
    )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=200)
    rounds = options.parse_args().rounds
    with running_server() as server, tempfile.TemporaryDirectory(prefix="lorekeeper-bench.") as folder:
        print(f"Directus {server.version()}")
        return 0 if uvloop.run(measure(Place(server.url, Path(folder)), rounds)) else 1


if __name__ == "__main__":
    sys.exit(main())
