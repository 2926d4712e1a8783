"""Which hosts a conversation knows: an address that only a page can have planted is asked for first.

Known is what the asker has written (not what they forwarded, nor the prompt of a task), what canon and notes
have answered (not what they only repeat of the question), what a search has found as the address of a page
(never what it says of it), and what was opened already. It follows from the stored turns, so that it is the
same after a restart.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from agent_core.errors import OutboundRefusal, UnknownTool
from agent_core.messages import Json, Role, ToolCall, parse_json
from agent_core.tools.registry import Registry
from agent_core.tools.spec import Family
from agent_core.turn.model import Step, Turn
from agent_core.turn.runtime import Runtime
from agent_core.turn.talk import Talk
from agent_core.web.hosts import Given, host_of, hosts_in

EARLIER_TURNS = 50
_OWN_WORDS = frozenset({Family.LORE, Family.PLACE, Family.VAULT, Family.DUPLICATES})


async def known_hosts(talk: Talk, runtime: Runtime) -> frozenset[str]:
    """Return the hosts that this turn's conversation knows, in the form of `host_of`."""
    turn = talk.turn
    earlier = await runtime.turns.recent_turns(turn.conversation, before=turn.id, limit=EARLIER_TURNS)
    steps = await runtime.turns.steps([one.id for one in earlier])
    said = [one.text for one in (*earlier, turn) if one.requester == turn.requester and _is_own(one)]
    by_turn = [[step for step in steps if step.turn == one.id] for one in earlier]
    return await asyncio.to_thread(_found, said, (*by_turn, tuple(talk.steps)), runtime.tools)


def _is_own(turn: Turn) -> bool:
    """Return whether its question is what the requester said: not forwarded, nor a task's prompt."""
    return turn.original and not turn.scheduled


def _found(said: Sequence[str], by_turn: Sequence[Sequence[Step]], tools: Registry) -> frozenset[str]:
    """Return what the asker's words and the steps of each turn name; long histories take their time."""
    named = {host for steps in by_turn for host in _named(steps, tools)}
    return frozenset(named.union(*map(hosts_in, said)))


def _named(steps: Sequence[Step], tools: Registry) -> Iterator[str]:
    """Yield the hosts that the results of one turn vouch for."""
    calls: dict[str, ToolCall] = {}
    for step in steps:  # in their order: a later call may have the id of an earlier one
        calls.update({call.id: call for call in step.message.calls})
        call = calls.get(step.message.call_id)
        if step.message.role is Role.TOOL and step.outcome == "done" and call is not None:
            yield from _vouched(call, step.message.content, tools)


def _vouched(call: ToolCall, content: str, tools: Registry) -> Iterator[str]:
    with suppress(UnknownTool):
        tool = tools.get(call.name)
        if tool.family in _OWN_WORDS and not tool.untrusted:
            yield from _answered(call, content)
        elif tool.weigh is not None:
            yield from _hosts(_field(call.arguments, "url"))
        elif tool.family is Family.WEB:
            for item in _items(content):
                yield from _hosts(item.get("url") if isinstance(item, dict) else None)


def _answered(call: ToolCall, content: str) -> Iterator[str]:
    """Yield the hosts that a result names by itself: what was asked may come back in it anywhere."""
    try:
        asked, data = parse_json(call.arguments or "{}"), parse_json(content)
    except ValueError:
        return
    if not isinstance(asked, Mapping):  # encoded twice: what was meant can't be told from here
        return
    given = Given(_texts(asked))
    for text in _texts(data):
        yield from (host for host in hosts_in(text) if not given.makes(host))


def _texts(value: Json) -> Iterator[str]:
    """Yield every text in a structure, names of fields too, numbers as they are written."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def _hosts(url: Json) -> Iterator[str]:
    with suppress(OutboundRefusal):
        yield host_of(str(url or ""))


def _items(content: str) -> Sequence[Json]:
    data = _field(content, "data")
    items = data.get("items") if isinstance(data, dict) else None
    return items if isinstance(items, list) else ()


def _field(text: str, name: str) -> Json:
    with suppress(ValueError):
        parsed: Json = parse_json(text)
        return parsed.get(name) if isinstance(parsed, dict) else None
    return None
