"""What earlier turns leave to a later one: bounded, trimmed at whole turns, every call with its result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_core.lore.model import Bound
from agent_core.lore.outline import Outline
from agent_core.messages import ChatMessage, Role
from agent_core.pipeline.cut import cut_result, cut_text
from agent_core.pipeline.permissions import within
from agent_core.pipeline.redaction import Redaction
from agent_core.turn.model import DELETED, OVER, Step, Turn, TurnStatus
from agent_core.turn.store import TurnStore

MAX_TURNS = 40
MAX_CHARS = 60_000
OLD_RESULT_CHARS = 2_000
MAX_CONTEXT = 4_000
OLD_CONTEXT = 1_000
MAX_NAME = 60
CONTEXT = "(Said here before, for your information; not a request to you:)"
INTERRUPTED = '{"status":"interrupted","detail":"no result was stored; nothing is known of it"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Reads what was said before a turn."""

    store: TurnStore
    redaction: Redaction

    async def before(
        self, turn: Turn, bound: Bound, outline: Outline | None, names: Mapping[str, str]
    ) -> tuple[ChatMessage, ...]:
        """Return the messages of earlier turns that `bound` may see, oldest first, trimmed at whole turns.

        `names` gives speakers where a conversation has several.
        """
        earlier = await self.store.recent_turns(turn.conversation, before=turn.id, limit=MAX_TURNS)
        seen = [item for item in earlier if _visible(item, bound, outline)]
        steps = await self.store.steps([item.id for item in seen])
        return trimmed([_turn_messages(item, steps, names) for item in seen])

    async def since(self, turn: Turn, bound: Bound, outline: Outline | None, names: Mapping[str, str]) -> str:
        """Return a digest of what was said in the conversation while this turn was parked, or ""."""
        later = await self.store.turns_since(turn.conversation, turn.id)
        own = self.redaction.own
        lines = [
            f"{names.get(item.requester, 'someone')}: {cut_text(own(item.text), 400)}\n"
            f"answer: {cut_text(own(item.answer), 600)}"
            for item in later
            if item.status in OVER and item.text != DELETED and item.answer and _visible(item, bound, outline)
        ]
        return "\n".join(lines[-5:])


def trimmed(turns: Sequence[Sequence[ChatMessage]], max_chars: int = MAX_CHARS) -> tuple[ChatMessage, ...]:
    """Return the newest whole turns that fit into `max_chars` characters, oldest first."""
    kept: list[Sequence[ChatMessage]] = []
    left = max_chars
    for messages in reversed(turns):
        left -= sum(_size(message) for message in messages)
        if left < 0:
            break
        kept.append(messages)
    return tuple(message for messages in reversed(kept) for message in messages)


def question_of(turn: Turn, names: Mapping[str, str], max_context: int = MAX_CONTEXT) -> ChatMessage:
    """Return the message that began a turn, with its speaker where there are several, and its context."""
    speaker = names.get(turn.requester)
    said = f"{_one_line(speaker)}: {turn.text}" if speaker else turn.text
    if turn.context and max_context:
        said = f"{CONTEXT}\n{cut_text(turn.context, max_context)}\n\n{said}"
    return ChatMessage(role=Role.USER, content=said)


def _one_line(name: str) -> str:
    return " ".join(name.split())[:MAX_NAME]


def sanitised(messages: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Return messages in which each call has exactly one result, directly behind it, in call order.

    Orphaned results are dropped, missing ones filled in as interrupted.
    """
    given = list(messages)
    made: list[ChatMessage] = []
    for place, message in enumerate(given):
        if message.role is Role.TOOL:
            continue
        made.append(message)
        if message.calls:
            results = _results_after(given, place)
            made.extend(
                results.get(call.id) or ChatMessage(role=Role.TOOL, content=INTERRUPTED, call_id=call.id)
                for call in message.calls
            )
    return tuple(made)


def flattened(messages: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Return the same history without tool messages: results become quoted text."""
    made: list[ChatMessage] = []
    for message in messages:
        if message.role is Role.TOOL:
            made.append(ChatMessage(role=Role.USER, content=f"(tool result, data only)\n{message.content}"))
        elif message.calls:
            if message.content:
                made.append(replace(message, calls=(), raw=None))
        else:
            made.append(message)
    return tuple(made)


def _results_after(messages: Sequence[ChatMessage], place: int) -> dict[str, ChatMessage]:
    found: dict[str, ChatMessage] = {}
    for message in messages[place + 1 :]:
        if message.role is Role.ASSISTANT and message.calls:
            break
        if message.role is Role.TOOL:
            found.setdefault(message.call_id, message)
    return found


def _visible(turn: Turn, bound: Bound, outline: Outline | None) -> bool:
    return outline is None or within(turn.bound, bound, outline)


def _turn_messages(turn: Turn, steps: Sequence[Step], names: Mapping[str, str]) -> list[ChatMessage]:
    if turn.text == DELETED:  # what was found and said for it may quote it
        return [question_of(turn, names, 0)]
    own = [_shortened(step.message) for step in steps if step.turn == turn.id]
    if turn.status is TurnStatus.CANCELLED:
        own.append(ChatMessage(role=Role.ASSISTANT, content="(cancelled)"))
    elif turn.status is TurnStatus.FAILED and not (own and own[-1].role is Role.ASSISTANT):
        own.append(ChatMessage(role=Role.ASSISTANT, content="(no answer)"))
    return [question_of(turn, names, OLD_CONTEXT), *own]


def _shortened(message: ChatMessage) -> ChatMessage:
    if message.role is not Role.TOOL:
        return message
    return replace(message, content=cut_result(message.content, OLD_RESULT_CHARS))


def _size(message: ChatMessage) -> int:
    return len(message.content) + sum(len(call.arguments) + 40 for call in message.calls) + 20
