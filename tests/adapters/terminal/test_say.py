"""The terminal without a keyboard: exit codes, decisions and JSON lines."""

import io
import json

from adapters.terminal.console import terminal_console
from adapters.terminal.output import JsonOutput
from adapters.terminal.say import Instruction, Verdict, say_all
from agent_core.messages import Json
from tests.adapters.terminal.conftest import Terminal
from tests.emulators.model_endpoint import Call

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})
HAT = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2.1"})


async def test_texts_are_said_in_order_and_cards_decided_as_told(terminal: Terminal) -> None:
    terminal.house.endpoint.reply(SCARF, HAT)
    terminal.house.endpoint.reply("Noted.")
    texts = ("Note that.", "/state Mara @2.1")

    code, shown = await terminal.say(Instruction(texts=texts, verdict=Verdict.PICK, pick="2"))

    assert code == 0
    assert "Saved 1 of 2, edit no. 7 by Ann" in shown
    assert "hat  red (2.1)" in shown
    assert "scarf  lost (2.1)" not in shown


async def test_a_card_left_open_is_decided_by_a_later_call(terminal: Terminal) -> None:
    terminal.house.endpoint.reply(SCARF)
    terminal.house.endpoint.reply("Noted.")

    first, _ = await terminal.say(Instruction(texts=("Note that.",)))
    second, shown = await terminal.say(Instruction(verdict=Verdict.YES))

    assert (first, second) == (0, 0)
    assert "Saved, edit no. 7 by Ann" in shown


async def test_an_open_card_is_not_repeated_below_what_is_said_later(terminal: Terminal) -> None:
    await terminal.say(Instruction(texts=("/record Mara eyes=blue @2.1",)))
    _, shown = await terminal.say(Instruction(texts=("/state Mara @1.1",)))

    assert "Proposal" not in shown


async def test_nothing_to_decide_is_trouble(terminal: Terminal) -> None:
    assert await terminal.say(Instruction(verdict=Verdict.NO)) == (1, "No proposal is open.\n")


async def test_a_refusal_is_trouble(terminal: Terminal) -> None:
    assert await terminal.say(Instruction(texts=("/undo 99",))) == (
        1,
        "There is no edit no. 99. The last one is no. 6. /history lists them.\n",
    )


async def test_a_number_off_the_card_decides_nothing(terminal: Terminal) -> None:
    terminal.house.endpoint.reply(SCARF)

    code, shown = await terminal.say(Instruction(texts=("Note.",), verdict=Verdict.PICK, pick="3"))

    assert code == 1
    assert "There is no line 3 on this card." in shown
    assert await terminal.house.state("Mara", asOf="2.1") == {"eyes": "green"}


async def test_json_is_one_object_a_line(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Let me see.", SCARF)
    terminal.house.endpoint.reply("Noted.")
    instruction = Instruction(texts=("Note that.", "/state Mara @2.1", "/nope", "/help"), verdict=Verdict.YES)

    code, shown = await terminal.say(instruction, as_json=True)

    lines = [json.loads(line) for line in shown.splitlines()]
    assert code == 1
    events = [line["event"] for line in lines if line["event"] != "delta"]
    assert events == [
        *("thought", "tool", "tool", "confirmation", "done"),
        *("batch", "message", "done"),
        *("answer", "error", "note"),
    ]
    batch = next(line for line in lines if line["event"] == "batch")
    assert (batch["status"], batch["edit"], batch["calls"][0]["status"]) == ("approved", 7, "done")
    answer = next(line for line in lines if line["event"] == "answer")
    assert answer["answer"]["state"]["scarf"] == "lost"


class Torn(JsonOutput):
    """Prints everything but answers."""

    def _line(self, line: dict[str, Json]) -> None:
        if line["event"] == "message":
            raise OSError("the pipe is gone")
        super()._line(line)


async def test_an_answer_that_could_not_be_printed_is_still_owed(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Green.")
    output = Torn(terminal_console(io.StringIO()))
    await say_all(Instruction(texts=("What colour?",)), terminal.host, output)

    _, shown = await terminal.say(Instruction(texts=("/help",)))
    _, later = await terminal.say(Instruction(texts=("/help",)))

    assert "Green." in shown
    assert "Green." not in later


async def test_research_asks_the_same_agent_to_look_from_several_sides(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Nobody knows.")
    terminal.house.endpoint.reply("Nobody.")

    code, shown = await terminal.say(Instruction(texts=("/research Who knows of the oath?", "Who knows?")))

    prompts = [request.messages[0]["content"] for request in terminal.house.endpoint.requests]
    assert code == 0
    assert "Nobody knows." in shown
    assert ["Deep research" in prompt for prompt in prompts] == [True, False]
