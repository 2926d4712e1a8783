"""The solo author's night, with the bot as people start it: a process of its own, real sockets everywhere."""

import asyncio
import re
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.bot.commands import environment, lorekeeper
from tests.emulators.model_endpoint import Call, ModelEndpoint, Reply
from tests.emulators.telegram import Chat, Flood, Message, Telegram, Topic, User

BOUND_S = 20.0


@dataclass
class Night:
    """One installation that is started and stopped; `said` is all that its process printed."""

    folder: Path
    telegram: Telegram
    endpoint: ModelEndpoint
    said: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def serving(self, *, power_fails: bool = False) -> AsyncIterator[None]:
        """Run `lorekeeper run` until the end of the block, then stop it as services are, or hard."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot.cli.main",
            "run",
            cwd=self.folder,
            env=environment(self.folder, **self.settings()),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        reading = asyncio.create_task(self._read(process))
        try:
            await self.telegram.until(
                lambda: self.telegram.is_polled or process.returncode is not None, within_s=BOUND_S
            )
            assert process.returncode is None, "".join(self.said)
            yield
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGKILL if power_fails else signal.SIGTERM)
            async with asyncio.timeout(BOUND_S):
                code = await process.wait()
            assert code in ((-signal.SIGKILL,) if power_fails else (0, 143)), "".join(self.said)
            await reading

    def settings(self) -> dict[str, str]:
        return {
            "LOREKEEPER_TELEGRAM_TOKEN": self.telegram.token,
            "LOREKEEPER_TELEGRAM_API_BASE": self.telegram.base_url,
            "LOREKEEPER_TELEGRAM_FILE_BASE": self.telegram.base_file_url,
            "LOREKEEPER_MODEL": "scripted",
            "LOREKEEPER_MODEL_BASE_URL": self.endpoint.url,
            "LOREKEEPER_LOG_LEVEL": "debug",
        }

    async def printed(self, pattern: str) -> str:
        """Return what the process printed that fits."""
        found = await self.telegram.until(lambda: re.search(pattern, "".join(self.said)), within_s=BOUND_S)
        assert found is not None
        return found[1]

    async def shown(self, chat: Chat, part: str, topic: Topic | None = None) -> Message:
        """Return the bot's newest message with `part` in its text."""
        found = await self.telegram.until(
            lambda: [one for one in self.telegram.sent(chat, topic) if part in one.text], within_s=BOUND_S
        )
        return found[-1]

    async def asked(self, user: User, chat: Chat, text: str, part: str = "", **more: object) -> Message:
        """Say something and return the bot's first message after it with `part` in its text."""
        said = self.telegram.say(user, chat, text, **more)  # type: ignore[arg-type]  # options of say
        topic = chat.topics.get(said.thread_id or 0) if said.is_topic_message else None
        found = await self.telegram.until(
            lambda: [one for one in self.telegram.sent(chat, topic) if one.id > said.id and part in one.text],
            within_s=BOUND_S,
        )
        return found[0]

    def let_expire(self) -> None:
        """Let the time of all open cards be over; nobody runs meanwhile."""
        with closing(sqlite3.connect(self.folder / "notes" / "lorekeeper.db")) as connection, connection:
            connection.execute(
                "UPDATE batch SET expires = '2026-01-01T00:00:00.000000Z' WHERE status = 'open'"
            )

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self.said.append(line.decode())
            self.telegram.world.bell.ring()


def fact(key: str, value: str) -> Call:
    return Call(
        "record_lore_state", {"entityId": "Mara", "chapterId": "start", "statePatch": {key: value}}, id=key
    )


