"""Links that follow a rename or a move."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.vault import paths
from agent_core.vault.note import Note
from agent_core.vault.relink import moves, relinked
from agent_core.vault.resolution import Candidates, resolve


def among(*files: str) -> Candidates:
    return lambda key: [path for path in files if paths.link_key(path) == key]


def after(source: str, text: str, to: Mapping[str, str], *files: str) -> str:
    return relinked(Note(source, text), moves(to, among(source, *files)))[0].text


def test_exactly_the_links_to_the_renamed_note_change() -> None:
    """A27."""
    text = (
        "[[old]] [[old|x]] [[old#H]] [[old#^b1]] ![[old]] [[dir/old]] [t](../dir/old.md) [t](old.md)"
        " `[[old]]`\n"
        "```\n[[old]]\n```\n[[older]] [[other/old]] [[OLD.md|y]]"
    )
    got = after(
        "notes/n.md", text, {"dir/old.md": "dir/new.md"}, "dir/old.md", "other/old.md", "notes/older.md"
    )
    assert got == (
        "[[new]] [[new|x]] [[new#H]] [[new#^b1]] ![[new]] [[dir/new]] [t](../dir/new.md)"
        " [t](../dir/new.md) `[[old]]`\n"
        "```\n[[old]]\n```\n[[older]] [[other/old]] [[new.md|y]]"
    )


def test_link_that_would_become_ambiguous_is_qualified() -> None:
    """A27."""
    got = after("n.md", "[[new]] [[old]]", {"b/old.md": "b/new.md"}, "b/old.md", "a/new.md")
    assert got == "[[new]] [[b/new]]"
    got = after("n.md", "[[note]]", {"a/x.md": "note.md"}, "a/x.md", "longer/note.md")
    assert got == "[[longer/note]]"


def test_links_of_a_note_to_itself_and_its_relative_ones_follow() -> None:
    """A28."""
    assert after("A.md", "[[A#Top]] ![[A#^q]] [[#Top]]", {"A.md": "B.md"}) == "[[B#Top]] ![[B#^q]] [[#Top]]"
    text = "[t](img/a%20b.png) [[./side]] [u](side.md) [[side]]"
    got = after("d/n.md", text, {"d/n.md": "e/f/n.md"}, "d/img/a b.png", "d/side.md")
    assert got == "[t](../../d/img/a%20b.png) [[../../d/side]] [u](../../d/side.md) [[side]]"


def test_attachment_and_quoted_frontmatter_follow() -> None:
    text = "---\nup: '[[old]]'\n---\n![[p.png|200]] ![x](p.png)"
    got = after("n.md", text, {"old.md": "Bo's.md", "p.png": "img/q.png"}, "old.md", "p.png")
    assert got == "---\nup: '[[Bo''s]]'\n---\n![[q.png|200]] ![x](img/q.png)"


def test_folder_that_moves_takes_no_short_link_with_it() -> None:
    got = after("n.md", "[[old]] [[d/old]] [t](d/old.md)", {"d/old.md": "e/old.md"}, "d/old.md")
    assert got == "[[old]] [[e/old]] [t](e/old.md)"


@pytest.mark.parametrize(
    ("link", "source", "target"),
    [
        ("note", "a/n.md", "note.md"), ("note", "b/n.md", "note.md"), ("x", "a/n.md", "a/x.md"), ("x",
        "n.md", "a/x.md"),
        ("b/x", "n.md", "b/x.md"), ("X", "b/n.md", "b/x.md"), ("../b/x", "a/n.md", "b/x.md"), ("none",
        "n.md", None),
        ("Zoe\u0308", "n.md", "Zo\u00eb.md"),
    ],
)  # fmt: skip
def test_link_leads_where_obsidian_leads(link: str, source: str, target: str | None) -> None:
    """A25."""
    files = among("note.md", "a/note.md", "a/x.md", "b/x.md", "Zo\u00eb.md")
    assert resolve(link, "wiki", source, files) == target


NAMES = st.sampled_from(["a.md", "b.md", "d/a.md", "d/b.md", "d/e/a.md", "f/c.md"])


@given(st.sets(NAMES, min_size=2), st.data())
def test_every_link_leads_to_the_same_note_after_a_move(files: set[str], data: st.DataObject) -> None:
    """A27, A28."""
    old = data.draw(st.sampled_from(sorted(files)))
    new = data.draw(
        st.sampled_from(["z.md", "d/z.md", "f/a.md", "g/b.md", "c.md"]).filter(lambda one: one not in files)
    )
    source = data.draw(st.sampled_from(sorted(files)))
    targets = ["a", "b", "d/a", "./a", "../a", "c", "d/e/a", "e/a.md", "../d/b"]
    written = data.draw(st.lists(st.sampled_from(targets), max_size=4))
    text = " ".join([f"[[{one}]]" for one in written] + [f"[t]({one}.md)" for one in written])
    there, to = among(*files), {old: new}
    before, moved = Note(source, text), moves(to, there)
    note = Note(to.get(source, source), relinked(before, moved)[0].text)
    for link, now in zip(before.markup.links, note.markup.links, strict=True):
        target = resolve(link.path, link.style, source, there)
        if target is not None:
            assert resolve(now.path, now.style, note.path, moved.after) == to.get(target, target)
