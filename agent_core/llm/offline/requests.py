"""Reads wishes to write. Without an explicit verb of noting, changing or creating nothing is ever written."""

import re
from dataclasses import replace

from agent_core.llm.offline.names import is_pronoun, spelled
from agent_core.llm.offline.plain import bare, ended, plain
from agent_core.llm.offline.rules import Rules, match
from agent_core.llm.offline.statements import Noted, read_event, read_statement
from agent_core.llm.offline.wishes import Create, Names, Record, Remark, Rename, Said, TakeBack, Write
from agent_core.messages import Json


def read_request(sentence: str, rules: Rules, subject: Names = ()) -> tuple[Write, ...] | Said | None:
    """Return what the sentence asks to write, a remark if that is not clear, None if it asks for nothing.

    `subject` is whom "she" means, if an earlier part of the message named somebody.
    """
    text = rules.rewritten(sentence)
    asks = text.rstrip(" \"'”»)").endswith("?")
    if asks and not rules.pattern(rules.write.modal).fullmatch(plain(ended(text))):
        return None
    core = _stripped(ended(text), rules)
    return _about_entries(core, rules) or _noted(core, rules, subject)


def asks_for_the_last(sentence: str, rules: Rules) -> bool:
    """Tell whether the sentence wants what was said just before to be noted: "please note that"."""
    core = _stripped(ended(rules.rewritten(sentence)), rules)
    return rules.pattern(rules.write.alone).fullmatch(plain(core)) is not None


def requests_in(sentence: str, rules: Rules) -> list[str]:
    """Return the parts of "create X and note that …", each with its own verb."""
    return re.split(rules.write.then, sentence, flags=re.IGNORECASE)


def subject_of(write: Write) -> Names:
    """Return whom a write is about."""
    if isinstance(write, Record):
        return write.fact.names
    return (write.name,) if isinstance(write, Create) else write.names if isinstance(write, Rename) else ()


def statement(sentence: str, rules: Rules) -> tuple[Write, ...]:
    """Return what a statement would be noted as; () if it is none."""
    read = read_statement(rules.rewritten(sentence), rules)
    return () if isinstance(read, Said) else read


def _about_entries(core: str, rules: Rules) -> tuple[Write, ...] | None:
    for source in rules.write.undo:
        parts = match(rules.pattern(source), core)
        if parts is not None:
            return (TakeBack(number=int(parts["n"]) if parts.get("n") else None),)
    for source in rules.write.rename:
        parts = match(rules.pattern(source), core)
        if parts is not None:
            names = spelled(parts["name"], rules)
            return (Rename(names=names, new=bare(parts["new"])),) if names else None
    for source in rules.write.alias:
        parts = match(rules.pattern(source), core)
        if parts is not None:
            names = spelled(parts["name"], rules)
            return (Rename(names=names, new=bare(parts["alias"]), beside=True),) if names else None
    return _created(core, rules)


def _created(core: str, rules: Rules) -> tuple[Write, ...] | None:
    for source in rules.write.create:
        parts = match(rules.pattern(source), core)
        if parts is not None and not is_pronoun(parts["name"], rules):
            return _with_traits(_type(parts.get("type", ""), rules), parts["name"], rules)
    return None


def _with_traits(kind: str, text: str, rules: Rules) -> tuple[Write, ...] | None:
    name, traits = text, ""
    aliases: tuple[str, ...] = ()
    for source in rules.write.create_tail:
        parts = match(rules.pattern(source), text)
        if parts is not None:
            name, traits = parts["name"], parts.get("rest", "")
            aliases = (bare(parts["alias"]),) if parts.get("alias") else ()
            break
    name = bare(name)
    if not name or len(name.split()) > 8:
        return None
    details: dict[str, Json] = {}
    if traits:
        read = read_statement(f"{name} {rules.write.create_has} {traits}", rules)
        for one in () if isinstance(read, Said) else read:
            if isinstance(one, Record):
                details[one.fact.key] = [one.fact.value] if one.fact.owned else one.fact.value
    return (Create(type=kind, name=name, traits=details, aliases=aliases),)


def _type(word: str, rules: Rules) -> str:
    for kind, pattern in rules.write.types.items():
        if word and rules.pattern(pattern).fullmatch(plain(word)):
            return kind
    return "character"


def _noted(core: str, rules: Rules, subject: Names) -> tuple[Write, ...] | Said | None:
    retcon = rules.pattern(f"(?:{rules.write.retcon})\\b.*").fullmatch(plain(core)) is not None
    unclear: Said | None = None
    events: Noted = ()
    for sources, sure in ((rules.write.verbs, True), (rules.write.after, True), (rules.write.loose, False)):
        for source in sources:
            parts = match(rules.pattern(source), core)
            if parts is None:
                continue
            if rules.pattern(f"(?:{rules.write.not_})\\b.*").fullmatch(plain(parts["rest"])):
                return None
            noted = read_statement(_about(parts), rules, subject)
            if isinstance(noted, Said):
                unclear = noted
            elif noted:
                return tuple(_corrected(one) if retcon else one for one in noted)
            elif sure:
                events = events or read_event(_about(parts), rules)
                unclear = unclear or Said(remark=Remark.UNCLEAR)
    return events or unclear


def _about(parts: dict[str, str]) -> str:
    """Return the statement, with the name in front where it stood before: "for Ann: eyes green"."""
    return f"{parts['name']}: {parts['rest']}" if "name" in parts else parts["rest"]


def _corrected(one: Record | Rename) -> Record | Rename:
    return replace(one, retcon=True) if isinstance(one, Record) else one


def _stripped(text: str, rules: Rules) -> str:
    """Return the sentence without polite words before its verb and behind its end."""
    leads = [rules.pattern(f"(?:{lead})(?P<kept>.+)") for lead in rules.write.lead]
    tail = rules.pattern(f"(?P<kept>.+?)(?:{rules.question.tail})")
    changed = True
    while changed:
        changed = False
        for pattern in (*leads, tail):
            parts = match(pattern, text)
            if parts is not None and parts["kept"]:
                text, changed = ended(parts["kept"]), True
    return text
