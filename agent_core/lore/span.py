"""Where a fact begins and ends in the story, from what people write."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_core.errors import BadInterval, UnknownPosition, UnknownScene
from agent_core.lore.answers import Warn
from agent_core.lore.model import Author, Mode, NodeKind
from agent_core.lore.outline import Outline
from agent_core.messages import Json

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From `at` (None: the beginning) until `until` (None: open). `assumed` says that nobody gave a place."""

    at: str | None
    until: str | None = None
    assumed: bool = False


def span_of(
    outline: Outline,
    *,
    chapter: str | None,
    scene: str | None,
    until: str | None,
    here: str | None,
    book: str | None,
) -> Span:
    """Return the scene, else the chapter (or any other position written there), else where we are.

    Raises:
        UnknownPosition, AmbiguousPosition: as `Outline.find`.
        UnknownScene: `scene` is none, or not in the chapter.
        BadInterval: it would end before or as it begins.

    """
    end = None if until is None else outline.find(until, book=book, here=here, bound=Author())
    if chapter is None and scene is None:
        living = here if here is not None and not outline.is_gone(here) else None
        span = Span(at=living, until=end, assumed=True)
    else:
        span = Span(at=_begin(outline, chapter, scene, here=here, book=book), until=end)
    check_interval(outline, span.at, span.until)
    return span


def scene_of(outline: Outline, written: str, *, here: str | None, book: str | None) -> str:
    """Return the scene that is written so.

    Raises:
        UnknownScene: reason "missing".
        AmbiguousPosition: as `Outline.find`.

    """
    try:
        node = outline.find(written, book=book, here=here, bound=Author())
    except UnknownPosition:
        raise UnknownScene(scene=written, reason="missing") from None
    if outline.nodes[node].kind is not NodeKind.SCENE:
        raise UnknownScene(scene=written, reason="missing")
    return node


def check_interval(outline: Outline, at: str | None, until: str | None) -> None:
    """Return if something can be true from `at` until `until`.

    Raises:
        BadInterval: empty or reversed.

    """
    if at is None or until is None:
        return
    begins, ends = outline.story[at], outline.story[until]
    if begins >= ends:
        raise BadInterval(reason="empty" if begins == ends else "reversed")


def span_arguments(outline: Outline, span: Span) -> Mapping[str, Json]:
    """Return the arguments that `span_of` reads back as this span, with nothing left open."""
    arguments: dict[str, Json] = {"chapterId": "start"}
    if span.at is not None and outline.nodes[span.at].kind is NodeKind.SCENE:
        arguments = {"chapterId": outline.chapter_of(span.at), "sourceSceneId": span.at}
    elif span.at is not None:
        arguments = {"chapterId": span.at}
    return arguments if span.until is None else {**arguments, "until": span.until}


def last_covered(outline: Outline, until: str | None) -> str:
    """Return the label of the node of the same kind just before the end, for "through 5", or ""."""
    if until is None:
        return ""
    kind = outline.nodes[until].kind
    before = [
        node.id
        for node in outline.nodes.values()
        if node.kind is kind
        and not outline.is_gone(node.id)
        and outline.story[node.id] < outline.story[until]
    ]
    return outline.label(max(before, key=outline.story.__getitem__)) if before else ""


def span_warnings(outline: Outline, span: Span) -> Iterator[Warn]:
    """Yield what is surprising about a span: a flashback without a place, scenes in or out unexpectedly."""
    for node in (span.at, span.until):
        if node is not None and node in {one.id for one in outline.undated()}:
            yield Warn(code="undated", facts={"place": outline.label(node)})
    if span.until is not None:
        yield from _uneven(outline, span.at, span.until)


def _begin(
    outline: Outline, chapter: str | None, scene: str | None, *, here: str | None, book: str | None
) -> str | None:
    place = None if chapter is None else outline.find_place(chapter, book=book, here=here, bound=Author())
    if scene is None:
        return place
    node = scene_of(outline, scene, here=here, book=book)
    if place is not None and place not in (node, outline.chapter_of(node), outline.book_of(node)):
        raise UnknownScene(scene=scene, reason="other_chapter")
    return node


def _uneven(outline: Outline, at: str | None, until: str) -> Iterator[Warn]:
    """Yield the scenes read in between that happen elsewhere, and those that happen in between only."""
    story_from = -1 if at is None else outline.story[at]
    reading_from = -1 if at is None else outline.reading[at]
    scenes = [scene for book in outline.books() for scene in outline.scenes_of(book.id)]
    told = {s.id for s in scenes if reading_from <= outline.reading[s.id] < outline.reading[until]}
    happening = {s.id for s in scenes if story_from <= outline.story[s.id] < outline.story[until]}
    missed = [s.id for s in scenes if s.id in told - happening and s.mode is Mode.FLASHBACK]
    extra = [s.id for s in scenes if s.id in happening - told]
    for node in missed[:_NAMED]:
        yield Warn(code="flashback_not_covered", facts={"place": outline.label(node)})
    for node in extra[:_NAMED]:
        yield Warn(code="elsewhere_covered", facts={"place": outline.label(node)})
