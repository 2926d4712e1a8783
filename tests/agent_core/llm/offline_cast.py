"""A small cast behind tools that answer as the real ones do, and a turn driven to its end against it."""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agent_core.llm.offline import OfflineResponder
from agent_core.messages import ChatMessage, Json, ModelReply, ModelRequest, Role, ToolCall, ToolSchema

READS = (
    "search_lore",
    "get_entity_state",
    "fetch_chapter_scenes",
    "list_chapters",
    "list_entries",
    "get_timeline",
    "get_history",
    "why",
)
WRITES = ("record_lore_state", "create_lore_entity", "update_entry", "undo")
PROMPT = "You are LoreKeeper.\nYou answer authors in English.\nWho may see what: the writing team"


@dataclass(frozen=True)
class Member:
    """An entry of the cast."""

    name: str
    aliases: tuple[str, ...] = ()
    type: str = "character"
    state: Mapping[str, Json] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{zlib.crc32(self.name.encode()):08x}-0000-4000-8000-000000000000"

    def ref(self) -> dict[str, Json]:
        return {"id": self.id, "type": self.type, "name": self.name, "aliases": list(self.aliases)}

    def words(self) -> set[str]:
        return {word for name in (self.name, *self.aliases) for word in name.casefold().split()}

    def is_called(self, name: str) -> bool:
        return name.casefold() in {one.casefold() for one in (self.name, *self.aliases)}


CAST = (
    Member(
        "Edda Marrick",
        ("Edda", "Brother Pell"),
        state={"eyes": "grey", "home": "Hallin Gate", "rank": "warden"},
    ),
    Member("Hob Sallow", ("Hob",), state={"status": "dead", "trade": "warden of Hallin Gate"}),
    Member(
        "Orsan Crewe", ("the Steward",), state={"office": "Steward of Vayle Rock", "manners": "beautiful"}
    ),
    Member("Isaut Vayle", ("the heir of the Rock",), state={"house": "Vayle"}),
    Member("Joss Fenner", ("Joss",), state={"trade": "ferryman"}),
    Member("Mother Tansy", ("the ringer",), state={"hair": "white", "speech": "never says a word"}),
    Member("Long Stones", ("the Stones", "the causeway"), "location"),
    Member("Hallin Gate", ("the Gate", "the gatehouse"), "location", {"condition": "burned out"}),
    Member("Vayle Rock", ("the Rock",), "location"),
    Member("Wardens of the Stones", ("the Wardens",), "faction", {"duty": "to count every soul"}),
    Member("tide key", (), "object", {"owner": "Orsan Crewe", "looks": "black iron"}),
    Member("The Count", (), "object", {"kind": "a ledger"}),
    Member("Patience", ("the barge",), "object", {"master": "Joss Fenner"}),
    Member("Law of the third bell", ("the third bell",), "rule"),
)


@dataclass
class Spoken:
    """A turn as it went: the calls of each reply, and the answer."""

    replies: list[ModelReply] = field(default_factory=list)
    deltas: list[str] = field(default_factory=list)

    @property
    def answer(self) -> str:
        return self.replies[-1].text

    @property
    def calls(self) -> list[ToolCall]:
        return [call for reply in self.replies for call in reply.calls]

    def called(self, tool: str) -> list[Mapping[str, Json]]:
        return [json.loads(call.arguments) for call in self.calls if call.name == tool]

    def written(self) -> list[ToolCall]:
        return [call for call in self.calls if call.name in WRITES]


Answers = Callable[[str, Mapping[str, Json]], str]


