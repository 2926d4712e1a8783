"""An example of each request and answer, for the API's own description."""

from collections.abc import Mapping
from typing import Any

from agent_core.messages import Json

_SERIES = "6f0c7a52-3b8e-4a0e-9d55-0d6c1f7f2b11"
_BOOK = "0d9f4c0e-8a5c-4d52-8f6e-6a1f7c3e9b20"
_SCENE = "c2a1d8e4-5b7f-4f0a-9e63-1b2c3d4e5f60"
_ENTRY = "a9b8c7d6-e5f4-4321-8765-0123456789ab"
_TALK = "4b3a2918-7f6e-4d5c-8b9a-fedcba987654"
_TURN = "1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f"
_BATCH = "9e8d7c6b-5a49-4382-9716-05f4e3d2c1b0"
_CALL = "7d6c5b4a-3928-4170-8f6e-5d4c3b2a1908"
_WHEN = "2026-05-01T12:00:00+00:00"

_PLACE: Mapping[str, Json] = {"id": _SCENE, "label": "1.1", "title": "The harbour", "kind": "scene"}
_REF: Mapping[str, Json] = {"id": _ENTRY, "type": "character", "name": "Mara", "hint": "", "aliases": []}
_QUOTE: Mapping[str, Json] = {"scene": _PLACE, "text": "Her eyes are green.", "paragraph": 1}
_CARD: Mapping[str, Json] = {
    "title": "Mara", "head": "The Salt Roads", "colour": "character", "fields": [], "footer": [],
    "lines": [{
        "text": "green", "label": "eyes", "before": "", "mark": "1.1", "style": "plain", "number": 0,
        "depth": 0,
    }],
    "buttons": [],
}  # fmt: skip
_LINE: Mapping[str, Json] = {
    "callId": _CALL, "line": 0, "tool": "record_lore_state", "risk": "write", "status": "pending",
    "selected": True, "arguments": {"entityId": _ENTRY, "statePatch": {"eyes": "grey"}}, "trouble": "",
}  # fmt: skip
_PROPOSAL: Mapping[str, Json] = {
    "batchId": _BATCH, "status": "open", "settled": False, "edit": None, "digest": "5f2c…", "expires": _WHEN,
    "conversationId": _TALK, "seriesId": _SERIES, "turnId": _TURN, "calls": [_LINE],
    "card": {**_CARD, "title": "Proposal (1 fact)", "colour": "proposal"},
}  # fmt: skip
_DONE: Mapping[str, Json] = {
    **_PROPOSAL, "status": "approved", "settled": True, "edit": 413,
    "calls": [{**_LINE, "status": "done"}],
    "card": {**_CARD, "title": "Saved, edit no. 413", "colour": "done"},
}  # fmt: skip
_REPLY: Mapping[str, Json] = {
    "reply": "Mara’s eyes are green (1.1).",
    "toolCallsExecuted": [{
        "name": "get_entity_state", "callId": "call_1", "arguments": "Mara", "outcome": "done",
        "result": "Mara, 2 facts", "durationMs": 3,
    }],
    "thoughtProcess": ["I look Mara up."], "pending": None, "attachments": [],
    "conversationId": _TALK, "turnId": _TURN,
    "status": "done",
}  # fmt: skip
_STEP: Mapping[str, Json] = {
    "kind": "tool", "tool": "get_entity_state", "label": "looked up", "detail": "Mara → 2 facts",
    "outcome": "done", "durationMs": 3,
}  # fmt: skip
_TURN_OUT: Mapping[str, Json] = {
    "id": _TURN, "conversationId": _TALK, "question": "What colour are Mara’s eyes?",
    "answer": "Green (1.1).", "status": "done", "started": _WHEN, "deepResearch": False, "mode": "general",
    "replies": 2, "calls": 1, "steps": [_STEP], "batches": [],
}  # fmt: skip
_SERIES_OUT: Mapping[str, Json] = {
    "id": _SERIES, "name": "The Salt Roads", "role": "owner", "bounded": False, "finished": None,
    "books": [{"id": _BOOK, "label": "b1", "title": "The Heron"}], "conversationId": _TALK,
}  # fmt: skip
_FACT: Mapping[str, Json] = {
    "id": "f1", "patch": {"eyes": "green"}, "from": _PLACE, "until": None, "told": "1.1", "scopeBook": None,
    "static": True, "edit": 3, "by": "Ann", "recordedAt": _WHEN, "note": "",
}  # fmt: skip
_SCENE_ITEM: Mapping[str, Json] = {
    "place": _PLACE,
    "mode": "linear",
    "story": "",
    "undated": False,
    "words": 11,
}


def _shown(answer: Mapping[str, Json]) -> Mapping[str, Json]:
    return {"answer": answer, "card": _CARD}


