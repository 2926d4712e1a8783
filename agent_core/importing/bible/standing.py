"""What the canon has of a book that notes tell of too: its words stay, edited prose comes in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_core.importing.again import found_again, known_book
from agent_core.importing.bible.model import BibleScene
from agent_core.importing.bible.review import Review
from agent_core.importing.manuscript import Manuscript, ManuscriptChapter, ManuscriptScene
from agent_core.importing.matching import Sketch, match_scenes
from agent_core.lore.answers import Warn
from agent_core.lore.canon import Canon
from agent_core.lore.model import Node


async def with_canon(
    canon: Canon, book: Manuscript, scenes: Sequence[BibleScene], review: Review
) -> Manuscript:
    """Return the book as read, with what stands in the canon where notes only plan it.

    Titles and labels are the canon's. So is the text of a scene where the note has none, or one that is
    nothing like it: a card that sums a scene up doesn't take the place of its prose, and is listed.
    """
    node = known_book(canon.outline, book)
    if node is None:
        return book
    known = await found_again(canon, node, book)
    nodes = canon.outline.nodes
    there = await canon.texts([scene for row in known.scenes for scene in row if scene])
    texts = {scene: one.text for scene, one in there.items()}
    said = iter(scenes)
    chapters = []
    for chapter, own, row in zip(book.chapters, known.chapters, known.scenes, strict=True):
        kept = tuple(
            _scene(canon, read, scene, texts, next(said), review)
            for read, scene in zip(chapter.scenes, row, strict=True)
        )
        chapters.append(_labelled(replace(chapter, scenes=kept), nodes[own] if own else None))
    return replace(book, chapters=tuple(chapters))


def _labelled(chapter: ManuscriptChapter, there: Node | None) -> ManuscriptChapter:
    if there is None:
        return chapter
    return replace(
        chapter,
        number=there.number or chapter.number,
        part=there.part or chapter.part,
        title=there.title or chapter.title,
    )


def _scene(
    canon: Canon,
    read: ManuscriptScene,
    scene: str | None,
    texts: Mapping[str, str],
    said: BibleScene,
    review: Review,
) -> ManuscriptScene:
    if scene is None:
        return read
    title = canon.outline.nodes[scene].title or read.title
    text = texts.get(scene, "")
    if not text or _is_edited(text, read.text):
        return ManuscriptScene(title, read.text)
    if read.text:
        review.differ += 1
        facts: dict[str, str | int] = {"spot": str(said.spot), "place": canon.outline.label(scene)}
        review.differing.append(Warn(code="bible_scene_text", facts=facts))
    return ManuscriptScene(title, text)


def _is_edited(old: str, new: str) -> bool:
    """Return whether a text is another version of a scene's, by its words alone."""
    return bool(new) and match_scenes([Sketch(old, "")], [Sketch(new, "")]) == (0,)
