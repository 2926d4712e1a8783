"""What a turn costs: `python -m bench.turn` prints a table and fails where a goal is missed."""

import argparse
import asyncio
import gc
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import uvloop

from bench.contestants import CONTESTANTS, Turn
from bench.endpoint import ROUNDS, TEXT, serving
from bench.machine import Goal, goals_met, machine

TOOLS = (3, 56)
AT_ONCE = (1, 50, 200)
TURNS = {1: 150, 50: 400, 200: 600}
QUICK = {1: 30, 50: 100, 200: 200}
WARM_UP = 10


@dataclass(frozen=True)
class Figures:
    """One contestant under one load. Times in ms; `fsyncs` and CPU per turn; `lag` is the worst."""

    who: str
    tools: int
    at_once: int
    cpu: float
    p50: float
    p99: float
    lag: float
    memory_mb: float
    fsyncs: float


async def measure(who: str, tools: int, at_once: int, turns: int, url: str) -> Figures:
    """Return the figures of `turns` turns, `at_once` of them in flight.

    Raises:
        SystemExit: an answer or the tools run are not those that every contestant must give.
    """
    ran: Counter[str] = Counter()
    times: list[float] = []
    with counted_fsyncs() as fsyncs:
        async with CONTESTANTS[who](url, tools, at_once, ran) as turn:
            for number in range(WARM_UP):
                check(await turn(-1 - number))
            gc.collect()
            gc.freeze()
            ran.clear()
            synced_before = fsyncs[0]
            lags: list[float] = []
            ticking = asyncio.create_task(tick(lags))
            numbers = iter(range(turns))
            cpu = time.process_time()
            async with asyncio.TaskGroup() as group:
                for _ in range(at_once):
                    group.create_task(work(turn, numbers, times))
            cpu = time.process_time() - cpu
            ticking.cancel()
            synced = fsyncs[0] - synced_before
    if ran != {f"tool_{round_}": turns for round_ in range(ROUNDS)}:
        sys.exit(f"{who} ran other tools: {ran}")
    times.sort()
    return Figures(
        who=who,
        tools=tools,
        at_once=at_once,
        cpu=cpu / turns * 1000,
        p50=times[len(times) // 2] * 1000,
        p99=times[int(len(times) * 0.99)] * 1000,
        lag=max(lags, default=0.0) * 1000,
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        fsyncs=synced / turns,
    )


async def work(turn: Turn, numbers: Iterator[int], times: list[float]) -> None:
    for number in numbers:
        began = time.perf_counter()
        check(await turn(number))
        times.append(time.perf_counter() - began)


def check(answer: str) -> None:
    if answer.strip() != TEXT.strip():
        sys.exit(f"another answer: {answer[:200]!r}")


async def tick(lags: list[float], every_s: float = 0.01) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(every_s)
        lags.append(time.perf_counter() - began - every_s)


@contextmanager
def counted_fsyncs() -> Iterator[list[int]]:
    """Count commits that wait for the disk; one such commit is one fsync of the write-ahead log."""
    from agent_core.stores.sql.database import Durability
    from agent_core.stores.sql.sqlite import SqliteDatabase

    count, write = [0], SqliteDatabase.write

    async def counting(self, work, durability):  # type: ignore[no-untyped-def]  # as what it wraps
        count[0] += durability is Durability.FULL
        return await write(self, work, durability)

    SqliteDatabase.write = counting  # type: ignore[method-assign]  # put back below
    try:
        yield count
    finally:
        SqliteDatabase.write = write  # type: ignore[method-assign]  # put back


def measured(who: str, tools: int, at_once: int, turns: int, url: str) -> Figures:
    """Return the figures of a process of its own."""
    command = [sys.executable, "-m", "bench.turn", "--one", who, str(tools), str(at_once), str(turns), url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        sys.exit(f"{who} with {tools} tools, {at_once} at once: {done.stderr[-2000:]}")
    return Figures(**json.loads(done.stdout))


def run(repeats: int, turns: dict[int, int]) -> list[Figures]:
    """Return the best of some repeats of each load; contestants take turns: all see the same noise."""
    best: dict[tuple[str, int, int], Figures] = {}
    with serving() as url:
        for _ in range(repeats):
            for tools in TOOLS:
                for at_once in AT_ONCE:
                    for who in CONTESTANTS:
                        new = measured(who, tools, at_once, turns[at_once], url)
                        key = (who, tools, at_once)
                        if key not in best or new.cpu < best[key].cpu:
                            best[key] = new
    return list(best.values())


def report(figures: list[Figures]) -> bool:
    """Print figures and goals; return whether all goals are met."""
    print(machine())
    print("| who | tools | at once | CPU ms/turn | p50 ms | p99 ms | lag ms | memory MB | fsyncs/turn |")
    print("|---|---|---|---|---|---|---|---|---|")
    for one in figures:
        print(
            f"| {one.who} | {one.tools} | {one.at_once} | {one.cpu:.2f} | {one.p50:.1f} | {one.p99:.1f} |"
            f" {one.lag:.0f} | {one.memory_mb:.0f} | {one.fsyncs:.2f} |"
        )
    found = {(one.who, one.tools, one.at_once): one for one in figures}
    goals = []
    for n in AT_ONCE:
        ours3, ours56 = found["ours", 3, n].cpu, found["ours", 56, n].cpu
        bare3, bare56 = found["bare", 3, n].cpu, found["bare", 56, n].cpu
        goals += [
            Goal(f"CPU, 3 tools, {n} at once: ours / bare", ours3 / bare3, 1.25),
            Goal(f"CPU, 56 tools, {n} at once: ours / bare", ours56 / bare56, 1.0),
            Goal(f"CPU, 3 tools, {n} at once: ours / pydantic-ai", ours3 / found["peer", 3, n].cpu, 0.5),
            Goal(f"CPU, 56 tools, {n} at once: ours / pydantic-ai", ours56 / found["peer", 56, n].cpu, 0.5),
        ]
    goals += [Goal(f"loop lag ms, {t} tools, 200 at once", found["ours", t, 200].lag, 100) for t in TOOLS]
    return goals_met(goals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=5, help="measure one contestant in this process and print JSON")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="fewer turns")
    chosen = parser.parse_args()
    if chosen.one:
        who, tools, at_once, turns, url = chosen.one
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            figures = runner.run(measure(who, int(tools), int(at_once), int(turns), url))
        print(json.dumps(asdict(figures)))
        return
    sys.exit(not report(run(chosen.repeats, QUICK if chosen.quick else TURNS)))


if __name__ == "__main__":
    main()
