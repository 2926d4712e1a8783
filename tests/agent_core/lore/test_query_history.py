"""The record history of a series, an entry, a detail, a person."""

from agent_core.lore import query, record
from agent_core.lore.answers import HistoryItem
from agent_core.lore.model import Merged, TextSet, Undone
from tests.agent_core.lore.desk import AUTHOR, Desk


def _lines(item: HistoryItem) -> list[tuple[object, ...]]:
    return [(line.kind, line.key, line.before, line.after) for line in item.lines]


async def test_history_of_an_entry_is_newest_first_with_values_before_and_after(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "blue", "coat": "grey"}, "1.1")
    await desk.record(mara, {"eyes": "green"}, "2.1")
    tom = await desk.known_from_start("Tom")
    await desk.record(tom, {"eyes": "brown"}, "1.1")
    answer = await query.history(await desk.canon(), "Mara", bound=AUTHOR)
    assert [item.edit for item in answer.items] == [4, 3, 2]
    assert _lines(answer.items[0]) == [("fact", "eyes", "blue", "green")]
    assert _lines(answer.items[1]) == [("fact", "eyes", None, "blue"), ("fact", "coat", None, "grey")]
    assert [line[0] for line in _lines(answer.items[2])] == ["created", "named"]
    first = answer.items[0]
    assert (first.proposed_by, first.recorded_at) == ("ann", "2026-05-01T12:04:00.000000Z")
    assert first.lines[0].place is not None
    assert first.lines[0].place.label == "2.1"


async def test_history_of_a_detail_follows_corrections_and_undos(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    await desk.record(mara, {"coat": "grey"}, "1.1")
    plan = await record.plan_retcon(
        await desk.canon(), entity=mara, patch={"eyes": "green"}, new_id=desk.new_id
    )
    retcon = await desk.save(plan)
    undo = await desk.append([Undone(change=retcon)])
    answer = await query.history(await desk.canon(), mara, key="eyes", bound=AUTHOR)
    assert [item.edit for item in answer.items] == [undo, retcon, 3]
    assert [item.undone_by for item in answer.items] == [None, undo, None]
    assert _lines(answer.items[0]) == [("undone", "", None, retcon)]
    assert _lines(answer.items[1]) == [
        ("struck", "eyes", "blue", "green"),
        ("fact", "eyes", None, "green"),
    ]


async def test_history_of_everything_names_texts_outline_and_merges(desk: Desk) -> None:
    mara, fox = await desk.known_from_start("Mara"), await desk.known_from_start("Fox")
    await desk.append([TextSet(id="t", scene=await desk.at("1.1"), text="New.")])
    await desk.save(await record.plan_place(await desk.canon(), nodes=["1.1"], title="Home"))
    await desk.append([Merged(entity=fox, into=mara)])
    answer = await query.history(await desk.canon(), bound=AUTHOR)
    assert [item.edit for item in answer.items] == [6, 5, 4, 3, 2, 1]
    assert _lines(answer.items[0]) == [("merged", "", None, "Mara")]
    assert _lines(answer.items[1]) == [("outline", "title", "Scene 1.1", "Home")]
    assert _lines(answer.items[2]) == [("text", "", None, None)]
    made = [line for line in answer.items[5].lines if line.kind == "outline"]
    assert [line.after for line in made][:2] == ["The Heron", ""]
    of_mara = await query.history(await desk.canon(), mara, bound=AUTHOR)
    assert [item.edit for item in of_mara.items] == [6, 3, 2]


async def test_history_is_filtered_by_number_and_person_and_cut(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    for coat in ("grey", "red", "black"):
        plan = await record.plan_record(
            await desk.canon(), entity=mara, patch={"coat": coat}, chapter="1.1", new_id=desk.new_id
        )
        await desk.save(plan, by="ben" if coat == "red" else "ann")
    canon = await desk.canon()
    between = await query.history(canon, mara, since=2, until=4, bound=AUTHOR)
    by_ben = await query.history(canon, by=frozenset({"ben"}), bound=AUTHOR)
    cut = await query.history(canon, mara, bound=AUTHOR, limit=1)
    assert [item.edit for item in between.items] == [4, 3]
    assert [item.edit for item in by_ben.items] == [4]
    assert ([item.edit for item in cut.items], cut.more) == ([5], 3)


async def test_readers_have_no_history(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    answer = await query.history(await desk.canon(), "Mara", bound=await desk.reader("3"))
    assert (answer.items, answer.more) == ((), 0)


async def test_renaming_and_striking_an_alias_are_told(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    for update, value in ((record.Update.ADD_ALIAS, "Fox"), (record.Update.RENAME, "Isolde")):
        await desk.save(
            await record.plan_update(
                await desk.canon(), entity=mara, update=update, value=value, new_id=desk.new_id
            )
        )
    await desk.save(
        await record.plan_update(
            await desk.canon(),
            entity=mara,
            update=record.Update.REMOVE_ALIAS,
            value="fox",
            new_id=desk.new_id,
        )
    )
    answer = await query.history(await desk.canon(), mara, bound=AUTHOR)
    assert [_lines(item) for item in answer.items][:3] == [
        [("struck", "", "Fox", None)],
        [("named", "", "Mara", "Isolde")],
        [("alias", "", None, "Fox")],
    ]
