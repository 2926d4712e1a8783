"""Answers requests without a language model: the same request always gets the same reply."""

import asyncio
import json
import re
from collections.abc import Sequence

from agent_core.llm.base import OnDelta
from agent_core.llm.offline.generic import so_far
from agent_core.llm.offline.language import languages_of, ordered_language
from agent_core.llm.offline.lookups import answer, guessed
from agent_core.llm.offline.proposals import TOOLS, propose
from agent_core.llm.offline.reading import read
from agent_core.llm.offline.steps import Steps
from agent_core.llm.offline.transcript import Call, Transcript, transcript_of
from agent_core.llm.offline.voice import Voice, blocks
from agent_core.llm.offline.wishes import Question, Remark, Said, Wish, Writes
from agent_core.messages import ModelReply, ModelRequest, ToolCall

_SEARCH = "search_lore"
_PIECE = re.compile(r".+?(?:\n+|\Z)", re.DOTALL)


class OfflineResponder:
    """The model of a house without a model. It keeps nothing between requests."""

    @property
    def name(self) -> str:
        return "offline"

    @property
    def label(self) -> str:
        """The key of the text that stands under each answer, in the language of the person."""
        return "offline.label"

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        # Rules are read from the package at first use, and a long message may take some milliseconds.
        reply = await asyncio.to_thread(respond, request)
        for piece in _PIECE.findall(reply.text):
            await on_delta(piece)
        return reply


def respond(request: ModelRequest) -> ModelReply:
    """Return the calls that are still wanted, or the answer."""
    transcript = transcript_of(request)
    languages = languages_of(transcript.question, ordered_language(transcript.prompt))
    voice = Voice(languages[0])
    if _SEARCH not in transcript.tools:
        return _answer([voice.say("error.not_linked")])
    ends = [_end(wish, transcript, voice) for wish in read(transcript.question, languages)]
    wanted = [call for end in ends if isinstance(end, tuple) for call in end]
    if not wanted:
        return _answer([end for end in ends if isinstance(end, str)])
    if not transcript.may_call:
        return _answer([so_far(transcript, voice)])
    return _calling(wanted, len(request.messages))


def _end(wish: Wish, transcript: Transcript, voice: Voice) -> str | tuple[Call, ...]:
    """Return the answer to a wish, or the calls without which there is none."""
    if isinstance(wish, Said):
        return _remark(wish, transcript, voice)
    if isinstance(wish, Writes):
        allowed = {TOOLS[type(one)] for one in wish.writes} <= transcript.tools
        return _run(propose(wish, voice), transcript) if allowed else voice.say("offline.reply.no_writes")
    return _run(answer(wish, voice) if isinstance(wish, Question) else guessed(wish, voice), transcript)


def _run(steps: Steps[str], transcript: Transcript) -> str | tuple[Call, ...]:
    try:
        wanted = next(steps)
        while all(call.key in transcript.outcomes for call in wanted):
            wanted = steps.send(tuple(transcript.outcomes[call.key] for call in wanted))
    except StopIteration as end:
        return str(end.value)
    return tuple(call for call in wanted if call.key not in transcript.outcomes)


def _remark(said: Said, transcript: Transcript, voice: Voice) -> str:
    if said.remark is Remark.DECISION:
        # One letter tells no language, and a card that were open would have taken the answer.
        return Voice(ordered_language(transcript.prompt)).say("terminal.nothing_open")
    if said.remark is Remark.HELP:
        return voice.say("offline.help")
    return voice.say(f"offline.reply.{said.remark}", word=said.word)


def _answer(texts: Sequence[str]) -> ModelReply:
    return ModelReply(blocks(*dict.fromkeys(texts)))


def _calling(wanted: Sequence[Call], messages: int) -> ModelReply:
    """Return a reply with calls. Writes wait until nothing is left to be looked up: they are one batch."""
    writes = frozenset(TOOLS.values())
    reads = [call for call in wanted if call.tool not in writes]
    calls = {call.key: call for call in reads or wanted}
    return ModelReply(
        "",
        calls=tuple(
            ToolCall(f"off{messages:03}{place:03}", call.tool, json.dumps(call.arguments, ensure_ascii=False))
            for place, call in enumerate(calls.values())
        ),
    )
