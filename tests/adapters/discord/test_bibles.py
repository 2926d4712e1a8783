"""`/import` with a zip file of notes: a review on a card, one edit, taken back in one tap."""

import io
import zipfile

from tests.adapters.discord.hall import Hall


def zipped(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


async def test_a_zip_of_notes_is_reviewed_on_a_card_before_it_is_saved(hall: Hall) -> None:
    notes = {
        "Tide/Characters/Ines.md": "---\nage: 34\n---\nA warden.\n",
        "Tide/Characters/Mara.md": "---\neyes: grey\n---\n",
    }
    mention = hall.discord.bot.mention
    asked = hall.discord.say(
        hall.ana, hall.channel, f"{mention} /import", attachments={"tide.zip": zipped(notes)}
    )

    await hall.discord.until(lambda: bool(hall.discord.replies_to(asked)))

    [card, *_] = hall.discord.replies_to(asked)
    shown = str(card)
    assert "Entries: 1 new, 1 known." in shown
    assert "the canon stands" in shown.lower()