async def speak(
    text: str,
    answers: Answers | None = None,
    *,
    prompt: str = PROMPT,
    tools: Sequence[str] = (*READS, *WRITES),
    before: Sequence[ChatMessage] = (),
) -> Spoken:
    """Return the turn that a message starts, with every call answered by the cast (or by `answers`)."""
    answered = answers or cast_answer
    messages = [ChatMessage(Role.SYSTEM, prompt), *before, ChatMessage(Role.USER, text)]
    spoken = Spoken()

    async def hear(piece: str) -> None:
        spoken.deltas.append(piece)

    while not spoken.replies or spoken.replies[-1].calls:
        assert len(spoken.replies) < 6, spoken.calls
        request = ModelRequest(tuple(messages), tuple(ToolSchema(name, "", {}) for name in tools))
        spoken.replies.append(reply := await OfflineResponder().complete(request, hear))
        messages.append(ChatMessage(Role.ASSISTANT, reply.text, reply.calls))
        for call in reply.calls:
            content = answered(call.name, json.loads(call.arguments))
            messages.append(ChatMessage(Role.TOOL, content, call_id=call.id))
    return spoken


def member(reference: Json) -> Member | None:
    """Return the one with this id, name or alias."""
    return next((one for one in CAST if one.id == reference or one.is_called(str(reference))), None)


def entry(name: str) -> Member:
    """Return the one with this name, who is there."""
    found = member(name)
    assert found is not None, name
    return found


def data(tool: str, value: Json) -> str:
    return json.dumps({"tool": tool, "note": "data from a tool", "data": value}, ensure_ascii=False)


def error(tool: str, text: str) -> str:
    return json.dumps({"tool": tool, "error": text})


def done(tool: str, edit: int = 12) -> str:
    return json.dumps({"tool": tool, "status": "done", "detail": f"edit no. {edit}"})


def place(label: str, title: str = "") -> dict[str, Json]:
    return {"id": f"node-{label}", "label": label, "title": title}


def cast_answer(tool: str, arguments: Mapping[str, Json]) -> str:
    """Answer a call as the tools do, from the cast."""
    if tool in WRITES:
        return done(tool)
    if tool == "search_lore":
        return data(tool, _search(str(arguments["query"])))
    if "entityId" in arguments and (one := member(arguments["entityId"])) is None:
        return error(tool, f"UnknownEntity: name={arguments['entityId']}, nearest=[]")
    one = member(arguments.get("entityId"))
    if tool == "get_entity_state" and one:
        return data(tool, state_of(one))
    if tool == "why" and one:
        return data(tool, {"entry": one.ref(), "key": arguments["key"], "at": None, "chain": []})
    if tool == "list_entries":
        kind = arguments.get("type")
        found = sorted((one for one in CAST if kind in {None, one.type}), key=lambda one: one.name)
        return data(tool, {"type": kind, "entries": [one.ref() for one in found]})
    empty: Mapping[str, Json] = {
        "get_timeline": {"order": "story", "items": []},
        "get_history": {"items": []},
        "list_chapters": {"series": "The Causeway Bells", "books": []},
        "fetch_chapter_scenes": {"chapter": place("1", "The Count"), "scenes": []},
    }
    return data(tool, empty[tool])


def state_of(one: Member) -> dict[str, Json]:
    return {
        "entry": one.ref(),
        "state": dict(one.state),
        "traits": {},
        "at": place("4.2", "One Short"),
        "when": "end",
        "bounded": False,
        "facts": [{"id": f"fact-{key}", "patch": {key: value}} for key, value in one.state.items()],
        "sources": [
            {"pointer": f"/{key}", "fact": f"fact-{key}", "from": place("1.2", "The Key")}
            for key in one.state
        ],
    }


def _search(query: str) -> dict[str, Json]:
    named = [one for one in CAST if one.is_called(query)]
    if named:
        return {"query": query, "entries": [{"entry": one.ref(), "why": "name"} for one in named]}
    words = {word.casefold() for word in query.split()}
    partly = [one for one in CAST if len(words) == 1 and words & one.words()]
    if partly:
        return {"query": query, "entries": [{"entry": one.ref(), "why": "word_in_name"} for one in partly]}
    facts = [one for one in CAST if words & set(" ".join(map(str, one.state.values())).casefold().split())]
    return {"query": query, "entries": [{"entry": one.ref(), "why": "fact", "detail": "…"} for one in facts]}
