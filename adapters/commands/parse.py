"""Reads a typed command, in signs or in plain words, and builds the tool call it stands for."""

import re
from collections.abc import Callable, Mapping, Sequence

from adapters.commands.facts import begins_fact, patch_of
from adapters.commands.markers import is_always, marker_at, position_of
from adapters.commands.model import Command, CommandError, Control, Kind, Option, ParsedCommand
from adapters.commands.table import BY_NAME, COMMANDS
from adapters.commands.tokens import items, unquoted, words
from agent_core.messages import Json

SCHEDULED = "schedule add"
MAX_LABEL = 200
_FREE = frozenset({"notify"})
"""Commands that call a tool with a text in which no word is ours."""
_TIME_ENDS = re.compile(r"\s*(?::\s+|\n|\s(?:\||–|—|→|->)\s)\s*")
_COMMAND = re.compile(r"/([a-z][a-z_]*)(?:@\w+)?(?:\s+|$)(.*)", re.DOTALL | re.IGNORECASE)
_JOINTS = {
    "entry rename": ("->", "→", "=", "to", "in", "zu", "en"),
    "entry alias": ("->", "→", "=", "as", "als", "alias", "comme"),
    "entry merge": ("->", "→", "=", "into", "in", "mit", "dans"),
    "book link": ("/", "·"),
    "book notes": ("/", "·", "access", "zugriff", "accès"),
}
_TYPES = {
    "character": "character figur person personnage",
    "location": "location place ort lieu",
    "faction": "faction group gruppe groupe",
    "object": "object item gegenstand objet",
    "rule": "rule law weltgesetz gesetz règle loi",
}
_ROLES = {
    "owner": "owner lead leitung responsable",
    "editor": "editor co-author coauthor mitautor coauteur",
    "reader": "reader beta-reader testleser bêta-lecteur lecteur",
    "none": "none nobody keine niemand aucun",
}
_ORDERS = {
    "story": "story handlung handlungszeit histoire",
    "reading": "reading lesen lesereihenfolge lecture",
}
_RELATIONS = {"before": "before vor avant", "after": "after nach après", "with": "with mit avec"}
_WHENS = {"start": "start before anfang vorher début avant", "end": "end after ende danach fin après"}
_TOLD = {
    "start": "start anfang début",
    "never": "never nie jamais",
    "not_revealed": "not_revealed unplaced offen non-révélé",
}


def is_command(text: str) -> bool:
    """Tell whether a text is meant as a command."""
    return _COMMAND.fullmatch(text.strip()) is not None


def parse(text: str) -> ParsedCommand | Control:
    """Return the tool call or control that a typed command means.

    Raises:
        CommandError: it is unknown, lacks something or holds a value that doesn't fit.
    """
    match = _COMMAND.fullmatch(text.strip())
    if match is None:
        raise CommandError("unknown", name=text.strip()[:40])
    command, rest = _command(match[1].lower(), match[2].strip())
    return build(command, _options(command, rest))


def build(command: Command, options: Mapping[str, str]) -> ParsedCommand | Control:
    """Return the tool call of a command whose options were given by name, as a form does.

    Raises:
        CommandError: an option is missing or its value doesn't fit.
    """
    if command.alone and not any(value.strip() for value in options.values()):
        return build(BY_NAME[command.alone], {})
    for option in command.options:
        if option.required and not options.get(option.name, "").strip():
            raise CommandError("missing", command=command.name, option=option.name)
    if not command.tool:
        return Control(name=command.name, options={name: value for name, value in options.items() if value})
    given = {name: value for name, value in options.items() if value.strip()}
    arguments: dict[str, Json] = dict(command.fixed)
    for option in command.options:
        if option.name in given:
            arguments[option.argument] = _argument(command, option, given[option.name])
    if command.name == SCHEDULED:
        arguments = _scheduled(arguments)
    complete = all(option.name in given for option in command.options if option.place)
    return ParsedCommand(command=command, tool=command.tool, arguments=arguments, complete=complete)


