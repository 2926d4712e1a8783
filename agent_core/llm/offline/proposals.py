"""Turns what is to be written into one batch of calls, for entries that were looked up first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent_core.llm.offline.concepts import best_key
from agent_core.llm.offline.lookups import names_an_entry, state_call
from agent_core.llm.offline.plain import word_key
from agent_core.llm.offline.refusals import trouble
from agent_core.llm.offline.results import EntryState
from agent_core.llm.offline.scope import Scope
from agent_core.llm.offline.steps import Found, NotFound, Steps, found_entry
from agent_core.llm.offline.transcript import Call, Data, Outcome, State
from agent_core.llm.offline.voice import Voice, blocks
from agent_core.llm.offline.wishes import Create, Fact, Names, Record, Rename, TakeBack, Write, Writes
from agent_core.messages import Json

TOOLS: Mapping[type[Write], str] = {
    Record: "record_lore_state",
    Create: "create_lore_entity",
    Rename: "update_entry",
    TakeBack: "undo",
}


@dataclass(frozen=True, slots=True)
class _Subject:
    """Whom a line is about: `reference` is what tools take, `state` what holds for them now."""

    reference: str
    name: str
    state: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class _Line:
    """A call and what it does, in words."""

    call: Call
    words: str


def propose(wish: Writes, voice: Voice) -> Steps[str]:
    """Ask for all that is to be written as one batch; return what became of it."""
    subjects: dict[Names, _Subject] = {}
    created = {word_key(one.name): one.name for one in wish.writes if isinstance(one, Create)}
    writes: list[Write] = []
    for one in wish.writes:
        settled = yield from _settled(one, created, voice)
        writes.append(settled)
    for names in dict.fromkeys(_names(one) for one in writes if not isinstance(one, Create | TakeBack)):
        new = next((created[word_key(name)] for name in names if word_key(name) in created), None)
        subject = _Subject(new, new, {}) if new else (yield from _subject(names, voice))
        if isinstance(subject, str):
            return subject
        subjects[names] = subject
    lines = list(_lines(writes, subjects, voice))
    outcomes = yield tuple(line.call for line in lines)
    return _told(lines, outcomes, voice)


def _settled(one: Write, created: Mapping[str, str], voice: Voice) -> Steps[Write]:
    """Return the write in the one reading whose name is an entry's, where it has two."""
    if not isinstance(one, Record) or one.instead is None:
        return one
    names = one.instead.names
    is_new = any(word_key(name) in created for name in names)
    if is_new or (yield from names_an_entry(names, voice)):
        return replace(one, fact=one.instead, instead=None)
    return one


def _names(one: Write) -> Names:
    if isinstance(one, Record):
        return one.fact.names
    return one.names if isinstance(one, Rename) else ()


def _subject(names: Names, voice: Voice) -> Steps[_Subject | str]:
    """Return an entry that is named exactly; a write never goes to one that is merely alike."""
    found = yield from found_entry(names, voice)
    if isinstance(found, Found) and not found.remark:
        (outcome,) = yield (state_call(found.entry, Scope()),)
        state = EntryState.model_validate(outcome.data).state if isinstance(outcome, Data) else {}
        return _Subject(found.entry.id, found.entry.name, state)
    if isinstance(found, NotFound) and found.nearest:
        return found.text
    nearest = (found.entry.name,) if isinstance(found, Found) else ()
    return voice.say("offline.reply.unknown_to_note", name=names[0], nearest=nearest)


def _lines(writes: Sequence[Write], subjects: Mapping[Names, _Subject], voice: Voice) -> list[_Line]:
    lines: list[_Line] = []
    together: dict[tuple[str, Scope, bool], list[Fact]] = {}
    for one in writes:
        if isinstance(one, Record):
            reference = subjects[one.fact.names].reference
            together.setdefault((reference, one.scope, one.retcon), []).append(one.fact)
        elif isinstance(one, Rename):
            lines.append(_rename(one, subjects[one.names], voice))
        elif isinstance(one, Create):
            lines.append(_create(one, voice))
        else:
            lines.append(_take_back(one, voice))
    by_reference = {subject.reference: subject for subject in subjects.values()}
    for (reference, scope, retcon), facts in together.items():
        lines.append(_record(by_reference[reference], facts, scope, voice, retcon=retcon))
    return lines


