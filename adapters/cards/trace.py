"""The trace of a turn: what was looked up, live while it runs and as one line afterwards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.cards.card import Card, Field, Line, Style
from adapters.cards.values import number_text
from agent_core.texts import has, say, without_ids

ICONS = {
    "thought": "…",
    "running": "◌",
    "done": "✓",
    "pending": "?",
    "failed": "✗",
    "refused": "✗",
    "skipped": "–",
}

_QUIET = frozenset({"done", "running", "thought"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step as it stands now. `tool` is "" for a thought; `outcome` is running until it ended."""

    tool: str = ""
    arguments: str = ""
    outcome: str = "running"
    result: str = ""
    duration_ms: int = 0


def trace_card(steps: Sequence[Step], language: str, *, duration_ms: int | None) -> Card:
    """Return the trace as a card: the title is the closed form, the one field its steps.

    `duration_ms` is None while the turn runs.
    """
    running = duration_ms is None
    title = say(language, "trace.working") if running else _summary(steps, language, duration_ms or 0)
    field = Field(title=say(language, "trace.title"), lines=tuple(_line(step, language) for step in steps))
    return Card(title=title, fields=(field,) if steps else ())


def tool_text(tool: str, language: str) -> str:
    """Return what a tool does in words; a tool without words keeps its name, underscores as spaces."""
    return say(language, f"tool.{tool}") if has(f"tool.{tool}") else tool.replace("_", " ")


def seconds_text(language: str, duration_ms: int) -> str:
    """Return a duration in seconds with one decimal."""
    return number_text(language, round(duration_ms / 1000, 1))


def _summary(steps: Sequence[Step], language: str, duration_ms: int) -> str:
    return say(language, "trace.steps", n=len(steps), time=seconds_text(language, duration_ms))


def _line(step: Step, language: str) -> Line:
    if not step.tool:
        return Line(label=ICONS["thought"], text=" ".join(step.result.split()), style=Style.STEP)
    parts = [tool_text(step.tool, language)]
    if step.arguments:
        parts.append(_readable(step.arguments))
    if step.outcome not in _QUIET:
        parts.append(say(language, f"call.{step.outcome}"))
    if step.result:
        parts.append(_readable(step.result))
    ended = step.outcome != "running"
    mark = say(language, "trace.seconds", time=seconds_text(language, step.duration_ms)) if ended else ""
    icon = ICONS.get(step.outcome, ICONS["skipped"])
    return Line(label=icon, text=" · ".join(part for part in parts if part), mark=mark, style=Style.STEP)


def _readable(text: str) -> str:
    """Return a line without ids, and without the commas that stood around them."""
    return re.sub(r"(,\s*)+,", ",", without_ids(text)).strip(" ,")
