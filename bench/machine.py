"""Where figures were taken, and whether they meet their goals."""

import os
import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """A figure that must not be higher than `most`."""

    name: str
    value: float
    most: float


def machine() -> str:
    """Return a line about machine and load."""
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores, load {load}\n"
    )


def goals_met(goals: Sequence[Goal]) -> bool:
    """Print each goal with its figure; return whether all are met."""
    print("\n| goal | figure | at most | |\n|---|---|---|---|")
    for goal in goals:
        print(f"| {goal.name} | {goal.value:.2f} | {goal.most:g} | {'ok' if met(goal) else 'MISSED'} |")
    return all(map(met, goals))


def met(goal: Goal) -> bool:
    return goal.value <= goal.most
