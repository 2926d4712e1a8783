"""One Markdown note as the bible's readers see it: its fields with their lines, its kind, its text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_core.importing.bible.fields import FieldsError, Written, read_fields
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.mapping import Mapping_
from agent_core.importing.bible.model import Remark, Spot
from agent_core.importing.bible.words import Kind, Role
from agent_core.vault import paths
from agent_core.vault.markdown import read_markup

OURS = "lorekeeper"
"""The key under which our own export keeps what text alone can't carry."""

_H1 = re.compile(r"\s*#[ \t]+(?P<title>[^\n]*?)[ \t#]*(?:\r?\n|\Z)")
_SECTION = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNote:
    """A note, or what another format has for one: a row, an entry of a lorebook.

    `fields` are by key as written, their lines those of the file; `text` stands below them, and is the
    description as a `whole` or up to its first section. `assumed`: nothing says the kind.
    """

    path: str
    kind: Kind
    fields: Mapping[str, Written]
    text: str = ""
    twice: tuple[str, ...] = ()
    line: int = 0
    whole: bool = False
    assumed: bool = False

    @property
    def title(self) -> str:
        """The name of the file without its suffix."""
        return paths.title(self.path)

    def spot(self, written: Written | None = None) -> Spot:
        """Return where a value stands, or the note itself."""
        return Spot(self.path, written.line if written else self.line)

    def of(self, role: Role, mapping: Mapping_) -> Iterator[tuple[str, Written]]:
        """Yield the fields of a role, in their order."""
        return ((key, one) for key, one in self.fields.items() if mapping.role(key) is role)

    def said(self, role: Role, mapping: Mapping_) -> str:
        """Return the first text that a field of this role gives, or ""."""
        texts = (text.strip() for _, one in self.of(role, mapping) for text in one.texts())
        return next((text for text in texts if text), "")

    def name(self, mapping: Mapping_) -> str:
        """Return what the note's subject is called: by its fields, else by its file."""
        return self.said(Role.NAME, mapping) or self.said(Role.TITLE, mapping) or self.title

    @property
    def heading(self) -> str:
        """The title that the text begins with, or ""."""
        match = _H1.match(self.text)
        return match["title"].strip() if match else ""

    @property
    def body(self) -> str:
        """The text without the heading that it begins with."""
        match = _H1.match(self.text)
        return self.text[match.end() if match else 0 :].replace("\r\n", "\n").strip()

    @property
    def lead(self) -> tuple[str, bool]:
        """The text before its first section, and whether sections follow."""
        found = None if self.whole else _SECTION.search(self.body)
        return (self.body[: found.start()].strip(), True) if found else (self.body, False)


def read_note(file: BibleFile, mapping: Mapping_) -> ReadNote | Remark:
    """Return a note, or why it tells nothing of the story.

    Raises:
        ImportFailure: reason "not_text".
    """
    text = file.text()
    span = read_markup(text).frontmatter
    try:
        fields = read_fields(text[span[0] : span[1]]) if span else Written(1, members={})
    except FieldsError as error:
        return Remark("frontmatter", Spot(file.path, error.line + 1), {"problem": error.problem})
    members = {key: _shifted(one) for key, one in (fields.members or {}).items()}
    kind = _kind(file.path, members, mapping)
    if kind is None:
        return Remark("no_kind", Spot(file.path))
    rest = text[_after(text, span) :]
    return ReadNote(path=file.path, kind=kind, fields=members, text=rest, twice=fields.twice)


def _after(text: str, span: Sequence[int] | None) -> int:
    if span is None:
        return 0
    end = text.find("\n", span[1])
    return len(text) if end < 0 else end + 1


def _kind(path: str, fields: Mapping[str, Written], mapping: Mapping_) -> Kind | None:
    """Return the kind that the note gives itself, else that of the nearest folder with one."""
    ours = fields.get(OURS)
    if ours is not None and ours.members is not None and "index" in ours.members:
        return Kind.SKIP
    for key, one in fields.items():
        if mapping.role(key) is Role.TYPE and (kind := mapping.kind(one.text)) is not None:
            return kind
    kinds = (mapping.kind(folder) for folder in reversed(path.split("/")[:-1]))
    return next((kind for kind in kinds if kind is not None), None)


def _shifted(one: Written) -> Written:
    """Return a value with its line in the file, where the fence is the first one."""
    return Written(
        one.line + 1,
        one.text,
        None if one.items is None else tuple(map(_shifted, one.items)),
        None if one.members is None else {key: _shifted(member) for key, member in one.members.items()},
        one.twice,
    )
