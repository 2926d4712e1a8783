"""Plans a scene's text: a new scene, or a new revision of one that is there."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_core.clock import NewId
from agent_core.errors import LoreRefusal, NothingToDo, UnknownPosition, UnknownScene
from agent_core.lore import conflict, edits
from agent_core.lore.answers import CardLine, KeyChange, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.model import Author, Mode, OutlineEdited, Relation, Row, StoryPlace, TextSet
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.span import scene_of
from agent_core.lore.titles import titled
from agent_core.messages import Json

MAX_SCENE_CHARS = 1_000_000

_NUMBERED = re.compile(r"(?:b(?P<book>\d{1,6}):)?\s*(?:[^\W\d]+\.?\s*)?(?P<number>\d{1,6})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What was asked for, with the ids that a new scene and a new chapter would get."""

    chapter: str
    number: int
    title: str
    text: str
    after: str | None
    mode: Mode | None
    place: StoryPlace | None
    scene: str
    new_chapter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """Where the text goes; `made` are the rows of a chapter that comes with it."""

    scene: str
    chapter: str
    exists: bool
    made: tuple[OutlineEdited, ...] = ()


async def plan_scene(
    canon: Canon,
    *,
    chapter: str,
    number: int,
    title: str,
    text: str,
    after: str | None = None,
    mode: Mode | None = None,
    relation: Relation | None = None,
    anchor: str | None = None,
    scene: str | None = None,
    new_chapter: str | None = None,
    here: str | None = None,
    book: str | None = None,
    new_id: NewId,
) -> Plan:
    """Return the plan of a scene's text; `scene` and `new_chapter` are ids fixed by an earlier planning.

    An existing number is updated, one past the last is created, `after` always inserts. A chapter one past
    the last is created with its scene. An empty title leaves the title as it is.

    Raises:
        LoreRefusal: reason "text_too_long", beyond `MAX_SCENE_CHARS`; "text_missing", it would empty a scene.
        UnknownScene: reason "gap", "missing" or "other_chapter".
        UnknownPosition, AmbiguousPosition: as `Outline.find`.
        StoryCycle: the story place would close on itself.
        NothingToDo: reason "same_text".

    """
    check_length(text, title or chapter)
    outline = canon.outline
    wish = _Wish(
        chapter=chapter,
        number=number,
        title=titled(title),
        text=text,
        after=None if after is None else scene_of(outline, after, here=here, book=book),
        mode=mode,
        place=None
        if relation is None or anchor is None
        else StoryPlace(relation, outline.find(anchor, book=book, here=here, bound=Author())),
        scene=scene or new_id(),
        new_chapter=new_chapter or new_id(),
    )
    target = _target(outline, wish, here=here, book=book)
    old = (await canon.texts([target.scene])).get(target.scene) if target.exists else None
    before = old.text if old is not None else ""
    texts = (TextSet(id=new_id(), scene=target.scene, text=text),) if text != before else ()
    if before and not text.strip():
        raise LoreRefusal(reason="text_missing", scene=outline.label(target.scene))
    made = _edited(outline, target, wish) if target.exists else _made(outline, target, wish)
    rows: tuple[Row, ...] = (*made, *texts)
    if not rows:
        raise NothingToDo(reason="same_text")
    return Plan(
        rows=rows,
        keys=conflict.keys_of(rows),
        card=_card(canon.outline, canon.fork(rows), target, before, text),
        resolved=_arguments(outline, target, wish),
    )


def check_length(text: str, scene: str) -> None:
    """Return if a scene's text is no longer than `MAX_SCENE_CHARS`.

    Raises:
        LoreRefusal: reason "text_too_long".

    """
    if len(text) > MAX_SCENE_CHARS:
        raise LoreRefusal(reason="text_too_long", scene=scene, chars=len(text), limit=MAX_SCENE_CHARS)


def _target(outline: Outline, wish: _Wish, *, here: str | None, book: str | None) -> _Target:
    if not outline.is_gone(wish.scene):
        chapter = outline.chapter_of(wish.scene)
        return _Target(scene=wish.scene, chapter=chapter or wish.chapter, exists=True)
    try:
        chapter = outline.chapter_of(outline.find(wish.chapter, book=book, here=here, bound=Author()))
    except UnknownPosition:
        row = _next_chapter(outline, wish, book)
        target = _Target(scene=wish.scene, chapter=wish.new_chapter, exists=False, made=(row,))
        return _numbered(target, outline.with_edits([row]), wish)
    if chapter is None:
        raise UnknownPosition(position=wish.chapter)
    target = _Target(scene=wish.scene, chapter=chapter, exists=False)
    if wish.after is None:
        return _numbered(target, outline, wish)
    if outline.chapter_of(wish.after) != chapter:
        raise UnknownScene(scene=outline.label(wish.after), reason="other_chapter")
    return target


