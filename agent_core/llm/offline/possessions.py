"""Reads what somebody has: "green eyes" is a detail with a value, "a silver key" one more thing of theirs."""

import re

from agent_core.llm.offline.concepts import concepts_of
from agent_core.llm.offline.plain import bare, plain
from agent_core.llm.offline.rules import Rules, match
from agent_core.llm.offline.values import NONE, value_of
from agent_core.llm.offline.wishes import Fact, Names
from agent_core.messages import Json

_NOT_DETAILS = frozenset(
    {"possessions", "weapon", "clothes", "location", "name", "leader", "colour", "faction"}
)
_INFLECTED = re.compile(r"(e|en|er|es|em)$")


def had(names: Names, text: str, rules: Rules) -> list[Fact]:
    """Return the facts of "X has …"."""
    age = match(rules.pattern(rules.statement.age), text)
    if age is not None:
        return [Fact(names=names, key=rules.statement.keys["age"], value=value_of(age["value"], rules))]
    split = [part for part in re.split(rules.statement.have_items, text) if part.strip()]
    facts = [_detail(names, part, rules) for part in split]
    if all(facts):
        return [fact for fact in facts if fact is not None]
    whole = _detail(names, text, rules)
    return [whole or _thing(names, text, rules)]


def _thing(names: Names, text: str, rules: Rules) -> Fact:
    lead = match(rules.pattern(f"(?:{rules.statement.have_lead})+(?P<kept>.+)"), text)
    thing = bare(lead["kept"] if lead else text)
    return Fact(names=names, key=rules.statement.keys["possessions"], value=thing, owned=True)


def _detail(names: Names, text: str, rules: Rules) -> Fact | None:
    """Return the detail that a phrase such as "a scar on the cheek" speaks of, if it speaks of one."""
    words = bare(text).split()
    none = bool(words) and rules.pattern(rules.statement.none).fullmatch(plain(words[0])) is not None
    found = _noun(words)
    if found is None:
        return None
    start, end = found
    before = _before(words[:start], rules, none=none)
    value = NONE if none else _value(before, words[end:], rules)
    noun = " ".join(words[start:end])
    return Fact(names=names, key=noun if rules.language == "de" else noun.lower(), value=value)


def _noun(words: list[str]) -> tuple[int, int] | None:
    """Return where the word for the detail stands: the longest one, the first of its length."""
    for length in range(min(3, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            meant = concepts_of(" ".join(words[start : start + length]))
            if meant and not meant & _NOT_DETAILS:
                return start, start + length
    return None


def _before(words: list[str], rules: Rules, *, none: bool) -> str:
    text = " ".join(words[1:] if none else words)
    lead = rules.pattern(f"(?:{rules.statement.have_lead})+(?P<kept>.*)")
    parts = match(lead, f"{text} ")
    kept = parts["kept"] if parts else text
    return uninflected(kept) if rules.language == "de" else kept


def _value(before: str, after: list[str], rules: Rules) -> Json:
    behind = " ".join(after)
    named = match(rules.pattern(f"(?:{rules.statement.have_named}) (?P<kept>.+)"), behind)
    if named is not None:
        return value_of(named["kept"], rules)
    text = " ".join(part for part in (before, behind) if part)
    return value_of(text, rules) if text else True


def uninflected(text: str) -> str:
    """Return a lone German adjective as a dictionary has it: "grüne" is "grün", "dunkle" is "dunkel"."""
    if " " in text or "," in text or not text[:1].islower():
        return text
    stem = _INFLECTED.sub("", text)
    if len(stem) < 3:
        return text
    return f"{stem[:-1]}e{stem[-1]}" if re.search(r"[bdfgkpt]l$", stem) else stem
