"""The life of the bot on Telegram: it starts in any weather, polls or is called, and stops gracefully.

Updates are read by a loop of our own instead of PTB's `Application`: it acknowledges them only once they are
stored, knows which may have waited for long, and lets presses and /cancel pass whatever else is running.
"""

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from telegram import Bot, User
from telegram.error import BadRequest, EndPointNotFound, InvalidToken

from adapters.chat.desk import Desk
from adapters.chat.room import ChatError, Rooms
from adapters.telegram.albums import Albums
from adapters.telegram.cards import Cards
from adapters.telegram.connection import POLL_S, TelegramConfig, opened, patiently
from adapters.telegram.decisions import Decisions
from adapters.telegram.dialogue import Dialogue
from adapters.telegram.dispatch import WANTED, Dispatch
from adapters.telegram.gates import Gates
from adapters.telegram.inline import InlineMode
from adapters.telegram.intake import Intake, Raw, number_of
from adapters.telegram.line import Lines, Pause, silence_the_library
from adapters.telegram.menu import register
from adapters.telegram.messages import Messages
from adapters.telegram.missed import Missed
from adapters.telegram.place import Place
from adapters.telegram.render import text_part
from adapters.telegram.room import TelegramRoom
from adapters.telegram.rooms import TelegramRooms
from adapters.telegram.scenes import Scenes
from adapters.telegram.sender import Sender
from adapters.telegram.status import StatusLine
from adapters.telegram.topics import Topics
from adapters.telegram.typing import Typing
from agent_core.clock import Clock
from agent_core.conversation.store import ChatStore
from agent_core.messages import parse_json

