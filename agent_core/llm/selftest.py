"""Finds out what a model can do by trying it; what endpoints say about themselves is not reliable."""

from agent_core.errors import ModelCause, ModelFailure
from agent_core.llm.base import ChatModel
from agent_core.messages import ChatMessage, ModelRequest, Role, ToolSchema

_PING = ToolSchema(
    "ping",
    "Checks that tools can be called.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_REQUEST = ModelRequest(
    messages=(
        ChatMessage(Role.SYSTEM, "This checks whether tools work. Call the tool you are asked for."),
        ChatMessage(Role.USER, 'Call the tool "ping" with the word "pong".'),
    ),
    tools=(_PING,),
    temperature=0.0,
    max_tokens=1024,  # a model that thinks first needs room for it
)
LEAST_TOKENS = 6_000
_LONG_REQUEST = ModelRequest(
    # A word that follows a space is at least one token of any model.
    messages=(ChatMessage(Role.USER, "word " * LEAST_TOKENS + "What was that? Answer in one word."),),
    temperature=0.0,
    max_tokens=16,
)


async def can_call_tools(model: ChatModel) -> bool:
    """Tell whether `model`, asked to call a tool, does so.

    Raises:
        ModelFailure: if the endpoint gave no answer that would tell.
    """
    try:
        reply = await model.complete(_REQUEST, _ignore)
    except ModelFailure as failure:
        if failure.cause is ModelCause.NO_TOOLS:
            return False
        raise
    return any(call.name == _PING.name for call in reply.calls)


async def reads_long_requests(model: ChatModel) -> bool:
    """Tell whether `model` reads as much at once as a short conversation with look-ups needs.

    Some servers cut off the beginning of what is too long for them without a word; the tokens that they count
    show it. One that counts none, or is too slow to tell, is believed.

    Raises:
        ModelFailure: if the endpoint gave no answer that would tell.
    """
    try:
        reply = await model.complete(_LONG_REQUEST, _ignore)
    except ModelFailure as failure:
        if failure.cause in (ModelCause.CONTEXT, ModelCause.TIMEOUT):
            return failure.cause is ModelCause.TIMEOUT
        raise
    return not 0 < reply.usage.prompt_tokens < LEAST_TOKENS


async def _ignore(_: str) -> None:
    """Nobody reads along."""
