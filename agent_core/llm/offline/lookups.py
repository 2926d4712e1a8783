"""Answers questions, each as one straight line of look-ups."""

from collections.abc import Callable, Mapping

from agent_core.llm.offline import replies
from agent_core.llm.offline.concepts import concepts_of, is_concept, key_in, speaks_of
from agent_core.llm.offline.results import (
    ChapterScenes,
    Contents,
    Entry,
    EntryList,
    EntryState,
    History,
    Search,
    Timeline,
    Why,
)
from agent_core.llm.offline.scope import Scope
from agent_core.llm.offline.steps import Found, NotFound, Steps, found_entry, looked_up
from agent_core.llm.offline.transcript import Call
from agent_core.llm.offline.voice import Voice, blocks, leaves
from agent_core.llm.offline.wishes import Asked, Guess, Names, Question
from agent_core.messages import Json

_HOME = "home"


def answer(question: Question, voice: Voice) -> Steps[str]:
    """Return the answer to a question."""
    if not question.names:
        return (yield from _UNNAMED[question.asks](question, voice))
    if question.instead and (yield from names_an_entry(question.instead.names, voice)):
        return (yield from answer(question.instead, voice))
    names = (question.whole, *question.names) if question.whole else question.names
    found = yield from found_entry(names, voice)
    if isinstance(found, NotFound):
        return found.text
    if question.whole and _is_called(found.entry, (question.whole,)):
        text = yield from _entry(question, found.entry, voice)
    else:
        text = yield from _NAMED[question.asks](question, found.entry, voice)
    return blocks(found.remark, text)


def names_an_entry(names: Names, voice: Voice) -> Steps[bool]:
    """Tell whether an entry is called exactly so in one of the spellings."""
    found = yield from found_entry(names, voice)
    return isinstance(found, Found) and _is_called(found.entry, names)


def guessed(guess: Guess, voice: Voice) -> Steps[str]:
    """Return what is known of the first of the names that is one; help where none is."""
    found = yield from found_entry(guess.names, voice)
    if isinstance(found, NotFound):
        text = f"{found.text}\n\n{voice.say('offline.help')}" if found.nothing else found.text
    else:
        text = yield from _entry(Question(asks=Asked.ENTRY, scope=guess.scope), found.entry, voice)
        text = blocks(found.remark, text)
    return f"{text}\n\n{voice.say('offline.reply.not_noted')}" if guess.statement else text


def state_call(entry: Entry, scope: Scope) -> Call:
    """Return the look-up of an entry's state within a scope."""
    optional = {"asOf": scope.place, "knownAt": scope.known, "asReader": scope.reader}
    arguments: dict[str, Json] = {"entityId": entry.id}
    arguments |= {name: value for name, value in optional.items() if value}
    return Call("get_entity_state", {**arguments, "when": "start"} if scope.starts else arguments)


def _entry(question: Question, entry: Entry, voice: Voice) -> Steps[str]:
    state = yield from looked_up(EntryState, state_call(entry, question.scope), voice)
    return state if isinstance(state, str) else replies.entry_reply(state, voice)


def _detail(question: Question, entry: Entry, voice: Voice) -> Steps[str]:
    state = yield from looked_up(EntryState, state_call(entry, question.scope), voice)
    if isinstance(state, str):
        return state
    details = replies.details_of(state, question.words)
    if not details and "location" in concepts_of(question.words):
        details = replies.details_of(state, _HOME)
    if details:
        return replies.detail_reply(state, details, voice)
    if "alias" in concepts_of(question.words) and entry.aliases:
        return replies.headline(entry, voice)
    text = replies.missing_detail(state, question.words, voice)
    if is_concept(question.words):
        return text
    query = Call("search_lore", {"query": f"{entry.name} {question.words}"})
    passages = yield from looked_up(Search, query, voice)
    words = [word for word in question.words.split() if len(word) > 3]
    scenes = () if isinstance(passages, str) else passages.scenes
    telling = [voice.quote(quote) for quote in scenes if speaks_of(quote.text, words)]
    return blocks(text, *telling[: replies.MAX_SCENES])


def _why(question: Question, entry: Entry, voice: Voice) -> Steps[str]:
    state = yield from looked_up(EntryState, state_call(entry, question.scope), voice)
    if isinstance(state, str):
        return state
    key = _key(state, question.words)
    if key is None:
        return replies.missing_detail(state, question.words, voice)
    place: dict[str, Json] = {"asOf": question.scope.place} if question.scope.place else {}
    reason = yield from looked_up(Why, Call("why", {"entityId": entry.id, "key": key, **place}), voice)
    return reason if isinstance(reason, str) else replies.why_reply(reason, voice)


def _since(question: Question, entry: Entry, voice: Voice) -> Steps[str]:
    state = yield from looked_up(EntryState, state_call(entry, question.scope), voice)
    if isinstance(state, str):
        return state
    key = _key(state, question.words)
    if key is None:
        return (yield from _when(question, entry, voice))
    return replies.since_reply(state, dict(leaves({key: state.state[key]})), voice)


