"""REST: how a bot answers interactions, at once and through their webhooks."""

import time
from typing import Final

from tests.emulators.discord.access import demand_unlocked
from tests.emulators.discord.component_rules import check_modal
from tests.emulators.discord.interactions import (
    CallbackKind,
    Choice,
    Interaction,
    InteractionKind,
    by_token,
    metadata_json,
    unanswered,
)
from tests.emulators.discord.model import Json, Message, MessageFlag, MessageKind
from tests.emulators.discord.posting import Draft, post, remove
from tests.emulators.discord.refusal import Form, Refused
from tests.emulators.discord.rest import NOTHING, Call, Reply, Route
from tests.emulators.discord.rest_messages import apply_edit, draft_of
from tests.emulators.discord.wire import message_json
from tests.emulators.discord.world import World

_TAKEN: Final = {
    InteractionKind.COMMAND: frozenset({4, 5, 9}),
    InteractionKind.COMPONENT: frozenset({4, 5, 6, 7, 9}),
    InteractionKind.AUTOCOMPLETE: frozenset({8}),
    InteractionKind.MODAL: frozenset({4, 5, 6, 7}),
}


def answer(world: World, call: Call) -> Reply:
    interaction = unanswered(world, call.number("interaction_id"), call.params["interaction_token"])
    body = call.fields
    form = Form()
    form.choice("type", body.get("type"), _TAKEN[interaction.kind])
    form.close()
    kind = CallbackKind(body["type"])
    data = body.get("data") or {}
    message = _ANSWERS[kind](world, call, interaction, data)
    interaction.answer = kind
    interaction.took_s = time.monotonic() - interaction.sent_s
    world.tick()
    world.announce()
    if call.query.get("with_response") not in ("1", "true", "True"):
        return NOTHING
    return Reply(_callback_json(world, interaction, message))


def get_original(world: World, call: Call) -> Reply:
    return Reply(message_json(world, _original(by_token(world, call.params["webhook_token"]))))


def edit_original(world: World, call: Call) -> Reply:
    interaction = by_token(world, call.params["webhook_token"])
    return Reply(_edit(world, call, interaction, _original(interaction)))


def delete_original(world: World, call: Call) -> Reply:
    interaction = by_token(world, call.params["webhook_token"])
    remove(world, _original(interaction))
    return NOTHING


def follow_up(world: World, call: Call) -> Reply:
    interaction = by_token(world, call.params["webhook_token"])
    body = call.fields
    if interaction.thinking and interaction.original is not None:
        return Reply(_edit(world, call, interaction, interaction.original))
    message = _say(world, call, interaction, body)
    interaction.followups.append(message)
    world.announce()
    return Reply(message_json(world, message))


def get_follow_up(world: World, call: Call) -> Reply:
    return Reply(message_json(world, _follow_up(world, call)[1]))


def edit_follow_up(world: World, call: Call) -> Reply:
    interaction, message = _follow_up(world, call)
    return Reply(_edit(world, call, interaction, message))


def delete_follow_up(world: World, call: Call) -> Reply:
    remove(world, _follow_up(world, call)[1])
    return NOTHING


def _answer_message(world: World, call: Call, interaction: Interaction, data: Json) -> Message:
    interaction.original = _say(world, call, interaction, data)
    return interaction.original


def _answer_deferred(world: World, call: Call, interaction: Interaction, data: Json) -> Message:
    demand_unlocked(interaction.channel, world.bot)
    draft = Draft(flags=MessageFlag.LOADING, kind=_message_kind(interaction))
    private = bool(int(data.get("flags") or 0) & MessageFlag.EPHEMERAL)
    interaction.original = post(
        world,
        interaction.channel,
        world.bot,
        draft,
        only_for=interaction.user if private else None,
        interaction=metadata_json(interaction),
    )
    return interaction.original


def _answer_deferred_update(world: World, call: Call, interaction: Interaction, data: Json) -> None:
    interaction.original = _clicked(interaction)


def _answer_update(world: World, call: Call, interaction: Interaction, data: Json) -> Message:
    message = _clicked(interaction)
    demand_unlocked(interaction.channel, world.bot)
    apply_edit(world, call, message, data)
    interaction.original = message
    return message


