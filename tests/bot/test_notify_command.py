"""`lorekeeper notify` and what doctor says of channels: the outcome, and nothing of addresses or answers."""

from pathlib import Path
from urllib.parse import quote

import pytest

from agent_core.pipeline.redaction import Redaction
from bot.settings import SettingsError, settings_from
from tests.bot.commands import lorekeeper
from tests.emulators.forge import TOKEN as FORGE_TOKEN
from tests.emulators.forge import forge_emulator
from tests.emulators.mailbox import mailbox
from tests.emulators.webhook import TOKEN, Refuse, webhook_emulator


@pytest.mark.slow
async def test_test_message_shows_its_outcome_alone(tmp_path: Path) -> None:
    """Case A52: a test send shows no answer of the service."""
    async with webhook_emulator() as services:
        own = {
            "LOREKEEPER_NOTIFY_CHANNELS": f"hook=http://127.0.0.1:{services.port}/in/{TOKEN}",
        }
        done = await lorekeeper(tmp_path, "notify", "hook", "Is anybody there?", "--title", "Test", **own)
        services.turns = [Refuse(403, body={"message": "an answer that nobody is to see"}), "drop"]
        refused = await lorekeeper(tmp_path, "notify", "hook", "Hello", **own)
        unknown = await lorekeeper(tmp_path, "notify", "hook", "Hello", **own)
        wrong = await lorekeeper(tmp_path, "notify", "hok", "Hello", **own)
    assert (done.code, done.said) == (0, f"hook: taken (http://127.0.0.1:{services.port}).\n")
    assert [taken.text for taken in services.taken][:1] == ["Is anybody there?"]
    assert (refused.code, refused.said) == (1, "hook did not take the message (status 403).\n")
    assert unknown.code == 1
    assert "it isn’t certain whether the message arrived" in unknown.said
    assert "There are: hook." in wrong.said
    said = "".join(one.said for one in (done, refused, unknown, wrong))
    assert TOKEN not in said
    assert "nobody is to see" not in said


@pytest.mark.slow
async def test_mail_goes_out_by_the_command(tmp_path: Path) -> None:
    async with mailbox() as box:
        done = await lorekeeper(
            tmp_path,
            "notify",
            "mail",
            "Is anybody there?",
            LOREKEEPER_NOTIFY_CHANNELS=f"mail=smtp://localhost:{box.port}?from=a@a.org&to=b@a.org&tls=off",
        )
    assert done.said == f"mail: taken (smtp://localhost:{box.port}).\n"
    assert [mail.get_content().strip() for mail in box.mails] == ["Is anybody there?"]


@pytest.mark.slow
async def test_typed_message_leaves_the_terminal_after_a_yes(tmp_path: Path) -> None:
    async with webhook_emulator() as services:
        own = {
            "LOREKEEPER_NOTIFY_CHANNELS": f"team=discord+http://127.0.0.1:{services.port}/api/webhooks/17/{TOKEN}",
        }
        typed = "/notify team Chapter 3 is ready, @everyone."
        await lorekeeper(tmp_path, "chat", "--say", '/book link series "Salt" book "Heron"', "--yes", **own)
        asked = await lorekeeper(tmp_path, "chat", "--say", typed, **own)
        waiting = len(services.requests)
        sent = await lorekeeper(tmp_path, "chat", "--say", typed, "--yes", **own)
    assert waiting == 0
    assert "Chapter 3 is ready, @everyone." in asked.said
    assert "can’t be taken back" in asked.said
    assert [(taken.text, taken.calls) for taken in services.taken] == [("Chapter 3 is ready, @everyone.", ())]
    assert TOKEN not in asked.said + sent.said


@pytest.mark.slow
async def test_doctor_lists_the_channels_and_looks_at_the_git_host(tmp_path: Path) -> None:
    async with forge_emulator() as host:
        own = {
            "LOREKEEPER_NOTIFY_CHANNELS": f"team=https://discord.com/api/webhooks/17/{TOKEN} me=apprise:ntfy://a/b",
            "LOREKEEPER_FORGE": "gitea",
            "LOREKEEPER_FORGE_URL": f"http://127.0.0.1:{host.port}",
            "LOREKEEPER_FORGE_TOKEN": FORGE_TOKEN,
        }
        fine = await lorekeeper(tmp_path, "doctor", **own)
        wrong = await lorekeeper(tmp_path, "doctor", **{**own, "LOREKEEPER_FORGE_TOKEN": "another-token-x"})
    assert "team (https://discord.com), me (apprise ntfy://)" in fine.said
    assert f"http://127.0.0.1:{host.port}" in fine.said
    assert "doesn’t accept the token" in wrong.said
    assert TOKEN not in fine.said


def test_unusable_channels_stop_the_start_without_their_secrets() -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from({"notify_channels": f"team=https://discord.com/api/webhooks/1/{TOKEN} x"})
    assert "LOREKEEPER_NOTIFY_CHANNELS" in str(caught.value)
    assert "NAME=ADDRESS" in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_everything_secret_of_channels_is_known_to_the_redaction() -> None:
    """Case A51."""
    settings = settings_from({"notify_channels": f"team=https://discord.com/api/webhooks/1/{TOKEN}"})
    redaction = Redaction(settings.secret_values())
    for text in (f"https://discord.com/api/webhooks/1/{TOKEN}", f"it is {TOKEN}", quote(TOKEN)):
        assert TOKEN not in redaction.own(text)
    assert redaction.own("discord.com/api/webhooks") == "discord.com/api/webhooks"
