"""Reads sentences of no known form by the words in them: names, details, places, and what tells the kind."""

from agent_core.llm.offline.concepts import concepts_of
from agent_core.llm.offline.names import names_in
from agent_core.llm.offline.places import place_label
from agent_core.llm.offline.plain import plain
from agent_core.llm.offline.rules import Rules
from agent_core.llm.offline.scope import Scope, scoped
from agent_core.llm.offline.wishes import Asked, Guess, Names, Question

# Words for details that are too common to tell a question by.
_COMMON = frozenset(
    {"species", "name", "status", "role", "location", "goal", "knowledge", "possessions", "leader"}
)


def read_guess(sentence: str, rules: Rules) -> Question | Guess | None:
    """Return the question that the words of a sentence suggest, or None if they suggest none."""
    text, scope = scoped(rules.rewritten(sentence), rules)
    if _speaks(rules.loose.contents, text, rules):
        return Question(asks=Asked.CONTENTS, scope=scope)
    names = names_in(text, rules)
    place = scope.place or _place(text, rules)
    if not names:
        return _nameless(sentence, place, scope, rules)
    detail = _detail(text, names, rules)
    for asks, source in (
        (Asked.WHY, rules.loose.why),
        (Asked.TIMELINE, rules.loose.timeline),
        (Asked.HISTORY, rules.loose.history),
        (Asked.WHEN, rules.loose.when),
    ):
        if _speaks(source, text, rules) and (detail or asks is not Asked.WHY):
            return Question(asks=asks, names=names, words=detail, scope=scope)
    if not detail and _speaks(rules.loose.where, text, rules):
        detail = rules.statement.keys["place"]
    if detail:
        return Question(asks=Asked.DETAIL, names=names, words=detail, scope=scope)
    return Guess(names=names, scope=scope)


def _nameless(sentence: str, place: str, scope: Scope, rules: Rules) -> Question | None:
    if place and _speaks(rules.loose.chapter, sentence, rules):
        return Question(asks=Asked.CHAPTER, scope=Scope(place=place))
    if scope.known_since and _speaks(rules.loose.history, sentence, rules):
        return Question(asks=Asked.HISTORY, scope=scope)
    return None


def _speaks(source: str, text: str, rules: Rules) -> bool:
    return rules.pattern(source).search(plain(text)) is not None


def _place(text: str, rules: Rules) -> str:
    found = rules.pattern("(?<!\\w)<place>(?!\\w)").search(plain(text))
    return place_label(found["place"], rules.place_words) if found else ""


def _detail(text: str, names: Names, rules: Rules) -> str:
    """Return the words for a detail that stand outside the names, the longest; "" if there are none."""
    for name in names:
        text = text.replace(name, " , ")
    words = [word.strip(".,;:!?\"'") for word in text.split()]
    for length in range(4, 0, -1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if "" in run:  # a name stands between
                continue
            phrase = " ".join(run)
            meant = concepts_of(phrase)
            if meant and not meant <= _COMMON and plain(phrase) not in rules.function_words:
                return phrase
    return ""