_ANSWERS: Mapping[str, Json] = {
    "reply": _REPLY,
    "decided": {**_REPLY, "reply": "Saved.", "batch": _DONE},
    "declined": {
        **_REPLY, "reply": "As you like.", "toolCallsExecuted": [],
        "batch": {**_PROPOSAL, "status": "declined", "settled": True},
    },
    "batch": _DONE,
    "linked": {**_DONE, "edit": None, "card": {**_CARD, "title": "Done"}},
    "cancelled": {"cancelled": True},
    "turn": _TURN_OUT,
    "conversation": {
        "id": _TALK, "seriesId": _SERIES, "series": "The Salt Roads", "bookId": _BOOK, "book": "The Heron",
        "position": _PLACE, "bounded": False, "finished": None, "families": ["web"],
        "lastEvent": 17, "turns": [_TURN_OUT],
        "open": [],
    },
    "me": {
        "person": {"name": "Ann", "operator": True}, "language": "en", "model": None,
        "series": [_SERIES_OUT],
    },
    "series": [_SERIES_OUT],
    "entries": {"type": None, "entries": [_REF], "more": 0, "nextOffset": None},
    "suggestions": {"names": ["Mara", "Marten"]},
    "proposals": {"proposals": [_PROPOSAL]},
    "contents": _shown({
        "series": "The Salt Roads",
        "books": [{
            "place": {"id": _BOOK, "label": "b1", "title": "The Heron", "kind": "book"},
            "chapters": [{"place": _PLACE, "number": "1", "part": "", "scenes": [_SCENE_ITEM]}],
        }],
    }),
    "scenes": _shown({
        "chapter": _PLACE, "nextOffset": None,
        "scenes": [{
            "place": _PLACE, "title": "", "mode": "linear", "text": "Mara waits at the harbour of Vel.",
            "offset": 0, "total": 33, "cut": "",
        }],
    }),
    "search": _shown({
        "query": "Mara", "entries": [{"entry": _REF, "why": "name", "detail": "Mara", "quote": None}],
        "scenes": [_QUOTE], "moreEntries": 0, "moreScenes": 0, "noEntry": None, "hint": "",
    }),
    "state": _shown({
        "entry": _REF, "state": {"eyes": "green"}, "traits": {"eyes": "green"}, "at": _PLACE, "when": "end",
        "known": None, "knownAt": None, "asReader": None, "bounded": False, "facts": [_FACT],
        "sources": [{"pointer": "/eyes", "fact": "f1", "from": _PLACE, "edit": 3}], "earlier": None,
        "later": None,
    }),
    "why": _shown({
        "entry": _REF, "key": "eyes", "at": _PLACE, "value": "green", "chain": [_FACT], "quotes": [_QUOTE],
    }),
    "timeline": _shown({
        "order": "story", "more": 0,
        "items": [{
            "entry": _REF, "at": _PLACE, "kind": "begins", "patch": {"scarf": None}, "told": "1.1",
            "fact": "f2", "edit": 5,
        }],
    }),
    "history": _shown({
        "more": 0,
        "items": [{
            "edit": 3, "recordedAt": _WHEN, "proposedBy": "Ann", "approvedBy": "Ann", "source": "",
            "undoneBy": None,
            "lines": [{
                "entry": _REF, "kind": "fact", "place": _PLACE, "key": "eyes", "before": None,
                "after": "green",
            }],
        }],
    }),
    "loose_ends": _shown({
        "items": [{"kind": "not_revealed", "entry": _REF, "fact": _FACT, "scene": None}],
    }),
    "tasks": _shown({
        "tasks": [{
            "number": 3, "prompt": "What happened this week?", "tool": "", "when": "every Friday at 18:00",
            "rule": "cron 0 18 * * 5", "zone": "Europe/Berlin", "status": "active", "pausedFor": "",
            "next": ["2026-05-08T18:00+02:00"], "by": "Ann", "here": True,
            "runs": [{"due": "2026-05-01T18:00+02:00", "status": "done", "late": False}],
        }],
        "zone": "Europe/Berlin",
    }),
    "members": _shown({
        "members": [{"name": "Ann", "role": "owner", "mayDestroy": False, "finished": None}],
    }),
    "cost": _shown({
        "answer": None, "today": {"calls": 0, "tokens": 0, "cost": None},
        "month": {"calls": 12, "tokens": 48120, "cost": "0.31"}, "everyone": None,
    }),
    "report": {
        "importId": "b1946ac9", "series": [{
            "name": "The Salt Roads", "exists": False, "nothingToDo": False, "warnings": [],
            "books": [{
                "title": "The Heron", "isNew": True, "chapters": ["1 The harbour", "2 Oru"], "scenes": 4,
                "words": 31, "warnings": [],
            }],
        }],
    },
    "imported": {"batches": [_DONE]},
    "healthy": {"status": "ok"},
    "ready": {"status": "ready", "database": "ok", "model": "configured"},
}  # fmt: skip

