"""Plans the import of a bible as one change: scenes first, so that entries are told where they are named."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_core.clock import NewId
from agent_core.errors import NothingToDo, StoryCycle
from agent_core.importing.bible.merging import united
from agent_core.importing.bible.model import Bible, BibleScene, Remark
from agent_core.importing.bible.placing import story_places
from agent_core.importing.bible.plan_entries import EntryPlanner
from agent_core.importing.bible.review import SHOWN, Review
from agent_core.importing.bible.scenes import books_of
from agent_core.importing.bible.standing import found_in, with_canon
from agent_core.importing.manuscript import Manuscript
from agent_core.lore import conflict, edits, record
from agent_core.lore.answers import CardLine, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.model import Mode, OutlineEdited, Row, StoryPlace
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan

_SCENE_COUNTS = ("books", "chapters", "scenes")


@dataclass(frozen=True, slots=True)
class Planned:
    """What an import would do; `plan` is None where nothing is new."""

    plan: Plan | None
    review: Review


async def plan_bible(canon: Canon, bible: Bible, *, name: str = "", new_id: NewId) -> Planned:
    """Return the plan that brings a bible in, and all that a person should know before.

    What the canon has stays as it is: only what it doesn't say yet is added. `name` is what the book of the
    scenes is called where neither they nor the work name one.

    Raises:
        LoreRefusal: reason "text_too_long"; "book_exists".
    """
    review = Review(remarks=list(bible.remarks))
    rows, counts = await _scenes(canon, bible, name, review, new_id)
    planner = EntryPlanner(canon.fork(rows), review, new_id)
    rows += await planner.rows(await asyncio.to_thread(united, bible.entries, review.remarks))
    title = bible.title or name
    return Planned(_plan(rows, title, counts, review) if rows else None, review)


def nothing_new(review: Review) -> NothingToDo:
    """Return the refusal that says how much of it the canon holds already."""
    return NothingToDo(reason="same_bible", same=review.same, differ=review.differ, unclear=review.unclear)


def _plan(rows: Sequence[Row], title: str, counts: Mapping[str, str | int], review: Review) -> Plan:
    facts = {**counts, "entries": review.new_entries, "facts": review.new}
    card = CardLine(
        kind="import",
        title=title,
        facts={name: count for name, count in facts.items() if count},
        warnings=review.lines(SHOWN),
    )
    return Plan(rows=tuple(rows), keys=conflict.keys_of(rows), card=card, overwrites=True)


async def _scenes(
    canon: Canon, bible: Bible, name: str, review: Review, new_id: NewId
) -> tuple[list[Row], dict[str, str | int]]:
    """Return the rows of books, chapters and scenes with their texts, modes and places; and their counts."""
    if not bible.scenes:
        return [], {}
    found = books_of(bible.scenes, bible.labels, review.remarks)
    title = _own_title(canon, bible.title or name)
    titled = [(replace(book, title=book.title or title), scenes) for book, scenes in found.values() if scenes]
    known = {place: one for place, (book, _) in enumerate(titled) if (one := await found_in(canon, book))}
    books = [
        (await with_canon(canon, book, known[place], scenes, review) if place in known else book, scenes)
        for place, (book, scenes) in enumerate(titled)
    ]
    rows: list[Row] = []
    counts: dict[str, str | int] = {}
    try:
        plan = await record.plan_manuscript(
            canon, books=[book for book, _ in books], known=known, new_id=new_id
        )
        rows += plan.rows
        counts = {unit: plan.card.facts[unit] for unit in _SCENE_COUNTS if unit in plan.card.facts}
        review.scenes += plan.card.warnings
    except NothingToDo:
        same = sum(len(one) for _, one in books)
        review.scenes.append(Warn(code="bible_scenes_same", facts={"n": same}))
    for book, scenes in books:
        rows += await _timed(canon, canon.fork(rows), book, scenes, review)
    return rows, counts


def _own_title(canon: Canon, title: str) -> str:
    """Return the title of the book of scenes that name none: the only one there is, else a new one."""
    there = canon.outline.books()
    return there[0].title if len(there) == 1 else title


async def _timed(
    canon: Canon, after: Canon, book: Manuscript, scenes: Sequence[BibleScene], review: Review
) -> list[Row]:
    """Return the rows that say how and when new scenes happen; those the canon has are only compared."""
    there = await found_in(after, book)
    found = [node for row in there.scenes for node in row] if there else []
    nodes = {scene: node for scene, node in zip(scenes, found, strict=False) if node is not None}
    places = story_places(list(nodes), nodes, review.remarks)
    outline, rows = after.outline, list[OutlineEdited]()
    for scene, node in nodes.items():
        if node in canon.outline.nodes:
            _compare(canon, node, scene, places.get(node), review)
            continue
        try:
            for row in _edits(outline, scene, node, places.get(node)):
                outline = outline.with_edits([row])
                rows.append(row)
        except StoryCycle:
            review.remarks.append(Remark("cycle", scene.spot, {"name": scene.title}))
    fresh = [node for node in nodes.values() if node not in canon.outline.nodes]
    review.scenes += _placed(after.fork(rows), fresh)
    return list(rows)


def _edits(
    outline: Outline, scene: BibleScene, node: str, place: StoryPlace | None
) -> Iterator[OutlineEdited]:
    if scene.mode is not Mode.LINEAR:
        row = edits.set_mode(outline, node, scene.mode)
        outline = outline.with_edits([row])
        yield row
    if place is not None:
        yield edits.set_place(outline, node, place)


def _compare(canon: Canon, node: str, scene: BibleScene, place: StoryPlace | None, review: Review) -> None:
    """Note where the canon has another mode or place for a scene than the notes; the canon stands."""
    there = canon.outline.nodes[node]
    if there.mode is not scene.mode or (place is not None and there.place != place):
        facts: dict[str, str | int] = {"spot": str(scene.spot), "place": canon.outline.label(node)}
        review.differ += 1
        review.differing.append(Warn(code="bible_scene_differs", facts=facts))


def _placed(after: Canon, fresh: Collection[str]) -> Iterator[Warn]:
    """Yield when new scenes happen that don't happen where they are read, and flashbacks without a date."""
    outline = after.outline
    undated = {node.id for node in outline.undated()}
    for node in fresh:
        place = outline.nodes[node].place
        label = outline.label(node)
        if place is not None:
            facts: dict[str, str | int] = {
                "place": label,
                "relation": place.relation.value,
                "anchor": outline.label(place.node),
            }
            yield Warn(code=f"bible_placed_{place.relation.value}", facts=facts)
        elif node in undated:
            yield Warn(code="undated", facts={"place": label})
