"""Says in plain words why a tool did not do what was asked, from the line that models are given."""

import re
from collections.abc import Iterator

from agent_core.errors import LoreKeeperError
from agent_core.llm.offline.transcript import Data, Outcome, Refused
from agent_core.llm.offline.voice import Voice
from agent_core.texts.catalogue import Fact, has

_FACT = re.compile(r"(\w+)=(\[.*?\]|.*?)(?=, \w+=|$)", re.DOTALL)
_STATUSES = ("declined", "expired", "superseded", "failed", "unknown", "conflict")


def trouble(outcome: Outcome, voice: Voice) -> str:
    """Return why there is no answer, as a sentence."""
    if isinstance(outcome, Refused):
        return _sentence(outcome.error, voice)
    status = "" if isinstance(outcome, Data) else outcome.status
    return voice.say(f"outcome.{status}") if status in _STATUSES else voice.say("offline.reply.not_run")


def _sentence(error: str, voice: Voice) -> str:
    name, _, rest = error.partition(": ")
    kind = _kinds().get(name)
    if kind is None:
        return voice.say("error.internal")
    facts: dict[str, Fact] = dict.fromkeys(_PLACEHOLDERS, None)
    facts.update(_facts(rest))
    reason = f"{kind.key}.{facts['reason']}" if facts.get("reason") else kind.key
    return voice.say(reason if has(reason) else kind.key, **facts)


def _facts(text: str) -> Iterator[tuple[str, Fact]]:
    for found in _FACT.finditer(text):
        value = found[2]
        if value.startswith("["):
            yield found[1], tuple(part.strip() for part in value.strip("[]").split(";") if part.strip())
        else:
            yield found[1], value


# Facts that a sentence may name though the error was raised without them.
_PLACEHOLDERS = ("name", "nearest", "candidates", "position", "pointer", "scene", "change", "last", "reason")


def _kinds() -> dict[str, type[LoreKeeperError]]:
    found = {LoreKeeperError.__name__: LoreKeeperError}
    waiting = [LoreKeeperError]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            found[kind.__name__] = kind
            waiting.append(kind)
    return found
