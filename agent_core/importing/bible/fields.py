"""Reads YAML as people meant it: every value is the text that was written, with the line it stands on.

`010`, `no`, `1:30` and `2026-03-01` stay what they are. `#4` behind a blank is part of a value, a comment
begins with `# `. `[[Mara]]` is a link though nobody quoted it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import yaml

from agent_core.llm.surrogates import mend

MAX_CHARS = 200_000
MAX_NODES = 5_000
MAX_DEPTH = 12

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_NOTHING = frozenset({"~", "null"})
_UP_TO_COMMENT = re.compile(r".*?(?=[ \t]+#(?:[ \t]|$)|[ \t]*$)")


class FieldsError(Exception):
    """The text can't be read; `line` counts from 1 in it, `problem` is what the parser says."""

    def __init__(self, line: int, problem: str) -> None:
        self.line, self.problem = line, problem
        super().__init__(f"{line}: {problem}")


@dataclass(frozen=True, slots=True)
class Written:
    """A value: a text, else a list of values, else members by key. `line` is where it begins, from 1.

    `twice` are the keys that its members give again.
    """

    line: int
    text: str = ""
    items: tuple["Written", ...] | None = None
    members: dict[str, "Written"] | None = None
    twice: tuple[str, ...] = field(default=())

    def texts(self) -> Iterator[str]:
        """Yield the texts of the value: its own, or those of its list."""
        if self.items is not None:
            for item in self.items:
                yield from item.texts()
        elif self.members is None and self.text:
            yield self.text


def read_fields(text: str) -> Written:
    """Return the members of a YAML text; a text that says nothing has none.

    Raises:
        FieldsError: it is no YAML, no list of keys, or larger than anybody writes.
    """
    if len(text) > MAX_CHARS:
        raise FieldsError(1, f"more than {MAX_CHARS} characters")
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FieldsError(mark.line + 1 if mark else 1, error.problem or "") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FieldsError(1, "no text of YAML") from error
    if node is None:
        return Written(1, members={})
    read = _Reader(text.split("\n")).value(node, 0, in_flow=False)
    if read.members is None:
        raise FieldsError(read.line, "no keys with values")
    return read


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._nodes = 0

    def value(self, node: yaml.Node, depth: int, *, in_flow: bool) -> Written:
        self._nodes += 1
        line = node.start_mark.line + 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:  # aliases of aliases can be without end
            raise FieldsError(line, "too deep or too many values")
        if isinstance(node, yaml.ScalarNode):
            return Written(line, self._scalar(node, in_flow=in_flow))
        if isinstance(node, yaml.SequenceNode):
            return self._list(node, depth, in_flow=in_flow or bool(node.flow_style))
        if isinstance(node, yaml.MappingNode):
            return self._members(node, depth, in_flow=in_flow or bool(node.flow_style))
        return Written(line)

    def _list(self, node: yaml.SequenceNode, depth: int, *, in_flow: bool) -> Written:
        line = node.start_mark.line + 1
        inner = node.value[0] if len(node.value) == 1 else None
        if in_flow and isinstance(inner, yaml.SequenceNode) and inner.flow_style:
            parts = [one.value for one in inner.value if isinstance(one, yaml.ScalarNode)]
            if parts and len(parts) == len(inner.value):
                return Written(line, f"[[{', '.join(parts)}]]")
        items = tuple(self.value(one, depth + 1, in_flow=in_flow) for one in node.value)
        return Written(line, items=items)

    def _members(self, node: yaml.MappingNode, depth: int, *, in_flow: bool) -> Written:
        members: dict[str, Written] = {}
        twice: list[str] = []
        for key, value in node.value:
            name = mend(str(key.value)) if isinstance(key, yaml.ScalarNode) else ""
            read = self.value(value, depth + 1, in_flow=in_flow)
            if name in members and not _same(members[name], read):
                twice.append(name)
            # The line of the key: a list or a block begins below it.
            members.setdefault(name, _at(read, key.start_mark.line + 1))
        return Written(node.start_mark.line + 1, members=members, twice=tuple(dict.fromkeys(twice)))

    def _scalar(self, node: yaml.ScalarNode, *, in_flow: bool) -> str:
        text = mend(str(node.value))
        start = node.start_mark
        if node.style not in (None, "") or not text or start.line >= len(self._lines):
            return text
        if text in _NOTHING:
            return ""
        if in_flow:
            return text
        written = self._lines[start.line][start.column :].rstrip("\r")
        match = _UP_TO_COMMENT.match(written)
        whole = match[0] if match else text
        return whole if whole.startswith(text) else text


def _same(one: Written, other: Written) -> bool:
    return (one.text, list(one.texts())) == (other.text, list(other.texts())) and (
        (one.members is None) == (other.members is None)
    )


def _at(read: Written, line: int) -> Written:
    return Written(line, read.text, read.items, read.members, read.twice)
