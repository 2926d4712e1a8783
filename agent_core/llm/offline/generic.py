"""Puts whatever look-ups have found so far into words, for when nothing more may be looked up."""

from collections.abc import Callable, Mapping

from agent_core.llm.offline import replies
from agent_core.llm.offline.results import (
    ChapterScenes,
    Contents,
    EntryList,
    EntryState,
    History,
    Search,
    Timeline,
    Why,
)
from agent_core.llm.offline.transcript import Data, Transcript
from agent_core.llm.offline.voice import Voice, blocks
from agent_core.messages import Json

_Told = Callable[[Mapping[str, Json], Voice], str]

_BY_TOOL: Mapping[str, _Told] = {
    "search_lore": lambda data, voice: replies.search_reply(Search.model_validate(data), voice),
    "get_entity_state": lambda data, voice: replies.entry_reply(EntryState.model_validate(data), voice),
    "get_timeline": lambda data, voice: replies.timeline_reply(Timeline.model_validate(data), "", (), voice),
    "get_history": lambda data, voice: replies.history_reply(History.model_validate(data), "", voice),
    "list_chapters": lambda data, voice: replies.contents_reply(Contents.model_validate(data), voice),
    "list_entries": lambda data, voice: replies.entries_reply(EntryList.model_validate(data), voice),
    "fetch_chapter_scenes": lambda data, voice: replies.chapter_reply(
        ChapterScenes.model_validate(data), "", voice
    ),
    "why": lambda data, voice: replies.why_reply(Why.model_validate(data), voice),
}


def so_far(transcript: Transcript, voice: Voice) -> str:
    """Return what the look-ups of this question have found, or that there was none."""
    texts = [
        _BY_TOOL[tool](outcome.data, voice)
        for (tool, _), outcome in transcript.outcomes.items()
        if tool in _BY_TOOL and isinstance(outcome, Data)
    ]
    return blocks(*texts) or voice.say("offline.reply.not_run")
