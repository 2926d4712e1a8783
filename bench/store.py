"""What look-ups cost in a large canon: `python -m bench.store` prints a table, fails where a goal is missed.

The canon has a series of 1,000,000 facts (entities of 10 and of 2,000) and one of 100,000 entries with names,
facts and scenes that can be searched. It is made once and kept in the folder for temporary files.
"""

import argparse
import asyncio
import gc
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from agent_core.clock import SystemClock, to_stamp
from agent_core.errors import UnknownEntity
from agent_core.lore import query, search, timeline
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.kept_rows import MAX_ROWS, KeptRows
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
    Told,
    When,
)
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.rows import encode
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase, open_database
from bench.machine import Goal, goals_met, machine

FACTS, SMALL, LARGE, LARGE_ENTITIES, CHANGES = 1_000_000, 10, 2_000, 20, 100_000
ENTRIES, ENTRIES_AT_ONCE, SCENES = 100_000, 1_000, 200
POSITION = "b1:25.3"
FILE = Path(tempfile.gettempdir()) / "lorekeeper-bench-2.db"
BIG = Series(id="big", name="Big", owner="p1")
WIDE = Series(id="wide", name="Wide", owner="p1")
MIX = (
    ("exact name", 40),
    ("word of a name", 20),
    ("words of a fact", 20),
    ("words of a scene", 10),
    ("typo", 10),
)