def _record(subject: _Subject, facts: Sequence[Fact], scope: Scope, voice: Voice, *, retcon: bool) -> _Line:
    patch: dict[str, Json] = {}
    for fact in facts:
        key = best_key(fact.key, list(subject.state)) or fact.key
        patch[key] = _value(fact, {**subject.state, **patch}.get(key))
    optional = {"chapterId": scope.place, "until": scope.until, "toldAt": scope.told}
    arguments: dict[str, Json] = {"entityId": subject.reference, "statePatch": patch}
    arguments |= {name: value for name, value in optional.items() if value}
    call = Call(TOOLS[Record], {**arguments, "retcon": True} if retcon else arguments)
    return _Line(call, voice.say("offline.reply.fact", name=subject.name, facts=voice.patch(patch)))


def _value(fact: Fact, held: Json) -> Json:
    """Return the new value: a thing joins a list of things or leaves it."""
    if not fact.owned:
        return fact.value
    if fact.gone:
        return {"$remove": [_listed(fact.value, held)]}
    if isinstance(held, Sequence) and not isinstance(held, str):
        return {"$add": [fact.value]}
    return [held, fact.value] if isinstance(held, str) else [fact.value]


def _listed(thing: Json, held: Json) -> Json:
    """Return the thing as the list that holds it spells it."""
    things = [one for one in held if isinstance(one, str)] if isinstance(held, list) else []
    return best_key(str(thing), things) or thing


def _create(one: Create, voice: Voice) -> _Line:
    arguments: dict[str, Json] = {"type": one.type, "name": one.name, "staticTraits": dict(one.traits)}
    call = Call(TOOLS[Create], {**arguments, "aliases": list(one.aliases)} if one.aliases else arguments)
    return _Line(call, voice.say("offline.reply.created", name=one.name, type=one.type))


def _rename(one: Rename, subject: _Subject, voice: Voice) -> _Line:
    change: dict[str, Json] = {"addAlias" if one.beside else "rename": one.new}
    if one.beside and one.place:
        change["aliasFrom"] = one.place
    key = "offline.reply.alias" if one.beside else "offline.reply.rename"
    words = voice.say(key, name=subject.name, new=one.new)
    return _Line(Call(TOOLS[Rename], {"entityId": subject.reference, **change}), words)


def _take_back(one: TakeBack, voice: Voice) -> _Line:
    if one.number is None:
        return _Line(Call(TOOLS[TakeBack], {}), voice.say("offline.reply.last_edit_back"))
    words = voice.say("offline.reply.edit_back", edit=str(one.number))
    return _Line(Call(TOOLS[TakeBack], {"change": one.number}), words)


def _told(lines: Sequence[_Line], outcomes: Sequence[Outcome], voice: Voice) -> str:
    """Return one line on what was saved, and one for each line that was not, with the reason.

    Where all of it was saved, the card has just said what.
    """
    done = [line.words for line, outcome in zip(lines, outcomes, strict=True) if _is_done(outcome)]
    edit = next((one.detail for one in outcomes if isinstance(one, State) and one.status == "done"), "")
    number = "".join(filter(str.isdigit, edit))
    what = "; ".join(done) if len(done) < len(lines) else ""
    text = [voice.say("offline.reply.saved", what=what, edit=number)] if done else []
    for line, outcome in zip(lines, outcomes, strict=True):
        if not _is_done(outcome):
            text.append(voice.say("offline.reply.not_saved", what=line.words, reason=trouble(outcome, voice)))
    return blocks(*text)


def _is_done(outcome: Outcome) -> bool:
    return isinstance(outcome, State) and outcome.status == "done"
