"""No text for people stands in the code of adapters and bot.

A literal counts as text if it holds a word and goes to something that shows it: a print, a prompt, a card's
part. Names of styles, fields and paths (`lore.title`, `step`, `/audio`) are no text. What is wrong with a
command line itself goes to standard error in English, like the options.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOWS = {
    *("print", "out", "echo", "secho", "prompt", "confirm", "input", "add_task", "status"),
    *("Card", "Field", "Line", "Button", "Text", "Said", "Segment", "note", "trouble", "post", "edit"),
}
NAMELIKE = re.compile(r"[a-z_]*(\.[a-z_]+)*|/[a-z_/]+")
WORD = re.compile(r"[^\W\d_]{2,}")


def shown_literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        to_stderr = isinstance(node, ast.Call) and any(one.arg == "err" for one in node.keywords)
        if isinstance(node, ast.Call) and shows(node.func) and not to_stderr:
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                yield from ((node.lineno, text) for text in literals(argument))


def shows(function: ast.expr) -> bool:
    """Whether a call shows something; `chat.note` and `store.note` keep a value under a key."""
    receiver = function.value if isinstance(function, ast.Attribute) else None
    return name_of(function) in SHOWS and not (receiver and name_of(receiver) in {"chat", "store"})


def name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield from (str(part.value) for part in parts if isinstance(part, ast.Constant))
        case ast.BinOp(left=left, right=right):
            yield from (*literals(left), *literals(right))
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*literals(body), *literals(orelse))


def is_text(literal: str) -> bool:
    return bool(WORD.search(literal)) and not NAMELIKE.fullmatch(literal)


@pytest.mark.parametrize("folder", ["adapters", "bot/cli"])
def test_no_text_for_people_stands_outside_the_catalogue(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in shown_literals(ast.parse(path.read_text("utf-8")))
        if is_text(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('print("Nothing found")', ["Nothing found"]),
        ('Line(text=f"Saved by {name}")', ["Saved by "]),
        ('console.print(say(language, "key.name"), style="lore.note")', []),
        ('Text(" → ", "lore.note")', []),
        ('raise ValueError("a naive datetime")', []),
        ('self.chat.note(PLATFORM, f"asked/{ref}", record)', []),
        ('output.note("Nothing found")', ["Nothing found"]),
    ],
)
def test_the_rule_finds_text_and_nothing_else(code: str, found: list[str]) -> None:
    assert [text for _, text in shown_literals(ast.parse(code)) if is_text(text)] == found
