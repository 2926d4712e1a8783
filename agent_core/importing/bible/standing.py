"""What the canon has of a book that notes tell of too: its words stay, edited prose comes in."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_core.importing.again import known_book, match_book
from agent_core.importing.bible.model import BibleScene
from agent_core.importing.bible.review import Review
from agent_core.importing.manuscript import Manuscript, ManuscriptChapter, ManuscriptScene
from agent_core.importing.matching import Sketch, match_scenes
from agent_core.lore.answers import Warn
from agent_core.lore.canon import Canon
from agent_core.lore.manuscript import KnownBook
from agent_core.lore.model import Node


async def found_in(canon: Canon, book: Manuscript) -> KnownBook | None:
    """Return which nodes of the canon the chapters and scenes of a book are, None where it is a new one.

    Scenes that nobody has written yet are told apart by their titles, as they have no words.
    """
    node = known_book(canon.outline, book)
    if node is None:
        return None
    scenes = canon.outline.scenes_of(node.id)
    texts = await canon.texts([scene.id for scene in scenes])
    written = {one.id: (texts[one.id].text if one.id in texts else "") or one.title for one in scenes}
    worded = replace(
        book,
        chapters=tuple(
            replace(chapter, scenes=tuple(replace(one, text=one.text or one.title) for one in chapter.scenes))
            for chapter in book.chapters
        ),
    )
    return await asyncio.to_thread(match_book, canon.outline, node, written, worded)


async def with_canon(
    canon: Canon, book: Manuscript, known: KnownBook, scenes: Sequence[BibleScene], review: Review
) -> Manuscript:
    """Return a book that is there as it was read, with what stands in the canon where notes only plan it.

    Titles and labels are the canon's. So is the text of a scene where the note has none, or one that is
    nothing like it: a card that sums a scene up doesn't take the place of its prose, and is listed.
    """
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
