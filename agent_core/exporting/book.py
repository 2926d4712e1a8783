"""A book of the canon as a manuscript, the same that importers give: chapters in order, with their scenes."""

from agent_core.importing.manuscript import Manuscript, ManuscriptChapter, ManuscriptScene
from agent_core.lore.canon import Canon
from agent_core.lore.model import Node


async def manuscript_of(canon: Canon, book: str, language: str) -> Manuscript:
    """Return the living chapters and scenes of a book; scenes without a text are left out."""
    outline = canon.outline
    node = outline.nodes[book]
    texts = await canon.texts([scene.id for scene in outline.scenes_of(book)])
    told = {scene: one.text for scene, one in texts.items() if one.text.strip()}
    chapters = tuple(
        _chapter(chapter, outline.number(chapter.id), outline.scenes_of(chapter.id), told)
        for chapter in outline.children(book)
    )
    position = next(place for place, one in enumerate(outline.books(), 1) if one.id == book)
    return Manuscript(
        series="" if outline.single_book else canon.series.name,
        series_position=None if outline.single_book else float(position),
        title=node.title or canon.series.name,
        language=language,
        chapters=tuple(chapter for chapter in chapters if chapter.scenes),
    )


def _chapter(chapter: Node, number: str, scenes: tuple[Node, ...], told: dict[str, str]) -> ManuscriptChapter:
    return ManuscriptChapter(
        number=number,
        title=chapter.title,
        part=chapter.part,
        scenes=tuple(ManuscriptScene(scene.title, told[scene.id]) for scene in scenes if scene.id in told),
    )
