"""The transcript in the how-to is what the bot really says."""

from pathlib import Path

from tests.adapters.telegram.hall import Hall
from tests.emulators.model_endpoint import Call
from tests.emulators.telegram import Message, Telegram

HOWTO = Path(__file__).parents[3] / "docs" / "howto" / "telegram.md"


def shown(message: Message) -> list[str]:
    buttons = " ".join(f"[{label}]" for label in message.buttons)
    return [line for line in [*message.text.split("\n"), buttons] if line.strip()]


async def test_first_confirmed_write_reads_as_in_the_howto(hall: Hall, telegram: Telegram) -> None:
    said = ["Ana: /lore Mara"]
    said += shown(await hall.ask("/lore Mara"))
    wish = "note that Mara wears a grey hat from 1.1 on"
    patch = {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"hat": "grey"}}
    hall.house.endpoint.reply(Call("record_lore_state", patch))
    telegram.say(hall.ana, hall.private, wish)
    card = await telegram.shown(hall.private, "Proposal")
    said += ["", f"Ana: {wish}", *shown(card)]
    hall.house.endpoint.reply("The hat is noted.")
    telegram.press(hall.ana, card, "Save")
    answer = await telegram.shown(hall.private, "The hat is noted.")
    await telegram.until(lambda: "Take back" in card.buttons)
    said += ["", "Ana presses Save. The card turns into:", *shown(card), "", *shown(answer)]
    told = "\n".join(f"    {line}".rstrip() for line in said).replace("\u2003", "  ")
    assert told in HOWTO.read_text("utf-8"), told
