"""Picks the card that fits an answer."""

from collections.abc import Callable, Mapping
from typing import Any

from adapters.cards.card import Card, View
from adapters.cards.edits import history_card, loose_ends_card, why_card
from adapters.cards.entry import entry_card
from adapters.cards.found import contents_card, entries_card, scenes_card, search_card, timeline_card
from adapters.cards.members import members_card
from adapters.cards.notes import differences_card, export_card, files_card, found_notes_card, graph_card
from adapters.cards.people import access_card, code_card, cost_card
from adapters.cards.schedule import tasks_card
from adapters.cards.standing import standing_card
from agent_core.importing.bible.differences import NoteDifferences
from agent_core.lore.answers import (
    Answer,
    ChapterScenes,
    Contents,
    EntryList,
    EntryState,
    History,
    LooseEnds,
    SearchResult,
    Timeline,
    Why,
)
from agent_core.tools.access import AccessList
from agent_core.tools.canon_export import CanonExport
from agent_core.tools.cost import Costs
from agent_core.tools.identity import LinkCode
from agent_core.tools.members import MemberList
from agent_core.tools.schedule_list import TaskList
from agent_core.tools.standing import Standing
from agent_core.vault.answers import FileList, Graph, NotesFound

_CARDS: Mapping[type[Answer], Callable[[Any, View], Card]] = {  # Any: each takes the type of its key
    EntryState: entry_card,
    SearchResult: search_card,
    Contents: contents_card,
    EntryList: entries_card,
    ChapterScenes: scenes_card,
    Why: why_card,
    LooseEnds: loose_ends_card,
    MemberList: members_card,
    LinkCode: code_card,
    Costs: cost_card,
    AccessList: access_card,
    Standing: standing_card,
    TaskList: tasks_card,
    FileList: files_card,
    NotesFound: found_notes_card,
    Graph: graph_card,
    NoteDifferences: differences_card,
    CanonExport: export_card,
}


def answer_card(answer: Answer, view: View, *, name: str = "") -> Card:
    """Return the card of any answer of the canon; `name` heads a timeline or history of one entry.

    Raises:
        KeyError: there is no card for such an answer.
    """
    if isinstance(answer, Timeline):
        return timeline_card(answer, view, name=name)
    if isinstance(answer, History):
        return history_card(answer, view, name=name)
    return _CARDS[type(answer)](answer, view)
