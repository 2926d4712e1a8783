"""What a bounded reader gets equals, byte for byte, what they would get if nothing further were written.

Every registered tool is asked; a new one joins by being registered.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.conversation.model import Audience, Conversation
from agent_core.errors import LoreKeeperError
from agent_core.llm.base import OnDelta
from agent_core.lore.model import (
    START,
    ChangeDraft,
    Created,
    EntityType,
    Merged,
    Named,
    Node,
    NodeKind,
    Nothing,
    OutlineEdited,
    Row,
    Series,
    Told,
    UpTo,
)
from agent_core.messages import Json, ModelReply, ModelRequest
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from agent_core.texts.catalogue import LANGUAGES, say
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.lore_read import GET_ENTITY_STATE, GET_HISTORY
from agent_core.tools.place import LINK_THREAD, SET_PROGRESS
from agent_core.tools.spec import AnyTool, Asker
from bot.settings import Settings
from bot.wiring import App, build
from tests.agent_core.lore.naive_outline import NaiveOutline
from tests.agent_core.lore.random_lore import RandomLore, lores
from tests.clock import NOON, FakeClock, counting_ids
from tests.scenarios.cut_copy import cut
from tests.scenarios.tool_arguments import Texts, arguments

pytestmark = pytest.mark.timeout(900)  # a failure is shrunk for up to five minutes


class Role(StrEnum):
    """Why somebody may not see all."""

    READER = "a reader by their own progress"
    AUDIENCE = "a reader who has read all, in a place whose audience has not"
    CO_AUTHOR = "a co-author in a place whose audience has not read all"


@dataclass(frozen=True)
class Case:
    """A series, somebody who may see part of it, and where they stand."""

    lore: RandomLore
    bound: UpTo | Nothing
    role: Role
    position: str | None
    book: str | None
    language: str
    numbers_are_known: bool = True

    def names_unread(self, shown: str) -> bool:
        """Return whether an answer shows a place that is read later."""
        reading = self.lore.outline.reading
        last = reading[self.bound.node] if isinstance(self.bound, UpTo) else -1
        return any(f'"id":"{node}"' in shown for node, place in reading.items() if place > last)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    lore = draw(lores(max_changes=8))
    nodes = list(lore.outline.reading)
    marks: list[UpTo | Nothing] = [*map(UpTo, (*nodes, *nodes[len(nodes) // 2 :])), Nothing()]
    return Case(
        lore=lore,
        bound=draw(st.sampled_from(marks)),
        role=draw(st.sampled_from(Role)),
        position=draw(st.none() | st.sampled_from(nodes)),
        book=draw(st.sampled_from([*lore.outline.children(None), None])),
        language=draw(st.sampled_from(LANGUAGES)),
        numbers_are_known=draw(st.booleans()),
    )


class NoModel:
    """Look-ups and commands ask no model."""

    name = "none"
    label = ""

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        raise AssertionError("a model was asked")


class Library:
    """One running application that takes one series after the other."""

    def __init__(self, app: App, clock: FakeClock) -> None:
        self._app = app
        self._clock = clock
        self._numbers = count()

    async def asker(self, case: Case, changes: Sequence[tuple[int, Sequence[Row]]]) -> Asker:
        """Store the series and return the person of the case, who has just come in."""
        askers, key = self._app.core.askers, f"{next(self._numbers)}"
        series = Series(id=f"series {key}", name="Vel", owner=f"ann {key}")
        await askers.series.add_series(series)
        for number, rows in changes:
            await self._append(series, number, rows)
        self._clock.advance(minutes=1)
        place = _place(case, series.id, key)
        known = await askers.identify(Identity("terminal", f"bea {key}"), "Bea", place)
        role = SeriesRole.EDITOR if case.role is Role.CO_AUTHOR else SeriesRole.READER
        await askers.people.set_membership(Membership(person=known.person.id, series=series.id, role=role))
        finished = case.bound.node if isinstance(case.bound, UpTo) else None
        await askers.people.set_progress(
            Progress(person=known.person.id, series=series.id, finished=finished)
        )
        return await askers.asker(known.person, known.conversation, case.language)

    async def said(self, tool: AnyTool, given: Mapping[str, Json], asker: Asker) -> str:
        """Return everything that one call shows to a model and to people."""
        core = self._app.core
        try:
            if tool.propose is None:
                return (await core.lookup(tool.name, given, asker)).model_dump_json(by_alias=True)
            batch = await core.propose([(tool.name, given)], asker, complete=True)
        except LoreKeeperError as error:
            if type(error) is LoreKeeperError:  # not one of the tree's: a handler's own fault
                raise
            return f"{error.for_model()}\n{say(asker.language, error.text_key, **error.facts)}"
        cards = [call.card.model_dump_json(by_alias=True) for call in batch.calls]
        return "\n".join([batch.status.value, *cards, *(call.result for call in batch.calls)])

    def tools_for(self, asker: Asker) -> tuple[object, ...]:
        return self._app.tools.for_model(asker)

    async def _append(self, series: Series, number: int, rows: Sequence[Row]) -> None:
        store = self._app.core.askers.lore
        head = await store.head(series.id)
        draft = ChangeDraft(
            series=series.id,
            rows=tuple(rows),
            since=head.number,
            keys=frozenset(),
            proposed_by=series.owner,
            approved_by=series.owner,
        )
        await store.append(draft, f"{series.id} {number}", NOON + timedelta(minutes=number))


def _place(case: Case, series: str, key: str) -> Conversation:
    place = Conversation(
        id=f"thread {key}",
        platform="terminal",
        place=key,
        private=True,
        series=series,
        book=case.book,
        position=case.position,
    )
    if case.role is Role.READER:
        return place
    return replace(place, audience=Audience.READERS, audience_up_to=_mark(case))


def _mark(case: Case) -> str | None:
    return case.bound.node if isinstance(case.bound, UpTo) else None


@pytest.fixture
def folders(tmp_path: Path) -> list[Settings]:
    return [
        Settings(data_dir=tmp_path / name, rate_limit_per_minute=10**9, time_zone=ZoneInfo("UTC"))
        for name in ("whole", "cut")
    ]


@pytest.fixture
async def libraries(folders: list[Settings]) -> AsyncIterator[tuple[Library, Library]]:
    """Two applications: one for whole series, one for their cut copies."""
    async with AsyncExitStack() as stack:
        found = []
        for chosen in folders:
            clock = FakeClock()
            app = await stack.enter_async_context(
                build(chosen, clock=clock, ids=counting_ids(), model=NoModel())
            )
            found.append(Library(app, clock))
        whole, copy = found
        yield whole, copy


@settings(max_examples=settings().max_examples * 3 // 5)
@given(data=st.data(), case=cases())
async def test_every_tool_answers_a_reader_as_the_cut_copy_does(
    libraries: tuple[Library, Library], data: st.DataObject, case: Case
) -> None:
    whole, copy = libraries
    asker = await whole.asker(case, list(enumerate(case.lore.changes, 1)))
    left = cut(case.lore.changes, case.lore.outline, case.bound, keep_numbers=case.numbers_are_known)
    other = await copy.asker(case, left)
    assert asker.bound == other.bound == case.bound

    assert whole.tools_for(asker) == copy.tools_for(other)
    texts = Texts.about(case.lore.outline)
    for tool in TOOLS:
        if case.role is Role.CO_AUTHOR and tool is LINK_THREAD:
            continue  # linking is theirs to do wherever they are; its card is for them alone
        if tool is SET_PROGRESS and not case.numbers_are_known:
            continue  # how far one has come in the printed book is said in its numbers
        calls = st.lists(arguments(tool, texts), min_size=1, max_size=3 if tool.for_readers else 1)
        for given_arguments in data.draw(calls, label=tool.name):
            shown = await whole.said(tool, given_arguments, asker)
            assert shown == await copy.said(tool, given_arguments, other), (tool.name, given_arguments)
            assert tool is SET_PROGRESS or not case.names_unread(shown), (tool.name, given_arguments)


@pytest.fixture
async def reader(libraries: tuple[Library, Library]) -> tuple[Library, Asker]:
    """Somebody who has finished the first of two chapters and knows Tip, but not yet Ozma whom Tip became."""
    nodes = [
        Node(id="b0", kind=NodeKind.BOOK, parent=None, rank="05"),
        Node(id="b0c0", kind=NodeKind.CHAPTER, parent="b0", rank="05", number="1", title="The Crossing"),
        Node(id="b0c1", kind=NodeKind.CHAPTER, parent="b0", rank="15", number="2", title="The Heron"),
    ]
    entries = (
        *_entry("tip", "Tip", START),
        *_entry("ozma", "Ozma", Told.at("b0c1")),
        Merged(entity="ozma", into="tip"),
    )
    changes = (tuple(OutlineEdited(after=node) for node in nodes), entries)
    lore = RandomLore(changes, NaiveOutline({node.id: node for node in nodes}))
    case = Case(lore, UpTo("b0c0"), Role.READER, position=None, book="b0", language="en")
    whole, _ = libraries
    return whole, await whole.asker(case, list(enumerate(changes, 1)))


def _entry(entity: str, name: str, told: Told) -> tuple[Row, Row]:
    created = Created(entity=entity, type=EntityType.CHARACTER, told=told)
    return created, Named(id=f"name of {entity}", entity=entity, name=name, told=told)


async def test_the_id_of_a_hidden_entry_does_not_tell_which_other_it_became(
    reader: tuple[Library, Asker],
) -> None:
    library, asker = reader

    hidden, missing = [
        await library.said(GET_ENTITY_STATE, {"entityId": entity}, asker) for entity in ("ozma", "nobody")
    ]

    assert hidden.startswith("UnknownEntity")
    assert hidden == missing.replace("nobody", "ozma")


async def test_readers_say_by_number_how_far_they_are_and_learn_no_title(
    reader: tuple[Library, Asker],
) -> None:
    library, asker = reader

    by_title = await library.said(SET_PROGRESS, {"finished": "The Heron"}, asker)
    by_number = await library.said(SET_PROGRESS, {"finished": "2"}, asker)

    assert by_title.startswith("UnknownPosition")
    assert by_number.startswith("approved")
    assert "Heron" not in by_number


async def test_readers_are_told_the_same_of_any_edit_number(reader: tuple[Library, Asker]) -> None:
    library, asker = reader

    first, missing = [await library.said(GET_HISTORY, {"since": number}, asker) for number in ("1", "7")]

    assert first.startswith("LoreRefusal")
    assert missing == first.replace("text=1,", "text=7,").replace("“1”", "“7”")
