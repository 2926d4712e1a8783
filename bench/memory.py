"""Whether memory stays flat over many turns: `python -m bench.memory` prints it, fails where it grows."""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
from collections import Counter

import uvloop

from bench.contestants import CONTESTANTS
from bench.endpoint import serving
from bench.machine import Goal, goals_met, machine
from bench.turn import check

TURNS, AT_ONCE, PARTS = 10_000, 8, 10
WARM_PARTS = 2
MOST_GROWTH_MB = 5


async def measure(url: str, turns: int) -> list[float]:
    """Return the most memory the process had used, in MB, after each tenth of the turns."""
    peaks: list[float] = []
    async with CONTESTANTS["ours"](url, 3, AT_ONCE, Counter()) as turn:
        for part in range(PARTS):
            numbers = iter(range(part * turns // PARTS, (part + 1) * turns // PARTS))

            async def work() -> None:
                for number in numbers:  # noqa: B023  all are done before the next part begins
                    check(await turn(number))

            async with asyncio.TaskGroup() as group:
                for _ in range(AT_ONCE):
                    group.create_task(work())
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return peaks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--one", help="measure in this process against this endpoint and print JSON")
    chosen = parser.parse_args()
    if chosen.one:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            print(json.dumps(runner.run(measure(chosen.one, chosen.turns))))
        return
    command = [sys.executable, "-m", "bench.memory", "--turns", str(chosen.turns), "--one"]
    with serving() as url:
        done = subprocess.run([*command, url], capture_output=True, text=True, timeout=3600, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    peaks = json.loads(done.stdout)
    print(machine())
    print("| after turns | memory at most, MB |\n|---|---|")
    for part, peak in enumerate(peaks, start=1):
        print(f"| {part * chosen.turns // PARTS} | {peak:.1f} |")
    warm = WARM_PARTS * chosen.turns // PARTS
    grown = Goal(f"MB grown after turn {warm}", peaks[-1] - peaks[WARM_PARTS - 1], MOST_GROWTH_MB)
    sys.exit(not goals_met([grown]))


if __name__ == "__main__":
    main()
