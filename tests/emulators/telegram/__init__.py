"""Telegram's Bot API on loopback, for bots in this process or in one of their own.

    async def test_answer_comes_in_the_topic() -> None:
        async with Telegram() as telegram:
            ... start the bot with telegram.token, telegram.base_url, telegram.base_file_url ...
            anna = telegram.user("Anna", language="de")
            chat = telegram.forum("The Salt Roads", anna)
            topic = telegram.topic(chat, "The Heron", by=anna)
            asked = telegram.say(anna, chat, "/ask who is Mara?", topic=topic)
            answer = await telegram.answer(asked)
            press = telegram.press(anna, answer, "Yes")
            await telegram.until(lambda: press.is_answered)

Who and where: `user`, `private`, `group`, `supergroup`, `forum`, `topic`, `promote`, `kick`, `block`, `mute`,
`migrate`, `close_topic`, ... (in `stage`). Acts: `say`, `edit`, `delete`, `forward`, `press`, `react`,
`inline`, `choose`, `send_document`, `album`, `voice`, ... (in `acts`); they take effect at once and return
what they made. Looks: `messages`, `general`, `sent`, `texts`, `drafts`, `actions`, `reaction`, `commands`,
`menu`, `calls`; a `Message` stays the same object and knows its `history`, `buttons`, `marked("pre")` and
`reactions`, a `Press` its `toast`, a `Chat` what is `pinned`. Only waiting is awaited (`until`, `answer`,
`shown`, `caught_up`), woken by every change and bounded by 5 s.

The bot is told of what a real bot would be told: privacy mode (off with `Manners(has_privacy=False)` or by
`promote`), reactions only to administrators and only if `allowed_updates` names them, no own messages but own
service messages, no deletions. What Telegram refuses is refused with its texts. **Calls that no bot has a
reason to make fail the test when the context closes**, even if the bot swallowed the error, unless the test
said `expects("part of the refusal")`. Refusals by circumstance (blocked, kicked, topic deleted, not modified,
query too old) do not.

`fault(method, Flood(35) | Broken(502) | Refuse("Bad Request: ...") | Line.DROP_BEFORE | Line.DROP_AFTER |
Line.HOLD, times=n, chat=chat)` disturbs the next calls (`DOWNLOAD` stands for fetching a file's bytes);
`lose_network` and `restore_network` do what they say; `repeat(message.update_id)` delivers an update again;
`ago=timedelta(hours=2)` dates an act back.

Not emulated: parse_mode, channels, business and guest messages, polls, payments, stickers, bots besides ours.
With LOREKEEPER_TELEGRAM_API naming the Bot API as a JSON file every call is checked against it.
"""

from tests.emulators.telegram.faults import DOWNLOAD, Broken, Flood, Line, Refuse
from tests.emulators.telegram.records import (
    Button,
    Chat,
    Draft,
    Entity,
    InlineQuery,
    Message,
    Press,
    Toast,
    Topic,
    User,
)
from tests.emulators.telegram.telegram import Telegram
from tests.emulators.telegram.world import Manners

__all__ = [
    "DOWNLOAD",
    "Broken",
    "Button",
    "Chat",
    "Draft",
    "Entity",
    "Flood",
    "InlineQuery",
    "Line",
    "Manners",
    "Message",
    "Press",
    "Refuse",
    "Telegram",
    "Toast",
    "Topic",
    "User",
]
