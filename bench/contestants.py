"""The same turn three times: the bare loop over the SDK, pydantic-ai, and ours with everything stored.

A contestant is an async context manager that gives a function from a turn's number to its answer.
"""

import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

SYSTEM = "You keep the canon of a book series. Look up before you claim. " * 20
QUESTION = "What colour are the eyes of Mara, and where is she?"
RESULT = {"entry": "Mara", "facts": [{"key": f"detail {i}", "value": "green " * 4} for i in range(20)]}
DESCRIPTION = "Return what the notes hold of an entry, with the places in the book it was recorded at."

Turn = Callable[[int], Awaitable[str]]
Ran = Counter[str]
Contestant = Callable[[str, int, int, Ran], AbstractAsyncContextManager[Turn]]


@asynccontextmanager
async def bare(url: str, tools: int, at_once: int, ran: Ran) -> AsyncIterator[Turn]:
    """Give the shortest loop that anybody would write over the SDK, streaming."""
    parameters = {
        "type": "object",
        "properties": {
            "entry": {"type": "string", "description": "Name of the entry."},
            "depth": {"type": "integer", "description": "How many links to follow."},
        },
        "required": ["entry"],
    }
    offered: Any = [
        {
            "type": "function",
            "function": {"name": f"tool_{i}", "description": DESCRIPTION, "parameters": parameters},
        }
        for i in range(tools)
    ]
    async with AsyncOpenAI(base_url=url, api_key="none") as client:

        async def turn(number: int) -> str:
            messages: list[Any] = [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": QUESTION},
            ]
            while True:
                text, calls = await _bare_reply(client, messages, offered)
                if not calls:
                    return text
                messages.append({"role": "assistant", "content": text, "tool_calls": calls})
                for call in calls:
                    ran[call["function"]["name"]] += 1
                    json.loads(call["function"]["arguments"])
                    messages.append(
                        {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(RESULT)}
                    )

        yield turn


async def _bare_reply(client: AsyncOpenAI, messages: Any, tools: Any) -> tuple[str, list[Any]]:
    text: list[str] = []
    calls: dict[int, Any] = {}
    stream = await client.chat.completions.create(
        model="bench", messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
    )
    async for chunk in stream:
        for choice in chunk.choices:
            text.append(choice.delta.content or "")
            for piece in choice.delta.tool_calls or ():
                call = calls.setdefault(
                    piece.index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
                )
                call["id"] += piece.id or ""
                if piece.function:
                    call["function"]["name"] += piece.function.name or ""
                    call["function"]["arguments"] += piece.function.arguments or ""
    return "".join(text), list(calls.values())


@asynccontextmanager
async def peer(url: str, tools: int, at_once: int, ran: Ran) -> AsyncIterator[Turn]:
    """Give pydantic-ai with the same tools, streaming."""
    from pydantic_ai import Agent, Tool
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def tool(name: str) -> Tool[None]:
        async def run(entry: str, depth: int = 0) -> dict[str, Any]:
            """Look an entry up.

            Args:
                entry: Name of the entry.
                depth: How many links to follow.
            """
            ran[name] += 1
            return RESULT

        return Tool(run, name=name, description=DESCRIPTION)

    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        model = OpenAIChatModel("bench", provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, system_prompt=SYSTEM, tools=[tool(f"tool_{i}") for i in range(tools)])

        async def watch(context: object, events: Any) -> None:
            async for _ in events:
                pass

        async def turn(number: int) -> str:
            return (await agent.run(QUESTION, event_stream_handler=watch)).output

        yield turn


@asynccontextmanager
async def ours(url: str, tools: int, at_once: int, ran: Ran) -> AsyncIterator[Turn]:
    """Give our turn: pipeline, audit, audit file and every step on the disk."""
    from agent_core.clock import SystemClock, new_id
    from agent_core.conversation.model import Conversation
    from agent_core.events import Event, Failed, Message
    from agent_core.people.model import Identity
    from agent_core.turn.model import Incoming
    from bot.settings import Settings
    from bot.wiring import build

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = Settings(
            data_dir=Path(folder),
            language="en",
            model="bench",
            model_base_url=url,
            model_concurrency=max(at_once, 8),
            rate_limit_per_minute=1_000_000,
        )
        async with build(settings, tools=[_our_tool(f"tool_{i}", ran) for i in range(tools)]) as app:

            async def turn(number: int) -> str:
                heard: list[str] = []

                async def emit(event: Event) -> None:
                    if isinstance(event, Message | Failed):
                        heard.append(event.markdown if isinstance(event, Message) else event.text)

                new = Conversation(id=new_id(), platform="bench", place=f"place {number}", private=True)
                asker = await app.core.askers.identify(Identity("bench", f"user {number % 50}"), "Ann", new)
                incoming = Incoming(
                    platform="bench",
                    update=str(number),
                    message=str(number),
                    person=asker.person.id,
                    conversation=asker.conversation.id,
                    text=QUESTION,
                    at=SystemClock().now(),
                )
                await app.core.handle(incoming, asker, emit)
                return "".join(heard)

            yield turn


def _our_tool(name: str, ran: Ran) -> Any:
    from pydantic import Field

    from agent_core.lore.answers import Answer
    from agent_core.tools.spec import Args, Family, Risk, Tool, ToolContext

    class Entry(Args):
        entry: str = Field(description="Name of the entry.")
        depth: int = Field(default=0, description="How many links to follow.")

    class Fact(Answer):
        key: str
        value: str

    class Found(Answer):
        entry: str
        facts: tuple[Fact, ...]

    found = Found.model_validate(RESULT)

    async def read(context: ToolContext, args: Entry) -> Found:
        ran[name] += 1
        return found

    return Tool(
        name=name,
        family=Family.LORE,
        risk=Risk.READ,
        args=Entry,
        description=DESCRIPTION,
        read=read,
        needs_series=False,
    )


CONTESTANTS: dict[str, Contestant] = {"bare": bare, "peer": peer, "ours": ours}