WAIT_FOR_STORE_S = 30.0
_LATE_AFTER_S = 60.0

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class TelegramClient:
    """One bot. `desk_for` gives the desk over its rooms."""

    config: TelegramConfig
    desk_for: Callable[[Rooms], Desk]
    chat: ChatStore
    clock: Clock
    pause: Pause = asyncio.sleep
    _dispatch: Dispatch | None = field(default=None, init=False)
    _is_late: bool = field(default=True, init=False)

    async def run(self) -> None:
        """Serve until cancelled.

        Raises:
            ChatError: reason "token", Telegram doesn't know the bot.
        """
        silence_the_library()
        async with opened(self.config, self.pause) as bot:
            try:
                async with asyncio.TaskGroup() as tasks:
                    await self._serve(bot, bot.bot, tasks)
            except ExceptionGroup as group:  # what went wrong, as it was
                raise group.exceptions[0] from None
            finally:
                self._dispatch = None

    async def take_update(self, body: bytes, secret: str) -> bool:
        """Take an update that Telegram posts; return False where it did not come from there.

        Once this returns True the update is stored.
        """
        dispatch = self._dispatch
        wanted = self.config.webhook_secret
        if not wanted or dispatch is None or not hmac.compare_digest(secret.encode(), wanted.encode()):
            return False
        try:
            update = parse_json(body.decode())
        except ValueError:
            return False
        if isinstance(update, dict):
            await self._take([update], dispatch)
        return True

    async def _serve(self, bot: Bot, me: User, tasks: asyncio.TaskGroup) -> None:
        self._dispatch = dispatch = self._build(bot, me, tasks)
        if not me.can_read_all_group_messages:
            logger.info("privacy mode is on: in groups only commands and replies arrive")
        tasks.create_task(_tried(register(bot, self.chat), "menu"))
        tasks.create_task(_tried(dispatch.desk.catch_up(), "catching up"))
        tasks.create_task(dispatch.desk.keep())
        await self._take_up(dispatch)
        if self.config.webhook_url:
            await self._call_us(bot)
        else:
            await self._poll(bot, dispatch)

    def _build(self, bot: Bot, me: User, tasks: asyncio.TaskGroup) -> Dispatch:
        sender = Sender(
            bot=bot,
            chat=self.chat,
            lines=Lines(self.clock, self.pause),
            typing=Typing(bot=bot, tasks=tasks, pause=self.pause),
            gates=Gates(),
        )
        rooms = TelegramRooms(sender)
        desk = self.desk_for(rooms)
        sender.language = desk.exchange.reception.language

        async def tell(place: Place, text: str) -> None:
            try:
                await TelegramRoom(sender, place).send(text_part(text))
            except ChatError as error:
                logger.warning("not told", extra={"place": place.key, "reason": error.reason})

        messages = Messages(
            me=me,
            desk=desk,
            sender=sender,
            clock=self.clock,
            albums=Albums(pause=self.pause),
            missed=Missed(tasks=tasks, pause=self.pause, tell=tell, is_coming=sender.gates.is_waiting),
            dialogue=Dialogue(desk=desk, sender=sender),
            status=StatusLine(desk=desk, sender=sender),
            scenes=Scenes(desk),
            topics=Topics(desk, rooms),
            cards=Cards(chat=self.chat, pause=self.pause),
            transcriber=self.config.transcriber,
        )
        decisions = Decisions(desk=desk, rooms=rooms, messages=messages, clock=self.clock, pause=self.pause)
        return Dispatch(
            me=me,
            desk=desk,
            sender=sender,
            intake=Intake(chat=self.chat),
            messages=messages,
            decisions=decisions,
            inline=InlineMode(desk=desk, bot=bot),
            tasks=tasks,
        )

    async def _call_us(self, bot: Bot) -> None:
        """Let Telegram post updates to us, and wait for the end."""
        await patiently(
            lambda: bot.set_webhook(
                self.config.webhook_url,
                secret_token=self.config.webhook_secret or None,
                allowed_updates=WANTED,
            ),
            self.pause,
        )
        await self.pause(_LATE_AFTER_S)
        self._is_late = False
        await asyncio.Event().wait()

    async def _poll(self, bot: Bot, dispatch: Dispatch) -> None:
        await patiently(bot.delete_webhook, self.pause)
        offset, heard_at = 0, self.clock.monotonic() - 2 * _LATE_AFTER_S
        while True:
            updates: Sequence[Raw] = await patiently(partial(_poll_once, bot, offset), self.pause)
            now = self.clock.monotonic()
            self._is_late = now - heard_at > POLL_S + _LATE_AFTER_S
            heard_at = now
            try:
                await self._take(updates, dispatch)
            except Exception:  # they come again: nothing is acknowledged that is not stored
                logger.exception("updates not stored")
                await self.pause(WAIT_FOR_STORE_S)
            else:
                numbers = [number_of(update) for update in updates]
                offset = max([offset, *(number + 1 for number in numbers if number is not None)])

    async def _take_up(self, dispatch: Dispatch) -> None:
        """Go on with what the last process left; nothing else is taken before it could be read."""
        left: Sequence[Raw] | None = None
        while left is None:
            try:
                left = await dispatch.intake.left()
            except Exception:  # a store that fails now may be well again later
                logger.exception("updates left by the last process not read")
                await self.pause(WAIT_FOR_STORE_S)
        for update in left:
            dispatch.start(update, late=self._is_late)

    async def _take(self, updates: Sequence[Raw], dispatch: Dispatch) -> None:
        for update in await dispatch.intake.take(updates):
            dispatch.start(update, late=self._is_late)


async def serve_telegram(client: TelegramClient) -> None:
    """Serve the bot until cancelled; where Telegram refuses it, all else goes on without it."""
    try:
        await client.run()
    except ChatError as error:
        if error.reason != "token":
            raise
        logger.error("Telegram refuses the token: put a valid one into LOREKEEPER_TELEGRAM_TOKEN")
    except BadRequest as error:
        logger.error("Telegram refuses the webhook", extra={"reason": error.message})


async def _tried(work: Awaitable[None], what: str) -> None:
    try:
        await work
    except Exception:  # a store that fails now is told of by whatever needs it next
        logger.exception("failed at the start", extra={"what": what})


async def _poll_once(bot: Bot, offset: int) -> Sequence[Raw]:
    """Return updates as Telegram sent them: one that the library can't read spoils none of the others."""
    wanted = {"offset": offset, "timeout": POLL_S, "allowed_updates": list(WANTED)}
    try:
        found: object = await bot.do_api_request("getUpdates", api_kwargs=wanted)
    except EndPointNotFound as error:  # what this call makes of a token that holds no longer
        raise InvalidToken from error
    return [update for update in found if isinstance(update, dict)] if isinstance(found, list) else []