@pytest.mark.slow
async def test_night_of_a_solo_author_with_two_books_and_a_group_of_three(tmp_path: Path) -> None:
    """Pairing, two topics as two books, writes by button and reaction, restart, lost network, flood, move.

    C44: all the while the token stands nowhere in what the process prints at DEBUG.
    """
    async with Telegram() as telegram, ModelEndpoint() as endpoint:
        night = Night(tmp_path, telegram, endpoint)
        ana, ben, cyd = telegram.user("Ana"), telegram.user("Ben"), telegram.user("Cyd")
        private = telegram.private(ana)
        endpoint.reply(Call("ping", {"word": "pong"}))

        async with night.serving(power_fails=True):
            # From the code in the console to two books in two topics.
            code = await night.printed(r"/start (\S+)")
            await night.asked(ana, private, f"/start {code}", "operator")
            forum = telegram.forum("The Salt Roads", ana)
            heron, lantern = (telegram.topic(forum, name, by=ana) for name in ("The Heron", "The Lantern"))
            await opened(night, ana, private, forum)
            for topic, book in ((heron, "The Heron"), (lantern, "The Lantern")):
                await night.asked(ana, forum, f"/book link The Salt Roads / {book}", book, topic=topic)
            await night.asked(ana, forum, "/entry new character Mara eyes=green", "Mara", topic=heron)
            card = await night.asked(ana, forum, "/lore Mara", "green", topic=heron)
            assert "The Salt Roads · The Heron" in card.text
            other = await night.asked(ana, forum, "/lore Mara", "green", topic=lantern)
            assert "The Salt Roads · The Lantern" in other.text

            # A write confirmed by button, in its topic.
            endpoint.reply(fact("hat", "grey"))
            wish = telegram.say(ana, forum, "/ask note the grey hat", topic=heron)
            proposal = await night.shown(forum, "Proposal", heron)
            endpoint.reply("The hat is noted.")
            telegram.press(ana, proposal, "Save")
            await night.shown(forum, "The hat is noted.", heron)
            await telegram.until(lambda: "Take back" in proposal.buttons, within_s=BOUND_S)

            # One by reaction, in the private chat.
            await night.asked(ana, private, "/book link The Salt Roads / The Heron", "The Heron")
            endpoint.reply(fact("coat", "red"))
            proposal = await night.asked(ana, private, "note the red coat", "Proposal")
            endpoint.reply("The coat is noted.")
            telegram.react(ana, proposal, "👍")
            await night.shown(private, "The coat is noted.")
            assert private.pinned

            # One that nobody decides.
            endpoint.reply(fact("ring", "gold"))
            forgotten = await night.asked(ana, private, "note the gold ring", "Proposal")
            await night.shown(private, "gold · waits")

        # The power fails; what was said meanwhile is answered after it, what comes again is not done again.
        night.let_expire()
        telegram.repeat(wish.update_id)
        telegram.say(ana, private, "/lore Mara")
        async with night.serving():
            card = await night.shown(private, "hat: grey")
            assert "red" in card.text
            await telegram.until(lambda: "Save" not in forgotten.buttons, within_s=BOUND_S)
            assert "gold" not in card.text

            # The network goes while the model thinks.
            endpoint.reply(Reply(text="Her coat is red.", hold=0))
            telegram.say(ana, private, "which colour is the coat?")
            await endpoint.received(len(endpoint.requests) + 1)
            await telegram.lose_network()
            endpoint.release()
            await telegram.restore_network()
            await telegram.until(lambda: "Her coat is red." in telegram.texts(private), within_s=BOUND_S)

            # A flood wait in one chat; the other does not wait.
            telegram.fault("sendMessage", Flood(2), chat=private)
            telegram.say(ana, private, "/lore Mara")
            await night.asked(ana, forum, "/lore Mara", "green", topic=heron)
            await telegram.until(lambda: telegram.sent(private)[-1].text.startswith("Mara"), within_s=BOUND_S)

            # A group of three, and its move to a supergroup.
            group = telegram.group("Salt readers", ana, ben, cyd)
            await opened(night, ana, private, group)
            await night.asked(ana, group, "/book link The Salt Roads / The Heron", "The Heron")
            endpoint.reply("A captain.")
            await night.asked(ben, group, "/ask who is Mara?", "A captain.")
            moved = telegram.migrate(group)
            endpoint.reply("Still a captain.")
            await night.asked(cyd, moved, "/ask and now?", "Still a captain.")
            refused = await night.asked(cyd, moved, "/record Mara hat=none @start")
            assert "edit no." not in refused.text

            # A file, which is fetched from an address that holds the token.
            endpoint.reply("It says that Mara sails.")
            telegram.send_document(ana, private, "log.txt", b"Mara sails.", caption="what does this say?")
            await telegram.until(
                lambda: "It says that Mara sails." in telegram.texts(private), within_s=BOUND_S
            )
            assert "Mara sails." in str(endpoint.requests[-1].messages[-1]["content"])

            # What the night has left.
            state = (await night.asked(ana, private, "/lore Mara", "Mara\n")).text
            assert "hat: grey" in state
            assert "coat: red" in state
            assert "gold" not in state

        assert telegram.token not in "".join(night.said)
        assert telegram.token.partition(":")[2] not in "".join(night.said)


async def opened(night: Night, ana: User, private: Chat, chat: Chat) -> None:
    """Let a group in."""
    said = await night.asked(ana, private, f"/access open chat {chat.id}")
    if "Save" in said.buttons:
        night.telegram.press(ana, said, "Save")
        await night.telegram.until(lambda: "Save" not in said.buttons, within_s=BOUND_S)


async def test_doctor_says_what_the_bot_sees(tmp_path: Path) -> None:
    """C36, C44."""
    async with Telegram() as telegram, ModelEndpoint() as endpoint:
        settings = Night(tmp_path, telegram, endpoint).settings()
        del settings["LOREKEEPER_MODEL"]
        fine = await lorekeeper(tmp_path, "doctor", **settings)
        telegram.expects("Unauthorized")
        wrong = await lorekeeper(tmp_path, "doctor", **{**settings, "LOREKEEPER_TELEGRAM_TOKEN": "1:wrong"})
    assert "@lore_bot · privacy mode is on" in fine.said
    assert telegram.token not in fine.said
    assert "the token is refused" in wrong.said
    assert wrong.code != 0