def _scheduled(arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments of a task: one whose text is a command of ours calls its tool instead of a model.

    Raises:
        CommandError: it is a command that can't be read, or one that calls no tool.
    """
    text = str(arguments["prompt"]).strip()
    if not is_command(text):
        return dict(arguments)
    parsed = parse(text)
    if isinstance(parsed, ParsedCommand) and parsed.command.name != SCHEDULED:
        call: dict[str, Json] = {"tool": parsed.tool, "arguments": dict(parsed.arguments)}
        return {"when": arguments["when"], "label": text[:MAX_LABEL], **call}
    if isinstance(parsed, Control) and parsed.name == "ask" and parsed.options:
        return {**arguments, "prompt": parsed.options["question"]}
    raise CommandError("value", command=SCHEDULED, value=text, option="prompt")


def _command(name: str, rest: str) -> tuple[Command, str]:
    second, _, after = rest.partition(" ")
    tries = [(f"{name} {second.lower()}", after.strip()), (name.replace("_", " "), rest)]
    if rest:
        tries.insert(1, (f"{name} set", rest))
    for found, left in tries:
        if found in BY_NAME:
            return BY_NAME[found], left
    if any(command.name.startswith(f"{name} ") for command in COMMANDS):
        raise CommandError("part", name=name, command=name)
    raise CommandError("unknown", name=f"/{name}")


def _options(command: Command, text: str) -> dict[str, str]:
    """Return the options by name, each as it was typed."""
    if not command.tool or command.name in _FREE:
        return _control_options(command, text)
    if command.name == SCHEDULED:
        return dict(zip(("time", "prompt"), _TIME_ENDS.split(text, maxsplit=1), strict=False))
    said = words(text)
    found: dict[str, str] = {}
    subject: list[str] = []
    open_option = ""
    place = 0
    while place < len(said):
        marked = marker_at(said, place, command)
        if marked is None:
            if open_option:
                found[open_option] = f"{found[open_option]} {said[place]}".strip()
            else:
                subject.append(said[place])
            place += 1
            continue
        if marked.option == "before":
            found["when"] = "start"
        name = "at" if marked.option == "before" else marked.option
        found[name] = marked.value
        open_option = name if marked.goes_on else ""
        place += marked.taken
    if "from" not in found and _ends_in_always(command, subject):
        found["from"] = subject.pop()
    return {**_subject(command, subject), **found}


def _ends_in_always(command: Command, said: Sequence[str]) -> bool:
    """Return whether the last word says from when a fact is true, and is not the whole of its value."""
    place = command.option("from")
    return (
        place is not None
        and place.place
        and len(said) > 1
        and is_always(said[-1])
        and not said[-2].endswith((":", "="))
    )


def _control_options(command: Command, text: str) -> dict[str, str]:
    names = [option.name for option in command.options]
    if len(names) < 2:
        return dict.fromkeys(names, text)
    first, _, rest = text.partition(" ")
    return dict(zip(names, (first, rest.strip()), strict=False))


def _subject(command: Command, said: Sequence[str]) -> dict[str, str]:
    """Return the options that stand without a marker: the entry, and what belongs to it."""
    for part in (_new_subject, _facts_subject, _detail_subject, _related_subject, _joined_subject):
        found = part(command, said)
        if found is not None:
            return found
    first = next(iter(command.options), None)
    return {first.name: _bare(said)} if first is not None else {}


def _new_subject(command: Command, said: Sequence[str]) -> dict[str, str] | None:
    """Return kind, name and traits of "character Mara Vale eyes=green"; a kind left out is a character."""
    if command.name != "entry new":
        return None
    kind = _one_of(_TYPES, said[0]) if len(said) > 1 else None
    rest = said[1:] if kind else said
    begin = next((place for place, word in enumerate(rest) if begins_fact(word)), len(rest))
    return {
        "type": kind or "character",
        "called": _bare(rest[:begin]),
        "traits": " ".join(rest[begin:]),
    }


def _facts_subject(command: Command, said: Sequence[str]) -> dict[str, str] | None:
    if not any(option.kind is Kind.FACTS for option in command.options):
        return None
    begin = next((place for place, word in enumerate(said) if begins_fact(word)), len(said))
    return {"entity": _bare(said[:begin]), "facts": " ".join(said[begin:])}


def _detail_subject(command: Command, said: Sequence[str]) -> dict[str, str] | None:
    detail = command.option("detail")
    if detail is None:
        return None
    for place, word in enumerate(said):
        if word.endswith(":") and len(word) > 1:
            return {"entity": _bare((*said[:place], word[:-1])), "detail": _bare(said[place + 1 :])}
    if len(said) == 1 and "." in said[0].strip("."):
        entity, _, key = said[0].partition(".")
        return {"entity": entity, "detail": key}
    if detail.required and len(said) > 1:
        return {"entity": _bare(said[:-1]), "detail": _bare(said[-1:])}
    return {"entity": _bare(said)}


def _related_subject(command: Command, said: Sequence[str]) -> dict[str, str] | None:
    """Return both places of "8.1 before 1.1"."""
    if not command.name.startswith(("scene when", "scene move")):
        return None
    for place, word in enumerate(said):
        relation = _one_of(_RELATIONS, word)
        if relation is not None and place > 0:
            scene, other = _bare(said[:place]), _bare(said[place + 1 :])
            return {"scene": scene, "relation": relation, "node": other, "after": other}
    return {"scene": _bare(said)}


def _joined_subject(command: Command, said: Sequence[str]) -> dict[str, str] | None:
    joints = _JOINTS.get(command.name)
    if joints is None:
        if command.name != "members set":
            return None
        return {"person": _bare(said[:-1]), "role": _bare(said[-1:])}
    names = [option.name for option in command.options][:2]
    for joint in joints:
        for place, word in enumerate(said):
            if word.casefold() == joint and 0 < place < len(said) - 1:
                return dict(zip(names, (_bare(said[:place]), _bare(said[place + 1 :])), strict=True))
    return {names[0]: _bare(said)}


def _bare(said: Sequence[str]) -> str:
    return " ".join(unquoted(word) for word in said)


def _argument(command: Command, option: Option, text: str) -> Json:
    try:
        return _READERS.get(option.kind, str.strip)(text)
    except KeyError:
        raise CommandError("value", command=command.name, value=text.strip(), option=option.name) from None
    except CommandError as error:
        raise CommandError(error.reason, command=command.name, **error.facts) from None


def _facts(text: str) -> Json:
    return patch_of(words(text))


def _number(text: str) -> Json:
    number = re.fullmatch(r"[^\d+−-]{0,4}([1-9]\d{0,8})", text.strip())
    if number is None:
        raise KeyError(text)
    return int(number[1])


def _told(text: str) -> Json:
    return _one_of(_TOLD, text) or position_of(text)


def _one_of(choices: Mapping[str, str], text: str) -> str | None:
    word = "-".join(text.casefold().split())
    return next((value for value, said in choices.items() if word in said.split()), None)


def _chosen(choices: Mapping[str, str]) -> Callable[[str], Json]:
    def read(text: str) -> Json:
        value = _one_of(choices, text)
        if value is None:
            raise KeyError(text)
        return value

    return read


_READERS: Mapping[Kind, Callable[[str], Json]] = {
    Kind.POSITION: position_of,
    Kind.TOLD: _told,
    Kind.FACTS: _facts,
    Kind.NUMBER: _number,
    Kind.TYPE: _chosen(_TYPES),
    Kind.ROLE: _chosen(_ROLES),
    Kind.ORDER: _chosen(_ORDERS),
    Kind.WHEN: _chosen(_WHENS),
    Kind.BOOK: position_of,
    Kind.ENTRIES: lambda text: [unquoted(item) for item in items(text)],
    Kind.RELATION: _chosen(_RELATIONS),
}