SYLLABLES = (
    "ba",
    "ce",
    "dor",
    "el",
    "fi",
    "gan",
    "hu",
    "is",
    "jo",
    "kar",
    "lu",
    "mir",
    "no",
    "or",
    "pe",
    "ra",
)
WORDS = tuple(f"{a}{b}{c}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES)


def outline_rows() -> list[OutlineEdited]:
    nodes = [Node(id="b1", kind=NodeKind.BOOK, parent=None, rank="a", title="Book", number="1")]
    for chapter in range(1, 41):
        nodes.append(
            Node(
                id=f"c{chapter}",
                kind=NodeKind.CHAPTER,
                parent="b1",
                rank=f"{chapter:03}",
                number=str(chapter),
            )
        )
        nodes += [
            Node(
                id=f"s{chapter}.{scene}",
                kind=NodeKind.SCENE,
                parent=f"c{chapter}",
                rank=f"{scene:03}",
                number=str(scene),
            )
            for scene in range(1, 6)
        ]
    return [OutlineEdited(after=node) for node in nodes]


def scene_id(number: int) -> str:
    chapter, scene = divmod(number % SCENES, 5)
    return f"s{chapter + 1}.{scene + 1}"


def draft(series: Series, rows: Sequence[Row], since: int) -> ChangeDraft:
    return ChangeDraft(
        series=series.id, rows=tuple(rows), since=since, keys=frozenset(), proposed_by="p1", approved_by="p1"
    )


async def make(path: Path) -> None:
    """Make the canon in a file."""
    async with open_database(path) as database:
        lore, now = SqlLoreStore(database), SystemClock().now()
        for series in (BIG, WIDE):
            await SqlSeriesStore(database).add_series(series)
            await lore.append(draft(series, outline_rows(), 0), "outline", now)
        for number in range(0, ENTRIES, ENTRIES_AT_ONCE):
            rows = [row for one in range(number, number + ENTRIES_AT_ONCE) for row in entry_rows(one)]
            await lore.append(draft(WIDE, rows, 1), f"entries {number}", now)
        texts = [TextSet(id=f"t{n}", scene=scene_id(n), text=scene_text(n)) for n in range(SCENES)]
        await lore.append(draft(WIDE, texts, 1), "texts", now)
    await asyncio.to_thread(make_big, path)


def make_big(path: Path) -> None:
    """Write the facts past the search index, which no look-up of a state reads."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    stamp = to_stamp(SystemClock().now())
    connection.executemany(
        "INSERT INTO change (series, number, token, at, proposed_by, approved_by, source, summary, frame)"
        " VALUES ('big', ?, ?, ?, 'p1', 'p1', '', '', 1)",
        ((number, f"token {number}", stamp) for number in range(2, CHANGES + 2)),
    )
    connection.executemany(
        "INSERT INTO lore_row (series, subject, change, ord, kind, body) VALUES ('big', ?, ?, ?, ?, ?)",
        big_rows(),
    )
    connection.execute("COMMIT")
    connection.close()


def big_rows() -> Iterator[tuple[str, int, int, str, str]]:
    place = 0
    for entity, facts in big_entities():
        for row in (
            Created(entity=entity, type=EntityType.CHARACTER, told=START),
            Named(id=f"n-{entity}", entity=entity, name=f"Entry {entity}", told=START),
        ):
            kind, subject, body = encode(row)
            yield subject, 2, place, kind, body
            place += 1
        for number in range(facts):
            at = scene_id(number * 7)
            row = Asserted(
                id=f"f-{entity}-{number}",
                entity=entity,
                patch={f"detail {number % (facts // 2)}": f"value {number}"},
                told=Told.at(at),
                at=at,
            )
            kind, subject, body = encode(row)
            yield subject, 3 + place % (CHANGES - 2), place, kind, body
            place += 1


def big_entities() -> Iterator[tuple[str, int]]:
    for number in range(LARGE_ENTITIES):
        yield f"large{number}", LARGE
    for number in range((FACTS - LARGE * LARGE_ENTITIES) // SMALL):
        yield f"small{number}", SMALL


def name_of(number: int) -> str:
    first, second = WORDS[number % len(WORDS)], WORDS[(number * 7 + number // len(WORDS)) % len(WORDS)]
    return f"{first.title()} {second.title()}{number // len(WORDS) or ''}"


def entry_rows(number: int) -> Iterator[Row]:
    entity = f"e{number}"
    yield Created(entity=entity, type=EntityType.CHARACTER, told=START)
    yield Named(id=f"n{number}", entity=entity, name=name_of(number), told=START)
    yield Asserted(id=f"f{number}", entity=entity, patch={"trade": fact_text(number)}, told=START)


def fact_text(number: int) -> str:
    return f"keeps {WORDS[(number * 13) % len(WORDS)]}qu and {WORDS[(number * 29) % len(WORDS)]}ty"


def scene_text(number: int) -> str:
    chosen = random.Random(number)
    return " ".join(f"{chosen.choice(WORDS)}x{chosen.choice(SYLLABLES[:8])}" for _ in range(800))


@dataclass(frozen=True)
class Cost:
    """Times of one kind of look-up in ms."""

    name: str
    cpu: float
    p50: float
    p95: float


async def timed(name: str, works: Sequence[Callable[[], Awaitable[object]]]) -> Cost:
    times = []
    cpu = time.process_time()
    for work in works:
        began = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began)
    cpu = time.process_time() - cpu
    times.sort()
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    return Cost(name, cpu / len(works) * 1000, p50 * 1000, p95 * 1000)


def cheaper(one: Cost, other: Cost | None) -> Cost:
    return one if other is None or one.cpu < other.cpu else other


class Ours:
    """Look-ups as tools make them: the canon is opened anew for each."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.store, self.index, self.frames = SqlLoreStore(database), SqlLoreIndex(database), FrameCache()

    async def first(self, entity: str) -> tuple[object, list[str]]:
        """Return the same for an entry that nobody has asked for."""
        kept, self.frames.rows = self.frames.rows, KeptRows()
        try:
            return await self.folded(entity)
        finally:
            self.frames.rows = kept

    async def canon(self, series: Series) -> Canon:
        return await Canon.open(self.store, self.index, series, self.frames)

    async def answer(self, entity: str) -> tuple[object, list[str]]:
        """Return the same out of the whole answer of the tool, with places, sources and edits."""
        canon = await self.canon(BIG)
        found = await query.entry_state(canon, entity, position=POSITION, bound=Author())
        return found.state, [fact.id for fact in found.facts]

    async def folded(self, entity: str) -> tuple[object, list[str]]:
        """Return what is true at the scene, and by which facts, as every answer begins."""
        canon = await Canon.open(self.store, self.index, BIG, self.frames, about=[entity])
        entry = await canon.entry(entity, bound=Author())
        if entry is None:
            sys.exit(f"{entity} is missing")
        facts = timeline.at_position(entry, "s25.3", When.END, canon.outline)
        return timeline.fold_entry(facts).state, [fact.id for fact in facts]

    async def look_up(self, name: str) -> str:
        return (await query.find_entry(await self.canon(WIDE), name, Author())).entity

    async def search(self, text: str) -> list[str]:
        found = await search.search(await self.canon(WIDE), text, bound=Author())
        return [hit.entry.id for hit in found.entries]


class RawSqlite:
    """The same statements and fold, written straight down, in a worker thread."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False, cached_statements=256)
        order = self._connection.execute(
            "SELECT s.id FROM node s JOIN node c ON c.id = s.parent AND c.series = s.series"
            " WHERE s.series = 'big' AND s.kind = 'scene' ORDER BY c.rank, s.rank"
        )
        self._order = {scene: number for number, (scene,) in enumerate(order)}

    async def folded(self, entity: str) -> tuple[object, list[str]]:
        return await asyncio.to_thread(self._state, entity)

    def _state(self, entity: str) -> tuple[object, list[str]]:
        run = self._connection.execute
        run("BEGIN")
        run("SELECT number, frame FROM change WHERE series = 'big' ORDER BY number DESC LIMIT 1").fetchone()
        rows = run(
            "SELECT change, ord, kind, subject, body FROM lore_row WHERE series = 'big' AND subject = ?"
            " AND kind IN ('created', 'named', 'asserted', 'withdrawn', 'retired')",
            (entity,),
        ).fetchall()
        run("ROLLBACK")
        return self._fold(rows)

    def _fold(self, rows: list[Any]) -> tuple[object, list[str]]:
        here = self._order["s25.3"]
        facts = []
        for change, ord_, kind, _, body in rows:
            if kind == "asserted":
                fact = json.loads(body)
                at = self._order[fact["at"]]
                until = fact.get("until")
                if at <= here and (until is None or self._order[until] > here):
                    facts.append((at, change, ord_, fact))
        facts.sort(key=lambda fact: fact[:3])
        state: dict[str, object] = {}
        for fact in facts:
            state.update(fact[3]["patch"])
        return state, [fact[3]["id"] for fact in facts]


def queries() -> list[tuple[str, str, str]]:
    """Return (kind, query, id that must be found or "") in the proportions of `MIX`."""
    chosen = random.Random(7)
    made = []
    for kind, share in MIX:
        for _ in range(share * 2):
            number = chosen.randrange(ENTRIES)
            name = name_of(number)
            words = {
                "exact name": (name, f"e{number}"),
                "word of a name": (name.split()[0], ""),
                "words of a fact": (" ".join(fact_text(number).split()[1::2]), ""),
                "words of a scene": (" ".join(scene_text(number % SCENES).split()[3:5]), ""),
                "typo": (name[:2] + name[3:], f"e{number}"),
            }
            made.append((kind, *words[kind]))
    chosen.shuffle(made)
    return made


async def states(ours: Ours, raw: RawSqlite, repeats: int) -> tuple[list[Cost], list[Goal]]:
    costs, goals = [], []
    for size, entities in (
        (SMALL, [f"small{n * 97}" for n in range(400)]),
        (LARGE, [f"large{n}" for n in range(MAX_ROWS // LARGE - 2)]),
    ):
        for entity in entities[:10]:
            wanted = await raw.folded(entity)
            for look_up in (ours.first, ours.folded, ours.answer):
                if await look_up(entity) != wanted:
                    sys.exit(f"the states of {entity} differ")
        contestants = {
            "raw": raw.folded,
            "ours, first": ours.first,
            "ours, again": ours.folded,
            "ours, again, whole answer": ours.answer,
        }
        best: dict[str, Cost] = {}
        for _ in range(repeats):
            for who, look_up in contestants.items():
                works = [lambda e=e, f=look_up: f(e) for e in entities]  # type: ignore[misc]  # default arguments
                best[who] = cheaper(await timed(f"state of {size} facts, {who}", works), best.get(who))
        costs += best.values()
        goals += [
            Goal(
                f"CPU, state of {size} facts: ours, {which} / raw",
                best[f"ours, {which}"].cpu / best["raw"].cpu,
                1.5,
            )
            for which in ("first", "again")
        ]
    return costs, goals


async def searches(ours: Ours, repeats: int) -> tuple[list[Cost], list[Goal]]:
    made = queries()
    for kind, text, wanted in made[:60]:
        if wanted and wanted not in await ours.search(text):
            sys.exit(f"{kind}: {text} does not find {wanted}")
    names = [text for kind, text, _ in made if kind == "exact name"]
    best: dict[str, Cost] = {}
    for _ in range(repeats):
        kinds = {kind: [text for k, text, _ in made if k == kind] for kind, _ in MIX}
        for name, work, texts in (
            ("name look-up", ours.look_up, names),
            ("mixed search", ours.search, [text for _, text, _ in made]),
            *((f"search: {kind}", ours.search, texts) for kind, texts in kinds.items()),
        ):
            works = [lambda t=t, w=work: w(t) for t in texts]  # type: ignore[misc]  # default arguments
            best[name] = cheaper(await timed(name, works), best.get(name))
    goals = [
        Goal("name look-up p95, ms", best["name look-up"].p95, 2),
        Goal("mixed search p95, ms", best["mixed search"].p95, 10),
    ]
    return list(best.values()), goals


async def run(repeats: int) -> bool:
    async with open_database(FILE) as database:
        ours, raw = Ours(database), RawSqlite(FILE)
        try:
            await ours.look_up("nobody of this name")
        except UnknownEntity:
            gc.collect()
            gc.freeze()
        costs, goals = await states(ours, raw, repeats)
        more, more_goals = await searches(ours, repeats)
    print(machine())
    print("search mix: " + ", ".join(f"{share} % {kind}" for kind, share in MIX) + "\n")
    print("| look-up | CPU ms | p50 ms | p95 ms |\n|---|---|---|---|")
    for cost in costs + more:
        print(f"| {cost.name} | {cost.cpu:.3f} | {cost.p50:.3f} | {cost.p95:.3f} |")
    return goals_met(goals + more_goals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if not FILE.exists():
            began = time.perf_counter()
            unfinished = FILE.with_suffix(".making")
            unfinished.unlink(missing_ok=True)
            runner.run(make(unfinished))
            unfinished.rename(FILE)
            print(f"canon made in {time.perf_counter() - began:.0f} s")
        sys.exit(not runner.run(run(chosen.repeats)))


if __name__ == "__main__":
    main()
