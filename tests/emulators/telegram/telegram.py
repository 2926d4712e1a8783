"""The emulated Telegram as tests use it: opened and closed, looked at, waited for, disturbed."""

import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from agent_core.clock import Clock, SystemClock
from tests.emulators.telegram.acts import Acts
from tests.emulators.telegram.bell import PATIENCE_S
from tests.emulators.telegram.bot_api_file import VARIABLE, BotApiFile
from tests.emulators.telegram.call import Call, shown
from tests.emulators.telegram.faults import Fault, Faults
from tests.emulators.telegram.records import Chat, Draft, Message, Topic, User
from tests.emulators.telegram.server import Server
from tests.emulators.telegram.webhook import delivering
from tests.emulators.telegram.world import Manners, World

T = TypeVar("T")

BOT_ID = 7_000_000_001


class Telegram(Acts):
    """Telegram with one bot; open while used as an async context manager. The package says how to use it."""

    def __init__(
        self, *, username: str = "lore_bot", clock: Clock | None = None, manners: Manners | None = None
    ) -> None:
        bot = User(BOT_ID, "LoreKeeper", username=username, is_bot=True)
        super().__init__(World(bot, clock or SystemClock(), manners or Manners()))
        self.token = f"{BOT_ID}:AAE-emulated_token_of_no_value_0123"
        self._faults = Faults(self.world.clock)
        self._expected: list[str] = []
        self._server: Server | None = None
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._server = Server(self.world, self._faults, self.token, _api())
        await self._server.open()
        self._open.push_async_callback(self._server.close)
        await self._open.enter_async_context(delivering(self.world))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()
        if error is None:
            self._check()

    @property
    def bot(self) -> User:
        """The bot."""
        return self.world.bot

    @property
    def base_url(self) -> str:
        """The URL that the token and the method's name follow."""
        return f"{self._origin}/bot"

    @property
    def base_file_url(self) -> str:
        """The URL that the token and a file's path follow."""
        return f"{self._origin}/file/bot"

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which our bot comes here."""
        return {
            "LOREKEEPER_TELEGRAM_TOKEN": self.token,
            "LOREKEEPER_TELEGRAM_API_BASE": self.base_url,
            "LOREKEEPER_TELEGRAM_FILE_BASE": self.base_file_url,
        }

    @property
    def is_polled(self) -> bool:
        """Whether a long poll of the bot is waiting."""
        return self.world.feed.is_polled

    @property
    def violations(self) -> list[str]:
        """What the bot did wrong and no `expects` covers."""
        return [text for text in self.world.violations if not any(part in text for part in self._expected)]

    def expects(self, refusal: str) -> None:
        """Let calls with this in their refusal not fail the test; one must come."""
        self._expected.append(refusal)

    def messages(self, chat: Chat, topic: Topic | None = None) -> list[Message]:
        """Return what is to be read in a chat, or in one of its topics, oldest first."""
        return [
            message
            for message in chat.messages.values()
            if not message.is_deleted
            and not message.service
            and (topic is None or (message.is_topic_message and message.thread_id == topic.id))
        ]

    def general(self, chat: Chat) -> list[Message]:
        """Return what is to be read outside of topics."""
        return [message for message in self.messages(chat) if not message.is_topic_message]

    def sent(self, chat: Chat, topic: Topic | None = None) -> list[Message]:
        """Return the bot's own messages."""
        return [message for message in self.messages(chat, topic) if message.sender is self.bot]

    def texts(self, chat: Chat, topic: Topic | None = None) -> list[str]:
        """Return the texts of the bot's own messages."""
        return [message.text for message in self.sent(chat, topic)]

    def reaction(self, message: Message) -> str:
        """Return the bot's reaction to a message, "" where there is none."""
        return "".join(message.reactions.get(self.bot.id, ()))

    def drafts(self, chat: Chat, topic: Topic | None = None) -> list[Draft]:
        """Return the drafts that a person saw grow, over ones too."""
        return [draft for draft in chat.drafts if topic is None or draft.thread_id == topic.id]

    def actions(self, chat: Chat, topic: Topic | None = None) -> list[str]:
        """Return the chat actions that were shown."""
        place = topic.id if topic else None
        shown = [action for action in self.world.actions if action.chat is chat]
        return [action.name for action in shown if topic is None or action.thread_id == place]

    def calls(self, *methods: str) -> list[Call]:
        """Return the calls of these methods, or all but polls, in the order they came."""
        return [call for call in self.world.calls if not methods or call.method in methods]

    def commands(self, scope: str = "default", language: str = "") -> dict[str, str]:
        """Return the menu set for a scope (`default`, `all_group_chats`, `chat:-1001`) and language."""
        kept = self.world.commands.get((scope, language), [])
        return {command["command"]: command["description"] for command in kept}

    def menu(self, user: User, chat: Chat) -> dict[str, str]:
        """Return the menu that a person sees in a chat, as Telegram chooses it."""
        for scope in self._scopes(user, chat):
            for language in (user.language, ""):
                if (scope, language) in self.world.commands:
                    return self.commands(scope, language)
        return {}

    async def until(self, look: Callable[[], T], within_s: float = PATIENCE_S) -> T:
        """Return what `look` returns as soon as it is truthy.

        Raises:
            TimeoutError: when it is not within the time.
        """
        try:
            return await self.world.bell.until(look, within_s)
        except TimeoutError as error:
            raise TimeoutError(self._so_far(within_s)) from error

    async def shown(self, chat: Chat, part: str, topic: Topic | None = None) -> Message:
        """Return the newest message of the bot with `part` in its text, as soon as there is one."""
        found = await self.until(lambda: [one for one in self.sent(chat, topic) if part in one.text])
        return found[-1]

    async def answer(self, message: Message) -> Message:
        """Return the bot's first message after `message` in its chat and topic, as soon as there is one."""

        def later() -> list[Message]:
            sent = self.sent(message.chat)
            return [one for one in sent if one.id > message.id and one.topic_id == message.topic_id]

        return (await self.until(later))[0]

    async def caught_up(self, within_s: float = PATIENCE_S) -> None:
        """Return as soon as the bot has confirmed every update (it may still be at work on them)."""
        await self.until(lambda: not self.world.feed.pending, within_s)

    async def held(self, count: int = 1) -> None:
        """Return as soon as so many calls are kept waiting."""
        await self.until(lambda: self._faults.holding >= count)

    def fault(self, method: str, fault: Fault, *, times: int = 1, chat: Chat | None = None) -> None:
        """Let the next calls of a method (to a chat) meet a fault."""
        self._faults.plan(method, fault, times, str(chat.id) if chat else "")

    def release(self) -> None:
        """Let one held call go on."""
        self._faults.release()

    def end_flood_waits(self) -> None:
        """Let all flood waits be over now, whatever the clock says."""
        self._faults.end_waits()

    async def lose_network(self) -> None:
        """Reset all connections and refuse new ones."""
        assert self._server is not None, "not open"
        await self._server.close()

    async def restore_network(self) -> None:
        """Be there again, at the same address."""
        assert self._server is not None, "not open"
        await self._server.open()

    @property
    def _origin(self) -> str:
        assert self._server is not None, "not open"
        return f"http://127.0.0.1:{self._server.port}"

    def _scopes(self, user: User, chat: Chat) -> list[str]:
        if chat.is_private:
            return [f"chat:{chat.id}", "all_private_chats", "default"]
        is_admin = chat.member(user).is_admin
        return [
            f"chat_member:{chat.id}:{user.id}",
            *([f"chat_administrators:{chat.id}"] if is_admin else []),
            f"chat:{chat.id}",
            *(["all_chat_administrators"] if is_admin else []),
            "all_group_chats",
            "default",
        ]

    def _so_far(self, within_s: float) -> str:
        calls = [f"  {call.status} {shown(call)} {call.description}" for call in self.world.calls[-12:]]
        wrong = [f"  {violation}" for violation in self.violations]
        return "\n".join([f"not within {within_s} s; the bot's last calls:", *calls, "wrong so far:", *wrong])

    def _check(self) -> None:
        assert not self.violations, "calls that Telegram refuses or that are wrong:\n" + "\n".join(
            self.violations
        )
        seen = [*self.world.violations, *(call.description for call in self.world.calls)]
        missing = [part for part in self._expected if not any(part in text for text in seen)]
        assert not missing, f"expected refusals that never came: {missing}"
        assert not self._faults.left, f"planned faults that never happened: {self._faults.left}"


@cache
def _api() -> BotApiFile | None:
    path = os.environ.get(VARIABLE)
    if path:
        return BotApiFile.read(Path(path))
    sys.stderr.write(f"{VARIABLE} is not set: calls are not checked against the Bot API file\n")
    return None