def _numbered(target: _Target, outline: Outline, wish: _Wish) -> _Target:
    """Return the target by its number: the scene that has it, or the new one if it is the next."""
    scenes = outline.children(target.chapter)
    if 1 <= wish.number <= len(scenes):
        return _Target(scene=scenes[wish.number - 1].id, chapter=target.chapter, exists=True)
    if wish.number != len(scenes) + 1:
        raise UnknownScene(scene=f"{outline.label(target.chapter)}.{wish.number}", reason="gap")
    return target


def _next_chapter(outline: Outline, wish: _Wish, book: str | None) -> OutlineEdited:
    """Return the row that makes the chapter one past the last, if that is what is written."""
    match = _NUMBERED.fullmatch(wish.chapter.strip())
    books = [one.id for one in outline.books()]
    if match is not None and match["book"]:
        books = books[int(match["book"]) - 1 : int(match["book"])]
    elif book is not None:
        books = [book]
    if match is None or len(books) != 1 or match["number"] != outline.next_number(books[0]):
        raise UnknownPosition(position=wish.chapter)
    return edits.append_chapter(outline, wish.new_chapter, books[0])


def _made(outline: Outline, target: _Target, wish: _Wish) -> tuple[OutlineEdited, ...]:
    outline = outline.with_edits(target.made)
    mode = wish.mode or Mode.LINEAR
    if wish.after is None:
        row = edits.append_scene(
            outline, target.scene, target.chapter, title=wish.title, mode=mode, place=wish.place
        )
    else:
        row = edits.insert_scene_after(
            outline, target.scene, wish.after, title=wish.title, mode=mode, place=wish.place
        )
    return (*target.made, row)


def _edited(outline: Outline, target: _Target, wish: _Wish) -> tuple[OutlineEdited, ...]:
    rows: list[OutlineEdited] = []
    node = outline.nodes[target.scene]
    if wish.title and wish.title != node.title:
        rows.append(edits.retitle(outline, node.id, title=wish.title))
    if wish.mode is not None and wish.mode is not node.mode:
        rows.append(edits.set_mode(outline.with_edits(rows), node.id, wish.mode))
    if wish.place is not None and wish.place != node.place:
        rows.append(edits.set_place(outline.with_edits(rows), node.id, wish.place))
    return tuple(rows)


def _card(outline: Outline, after: Canon, target: _Target, before: str, text: str) -> CardLine:
    node = after.outline.nodes[target.scene]
    old = outline.nodes[target.scene].title if target.exists else node.title
    return CardLine(
        kind="scene_edit" if target.exists else "scene_new",
        at=Lens(after, Author()).place(target.scene),
        title=node.title,
        changes=(KeyChange(key="title", before=old, after=node.title),) if old != node.title else (),
        before_text=before,
        after_text=text,
        facts={"words": len(text.split())},
        warnings=tuple(_warnings(after.outline, target)),
    )


def _warnings(outline: Outline, target: _Target) -> Iterator[Warn]:
    if target.made:
        yield Warn(code="chapter_created", facts={"place": outline.label(target.chapter)})
    if target.scene in {one.id for one in outline.undated()}:
        yield Warn(code="undated", facts={"place": outline.label(target.scene)})


def _arguments(outline: Outline, target: _Target, wish: _Wish) -> Mapping[str, Json]:
    given: dict[str, Json | None] = {
        "chapterId": target.chapter,
        "sceneNumber": wish.number,
        "title": wish.title,
        "rawText": wish.text,
        "afterSceneId": wish.after,
        "mode": wish.mode.value if wish.mode else None,
        "relation": wish.place.relation.value if wish.place else None,
        "node": wish.place.node if wish.place else None,
        "sceneId": target.scene,
    }
    if target.made:
        parent = target.made[0].after.parent or ""
        label = f"b{outline.number(parent)}:{outline.next_number(parent)}"
        given |= {"chapterId": label, "newChapterId": target.chapter}
    return {name: value for name, value in given.items() if value is not None}
