"""Scheduled tasks on a chat platform: typed, run, and shown where they belong."""

from dataclasses import replace
from datetime import UTC, datetime

from adapters.cards import Action
from agent_core.people.model import SeriesRole
from agent_core.schedule.model import Pause, RunStatus, Task, TaskStatus
from agent_core.schedule.rule import Unreadable
from tests.adapters.chat.acts import SCARF, keep, readers_up_to, seat
from tests.adapters.chat.paper import Paper
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.scheduling import opened, runs_of, tasks_of, tick


async def only_task(paper: Paper, place: str = "7") -> Task:
    conversation = (await seat(paper, "ann", place)).conversation.id
    [task] = await tasks_of(paper.house.app, conversation)
    return task


async def test_typed_task_says_what_it_means_and_its_next_three_runs(paper: Paper) -> None:
    room = await paper.say("ben", "/schedule add every Friday 18:00: What happened this week?")

    task = await only_task(paper)
    assert task.prompt == "What happened this week?"
    assert task.next_due == datetime(2026, 5, 1, 18, tzinfo=UTC)
    [text] = room.texts
    assert "every Friday at 18:00" in text
    assert "1 May 2026, 18:00; Friday, 8 May 2026, 18:00; Friday, 15 May 2026, 18:00 (UTC)" in text


