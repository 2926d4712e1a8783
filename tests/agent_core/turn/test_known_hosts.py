"""Which hosts a result makes known: none that the call itself brought along, whichever tool repeats it."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace

import pytest
import pytest_asyncio

from agent_core.messages import ChatMessage, Json, Role, ToolCall
from agent_core.pipeline.cut import dump
from agent_core.pipeline.outcome import Outcome, Requested
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import Family, Origin
from agent_core.turn.hosts import known_hosts
from agent_core.turn.model import Step, Turn, TurnStatus
from agent_core.turn.talk import Talk
from tests.agent_core.tools.scenarios import ROWS
from tests.agent_core.tools.world import World, open_world
from tests.house import found_in

HOST = "leak.example"
READS = [
    tool
    for tool in TOOLS
    if tool.family in {Family.LORE, Family.PLACE, Family.VAULT, Family.DUPLICATES} and tool.read is not None
]
BROUGHT = [
    HOST, f"see http://{HOST}/x?all", f"x\n{HOST}", "leak example", "LEAK.Éxample", f"b1.{HOST}", "leak",
    'le"ak.exam"ple',
]  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("known")
    founded = await found_in(folder / "founded")
    async with open_world(founded, folder) as opened:
        yield opened


async def known_after(world: World, *steps: tuple[ToolCall, str]) -> frozenset[str]:
    """Return what a turn knows after calls and what they were answered."""
    asker = await world.house.asker()
    runtime = world.house.core.runtime
    turn = Turn(
        id="asks", conversation=asker.conversation.id, requester=asker.person.id,
        started=world.house.clock.now(), status=TurnStatus.RUNNING, bound="author", language="en",
        text="Ask.",
    )  # fmt: skip
    messages = [
        message
        for call, content in steps
        for message in (
            ChatMessage(role=Role.ASSISTANT, content="", calls=(call,)),
            ChatMessage(role=Role.TOOL, content=content, call_id=call.id),
        )
    ]
    kept = [Step(turn=turn.id, seq=seq, message=one, outcome="done") for seq, one in enumerate(messages)]
    question = ChatMessage(role=Role.USER, content=turn.text)
    talk = Talk(turn=turn, prefix=(), question=question, steps=kept, store=runtime.turns, began=0)
    return await known_hosts(talk, runtime)


async def answered(world: World, tool: str, arguments: Mapping[str, Json]) -> Outcome:
    """Return how a model's call of the tool ends."""
    runtime = world.house.core.runtime
    context = await runtime.open_context(await world.house.asker(), Origin.MODEL, 20_000)
    call = Requested(call_id="c", audit_id=runtime.new_id(), tool=tool, arguments=dump(arguments))
    return await runtime.pipeline.call(call, context)


def with_each_text(tool: str, arguments: Mapping[str, Json], text: str) -> Iterator[dict[str, Json]]:
    """Yield arguments of which one is the text: each that may be a text, once."""
    args = next(one.args for one in TOOLS if one.name == tool)
    for name, field in args.model_fields.items():
        if "str" in str(field.annotation):
            yield {**arguments, field.alias or name: text}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("tool", [tool.name for tool in READS])
async def test_no_answer_makes_a_host_known_that_its_own_call_brought_along(tool: str, world: World) -> None:
    row = ROWS.get(tool)
    arguments = row.arguments if row and not callable(row.arguments) else {}
    for brought in BROUGHT:
        for given in with_each_text(tool, arguments, brought):
            world.house.clock.advance(seconds=60)  # past the limit of calls a minute
            outcome = await answered(world, tool, given)
            known = await known_after(world, (ToolCall("c", tool, dump(given)), outcome.content))
            assert not {host for host in known if host.endswith("leak.example")}


REPEATS = [
    {"query": "{}"}, {"{}": 1}, {"items": ["a", {"path": "Notes/{}"}]}, {"text": "{}.md", "n": 1},
    {"text": "nothing of {} was found"}, {"text": "x{}"},
]  # fmt: skip


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("shape", REPEATS)
@pytest.mark.parametrize("brought", [HOST, "\nleak.example", "leak", "münchen.example", "[::1]", "10.0.0.1"])
async def test_no_shape_of_a_repetition_makes_a_host_known(
    shape: Mapping[str, Json], brought: str, world: World
) -> None:
    content = dump({"tool": "search_lore", "data": shape}).replace("{}", dump(brought)[1:-1])
    call = ToolCall("c", "search_lore", dump({"query": brought}))
    assert await known_after(world, (call, content)) == frozenset()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_host_that_the_canon_brings_is_known(world: World) -> None:
    content = dump({"tool": "search_lore", "data": {"query": "tides", "text": f"\nhttp://{HOST}/a"}})
    assert await known_after(world, (ToolCall("c", "search_lore", '{"query":"tides"}'), content)) == {HOST}
    assert await known_after(world, (ToolCall("c", "list_tags", ""), content)) == {HOST}


@pytest.mark.asyncio(loop_scope="module")
async def test_a_call_encoded_twice_or_with_a_used_id_brings_nothing_either(world: World) -> None:
    echo = dump({"tool": "search_lore", "data": {"query": f"x\n{HOST}"}})
    call = ToolCall("c", "search_lore", dump({"query": f"x\n{HOST}"}))
    twice = replace(call, arguments=dump(call.arguments))
    after = ToolCall("c", "search_lore", dump({"query": "tides"}))
    assert await known_after(world, (twice, echo)) == frozenset()
    assert await known_after(world, (call, echo), (after, "{}")) == frozenset()
