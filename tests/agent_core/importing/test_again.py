"""Books read again: whatever an author did to a manuscript, the book becomes it and no scene is lost."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from agent_core.importing.again import match_book
from agent_core.lore.model import Node, NodeKind, OutlineEdited, TextSet
from agent_core.lore.outline import Outline
from agent_core.lore.ranks import ranks_after
from agent_core.lore.revision import Revision, revise
from tests.agent_core.lore.desk import Book, Chapter, Scene
from tests.clock import counting_ids

Draft = list[list[str]]


@dataclass(frozen=True)
class Stored:
    """A book as the canon has it."""

    outline: Outline
    texts: Mapping[str, str]

    def after(self, revision: Revision) -> "Stored":
        edits = [row for row in revision.rows if isinstance(row, OutlineEdited)]
        new = {row.scene: row.text for row in revision.rows if isinstance(row, TextSet)}
        return Stored(self.outline.with_edits(edits), {**self.texts, **new})

    def scenes(self, without: Sequence[str] = ()) -> list[list[str]]:
        """Return the ids of the living scenes by chapter, in reading order, empty chapters left out."""
        chapters = [
            [scene.id for scene in self.outline.children(chapter.id) if scene.id not in without]
            for chapter in self.outline.children("book")
        ]
        return [scenes for scenes in chapters if scenes]

    def draft(self, without: Sequence[str] = ()) -> Draft:
        return [[self.texts[scene] for scene in scenes] for scenes in self.scenes(without)]


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Return a book of scenes that have nothing in common."""
    random = Random(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    return [[_scene(random) for _ in range(size)] for size in sizes]


@st.composite
def rewritten(draw: st.DrawFn, old: Draft) -> Draft:
    """Return what an author made of a book: scenes edited, moved, dropped and added, chapters shifted."""
    random = Random(draw(st.integers(0, 2**32)))
    new = [list(chapter) for chapter in old]
    for step in draw(st.lists(st.sampled_from("eeammdcn"), max_size=6)):
        _STEPS[step](new, random)
    return [chapter for chapter in new if chapter]


def _scene(random: Random) -> str:
    words = ("".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 9))) for _ in range(60))
    return " ".join(words)


def _edit(book: Draft, random: Random) -> None:
    chapter = random.choice(book)
    if chapter:
        place = random.randrange(len(chapter))
        words = chapter[place].split()
        words[random.randrange(len(words))] = "edited"
        chapter[place] = " ".join(words)


def _add(book: Draft, random: Random) -> None:
    chapter = random.choice(book)
    chapter.insert(random.randint(0, len(chapter)), _scene(random))


def _move(book: Draft, random: Random) -> None:
    source, target = random.choice(book), random.choice(book)
    if source:
        scene = source.pop(random.randrange(len(source)))
        target.insert(random.randint(0, len(target)), scene)


def _drop(book: Draft, random: Random) -> None:
    chapter = random.choice(book)
    if chapter and sum(map(len, book)) > 1:
        chapter.pop(random.randrange(len(chapter)))


def _shift(book: Draft, random: Random) -> None:
    book.insert(random.randrange(len(book)), book.pop(random.randrange(len(book))))


def _chapter(book: Draft, random: Random) -> None:
    book.insert(random.randint(0, len(book)), [_scene(random)])


_STEPS = {"e": _edit, "a": _add, "m": _move, "d": _drop, "c": _shift, "n": _chapter}


def stored(draft: Draft) -> Stored:
    nodes = [Node(id="book", kind=NodeKind.BOOK, parent=None, rank="V", title="The Heron")]
    texts = {}
    for i, (chapter, rank) in enumerate(zip(draft, ranks_after(None, len(draft)), strict=True)):
        name = f"c{i}"
        nodes.append(Node(id=name, kind=NodeKind.CHAPTER, parent="book", rank=rank, number=str(i + 1)))
        for j, (text, place) in enumerate(zip(chapter, ranks_after(None, len(chapter)), strict=True)):
            nodes.append(Node(id=f"{name}s{j}", kind=NodeKind.SCENE, parent=name, rank=place))
            texts[f"{name}s{j}"] = text
    return Stored(Outline(nodes), texts)


def manuscript(draft: Draft) -> Book:
    chapters = [
        Chapter(number=str(i), scenes=[Scene("", text) for text in chapter])
        for i, chapter in enumerate(draft, 1)
    ]
    return Book("The Heron", chapters)


