"""Finds out at start-up whether a model calls tools; what endpoints say about themselves is not reliable."""

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


async def _ignore(_: str) -> None:
    """Nobody reads along."""