def _when(question: Question, entry: Entry, voice: Voice) -> Steps[str]:
    found = yield from looked_up(Timeline, _timeline_call(entry, question.scope), voice)
    words = [word for word in question.words.split() if len(word) > 2]
    return found if isinstance(found, str) else replies.timeline_reply(found, entry.name, words, voice)


def _timeline(question: Question, entry: Entry | None, voice: Voice) -> Steps[str]:
    found = yield from looked_up(Timeline, _timeline_call(entry, question.scope), voice)
    name = entry.name if entry else ""
    return found if isinstance(found, str) else replies.timeline_reply(found, name, (), voice)


def _history(question: Question, entry: Entry | None, voice: Voice) -> Steps[str]:
    scope = question.scope
    if scope.place:
        return (yield from _timeline(question, entry, voice))
    key = yield from _changed_key(question, entry, voice)
    optional = {"key": key, "since": scope.known_since, "until": scope.known, "by": question.person}
    arguments: dict[str, Json] = {"entityId": entry.id} if entry else {}
    arguments |= {name: value for name, value in optional.items() if value}
    found = yield from looked_up(History, Call("get_history", arguments), voice)
    name = entry.name if entry else ""
    return found if isinstance(found, str) else replies.history_reply(found, name, voice)


def _changed_key(question: Question, entry: Entry | None, voice: Voice) -> Steps[str]:
    """Return the detail whose edits are asked for, as the entry spells it; "" where all edits are."""
    if entry is None or not question.words:
        return ""
    state = yield from looked_up(EntryState, state_call(entry, Scope()), voice)
    known = None if isinstance(state, str) else _key(state, question.words)
    return known or (question.words if is_concept(question.words) else "")


def _contents(question: Question, voice: Voice) -> Steps[str]:
    book: dict[str, Json] = {"book": question.scope.place} if question.scope.place else {}
    found = yield from looked_up(Contents, Call("list_chapters", book), voice)
    return found if isinstance(found, str) else replies.contents_reply(found, voice)


def _chapter(question: Question, voice: Voice) -> Steps[str]:
    place = question.scope.place
    found = yield from looked_up(ChapterScenes, Call("fetch_chapter_scenes", {"chapterId": place}), voice)
    return found if isinstance(found, str) else replies.chapter_reply(found, place, voice)


def _search(question: Question, voice: Voice) -> Steps[str]:
    kind: dict[str, Json] = {"type": question.type} if question.type else {}
    found = yield from looked_up(Search, Call("search_lore", {"query": question.words, **kind}), voice)
    return found if isinstance(found, str) else replies.search_reply(found, voice)


def _first(question: Question, voice: Voice) -> Steps[str]:
    """Return the first passage that gives the name; scenes are found in reading order."""
    found = yield from looked_up(Search, Call("search_lore", {"query": question.words}), voice)
    if isinstance(found, str):
        return found
    if found.no_entry or not found.scenes:
        return replies.search_reply(found, voice)
    first = voice.say("offline.reply.first", name=question.words)
    return blocks(first, voice.quote(found.scenes[0]))


def _list(question: Question, voice: Voice) -> Steps[str]:
    kind: dict[str, Json] = {"type": question.type} if question.type else {}
    found = yield from looked_up(EntryList, Call("list_entries", kind), voice)
    return found if isinstance(found, str) else replies.entries_reply(found, voice)


def _all_history(question: Question, voice: Voice) -> Steps[str]:
    return (yield from _history(question, None, voice))


def _whole_timeline(question: Question, voice: Voice) -> Steps[str]:
    return (yield from _timeline(question, None, voice))


def _timeline_call(entry: Entry | None, scope: Scope) -> Call:
    arguments: dict[str, Json] = {"entityId": entry.id} if entry else {}
    if scope.place:
        arguments["from"] = scope.place
        arguments |= {} if scope.since else {"to": scope.place}
    return Call("get_timeline", arguments)


def _key(state: EntryState, words: str) -> str | None:
    """Return the detail that words such as "eyes are green", "green eyes" or "dead" speak of."""
    keys = list(state.state)
    found = key_in(words, keys)
    if found is not None:
        return found
    said = words.rsplit(maxsplit=1)[-1] if words else ""
    return next((key for key in keys if replies.says(state.state[key], said)), None)


def _is_called(entry: Entry, names: Names) -> bool:
    called = {one.casefold() for one in (entry.name, *entry.aliases)}
    return any(name.casefold() in called for name in names)


_Named = Callable[[Question, Entry, Voice], Steps[str]]
_Unnamed = Callable[[Question, Voice], Steps[str]]

_NAMED: Mapping[Asked, _Named] = {
    Asked.ENTRY: _entry,
    Asked.DETAIL: _detail,
    Asked.WHY: _why,
    Asked.SINCE: _since,
    Asked.WHEN: _when,
    Asked.TIMELINE: _timeline,
    Asked.HISTORY: _history,
}
_UNNAMED: Mapping[Asked, _Unnamed] = {
    Asked.TIMELINE: _whole_timeline,
    Asked.HISTORY: _all_history,
    Asked.CONTENTS: _contents,
    Asked.CHAPTER: _chapter,
    Asked.SEARCH: _search,
    Asked.LIST: _list,
    Asked.FIRST: _first,
}