async def test_command_runs_at_its_time_without_any_model(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add in 2 hours: /lore Mara")
    room = paper.rooms.at("7")
    room.sent.clear()

    await tick(paper.house.app)
    before = room.texts
    paper.house.clock.advance(hours=2)
    await tick(paper.house.app)
    await tick(paper.house.app)

    heading, answer = room.texts
    assert before == []
    assert heading.startswith("⏰ Task no. 1, once, on Friday, 1 May 2026, 14:00")
    assert "eyes" in answer
    assert "green" in answer
    assert endpoint.requests == []
    task = await only_task(paper)
    [run] = await runs_of(paper.house.app, task)
    assert (task.status, run.status, run.late) == (TaskStatus.OVER, RunStatus.DONE, False)


async def test_question_is_answered_and_its_writes_ask_there(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: Note that she loses her scarf.")
    endpoint.reply("I would note that:", SCARF)
    room = paper.rooms.at("7")
    room.sent.clear()

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    card = room.with_button(Action.SAVE)
    [run] = await runs_of(paper.house.app, await only_task(paper))
    assert run.status is RunStatus.WAITING
    assert "scarf" not in await paper.house.state("Mara")

    endpoint.reply("Noted.")
    await paper.press("ben", card, Action.SAVE)
    assert (await paper.house.state("Mara"))["scarf"] == "lost"
    assert room.texts[-1] == "Noted."


async def test_typed_write_waits_for_its_confirmation_each_time(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: /record Mara scarf=lost @2.1")
    room = paper.rooms.at("7")
    room.sent.clear()

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    assert "scarf" not in await paper.house.state("Mara")
    await paper.press("ben", room.with_button(Action.SAVE), Action.SAVE)
    assert (await paper.house.state("Mara"))["scarf"] == "lost"


async def test_scheduled_run_leaves_an_open_card_alone(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: How is Mara?")
    endpoint.reply("I would note that:", SCARF)
    room = await paper.say("ben", "Note that she loses her scarf.")
    endpoint.reply("She is well.")

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    assert "She is well." in room.texts
    endpoint.reply("Noted.")
    await paper.press("ben", room.with_button(Action.SAVE), Action.SAVE)
    assert (await paper.house.state("Mara"))["scarf"] == "lost"


async def test_tasks_of_who_has_left_are_paused_and_say_so(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: How is Mara?")
    await paper.say("ann", "/members set Ben none")
    await paper.press("ann", paper.rooms.at("7").with_button(Action.SAVE), Action.SAVE)

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)
    paper.house.clock.advance(hours=24)
    await tick(paper.house.app)

    task = await only_task(paper)
    assert (task.status, task.paused_for) == (TaskStatus.PAUSED, Pause.LEFT)
    assert endpoint.requests == []
    owed = [one.text for one in await paper.house.core.owed(task.conversation)]
    assert len(owed) == 1
    assert "Ben doesn’t belong to this series any more" in owed[0]


async def test_tasks_of_whom_an_operator_has_closed_out_are_paused_and_cost_nothing(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: How is Mara?")
    await paper.say("ann", "/access close person ben", "@ann")
    await paper.say("ann", "/access close chat 7", "@ann")
    room = paper.rooms.at("7")
    room.sent.clear()

    for hours in (1, 24):
        paper.house.clock.advance(hours=hours)
        await tick(paper.house.app)
    await keep(paper)

    task = await only_task(paper)
    assert (task.status, task.paused_for) == (TaskStatus.PAUSED, Pause.CLOSED)
    assert endpoint.requests == []
    [told] = room.texts
    assert "an operator doesn’t let Ben in here any more" in told


async def test_task_runs_while_one_door_is_open(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: How is Mara?")
    await paper.say("ann", "/access close person ben", "@ann")
    endpoint.reply("She is well.")

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    assert paper.rooms.at("7").texts[-1] == "She is well."


async def test_pause_stops_the_run_that_waits_for_its_turn_already(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: /lore Mara")
    await paper.say("ben", "/schedule add every day 13:00: /lore Mara")
    paper.house.clock.advance(hours=5)
    await tick(paper.house.app)
    for number in (1, 2):
        await paper.say("ben", f"/schedule pause {number}")
    await paper.say("ben", "/schedule run 1")
    room = paper.rooms.at("7")
    room.sent.clear()

    paper.house.clock.advance(seconds=30)
    await tick(paper.house.app)

    first, second = await tasks_of(paper.house.app, (await seat(paper, "ben")).conversation.id)
    statuses = [[run.status for run in await runs_of(paper.house.app, task)] for task in (first, second)]
    assert sorted(statuses) == [[RunStatus.DONE, RunStatus.DONE], [RunStatus.SKIPPED]]
    assert len([text for text in room.texts if text.startswith("⏰")]) == 1


async def test_who_reads_only_by_now_gets_no_more_than_a_reader(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: Note that she loses her scarf.")
    people = paper.house.core.askers.people
    ben = (await seat(paper, "ben")).membership
    assert ben is not None
    await people.set_membership(replace(ben, role=SeriesRole.READER))
    endpoint.reply("I would note that:", SCARF)
    endpoint.reply("I can’t note that for you.")
    room = paper.rooms.at("7")

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    assert room.texts[-1] == "I can’t note that for you."
    assert await paper.house.core.open_batches((await only_task(paper)).conversation) == ()


async def test_task_whose_place_is_gone_is_paused_before_it_costs_anything(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    """C10: a scheduled post for a deleted topic is not tried again and again."""
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: How is Mara?")
    paper.rooms.closed.add("7")
    await paper.say("ben", "/help", "@ben")
    paper.rooms.at("@ben").sent.clear()

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)
    paper.house.clock.advance(hours=24)
    await tick(paper.house.app)

    task = await only_task(paper)
    assert (task.status, task.paused_for) == (TaskStatus.PAUSED, Pause.GONE)
    assert endpoint.requests == []
    assert [run.status for run in await runs_of(paper.house.app, task)] == [RunStatus.SKIPPED]
    alone = "⏰ Task no. 1 (“How is Mara?”) is paused: its place is gone."
    assert paper.rooms.at("@ben").texts == [alone]


async def test_list_tells_how_the_last_runs_ended(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: /lore Mara")
    paper.house.clock.advance(hours=5)
    await tick(paper.house.app)

    room = await paper.say("ann", "/schedule")

    text = room.texts[-1]
    assert "every day at 13:00" in text
    assert "by Ben" in text
    assert "Friday, 1 May 2026, 13:00: done (late)" in text


async def test_list_names_the_zone_of_a_task_that_keeps_another_than_the_place(paper: Paper) -> None:
    await paper.say("ben", "/schedule add every day 8:00: /lore Mara")
    await paper.say("ben", "/settings zone Asia/Tokyo")
    await paper.say("ben", "/schedule add every day 9:00: /lore Mara")

    text = (await paper.say("ann", "/schedule")).texts[-1]

    assert "every day at 08:00 · UTC · next: Saturday, 2 May 2026, 08:00" in text
    assert "every day at 09:00 · next: Saturday, 2 May 2026, 09:00" in text
    assert "times in Asia/Tokyo" in text


async def test_shared_place_lists_nothing_of_other_series_and_private_chats(paper: Paper) -> None:
    await paper.say("ann", "/schedule add every day 13:00: Does Mara die?", "@ann")
    await paper.say("ann", "/schedule add every day 14:00: How is Tom?", "7")
    await seat(paper, "ann", "8")
    for place in ("7", "8"):
        await paper.say("ann", "/schedule", place)
        await paper.say("ann", "/schedule pause 1", place)

    shared, unlinked = paper.rooms.at("7").texts, paper.rooms.at("8").texts
    private = (await paper.say("ann", "/schedule", "@ann")).texts[-1]

    assert "How is Tom?" in shared[-2]
    assert "Nothing is scheduled here" in unlinked[-2]
    assert not any("Does Mara die?" in text for text in (*shared, *unlinked))
    assert all("There is no task “1” here" in texts[-1] for texts in (shared, unlinked))
    assert "Does Mara die?" in private
    assert "How is Tom?" in private


async def test_shared_place_lists_ones_own_tasks_of_its_series_in_other_shared_places(paper: Paper) -> None:
    here, there = await seat(paper, "ann", "7"), await seat(paper, "ann", "8")
    same = replace(here.conversation, id=there.conversation.id, place="8")
    await paper.house.core.askers.conversations.save_conversation(same)
    await paper.say("ann", "/schedule add every day 13:00: How is Tom?", "8")

    text = (await paper.say("ann", "/schedule", "7")).texts[-1]

    assert "How is Tom?" in text
    assert "in another place" in text


async def test_task_is_paused_resumed_run_and_deleted_by_its_number(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: /lore Mara")
    room = await paper.say("ben", "/schedule pause 1")
    assert (await only_task(paper)).status is TaskStatus.PAUSED
    paper.house.clock.advance(hours=25)
    await tick(paper.house.app)
    assert await runs_of(paper.house.app, await only_task(paper)) == ()

    await paper.say("ben", "/schedule resume 1")
    await tick(paper.house.app)
    task = await only_task(paper)
    assert (task.status, task.next_due) == (TaskStatus.ACTIVE, datetime(2026, 5, 3, 13, tzinfo=UTC))
    assert await runs_of(paper.house.app, task) == ()

    await paper.say("ben", "/schedule run 1")
    await tick(paper.house.app)
    [run] = await runs_of(paper.house.app, task)
    assert (run.by_hand, run.status) == (True, RunStatus.DONE)
    assert any("run by hand" in text for text in room.texts)

    await paper.say("ben", "/schedule delete 1")
    assert "with its one run in the history" in room.texts[-1]
    await paper.press("ann", room.with_button(Action.SAVE), Action.SAVE)
    assert await tasks_of(paper.house.app, task.conversation) == ()


async def test_readers_and_strangers_to_a_task_may_not_touch_it(paper: Paper) -> None:
    await paper.say("ann", "/schedule add every day 13:00: How is Mara?")

    for user, text in (
        ("bea", "/schedule"),
        ("bea", "/schedule add every day 9:00: hi"),
        ("ben", "/schedule pause 1"),
        ("ben", "/schedule delete 1"),
    ):
        await paper.say(user, text)

    task = await only_task(paper)
    assert task.status is TaskStatus.ACTIVE
    refused = paper.rooms.at("7").texts[-4:]
    assert all("role here doesn’t allow that" in text for text in refused)


async def test_failing_task_is_paused_after_five_times_and_its_creator_told_once(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: /lore Nobody at all")

    for _ in range(7):
        paper.house.clock.advance(hours=24)
        await tick(paper.house.app)

    task = await only_task(paper)
    assert (task.status, task.paused_for, task.failures) == (TaskStatus.PAUSED, Pause.FAILING, 5)
    owed = [one.text for one in await paper.house.core.owed(task.conversation)]
    assert len([text for text in owed if "didn’t work" in text]) == 5
    assert len([text for text in owed if text.startswith("⏰ Ben: task no. 1")]) == 1


async def test_model_proposes_a_task_whose_time_is_that_of_the_proposal(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    """C52: two hours from when it was said, however late the yes comes."""
    await paper.say("ann", "/settings schedule on")
    wish = {"when": "in 2 hours", "prompt": "How is Mara?"}
    endpoint.reply("I would remind you:", Call("create_scheduled_task", wish))
    room = await paper.say("ben", "Ask how Mara is in two hours.")
    card = room.with_button(Action.SAVE)
    paper.house.clock.advance(minutes=30)
    endpoint.reply("Planned.")

    await paper.press("ben", card, Action.SAVE)

    task = await only_task(paper)
    assert task.next_due == datetime(2026, 5, 1, 14, tzinfo=UTC)
    told = [one for one in endpoint.requests[-1].messages if one["role"] == "tool"]
    assert '"means": "once, on Friday, 1 May 2026, 14:00"' in str(told[-1]["content"]).replace("\\", "")


async def test_task_approved_after_its_time_is_not_made(paper: Paper, endpoint: ModelEndpoint) -> None:
    await paper.say("ann", "/settings schedule on")
    wish = {"when": "in 2 hours", "prompt": "How is Mara?"}
    endpoint.reply("I would remind you:", Call("create_scheduled_task", wish))
    room = await paper.say("ben", "Ask how Mara is in two hours.")
    card = room.with_button(Action.SAVE)
    paper.house.clock.advance(hours=3)
    endpoint.reply("That time has passed.")

    await paper.press("ben", card, Action.SAVE)

    conversation = (await seat(paper, "ben")).conversation.id
    assert await tasks_of(paper.house.app, conversation) == ()
    assert "lies in the past" in "\n".join(room.texts)


async def test_person_has_no_more_tasks_than_allowed(paper: Paper) -> None:
    for number in range(21):
        await paper.say("ben", f"/schedule add every day 13:{number:02}: How is Mara?")

    conversation = (await seat(paper, "ben")).conversation.id
    assert len(await tasks_of(paper.house.app, conversation)) == 20
    assert paper.rooms.at("7").texts[-1] == "You have 20 tasks already. Delete one first."


async def test_place_of_another_series_by_now_pauses_its_tasks(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ann", "/schedule add every day 13:00: How is Mara?")
    room = await paper.say("ann", "/book link Another Tale / One")
    await paper.press("ann", room.with_button(Action.SAVE), Action.SAVE)

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    task = await only_task(paper)
    assert (task.status, task.paused_for) == (TaskStatus.PAUSED, Pause.MOVED)
    assert endpoint.requests == []


async def test_nobody_is_pinged_by_the_name_of_a_task(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: @ann, how is Mara?")
    room = paper.rooms.at("7")
    room.sent.clear()
    await paper.say("ann", "/members set Ben none")
    await paper.press("ann", room.with_button(Action.SAVE), Action.SAVE)
    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)

    [owed] = await paper.house.core.owed((await only_task(paper)).conversation)
    assert "how is Mara?" in owed.text
    assert "@ann" not in owed.text


async def test_what_a_task_does_is_not_quoted_among_readers(paper: Paper, endpoint: ModelEndpoint) -> None:
    opened(paper.desk)
    await paper.say("ben", "/schedule add every day 13:00: Remind us that Mara drowns in 9.2")
    await paper.say("ben", "/schedule add every day 13:00: /lore Drowned Mara")
    await readers_up_to(paper, "1")
    room = paper.rooms.at("7")
    room.sent.clear()
    endpoint.reply("Nothing new.")

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)
    await tick(paper.house.app)
    await keep(paper)

    alone = paper.rooms.at("@ben").texts
    assert sorted(room.texts) == [
        "Nothing new.",
        "⏰ Task no. 1, every day at 13:00",
        "⏰ Task no. 2 didn’t work",
        "⏰ Task no. 2, every day at 13:00",
    ]
    assert [("Drowned Mara" in text, "didn’t work: " in text) for text in alone] == [(True, True)]


async def test_place_of_another_series_reads_nothing_of_what_the_task_did(paper: Paper) -> None:
    opened(paper.desk)
    await paper.say("ann", "/schedule add every day 13:00: Does Mara drown?")
    room = await paper.say("ann", "/book link Another Tale / One")
    await paper.press("ann", room.with_button(Action.SAVE), Action.SAVE)
    room.sent.clear()

    paper.house.clock.advance(hours=1)
    await tick(paper.house.app)
    await keep(paper)

    assert room.texts == ["⏰ Task no. 1 is paused: this place is about another series by now."]


async def test_task_that_cannot_be_read_any_more_is_paused_and_says_so_and_the_others_run(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    opened(paper.desk)
    for _ in range(3):
        await paper.say("ben", "/schedule add every day 13:00: /lore Mara")
    store = paper.house.app.schedule.store
    lost, garbled, well = await tasks_of(paper.house.app, (await seat(paper, "ben")).conversation.id)
    for broken, changed in (
        (lost, replace(lost, zone="Mars/Olympus")),
        (garbled, replace(garbled, rule=Unreadable("days 0"))),
    ):
        await store.delete_task(broken.id)
        await store.add_task(changed, 20)
    room = paper.rooms.at("7")

    for _ in range(2):
        paper.house.clock.advance(hours=24)
        await tick(paper.house.app)
    await keep(paper)

    stored = await tasks_of(paper.house.app, well.conversation)
    assert {task.id: task.paused_for for task in stored} == {
        lost.id: Pause.BROKEN,
        garbled.id: Pause.BROKEN,
        well.id: None,
    }
    assert [run.status for run in await runs_of(paper.house.app, well)] == [RunStatus.DONE] * 2
    assert len([text for text in room.texts if "can’t be read any more" in text]) == 2
    number = stored[-1].number

    shown = (await paper.say("ben", "/schedule")).texts[-1]
    assert "paused: its time can’t be read any more" in shown
    refused = (await paper.say("ben", f"/schedule resume {number}")).texts[-1]
    assert "It can only be deleted and planned anew." in refused
    await paper.say("ann", f"/schedule delete {number}")
    await paper.press("ann", room.with_button(Action.SAVE), Action.SAVE)
    assert len(await tasks_of(paper.house.app, well.conversation)) == 2


async def test_time_that_no_calendar_has_is_refused(paper: Paper) -> None:
    room = await paper.say("ben", "/schedule add every 9999 years: How is Mara?")

    assert room.texts == ["“every 9999 years” never comes, at least not within ten years."]