_BODIES: Mapping[str, Json] = {
    "chat": {
        "bookId": _BOOK, "messages": [{"role": "user", "content": "What colour are Mara’s eyes?"}],
        "maxIterations": 6,
    },
    "agent": {
        "bookId": _BOOK, "messages": [{"role": "user", "content": "Where is the scarf in chapter 2?"}],
        "mode": "general", "deepResearch": False,
    },
    "confirm": {"batchId": _BATCH, "callIds": [_CALL]},
    "confirm_all": {"batchId": _BATCH},
    "answer": {"batchId": _BATCH, "line": 0, "name": "at", "value": "2.1"},
    "conversation": {"conversationId": _TALK},
    "family": {"family": "web", "on": True},
    "link": {"series": "The Salt Roads", "book": "The Heron"},
    "record": {"entityId": "Mara", "statePatch": {"scarf": None}, "sourceSceneId": "2.1"},
    "create": {"type": "character", "name": "Tom", "staticTraits": {"trade": "smith"}},
    "update": {"entityId": "Tom", "addAlias": "the smith"},
    "merge": {"keep": "Tom", "merge": ["the smith of Vel"]},
    "scene": {"chapterId": "2", "sceneNumber": 3, "title": "", "rawText": "Rain comes over Oru."},
    "place": {"sceneId": "2.1", "relation": "before", "node": "1.1", "mode": "flashback"},
    "undo": {"change": 413},
    "position": {"position": "2.1"},
    "progress": {"finished": "1"},
    "task": {"when": "every Friday 18:00", "prompt": "What happened this week?"},
    "task_pause": {"task": "3", "paused": True},
    "task_run": {"task": "3"},
    "members": {"person": "terminal:bea", "role": "reader", "ceiling": "2"},
    "import": {"series": "", "deleteGone": False},
}  # fmt: skip

_EVENTS = (
    'retry: 2000\n\nid: 14\nevent: question\ndata: {"text":"…","by":"Ann","turnId":"","messageId":"m1"}\n\n'
    'id: 15\nevent: tool\ndata: {"state":"started","callId":"call_1","tool":"get_entity_state",…}\n\n'
    'event: delta\ndata: {"replyId":"r2","offset":0,"text":"Green",…}\n\n'
    'id: 17\nevent: message\ndata: {"replyId":"r2","markdown":"Green (1.1).","sources":["1.1"],…}\n\n'
    f'id: 18\nevent: done\ndata: {{"turnId":"{_TURN}","status":"done",…}}\n\n'
)
_EVENT: Mapping[str, Json] = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "description": "its number in the conversation; a delta has none"},
        "event": {
            "type": "string",
            "enum": [
                "question", "thought", "tool", "delta", "message", "confirmation", "done", "error", "notice",
                "fresh",
            ],
        },
        "data": {"type": "string", "description": "JSON; docs/reference/http.md tells its fields"},
    },
}  # fmt: skip
_STREAM: Mapping[str, Json] = {"schema": _EVENT, "example": _EVENTS}
_METRICS = "# TYPE lorekeeper_http_listeners gauge\nlorekeeper_http_listeners 2\n"

Responses = dict[int | str, dict[str, Any]]  # Any: this is how the framework describes a response


def answer(name: str, status: int = 200) -> Responses:
    """Return the description of an answer with its example, and of a refusal."""
    return {status: {"content": {"application/json": {"example": _ANSWERS[name]}}}, **_refused()}


def decision(name: str) -> Responses:
    """Return the description of an answer that is streamed where a stream is accepted."""
    media = {"application/json": {"example": _ANSWERS[name]}, "text/event-stream": _STREAM}
    return {200: {"content": media}, **_refused()}


def events(name: str) -> Responses:
    """Return the description of a stream."""
    told = f"Server-Sent Events of {'a turn' if name == 'agent' else 'a conversation'}."
    return {200: {"description": told, "content": {"text/event-stream": _STREAM}}, **_refused()}


def text(name: str) -> Responses:
    """Return the description of a plain text."""
    return {200: {"content": {"text/plain": {"example": _METRICS}}}, **_refused()}


def archive() -> Responses:
    """Return the description of a zip file."""
    return {200: {"description": "A zip file.", "content": {"application/zip": {}}}, **_refused()}


def file() -> Responses:
    """Return the description of a file of any kind."""
    return {200: {"description": "The file.", "content": {"application/octet-stream": {}}}, **_refused()}


def body(name: str) -> dict[str, Any]:  # Any: as above
    """Return the example of a JSON body."""
    return {"requestBody": {"content": {"application/json": {"example": _BODIES[name]}}}}


def _refused() -> Responses:
    problem = {
        "type": "urn:lorekeeper:problem:not-found", "title": "Not found", "status": 404,
        "detail": "There is nothing here, or nothing for you.",
    }  # fmt: skip
    return {
        "default": {
            "description": "A refusal.",
            "content": {"application/problem+json": {"example": problem}},
        }
    }
