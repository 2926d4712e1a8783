"""How one person's notes are read: the words we know, and what a file `lorekeeper.yaml` adds to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from agent_core.errors import ImportFailure
from agent_core.importing.bible.fields import FieldsError, Written, read_fields
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.words import KINDS, ROLES, Kind, Role
from agent_core.lore.fold import name_key

T = TypeVar("T")
W = TypeVar("W", bound=StrEnum)


_SECTIONS = ("folders", "types", "entries", "keys", "rename", "told", "body", "book")


class Body(StrEnum):
    """What becomes of a note's text: its lead goes in as the description, or nothing of it does."""

    DESCRIPTION = "description"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping_:  # noqa: N801 - `Mapping` is the builtin's name, and the word is the right one
    """What words mean. `named` is what entries of a name are, whatever else says so.

    `told` are the details that readers learn with the entry; `book` names the book of the scenes.
    """

    kinds: Mapping[str, Kind] = field(default_factory=lambda: KINDS)
    named: Mapping[str, Kind] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=lambda: ROLES)
    renamed: Mapping[str, str] = field(default_factory=dict)
    told: frozenset[str] = frozenset()
    body: Body = Body.DESCRIPTION
    book: str = ""

    def kind(self, word: str) -> Kind | None:
        """Return what a folder or type of this name holds, None where nobody said."""
        return self.kinds.get(name_key(word))

    def role(self, key: str) -> Role:
        """Return what a key is for; one that nobody knows is a detail."""
        return self.roles.get(name_key(key), Role.DETAIL)

    def called(self, key: str) -> str:
        """Return what the detail of this key is called in the canon."""
        return self.renamed.get(name_key(key), key.strip())


def read_mapping(file: BibleFile | None) -> Mapping_:
    """Return the mapping that a file describes, on top of the words that we know; ours alone without one.

    Raises:
        ImportFailure: reason "mapping", with the line and what is wrong there.
    """
    if file is None:
        return Mapping_()
    try:
        said = read_fields(file.text()).members or {}
    except FieldsError as error:
        raise _wrong(file, error.line, error.problem) from error
    kinds, roles, named, renamed = dict(KINDS), dict(ROLES), dict[str, Kind](), dict[str, str]()
    rest: dict[str, Written] = {}
    for section, value in said.items():
        if section in ("folders", "types"):
            kinds |= _table(file, value, lambda word, one: _one_of(file, Kind, one))
        elif section == "entries":
            named |= _table(file, value, lambda word, one: _one_of(file, Kind, one))
        elif section == "keys":
            roles |= _table(file, value, lambda word, one: _one_of(file, Role, one))
        elif section == "rename":
            renamed |= _table(file, value, lambda word, one: one.text)
        elif section in ("told", "body", "book"):
            rest[section] = value
        else:
            raise _wrong(file, value.line, f"{section}: {', '.join(_SECTIONS)}")
    return Mapping_(
        kinds=kinds,
        named=named,
        roles=roles,
        renamed=renamed,
        told=frozenset(rest["told"].texts()) if "told" in rest else frozenset(),
        body=_one_of(file, Body, rest["body"]) if "body" in rest else Body.DESCRIPTION,
        book=rest["book"].text if "book" in rest else "",
    )


def _table(file: BibleFile, value: Written, read: Callable[[str, Written], T]) -> dict[str, T]:
    if value.members is None:
        raise _wrong(file, value.line, "word: meaning")
    return {name_key(word): read(word, one) for word, one in value.members.items()}


def _one_of(file: BibleFile, words: type[W], said: Written) -> W:
    try:
        return words(said.text.strip().lower())
    except ValueError as error:
        known = ", ".join(one.value for one in words)
        raise _wrong(file, said.line, f"{said.text or '–'}: {known}") from error


def _wrong(file: BibleFile, line: int, problem: str) -> ImportFailure:
    return ImportFailure(file=file.path, reason="mapping", line=line, problem=problem)
