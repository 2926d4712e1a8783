"""Scheduled tasks on Discord: slash command with options, posted in their channel."""

from agent_core.schedule.model import RunStatus
from tests.adapters.discord.hall import Hall
from tests.emulators.model_endpoint import Call
from tests.scheduling import runs_of, tasks_of, tick

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})


async def kept(hall: Hall) -> None:
    """Wait until the bot keeps its places, as it does while it serves."""
    await hall.discord.until(lambda: "discord" in hall.house.app.outlets, because="the places are kept")


async def test_slash_command_plans_a_task_that_is_answered_in_its_channel(hall: Hall) -> None:
    await hall.until_listed()
    await kept(hall)
    options = {"time": "jeden Freitag 18 Uhr", "prompt": "@everyone How is Mara?"}
    planned = await hall.discord.answered(
        hall.discord.slash(hall.ana, hall.channel, "schedule add", **options)
    )
    hall.house.endpoint.reply("Well, I would note that:", SCARF)
    hall.house.clock.advance(hours=6)

    await tick(hall.house.app)

    assert "every Friday at 18:00" in str(planned.embeds)
    [heading] = [one for one in hall.channel.messages.values() if "Task no. 1" in one.content]
    assert "How is Mara?" in heading.content
    assert not heading.mention_everyone
    assert any("Proposal" in str(one.embeds) for one in hall.channel.messages.values())
    [task] = await tasks_of(hall.house.app, (await hall.asker(hall.ana, hall.channel)).conversation.id)
    assert [run.status for run in await runs_of(hall.house.app, task)] == [RunStatus.WAITING]
