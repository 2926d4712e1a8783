"""What the plans of facts share: checking a patch, the card line, the resolved arguments, the warnings."""

from collections.abc import Iterator, Mapping

from agent_core.errors import BadPatch
from agent_core.lore import merge, timeline
from agent_core.lore.answers import CardLine, KeyChange, OldSaying, Question, Warn
from agent_core.lore.before_after import facts_at
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.model import NOT_REVEALED, Asserted, Author, Told, ToldKind
from agent_core.lore.outline import Outline
from agent_core.lore.span import last_covered
from agent_core.lore.timeline import Entry
from agent_core.lore.told import lateness
from agent_core.messages import Json

MAX_DETAIL_CHARS = 200


def check_patch(patch: Json) -> None:
    """Return if a patch may be recorded and says something.

    Raises:
        BadPatch: with the pointer and reason.

    """
    merge.validate_patch(patch)
    if not patch or not isinstance(patch, Mapping):
        raise BadPatch(pointer="", reason="not_object")
    for key in patch:
        if not key.strip():
            raise BadPatch(pointer="/", reason="blank_key")
        if len(key) > MAX_DETAIL_CHARS:
            raise BadPatch(pointer="", reason="too_large")


def scope_of(outline: Outline, only_in: str | None, *, here: str | None) -> str | None:
    """Return the book that a fact is limited to.

    Raises:
        UnknownPosition, AmbiguousPosition: as `Outline.find`.

    """
    if only_in is None:
        return None
    return outline.book_of(outline.find(only_in, book=None, here=here, bound=Author()))


def check_fits(after: Entry | None, row: Asserted, outline: Outline) -> None:
    """Return if the list edits of a fact meet a list at its own place, where it stands in `after`.

    Raises:
        BadPatch: reason "not_a_list".

    """
    for fact, pointer in timeline.fold_entry(facts_at(after, row.at, outline)).misfits:
        if fact == row.id:
            raise BadPatch(pointer=pointer, reason="not_a_list")


def fact_card(
    canon: Canon,
    entry: Entry,
    row: Asserted,
    *,
    retcon: bool,
    changes: tuple[KeyChange, ...],
    old_sayings: tuple[OldSaying, ...] = (),
    warnings: tuple[Warn, ...] = (),
    questions: tuple[Question, ...] = (),
) -> CardLine:
    """Return the card line of a fact, with its places.

    `facts` has "last", the last place before the end, and "book", the only book it holds in.
    """
    lens = Lens(canon, Author())
    book = lens.place(row.scope_book)
    facts = {
        "last": last_covered(canon.outline, row.until),
        "book": (book.title or book.label) if book else "",
    }
    return CardLine(
        kind="retcon" if retcon else "record",
        entry=lens.entry(entry),
        at=lens.place(row.at),
        until=lens.place(row.until),
        told=lens.told(row.told),
        changes=changes,
        old_sayings=old_sayings,
        facts={name: value for name, value in facts.items() if value},
        warnings=warnings,
        questions=questions,
    )


def reader_warnings(gate: Told | None, told: Told, outline: Outline) -> Iterator[Warn]:
    """Yield from where readers will see what is `told`, where that is not the place on the card.

    `gate` is when readers learn of the entry itself; None where the told on the card is that.
    """
    seen = max([told, *([gate] if gate else [])], key=lambda one: lateness(one, outline))
    if told.kind is ToldKind.NEVER or seen.kind is ToldKind.NEVER:
        return
    if lateness(seen, outline) >= lateness(NOT_REVEALED, outline):
        yield Warn(code="not_revealed")
    elif seen.node is not None and (gate is None or not _within(seen.node, told.node, outline)):
        yield Warn(code="readers_from", facts={"place": outline.label(seen.node)})


def _within(node: str, above: str | None, outline: Outline) -> bool:
    return above in (node, outline.chapter_of(node), outline.book_of(node))