def _answer_choices(world: World, call: Call, interaction: Interaction, data: Json) -> None:
    form = Form()
    choices = data.get("choices")
    if form.count("data.choices", choices, 0, 25):
        for number, choice in enumerate(choices or []):
            form.length(f"data.choices.{number}.name", choice.get("name"), 1, 100)
            if isinstance(choice.get("value"), str):
                form.length(f"data.choices.{number}.value", choice["value"], 1, 100)
    form.close()
    interaction.choices = [Choice(choice["name"], choice["value"]) for choice in choices or []]


def _answer_modal(world: World, call: Call, interaction: Interaction, data: Json) -> None:
    form = Form()
    check_modal(form, data)
    form.close()
    interaction.modal = data


_ANSWERS: Final = {
    CallbackKind.MESSAGE: _answer_message,
    CallbackKind.DEFERRED_MESSAGE: _answer_deferred,
    CallbackKind.DEFERRED_UPDATE: _answer_deferred_update,
    CallbackKind.UPDATE: _answer_update,
    CallbackKind.CHOICES: _answer_choices,
    CallbackKind.MODAL: _answer_modal,
}


def _say(world: World, call: Call, interaction: Interaction, body: Json) -> Message:
    demand_unlocked(interaction.channel, world.bot)
    draft = draft_of(world, call, body, interaction.channel, by_webhook=True, kind=_message_kind(interaction))
    private = bool(int(body.get("flags") or 0) & MessageFlag.EPHEMERAL)
    return post(
        world,
        interaction.channel,
        world.bot,
        draft,
        only_for=interaction.user if private else None,
        interaction=metadata_json(interaction),
    )


def _edit(world: World, call: Call, interaction: Interaction, message: Message) -> Json:
    demand_unlocked(interaction.channel, world.bot)
    was = message.flags
    message.flags &= ~MessageFlag.LOADING
    try:
        apply_edit(world, call, message, call.fields)
    except Refused:
        message.flags = was
        raise
    return message_json(world, message)


def _message_kind(interaction: Interaction) -> MessageKind:
    is_command = interaction.kind is InteractionKind.COMMAND
    return MessageKind.SLASH_COMMAND if is_command else MessageKind.DEFAULT


def _clicked(interaction: Interaction) -> Message:
    if interaction.message is None:
        form = Form()
        form.wrong("type", "INTERACTION_TYPE_INVALID", "There is no message to update")
        form.close()
    assert interaction.message is not None
    if interaction.message.deleted:
        raise Refused(10008)
    return interaction.message


def _original(interaction: Interaction) -> Message:
    if interaction.original is None or interaction.original.deleted:
        raise Refused(10008)
    return interaction.original


def _follow_up(world: World, call: Call) -> tuple[Interaction, Message]:
    interaction = by_token(world, call.params["webhook_token"])
    number = call.number("message_id")
    known = [*interaction.followups, *([interaction.original] if interaction.original else [])]
    message = next((one for one in known if one.id == number and not one.deleted), None)
    if message is None:
        raise Refused(10008)
    return interaction, message


def _callback_json(world: World, interaction: Interaction, message: Message | None) -> Json:
    assert interaction.answer is not None
    about: Json = {"id": str(interaction.id), "type": int(interaction.kind)}
    if message is None:
        return {"interaction": about}
    about |= {
        "response_message_id": str(message.id),
        "response_message_loading": bool(message.flags & MessageFlag.LOADING),
        "response_message_ephemeral": message.ephemeral,
    }
    resource: Json = {"type": int(interaction.answer), "message": message_json(world, message)}
    return {"interaction": about, "resource": resource}


_HOOK = "/webhooks/{webhook_id}/{webhook_token}"
_CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
ROUTES: Final = (
    Route("POST", _CALLBACK, answer, needs_token=False),
    Route("POST", _HOOK, follow_up, needs_token=False),
    Route("GET", f"{_HOOK}/messages/@original", get_original, needs_token=False),
    Route("PATCH", f"{_HOOK}/messages/@original", edit_original, needs_token=False),
    Route("DELETE", f"{_HOOK}/messages/@original", delete_original, needs_token=False),
    Route("GET", f"{_HOOK}/messages/{{message_id}}", get_follow_up, needs_token=False),
    Route("PATCH", f"{_HOOK}/messages/{{message_id}}", edit_follow_up, needs_token=False),
    Route("DELETE", f"{_HOOK}/messages/{{message_id}}", delete_follow_up, needs_token=False),
)
