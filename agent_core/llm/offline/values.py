"""Turns the words for a value into the value that is noted."""

from agent_core.llm.offline.plain import bare
from agent_core.llm.offline.rules import Rules, match
from agent_core.messages import Json

NONE: Json = {"$none": True}


def value_of(text: str, rules: Rules) -> Json:
    """Return the value that the words stand for: a number, "certainly none", or the words; "" for nothing."""
    words = rules.statement
    value = _stripped(text)
    lead = rules.pattern(f"(?:{words.value_lead})(?P<kept>.+)")
    while (parts := match(lead, value)) is not None:
        value = parts["kept"]
    if rules.pattern(words.none).fullmatch(value.lower()):
        return NONE
    article = match(rules.pattern(f"(?:{rules.words.indefinite}) (?P<kept>.+)"), value)
    value = article["kept"] if article else value
    return int(value) if value.isdecimal() and len(value) < 10 else value


def _stripped(text: str) -> str:
    """Return the words without the stop at their end; quotes go only if they surround the whole."""
    value = text.strip(" \t\n,;:")
    while value.endswith((".", "!")) and not value.endswith("..."):
        value = value[:-1].rstrip()
    inner = bare(value)
    return inner if value[:1] in "\"'“„«‹" and len(value) - len(inner) >= 2 else value
