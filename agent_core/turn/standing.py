"""The small line under an answer: where in the story it stands, how far the reader has read, who answers."""

from collections.abc import Iterator

from agent_core.lore.answers import Place
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.model import Author, Bound, NodeKind, UpTo
from agent_core.texts.catalogue import has, say
from agent_core.tools.spec import Asker

_FINISHED = {NodeKind.SCENE: "card.bounded_scene", NodeKind.BOOK: "card.bounded_book"}


def as_of_line(asker: Asker, canon: Canon | None, language: str, label: str) -> str:
    """Return the line in the person's language, "" where there is nothing to say.

    `label` is the model's: a key of the catalogue, or words as they are.
    """
    parts = [*_place(asker, canon, language)]
    if label:
        parts.append(say(language, label) if has(label) else label)
    return " · ".join(parts)


def finished_place(canon: Canon, bound: Bound) -> Place | None:
    """Return what a reader has finished: the chapter that ends with their mark, else the mark itself."""
    outline = canon.outline
    if not isinstance(bound, UpTo) or outline.is_gone(bound.node):
        return None
    chapter = outline.chapter_of(bound.node)
    whole = chapter is not None and outline.finished(chapter) == bound.node
    return Lens(canon, bound).place(chapter if whole else bound.node)


def _place(asker: Asker, canon: Canon | None, language: str) -> Iterator[str]:
    if canon is None:
        return
    here = Lens(canon, asker.bound).place(asker.conversation.position)
    if here is not None:
        yield say(language, "card.as_of_end", place=here.label)
    if isinstance(asker.bound, Author):
        return
    finished = finished_place(canon, asker.bound)
    if finished is None:
        yield say(language, "card.bounded_nothing")
    else:
        yield say(language, _FINISHED.get(finished.kind, "card.bounded"), place=finished.label)
