"""Cards of the notes folder: files, what was found in notes, where notes and canon disagree."""

from adapters.cards.card import Card, Field, Line, Style, View
from adapters.cards.values import head_text, key_text, place_text, value_text
from agent_core.importing.bible.differences import NoteDifference, NoteDifferences
from agent_core.texts import say
from agent_core.tools.canon_export import CanonExport
from agent_core.vault.answers import FileList, Graph, NoteFound, NotesFound
from agent_core.vault.paths import is_note, title

SHOWN = 60
MOST_LINKED = 5


def files_card(listed: FileList, view: View) -> Card:
    """Return the card of a list of notes and files, a line each."""
    language = view.language
    lines = [Line(text=item.path) for item in listed.items[:SHOWN]]
    more = listed.more + max(0, len(listed.items) - SHOWN)
    if more:
        lines.append(Line(text=say(language, "notes.more", n=more), style=Style.NOTE))
    return Card(
        title=say(language, "notes.list_title", vault=listed.vault),
        head=head_text(view),
        lines=tuple(lines) or (Line(text=say(language, "notes.none")),),
    )


def found_notes_card(found: NotesFound, view: View) -> Card:
    """Return the card of a search in notes: a field a note, with the lines that hold the words."""
    language = view.language
    lines = [] if found.items else [Line(text=say(language, "notes.nothing"))]
    if found.loose:
        lines.append(Line(text=say(language, "notes.loose"), style=Style.NOTE))
    if found.more:
        lines.append(Line(text=say(language, "notes.more", n=found.more), style=Style.NOTE))
    if found.skipped:
        lines.append(Line(text=say(language, "notes.skipped", n=found.skipped), style=Style.NOTE))
    return Card(
        title=say(language, "notes.search_title"),
        head=head_text(view),
        lines=tuple(lines),
        fields=tuple(_found(note) for note in found.items),
    )


def graph_card(found: Graph, view: View) -> Card:
    """Return the card that says what the picture of the notes shows; the picture itself comes with it."""
    language = view.language
    most = sorted((node for node in found.nodes if node.links), key=lambda node: (-node.links, node.path))
    names = tuple(f"{title(node.path)} ({node.links})" for node in most[:MOST_LINKED])
    counts = say(
        language,
        "notes.graph_counts",
        notes=sum(is_note(node.path) for node in found.nodes) + found.more,
        links=len(found.links),
        centre=title(found.centre),
    )
    lines = [Line(text=counts)]
    if names:
        lines.append(Line(text=say(language, "notes.graph_most", names=names)))
    if found.missing:
        missing = say(
            language, "notes.graph_missing", n=len(found.missing), names=found.missing[:MOST_LINKED]
        )
        lines.append(Line(text=missing, style=Style.NOTE))
    if found.hint:
        lines.append(Line(text=say(language, "notes.graph_no_letters"), style=Style.NOTE))
    return Card(title=say(language, "notes.graph_title"), head=head_text(view), lines=tuple(lines))


def differences_card(found: NoteDifferences, view: View) -> Card:
    """Return the card of what notes say otherwise than the canon, grouped by note."""
    language = view.language
    place = place_text(language, found.at) if found.at is not None else ""
    counts = say(
        language, "notes.counts", same=found.same, differ=len(found.items) + found.more, new=found.new
    )
    lines = [Line(text=counts)]
    if found.without_entry:
        names = found.without_entry[:SHOWN]
        lines.append(Line(text=say(language, "notes.without_entry", names=names), style=Style.NOTE))
    if found.left_out:
        n, names = len(found.left_out), found.left_out[:SHOWN]
        lines.append(Line(text=say(language, "notes.left_out", n=n, names=names), style=Style.NOTE))
    if found.more:
        lines.append(Line(text=say(language, "notes.more", n=found.more), style=Style.NOTE))
    paths = dict.fromkeys(item.path for item in found.items)
    return Card(
        title=say(language, "notes.differences_title", place=place),
        head=head_text(view),
        lines=tuple(lines),
        fields=tuple(
            Field(
                title=path,
                lines=tuple(_difference(item, language) for item in found.items if item.path == path),
            )
            for path in paths
        ),
    )


def export_card(made: CanonExport, view: View) -> Card:
    """Return the card that says which file was made of the canon; the file itself comes with it."""
    place = place_text(view.language, made.at) if made.at is not None else ""
    sent = say(view.language, "export.sent", name=made.name, n=made.entries, place=place)
    return Card(title=say(view.language, "export.sent_title"), head=head_text(view), lines=(Line(text=sent),))


def _found(note: NoteFound) -> Field:
    lines = [Line(text=quote.text, mark=str(quote.line), style=Style.QUOTE) for quote in note.quotes]
    return Field(title=note.path, lines=tuple(lines) or (Line(text=note.title, style=Style.NOTE),))


def _difference(item: NoteDifference, language: str) -> Line:
    text = say(
        language,
        "notes.difference",
        name=item.entry.name,
        key=key_text(item.key),
        note=value_text(language, item.note, max_chars=200),
        canon=value_text(language, item.canon, max_chars=200),
        scene=place_text(language, item.scene) if item.scene is not None else "",
    )
    return Line(text=text, mark=str(item.line) if item.line else "")
