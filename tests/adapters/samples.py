"""Answers and batches of a small made-up series, as the cards' tests use them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from adapters.cards import View
from agent_core.lore.answers import (
    BookItem,
    CardLine,
    ChapterItem,
    ChapterScenes,
    Choice,
    Contents,
    EntryHit,
    EntryList,
    EntryRef,
    EntryState,
    Fact,
    History,
    HistoryItem,
    HistoryLine,
    KeyChange,
    LooseEnd,
    LooseEnds,
    NoEntry,
    OldSaying,
    Place,
    Question,
    Quote,
    SceneItem,
    SceneText,
    SearchResult,
    Source,
    Struck,
    Timeline,
    TimelineItem,
    Warn,
    Why,
)
from agent_core.lore.model import EntityType, Mode, NodeKind, Relation, When
from agent_core.pipeline.model import Batch, BatchCall, BatchStatus, CallStatus, Trouble
from agent_core.tools.spec import Risk

R = TypeVar("R")


def scene(label: str, title: str = "") -> Place:
    return Place(id=f"node-{label}", label=label, title=title)


def chapter(label: str, title: str = "") -> Place:
    return Place(id=f"node-{label}", label=label, title=title, kind=NodeKind.CHAPTER)


def book(label: str, title: str = "") -> Place:
    return Place(id=f"node-{label}", label=label, title=title, kind=NodeKind.BOOK)


MARA = EntryRef(id="mara", type=EntityType.CHARACTER, name="Mara", aliases=("the Heron", "M."))
TOM = EntryRef(id="tom", type=EntityType.CHARACTER, name="Tom Kettle", hint="the ferryman")
VEL = EntryRef(id="vel", type=EntityType.LOCATION, name="Vel")

VIEW = View(series="The Salt Road", book="Low Water", time_zone="Europe/Berlin")
READER = View(
    series="The Salt Road",
    book="Low Water",
    bounded=True,
    finished=chapter("b2:4"),
    time_zone="Europe/Berlin",
)

STATE = EntryState(
    entry=MARA,
    state={
        "eyes": "green",
        "born": "in the year of the flood",
        "scar": "left cheek",
        "home": {"city": "Vel", "street": "Kiln Street"},
        "titles": ["Mara", "the Heron"],
        "spouse": {"$none": True},
        "father": {"$unknown": True},
        "alive": True,
        "age": 17,
        "knows": "who opened the sluice",
        "favourite_song": "The Long Reach",
    },
    traits={"eyes": "green", "born": "in the year of the flood"},
    at=scene("b2:7.3", "The Crossing"),
    when=When.END,
    bounded=False,
    facts=(
        Fact(id="f1", patch={"scar": "left cheek"}, edit=412, by="Ann", recorded_at="2026-05-03T12:05:00Z"),
    ),
    sources=(
        Source(pointer="/scar", fact="f1", from_=scene("b2:5.2")),
        Source(pointer="/home/city", fact="f2", from_=scene("b1:1.1")),
        Source(pointer="/home/street", fact="f3", from_=scene("b2:4.2")),
        Source(pointer="/titles", fact="f4", from_=scene("b2:7.1")),
        Source(pointer="/spouse", fact="f5", from_=scene("b2:6.1")),
        Source(pointer="/alive", fact="f6"),
        Source(pointer="/knows", fact="f7", from_=scene("b2:7.3")),
    ),
    earlier=scene("b2:7.2"),
    later=scene("b2:8.1"),
)
BOUNDED = STATE.model_copy(
    update={
        "bounded": True,
        "at": scene("b2:4.2"),
        "facts": (),
        "later": None,
        "state": {"eyes": "green", "born": "in the year of the flood", "home": {"city": "Vel"}},
    }
)

QUOTE = Quote(scene=scene("b1:1.2"), text="… and her blue eyes never left the water …", paragraph=3)
SEARCH = SearchResult(
    query="heron",
    entries=(
        EntryHit(entry=MARA, why="alias", detail="the Heron"),
        EntryHit(entry=TOM, why="fact", detail="owes the Heron a boat", quote=QUOTE),
    ),
    scenes=(QUOTE, Quote(scene=scene("b2:3.1"), text="A heron stood on the sluice gate.", paragraph=1)),
    more_entries=1,
    more_scenes=12,
)
NO_ENTRY = SearchResult(
    query="Mombi",
    no_entry=NoEntry(
        name="Mombi",
        scenes=143,
        first=scene("1.2", "The Wicked Witch"),
        quotes=(Quote(scene=scene("1.2"), text="old Mombi came home from the village", paragraph=4),),
    ),
)
ENTRIES = EntryList(
    entries=(MARA, EntryRef(id="vel", type=EntityType.LOCATION, name="Vel", hint="the old town"))
)
CHARACTERS = EntryList(type=EntityType.CHARACTER, entries=(MARA,), more=1200, next_offset=1)
CONTENTS = Contents(
    series="The Salt Road",
    books=(
        BookItem(
            place=book("b1", "Low Water"),
            chapters=(
                ChapterItem(
                    place=chapter("b1:1", "The Sluice"),
                    number="1",
                    part="Ebb",
                    scenes=(SceneItem(place=scene("b1:1.1"), mode=Mode.LINEAR, words=1240),),
                ),
                ChapterItem(
                    place=chapter("b1:2", "What the River Kept"),
                    number="2",
                    part="Ebb",
                    scenes=(
                        SceneItem(place=scene("b1:2.1"), mode=Mode.LINEAR, words=812),
                        SceneItem(
                            place=scene("b1:2.2", "The Flood"),
                            mode=Mode.FLASHBACK,
                            story="before b1:1.1",
                            words=433,
                        ),
                        SceneItem(place=scene("b1:2.3"), mode=Mode.FLASHBACK, undated=True, words=1),
                    ),
                ),
            ),
        ),
    ),
)
SCENES = ChapterScenes(
    chapter=chapter("7", "The Crossing"),
    scenes=(
        SceneText(
            place=scene("7.1"),
            title="At the ferry",
            mode=Mode.LINEAR,
            text="The ferry was late.\n\n“It is always late,” said Tom.",
            total=48,
        ),
        SceneText(
            place=scene("7.2"),
            title="",
            mode=Mode.FLASHBACK,
            text="In the year of the flood …",
            total=9000,
            cut="26 of 9000 characters, go on at offset 26",
        ),
    ),
    next_offset=26,
)
TIMELINE = Timeline(
    order="story",
    items=(
        TimelineItem(entry=MARA, at=None, kind="always", patch={"eyes": "green"}, told="1.1", fact="f1"),
        TimelineItem(
            entry=MARA, at=scene("2.2"), kind="flashback", patch={"job": "thief"}, told="2.2", fact="f2"
        ),
        TimelineItem(
            entry=MARA, at=scene("3.1"), kind="begins", patch={"disguise": "a monk"}, told="7.1", fact="f3"
        ),
        TimelineItem(entry=MARA, at=scene("6.1"), kind="ends", patch={"disguise": "a monk"}, fact="f3"),
    ),
    more=3,
)
HISTORY = History(
    items=(
        HistoryItem(
            edit=413,
            recorded_at="2026-05-03T12:05:00.000000Z",
            proposed_by="Ann",
            approved_by="Ann",
            lines=(
                HistoryLine(
                    entry=MARA, kind="fact", place=scene("7.3"), key="eyes", before="blue", after="green"
                ),
                HistoryLine(entry=MARA, kind="struck", key="coat", before="grey"),
            ),
        ),
        HistoryItem(
            edit=412,
            recorded_at="2026-05-02T08:00:00.000000Z",
            proposed_by="Ben",
            approved_by="Ann",
            undone_by=413,
            lines=(HistoryLine(entry=TOM, kind="created"),),
        ),
    ),
    more=2,
)
WHY = Why(
    entry=MARA,
    key="eyes",
    at=scene("7.3"),
    value="green",
    chain=(
        Fact(
            id="f1",
            patch={"eyes": "blue"},
            from_=scene("1.1"),
            told="1.1",
            edit=3,
            by="Ann",
            recorded_at="2026-04-01T10:00:00Z",
        ),
        Fact(
            id="f2",
            patch={"eyes": "green"},
            from_=scene("5.2", "The Kiln"),
            until=scene("9.1"),
            told="not_revealed",
            scope_book=book("b2", "High Water"),
            edit=41,
            by="Ben",
            recorded_at="2026-05-01T10:00:00Z",
            note="Ann wanted this",
        ),
    ),
    struck=(
        Struck(fact=Fact(id="f0", patch={"eyes": "grey"}, told="start", edit=2, by="Tom"), edit=44, by="Ann"),
    ),
    quotes=(QUOTE,),
)
LOOSE = LooseEnds(
    items=(
        LooseEnd(kind="lost_from", entry=MARA, fact=Fact(id="f1", patch={"scar": "left cheek"}, edit=12)),
        LooseEnd(kind="undated", scene=scene("2.3", "The Flood")),
        LooseEnd(kind="not_revealed", entry=TOM, fact=Fact(id="f3", patch={"debt": 40}, edit=20)),
    )
)

EYES = CardLine(
    kind="record",
    entry=MARA,
    at=scene("7.3", "The Crossing"),
    told="7.3",
    changes=(
        KeyChange(key="eyes", before="blue", after="green", replaces_edit=3, replaces_by="Ben"),
        KeyChange(key="scar", after="left cheek"),
        KeyChange(key="spouse", before="Tom Kettle", after=None, replaces_edit=9, replaces_by="Ann"),
    ),
    old_sayings=(OldSaying(quote=QUOTE, key="eyes", value="blue"),),
    questions=(
        Question(
            name="kind",
            choices=(Choice(value="record", code="record"), Choice(value="retcon", code="retcon")),
            chosen="record",
        ),
    ),
)
NEW_ENTRY = CardLine(
    kind="create",
    entry=VEL,
    told="not_revealed",
    changes=(KeyChange(key="river", after="the Long Reach"),),
    warnings=(Warn(code="not_revealed"),),
)
HOME = CardLine(
    kind="record",
    entry=TOM,
    at=None,
    until=scene("6.1"),
    told="start",
    changes=(KeyChange(key="home", after={"city": "Vel", "street": {"$unknown": True}}),),
    questions=(
        Question(
            name="at",
            choices=(
                Choice(value="7.3", code="here", place=scene("7.3", "The Crossing")),
                Choice(value="start", code="start"),
            ),
            chosen="7.3",
        ),
    ),
)
NEW_SCENE = CardLine(
    kind="scene_new", at=scene("7.4"), title="Low tide", after_text="The tide had gone out. " * 40
)


RETIRE = CardLine(kind="retire", entry=TOM, warnings=(Warn(code="facts_go", facts={"n": 12}),))
EVERY_KIND = (
    EYES.model_copy(
        update={
            "kind": "retcon",
            "at": None,
            "questions": (),
            "until": scene("6.1"),
            "facts": {"last": "5.4", "book": "Low Water"},
            "told": "1.1",
            "warnings": (
                Warn(code="near_key", facts={"key": "eyes", "near": "eye colour"}),
                Warn(code="later_value", facts={"key": "eyes", "place": "8.1"}, values={"value": "grey"}),
            ),
        }
    ),
    CardLine(
        kind="rename",
        entry=MARA,
        title="Mara Vale",
        told="1.1",
        changes=(KeyChange(key="name", before="Mara", after="Mara Vale"),),
    ),
    CardLine(kind="alias", entry=MARA, title="Kit", at=scene("3.1"), told="3.1"),
    CardLine(kind="unalias", entry=MARA, title="M."),
    CardLine(kind="told", entry=MARA, told="never"),
    CardLine(kind="hint", entry=TOM, title="the younger"),
    CardLine(kind="merge", entry=MARA, others=(TOM, VEL), facts={"facts": 12, "names": 3}),
    RETIRE,
    CardLine(
        kind="scene_edit",
        at=scene("7.2"),
        title="Ebb",
        changes=(KeyChange(key="title", before="Flow", after="Ebb"),),
        before_text="The ferry was late. Tom waited on the bank.",
        after_text="The ferry was early. Tom waited on the bank.",
        facts={"words": 9},
        warnings=(Warn(code="chapter_created", facts={"place": "7"}),),
    ),
    CardLine(
        kind="place",
        at=scene("8.1", "The Flood"),
        relation=Relation.BEFORE,
        facts={"nodes": 2, "anchor": "1.1", "mode": "flashback", "later": "1.1"},
    ),
    CardLine(kind="move", at=scene("8.2"), facts={"nodes": 1, "after": "3.2"}),
    CardLine(
        kind="delete", at=chapter("9"), warnings=(Warn(code="text_goes", facts={"scenes": 2, "words": 2210}),)
    ),
    CardLine(
        kind="undo",
        edit=12,
        facts={"scenes": 1, "nodes": 2},
        warnings=(Warn(code="built_on", facts={"edit": 14}),),
    ),
    CardLine(kind="link", title="The Salt Road", facts={"series_is_new": 1, "book": "Low Water"}),
    CardLine(kind="position", at=scene("7.3", "The Crossing")),
    CardLine(kind="progress", at=chapter("4")),
    CardLine(kind="members", title="Ben", before_text="none", after_text="editor", facts={"may_destroy": 1}),
    CardLine(
        kind="import",
        title="Low Water, High Water",
        facts={"books": 2, "chapters": 41, "scenes": 120, "words": 181230},
    ),
)


def batch(
    *lines: CardLine, tool: str = "record_lore_state", risk: Risk = Risk.WRITE, **changes: object
) -> Batch:
    """Return an open batch over these lines, changed as asked."""
    calls = tuple(
        BatchCall(
            id=f"call-{place}",
            ordinal=place,
            call_id=f"c{place}",
            tool=tool,
            risk=risk,
            arguments={"n": place},
            card=line,
        )
        for place, line in enumerate(lines)
    )
    made = Batch(
        id="batch-1",
        conversation="conversation-1",
        requester="ann",
        series="series-1",
        turn="turn-1",
        since=400,
        language="en",
        bound="author",
        created=datetime(2026, 5, 3, 12, 0, tzinfo=UTC),
        expires=datetime(2026, 5, 4, 12, 0, tzinfo=UTC),
        digest="d",
        calls=calls,
    )
    return _changed(made, changes)


def approved(*lines: CardLine, statuses: tuple[CallStatus, ...], edit: int | None = 413) -> Batch:
    """Return a settled batch whose calls ended so."""
    made = batch(*lines, status=BatchStatus.APPROVED, settled=True, edit=edit, decided_by="ann")
    calls = tuple(_ended(call, status) for call, status in zip(made.calls, statuses, strict=True))
    return _changed(made, {"calls": calls})


def _ended(call: BatchCall, status: CallStatus) -> BatchCall:
    trouble = Trouble("error.unknown_position", {"position": "7"}) if status is CallStatus.FAILED else None
    return _changed(call, {"status": status, "trouble": trouble})


def _changed(record: R, changes: Mapping[str, object]) -> R:
    return replace(record, **changes)  # type: ignore[type-var]  # records are dataclasses
