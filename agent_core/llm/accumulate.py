"""Puts a reply together from the chunks of a stream, whatever shape the endpoint gives them. Pure.

Endpoints leave out, zero or repeat the `index` of parallel calls, repeat names and ids, or send none; a call
is lost or glued to another if any single one of these is trusted.
"""

import json
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from agent_core.clock import NewId
from agent_core.llm.replay import grown, present
from agent_core.llm.surrogates import TextMender, mend, mend_json
from agent_core.messages import Finish, Json, ModelReply, ToolCall, Usage, parse_json

_FINISHES = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "content_filter": Finish.FILTER,
    "safety": Finish.FILTER,
    "prohibited_content": Finish.FILTER,
    "stop": Finish.STOP,
    "end_turn": Finish.STOP,
    "tool_calls": Finish.STOP,
    "function_call": Finish.STOP,
}
_OWN_FIELDS = frozenset({"role", "content", "tool_calls", "refusal"})
_OWN_PART_FIELDS = frozenset({"index", "id", "type", "function", "custom"})
_OWN_INNER_FIELDS = frozenset({"name", "arguments", "input"})


class Accumulator:
    """Collects one reply; the pieces of text that `feed` and `close` return add up to the reply's text.

    It is full once `max_chars` were said, aloud, in thought and in calls: the rest of the text is left out,
    and the reply counts as cut off.
    """

    def __init__(self, max_chars: int = sys.maxsize) -> None:
        self.finish_reason = ""
        self.has_begun = False
        self._left = max_chars
        self._text: list[str] = []
        self._mender = TextMender()
        self._refusal = ""
        self._calls: list[_Call] = []
        self._fields: dict[str, Json] = {}
        self._usage = Usage()

    @property
    def is_full(self) -> bool:
        """Whether more was said than is kept."""
        return self._left < 0

    def feed(self, chunk: Mapping[str, Json]) -> str:
        """Take in one chunk (or a whole completion) and return the text that it adds, maybe none."""
        self._count(chunk.get("usage"))
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return ""
        self.has_begun = True
        if reason := choice.get("finish_reason"):
            self.finish_reason = str(reason).lower()
        delta = choice["delta"] if "delta" in choice else choice.get("message")
        return self._take(delta) if isinstance(delta, Mapping) else ""

    def close(self) -> str:
        """Return the last piece of text; a refusal is the text where there is no other."""
        rest = self._mender.flush()
        if not any(self._text) and not rest:
            rest = mend(self._refusal)
        self._text.append(rest)
        return rest

    def reply(self, taken_ids: Collection[str], new_call_id: NewId) -> ModelReply:
        """Return the reply; call ids that are empty or in use already are replaced by new ones."""
        text = "".join(self._text)
        calls = [call for call in self._calls if call.name or call.arguments]
        ids = _distinct([call.id for call in calls], taken_ids, new_call_id)
        raw: dict[str, Json] = {"role": "assistant", "content": text, **present(self._fields)}
        if calls:
            raw["tool_calls"] = [call.raw(id_) for call, id_ in zip(calls, ids, strict=True)]
        return ModelReply(
            text=text,
            calls=tuple(call.done(id_) for call, id_ in zip(calls, ids, strict=True)),
            finish=self._finish(),
            usage=self._usage,
            raw={key: mend_json(value) for key, value in raw.items()},
        )

    def _take(self, delta: Mapping[str, Json]) -> str:
        piece = self._mender.feed(_text_of(delta.get("content"))[: self._left])
        self._text.append(piece)
        self._refusal += _text_of(delta.get("refusal"))[: self._left]
        self._left -= _length(delta)
        if self.is_full:
            self.finish_reason = "length"
            self._calls.clear()
            return piece
        parts = list(_parts(delta.get("tool_calls")))
        for position, part in enumerate(parts):
            self._place(part, position, alone=len(parts) == 1)
        unknown = {key: value for key, value in delta.items() if key not in _OWN_FIELDS}
        if unknown:
            self._fields = grown(self._fields, unknown)
        return piece

    def _place(self, part: "_Part", position: int, *, alone: bool) -> None:
        call = self._continued_by(part, position, alone=alone)
        if call is None or call.is_over_at(part):
            name = part.name or (call.name if call else "")
            self._calls.append(call := _Call(index=part.index, name=name))
        call.grow(part)

    def _continued_by(self, part: "_Part", position: int, *, alone: bool) -> "_Call | None":
        """Return the call that `part` most likely goes on with; None if it begins a new one."""
        here = [call for call in self._calls if part.index is None or call.index in (None, part.index)]
        if part.id:
            same = [call for call in here if call.id == part.id]
            nameless = [call for call in here[-1:] if not call.id and not part.name]
            return next(reversed(same or nameless), None)
        if part.index is None and not alone:
            return self._calls[position] if position < len(self._calls) else None
        if here or part.name:
            return here[-1] if here else None
        return self._calls[-1] if self._calls else None

    def _count(self, usage: Json) -> None:
        if isinstance(usage, Mapping):
            self._usage = Usage(_number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens")))

    def _finish(self) -> Finish:
        if self._refusal:
            return Finish.FILTER
        return _FINISHES.get(self.finish_reason, Finish.OTHER if self.finish_reason else Finish.STOP)


@dataclass(frozen=True, slots=True)
class _Part:
    """One entry of a delta's `tool_calls`."""

    index: int | None
    id: str
    name: str
    arguments: str
    fields: Mapping[str, Json]
    inner_fields: Mapping[str, Json]


@dataclass(slots=True)
class _Call:
    """A call that is still growing."""

    index: int | None
    name: str = ""
    id: str = ""
    arguments: str = ""
    fields: dict[str, Json] = field(default_factory=dict)
    inner_fields: dict[str, Json] = field(default_factory=dict)
    announced: bool = False  # the name came again, without arguments yet

    def is_over_at(self, part: _Part) -> bool:
        """Tell whether `part`, though nothing sets it apart, can only be the beginning of another call."""
        if not (part.name or self.announced) or not _is_object(self.arguments):
            return False
        if part.name not in ("", self.name):
            return True
        # Some send `{}` first and the arguments after it, all under one id.
        is_placeholder = part.id == self.id != "" and self.arguments.strip() == "{}"
        return part.arguments.lstrip().startswith("{") and not is_placeholder

    def grow(self, part: _Part) -> None:
        is_empty = not part.arguments.strip()
        self.announced = is_empty and (self.announced or bool(part.name and self.arguments))
        self.id = self.id or part.id
        self.name = self.name or part.name
        self.arguments += part.arguments
        self.fields = grown(self.fields, part.fields)
        self.inner_fields = grown(self.inner_fields, part.inner_fields)

    def done(self, id_: str) -> ToolCall:
        """Return the call as the turn will run it."""
        return ToolCall(id_, mend(self.name), mend(self.arguments))

    def raw(self, id_: str) -> dict[str, Json]:
        """Return the call as the endpoint will read it back."""
        inner = {**present(self.inner_fields), "name": self.name, "arguments": self.arguments}
        return {**present(self.fields), "id": id_, "type": "function", "function": inner}


def _parts(tool_calls: Json) -> Iterator[_Part]:
    for entry in tool_calls if isinstance(tool_calls, list) else ():
        if isinstance(entry, Mapping):
            yield _part(entry)


def _part(entry: Mapping[str, Json]) -> _Part:
    inner = entry.get("function") or entry.get("custom")
    inner = inner if isinstance(inner, Mapping) else {}
    index = entry.get("index")
    return _Part(
        index=index if isinstance(index, int) else None,
        id=_id(entry.get("id")),
        name=_text_of(inner.get("name")),
        arguments=_arguments(inner.get("arguments", inner.get("input"))),
        fields={key: value for key, value in entry.items() if key not in _OWN_PART_FIELDS},
        inner_fields={key: value for key, value in inner.items() if key not in _OWN_INNER_FIELDS},
    )


def _arguments(value: Json) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _id(value: Json) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _text_of(content: Json) -> str:
    """Return the text of a message's content, which may be a list of typed blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(_text_of(block.get("text")) for block in blocks if isinstance(block, Mapping))


def _length(value: Json) -> int:
    """Return how many characters the texts in a value have together."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 0


def _is_object(text: str) -> bool:
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(parse_json(text), dict)
    except ValueError:
        return False


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _distinct(ids: list[str], taken: Collection[str], new_id: NewId) -> list[str]:
    used = set(taken)
    result: list[str] = []
    for given in ids:
        chosen = given
        while not chosen or chosen in used:
            chosen = new_id()
        used.add(chosen)
        result.append(chosen)
    return result
