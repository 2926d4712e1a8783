"""The emulator of Discord refuses what Discord refuses, with its codes and bodies."""

import io
from typing import Any

import discord as library
import pytest
from discord.http import Route

from tests.emulators.discord import Discord, Permission
from tests.emulators.discord.model import Channel, Json, User
from tests.emulators.discord.probe import logged_in


def _place(discord: Discord) -> tuple[User, Channel]:
    ana = discord.user("Ana")
    return ana, discord.channel(discord.guild("Writers", ana), "book-one")


def _button(**fields: object) -> Json:
    return {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go", **fields}]}


def _select(options: list[Json], **fields: object) -> Json:
    return {"type": 1, "components": [{"type": 3, "custom_id": "pick", "options": options, **fields}]}


def _options(count: int) -> list[Json]:
    return [{"label": str(number), "value": str(number)} for number in range(count)]


_FIELD = {"name": "n", "value": "v"}
WRONG_BODIES: dict[str, tuple[Json, int]] = {
    "text of 2001": ({"content": "a" * 2001}, 50035),
    "text of 2001 emoji": ({"content": "🐉" * 2001}, 50035),
    "text that is a number": ({"content": 5}, 50035),
    "nothing": ({"content": ""}, 50006),
    "nothing to be seen": ({"content": "\u200b\u2060\ufeff \n"}, 50006),
    "half an emoji": ({"content": "\ud83c"}, 50109),
    "nonce of 26": ({"content": "a", "nonce": "1" * 26}, 50035),
    "description of 4097": ({"embeds": [{"description": "a" * 4097}]}, 50035),
    "title of 257": ({"embeds": [{"title": "a" * 257}]}, 50035),
    "26 fields": ({"embeds": [{"fields": [_FIELD] * 26}]}, 50035),
    "field without a value": ({"embeds": [{"fields": [{"name": "n", "value": ""}]}]}, 50035),
    "field value of 1025": ({"embeds": [{"fields": [{"name": "n", "value": "a" * 1025}]}]}, 50035),
    "6001 in all embeds": ({"embeds": [{"description": "a" * 4000}, {"description": "a" * 2001}]}, 50035),
    "11 embeds": ({"embeds": [{"description": "a"}] * 11}, 50035),
    "empty embed": ({"embeds": [{}]}, 50035),
    "6 rows": ({"content": "a", "components": [_button(custom_id=str(n)) for n in range(6)]}, 50035),
    "equal ids": ({"content": "a", "components": [_button(), _button()]}, 50035),
    "id of 101": ({"content": "a", "components": [_button(custom_id="a" * 101)]}, 50035),
    "button without label": ({"content": "a", "components": [_button(label="")]}, 50035),
    "26 options": ({"content": "a", "components": [_select(_options(26))]}, 50035),
    "no options": ({"content": "a", "components": [_select([])]}, 50035),
    "equal values": ({"content": "a", "components": [_select(_options(1) * 2)]}, 50035),
    "everybody and some": ({"content": "a", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, 50035),
    "reply to nothing": ({"content": "a", "message_reference": {"message_id": "1"}}, 50035),
}


@pytest.mark.parametrize("case", WRONG_BODIES)
async def test_wrong_message_is_refused(case: str) -> None:
    body, code = WRONG_BODIES[case]
    async with Discord() as discord:
        _, channel = _place(discord)
        discord.expects(code)
        async with logged_in(discord) as client:
            with pytest.raises(library.HTTPException) as refused:
                await _send(client, channel, body)

    assert refused.value.code == code
    assert channel.history == []


async def test_refusal_that_no_test_expects_fails_the_test() -> None:
    discord = Discord()
    await discord.__aenter__()
    _, channel = _place(discord)
    async with logged_in(discord) as client:
        with pytest.raises(library.HTTPException):
            await _send(client, channel, {"content": " "})

    with pytest.raises(AssertionError, match="Cannot send an empty message"):
        await discord.__aexit__(None, None, None)


async def test_refusal_names_the_wrong_fields_as_discord_does() -> None:
    async with Discord() as discord:
        _, channel = _place(discord)
        discord.expects(50035)
        async with logged_in(discord) as client:
            with pytest.raises(library.HTTPException, match=r"In embeds\.0\.fields\.0\.value: Must be"):
                await _send(client, channel, {"embeds": [{"fields": [{"name": "n", "value": ""}]}]})


async def test_largest_message_is_taken() -> None:
    async with Discord() as discord:
        _, channel = _place(discord)
        async with logged_in(discord) as client:
            await _send(client, channel, {"content": "🐉" * 2000, "components": [_select(_options(25))]})

    assert channel.history[0].content == "🐉" * 2000


async def test_reply_to_a_vanished_message_goes_when_it_may() -> None:
    async with Discord() as discord:
        _, channel = _place(discord)
        async with logged_in(discord) as client:
            reference = {"message_id": "1", "fail_if_not_exists": False}
            await _send(client, channel, {"content": "a", "message_reference": reference})

    assert channel.history[0].reference is None


async def test_other_peoples_messages_cannot_be_edited() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        said = discord.say(ana, channel, "mine")
        discord.expects(50005, 10008)
        async with logged_in(discord) as client:
            messages = f"/channels/{channel.id}/messages"
            assert await _code(client, "PATCH", f"{messages}/{said.id}", content="x") == 50005
            assert await _code(client, "PATCH", f"{messages}/1", content="x") == 10008


async def test_old_message_takes_two_edits_within_the_hour() -> None:
    """C07."""
    async with Discord() as discord:
        _, channel = _place(discord)
        discord.expects(30046)
        async with logged_in(discord) as client:
            await _send(client, channel, {"content": "0"})
            path = f"/channels/{channel.id}/messages/{channel.history[0].id}"
            discord.clock.advance(minutes=61)
            codes = [await _code(client, "PATCH", path, content=str(number)) for number in range(1, 5)]

    assert codes == [0, 0, 30046, 30046]
    assert channel.history[0].contents == ["0", "1", "2"]


async def test_twenty_first_kind_of_reaction_is_refused() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        said = discord.say(ana, channel, "react")
        for letter in range(20):
            discord.react(ana, said, chr(0x1F600 + letter))
        discord.expects(30010, 10014)
        async with logged_in(discord) as client:
            assert await _react(client, channel, said.id, "✅") == 30010
            assert await _react(client, channel, said.id, "\U0001f600") == 0
            assert await _react(client, channel, said.id, "yes") == 10014


@pytest.mark.parametrize(
    ("denied", "path", "body", "code"),
    [
        (Permission.VIEW_CHANNEL, "messages", {"content": "a"}, 50001),
        (Permission.SEND_MESSAGES, "messages", {"content": "a"}, 50013),
        (Permission.EMBED_LINKS, "messages", {"embeds": [{"title": "a"}]}, 50013),
        (Permission.SEND_MESSAGES, "typing", None, 50013),
        (Permission.CREATE_PUBLIC_THREADS, "threads", {"name": "a", "type": 11}, 50013),
        (Permission.READ_MESSAGE_HISTORY, "messages", {"content": "a", "message_reference": {}}, 160002),
    ],
)
async def test_missing_permission_is_refused(denied: Permission, path: str, body: Any, code: int) -> None:
    """C37."""
    async with Discord() as discord:
        ana, channel = _place(discord)
        said = discord.say(ana, channel, "hello")
        if body and "message_reference" in body:
            body = {**body, "message_reference": {"message_id": str(said.id)}}
        assert channel.guild is not None
        discord.permit(channel, channel.guild.everyone, deny=denied)
        discord.expects(code)
        async with logged_in(discord) as client:
            route = Route("POST", f"/channels/{channel.id}/{path}")
            with pytest.raises(library.Forbidden) as refused:
                await client.http.request(route, **({"json": body} if body else {}))

    assert refused.value.code == code


async def test_role_gives_what_everyone_is_denied() -> None:
    async with Discord() as discord:
        _, channel = _place(discord)
        assert channel.guild is not None
        discord.set_permissions(channel.guild, channel.guild.everyone, Permission(0))
        discord.role(
            channel.guild, "bots", Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES, to=[discord.bot]
        )
        async with logged_in(discord) as client:
            await _send(client, channel, {"content": "heard"})

    assert [message.content for message in channel.history] == ["heard"]


async def test_file_above_the_limit_is_refused_and_nothing_is_sent() -> None:
    """C31."""
    async with Discord() as discord:
        _, channel = _place(discord)
        assert channel.guild is not None
        channel.guild.upload_limit = 1000
        discord.expects(40005)
        async with logged_in(discord) as client:
            place = client.get_partial_messageable(channel.id)
            with pytest.raises(library.HTTPException) as refused:
                await place.send("report", file=_file(b"a" * 1001))
            await place.send("report", file=_file(b"a" * 1000))

    assert (refused.value.status, refused.value.code) == (413, 40005)
    assert [attachment.filename for attachment in channel.history[0].attachments] == ["report.md"]


async def test_attachment_is_read_back_until_it_expires() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        said = discord.say(ana, channel, attachments={"notes.md": b"# Mara"})
        async with logged_in(discord) as client:
            message = await client.get_partial_messageable(channel.id).fetch_message(said.id)
            content = await message.attachments[0].read()
            said.attachments[0].expired = True
            with pytest.raises(library.NotFound):
                await message.attachments[0].read()

    assert (content, message.attachments[0].content_type) == (b"# Mara", "text/markdown; charset=utf-8")


async def test_unknown_places_and_routes_are_refused() -> None:
    async with Discord() as discord:
        _place(discord)
        discord.expects(10003, 404)
        async with logged_in(discord) as client:
            assert await _code(client, "GET", "/channels/1") == 10003
            assert await _code(client, "GET", "/nowhere") == 0


def _file(content: bytes) -> library.File:
    return library.File(io.BytesIO(content), "report.md")


async def _send(client: library.Client, channel: Channel, body: Json) -> None:
    await client.http.request(Route("POST", f"/channels/{channel.id}/messages"), json=body)


async def _react(client: library.Client, channel: Channel, message_id: int, emoji: str) -> int:
    path = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me"
    route = Route("PUT", path, channel_id=channel.id, message_id=message_id, emoji=emoji)
    try:
        await client.http.request(route)
    except library.HTTPException as error:
        return error.code
    return 0


async def _code(client: library.Client, method: str, path: str, **body: object) -> int:
    """Return the JSON code of the refusal, 0 without one."""
    try:
        if body:
            await client.http.request(Route(method, path), json=body)
        else:
            await client.http.request(Route(method, path))
    except library.HTTPException as error:
        return error.code
    return 0