def read_again(book: Stored, draft: Draft, *, delete_gone: bool = False, prefix: str = "new") -> Revision:
    read = manuscript(draft)
    known = match_book(book.outline, book.outline.nodes["book"], book.texts, read)
    return revise(book.outline, book.texts, read, known, delete_gone=delete_gone, new_id=counting_ids(prefix))


@given(drafts(), st.data(), st.booleans())
def test_book_becomes_the_manuscript_and_what_is_gone_stays_unless_told(
    old: Draft, data: st.DataObject, delete_gone: bool
) -> None:
    new = data.draw(rewritten(old))
    before = stored(old)

    revision = read_again(before, new, delete_gone=delete_gone)
    after = before.after(revision)

    assert after.draft(without=revision.gone) == new
    assert [after.outline.is_gone(scene) for scene in revision.gone] == [delete_gone] * len(revision.gone)
    living = {scene for chapter in before.scenes() for scene in chapter} - set(revision.gone)
    assert not any(after.outline.is_gone(scene) for scene in living)
    assert [
        chapter.number
        for chapter in after.outline.children("book")
        if chapter.id not in revision.gone_chapters
    ] == [str(i) for i in range(1, len(new) + 1)]


@given(drafts(), st.data())
def test_every_scene_is_counted_once_and_keeps_its_text(old: Draft, data: st.DataObject) -> None:
    new = data.draw(rewritten(old))
    before = stored(old)

    revision = read_again(before, new)
    after = before.after(revision)

    listed = [*revision.edited, *revision.new, *revision.moved]
    assert revision.same + len(listed) == sum(map(len, new))
    assert len(set(listed)) == len(listed)
    assert len(before.texts) - len(revision.gone) == sum(map(len, new)) - len(revision.new)
    texts = {text: scene for scene, text in before.texts.items()}
    for scenes, chapter in zip(after.scenes(without=revision.gone), new, strict=True):
        for scene, text in zip(scenes, chapter, strict=True):
            assert texts.get(text, scene) == scene


@given(drafts(), st.data())
def test_reading_the_same_manuscript_twice_changes_nothing(old: Draft, data: st.DataObject) -> None:
    new = data.draw(rewritten(old))
    before = stored(old)
    after = before.after(read_again(before, new))

    again = read_again(after, new, prefix="again")

    assert again.rows == []
    assert (again.edited, again.new, again.moved) == ([], [], [])


@given(drafts(), st.data())
def test_as_few_scenes_move_as_can_be(old: Draft, data: st.DataObject) -> None:
    """One scene that is put elsewhere is one that has moved."""
    places = list(_places(old))
    i, j = data.draw(st.sampled_from(places))
    new = [list(chapter) for chapter in old]
    scene = new[i].pop(j)
    target = data.draw(st.integers(0, len(new) - 1))
    new[target].insert(data.draw(st.integers(0, len(new[target]))), scene)
    new = [chapter for chapter in new if chapter]
    if len(new) < len(old):
        return

    revision = read_again(stored(old), new)

    assert len(revision.moved) <= 1
    assert revision.same + len(revision.moved) == len(places)
    assert (revision.edited, revision.new, revision.gone, revision.moved_chapters) == ([], [], [], [])


def _places(draft: Draft) -> Iterator[tuple[int, int]]:
    return ((i, j) for i, chapter in enumerate(draft) for j in range(len(chapter)))


@given(drafts(), st.randoms())
def test_shuffled_chapters_take_their_scenes_along(old, random) -> None:  # type: ignore[no-untyped-def] # drawn
    order = list(range(len(old)))
    random.shuffle(order)

    revision = read_again(stored(old), [old[place] for place in order])

    assert revision.same == sum(map(len, old))
    assert (revision.moved, revision.new, revision.new_chapters, revision.gone_chapters) == ([], [], [], [])


def test_rows_touch_each_node_once() -> None:
    random = Random(3)
    old = [[_scene(random) for _ in range(3)] for _ in range(4)]
    new = [list(chapter) for chapter in (old[2], old[0], old[3])]
    new[0].append(old[1][1].replace(" ", " , ", 1))

    revision = read_again(stored(old), new, delete_gone=True)

    touched = Counter(row.after.id for row in revision.rows if isinstance(row, OutlineEdited))
    assert set(touched.values()) == {1}
    assert set(revision.gone_chapters) == {"c1"}
    assert set(revision.gone) == {"c1s0", "c1s2"}
    assert revision.moved == ["c1s1"]
