"""Reads a message: what is asked, what is to be written, or that it was not understood."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from agent_core.llm.offline.guesses import read_guess
from agent_core.llm.offline.plain import bare, plain, tidy
from agent_core.llm.offline.questions import read_questions
from agent_core.llm.offline.requests import (
    asks_for_the_last,
    read_request,
    requests_in,
    statement,
    subject_of,
)
from agent_core.llm.offline.rules import LANGUAGES, Rules, match, rules_of
from agent_core.llm.offline.sentences import sentences
from agent_core.llm.offline.wishes import (
    Guess,
    Names,
    Question,
    Record,
    Remark,
    Rename,
    Said,
    Wish,
    Write,
    Writes,
)

MAX_QUESTIONS = 3
MAX_CHARS = 4_000
MAX_SENTENCES = 8
MAX_SENTENCE_CHARS = 400

# In a group the speaker's name stands in front; what somebody is reported to have said is no wish.
_SPEAKER = re.compile(
    r"(?!.*?\b(?:said|says|wrote|asked|sagte?|schrieb|meinte?|dit|écrit|demande)\b[^:]*:)"
    r"[^\s:,?!][^:?!\n]{0,39}: (?P<rest>.+)",
    re.DOTALL | re.IGNORECASE,
)


def read(message: str, languages: Sequence[str]) -> tuple[Wish, ...]:
    """Return what the person wants, at least a remark; the likeliest language is tried first."""
    speaker = _SPEAKER.fullmatch(message.strip())
    if _decides(speaker["rest"] if speaker else message):
        return (Said(remark=Remark.DECISION),)
    understood = _understood(message, languages)
    if speaker is not None and not any(isinstance(one, Writes) for one in understood):
        understood = _understood(speaker["rest"], languages) or understood
    if understood:
        return understood
    texts = (speaker["rest"], message) if speaker is not None else (message,)
    guesses = (_guess(_parts(text), rules_of(languages[0])) for text in texts)
    return (next((guess for guess in guesses if guess), Said(remark=Remark.HELP)),)


def _decides(message: str) -> bool:
    """Tell whether the message is nothing but the answer to a card, in any language."""
    text = plain(bare(tidy(message)))
    spoken = map(rules_of, LANGUAGES)
    return any(rules.pattern(rules.talk.decision).fullmatch(text) for rules in spoken)


def _understood(message: str, languages: Sequence[str]) -> tuple[Wish, ...]:
    parts = _parts(message)
    read = (tuple(_wishes(parts, rules_of(language))) for language in languages)
    return next((wishes for wishes in read if wishes), ())


def _parts(message: str) -> list[str]:
    """Return the sentences of a message; what is too long to be a question or a request is passed over."""
    parts = (tidy(part) for part in islice(sentences(message[:MAX_CHARS]), MAX_SENTENCES))
    return [part for part in parts if len(part) <= MAX_SENTENCE_CHARS]


def _wishes(parts: Sequence[str], rules: Rules) -> Iterator[Wish]:
    """Yield the questions of a message and, as one, all that it asks to write."""
    writes: list[Write] = []
    read: list[Question | Said] = []
    split = [one for part in parts for one in requests_in(part, rules)]
    for before, part in pairwise(["", *split]):
        subject = subject_of(writes[-1]) if writes else ()
        wanted = _wanted(before, part, rules, subject)
        if isinstance(wanted, list):
            read += wanted
        else:
            writes += wanted
    questions = [one for one in read if isinstance(one, Question)]
    remarks = [one for one in read if isinstance(one, Said)]
    unclear = [one for one in remarks if one.remark in {Remark.UNCLEAR, Remark.PRONOUN}]
    yield from questions[:MAX_QUESTIONS]
    if writes and not unclear:
        yield Writes(writes=tuple(writes))
    elif remarks and not questions:
        yield (unclear or remarks)[0]


def _wanted(
    before: str, part: str, rules: Rules, subject: Names
) -> tuple[Write, ...] | list[Question | Said]:
    """Return what one sentence asks to write, or else what it asks; a greeting before either is no remark."""
    remark = _remark(part, rules)
    greeted = _without_greeting(part, rules) if remark else part
    if remark and (greeted == part or _remark(greeted, rules)):
        request = _request("", part, rules, subject) if remark.remark is Remark.HELP else None
        return request if isinstance(request, tuple) else [remark]
    request = _request(before, greeted, rules, subject)
    if isinstance(request, tuple):
        return request
    asked = [] if request or _stated(greeted, rules) else list(read_questions(greeted, rules))
    return [request] if request else asked or ([remark] if remark else [])


def _without_greeting(part: str, rules: Rules) -> str:
    """Return what comes behind "hello," or "thanks,"."""
    greeting = rules.pattern(f"(?:{rules.talk.greeting})(?P<kept>.+)")
    while (parts := match(greeting, part)) is not None:
        part = parts["kept"]
    return part


def _request(before: str, part: str, rules: Rules, subject: Names) -> tuple[Write, ...] | Said | None:
    if before and not before.endswith("?") and asks_for_the_last(part, rules):
        return statement(before, rules) or Said(remark=Remark.UNCLEAR)
    return read_request(part, rules, subject)


def _remark(part: str, rules: Rules) -> Said | None:
    text = plain(bare(rules.rewritten(part)))
    for remark, source in (
        (Remark.THANKS, rules.talk.thanks), (Remark.MAKE, rules.talk.make), (Remark.HELP, rules.talk.chat),
    ):  # fmt: skip
        if rules.pattern(source).fullmatch(text):
            return Said(remark=remark)
    return None


def _guess(parts: Sequence[str], rules: Rules) -> Question | Guess | None:
    """Look up what looks like a name; a bare statement says of whom, but is never written."""
    for part in parts:
        if names := _stated(part, rules):
            return Guess(names=names, statement=True)
    for part in parts:
        guess = read_guess(part, rules)
        if guess is not None:
            return guess
    return None


def _stated(part: str, rules: Rules) -> Names:
    """Return of whom a sentence that asks nothing says something, or ()."""
    for one in () if part.endswith("?") else statement(part, rules):
        if isinstance(one, Record | Rename):
            return one.fact.names if isinstance(one, Record) else one.names
    return ()
