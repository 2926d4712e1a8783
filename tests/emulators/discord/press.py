"""Commands, buttons, selects and modals as people use them, in the words of a test."""

from collections.abc import Mapping
from typing import Any

from tests.emulators.discord.access import permissions_in, sees
from tests.emulators.discord.command_rules import MESSAGE_MENU, SLASH, USER_MENU
from tests.emulators.discord.component_rules import BUTTON, SELECTS, walk
from tests.emulators.discord.interactions import Choice, Interaction, InteractionKind, begin
from tests.emulators.discord.model import Channel, ChannelKind, Json, Message, User
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.rest_commands import Command
from tests.emulators.discord.slash import Typed, menu_data, slash_data
from tests.emulators.discord.submitted import submitted_json
from tests.emulators.discord.world import World


class Press:
    """What people do with what the bot offers; each returns the record that fills as the bot answers."""

    world: World

    def slash(self, user: User, channel: Channel, name: str, /, **options: Typed) -> Interaction:
        """Use a command, its subcommands after spaces (`"scene read"`); `from_` is the option `from`."""
        command, *below = name.split()
        data = slash_data(self.world, self._command(user, channel, command, SLASH), below, options)
        return begin(self.world, InteractionKind.COMMAND, user, channel, data, name=name)

    def suggest(
        self, user: User, channel: Channel, name: str, /, *, focus: str, **options: Typed
    ) -> Interaction:
        """Type into an option of a command: its `choices` come when the bot answers."""
        command, *below = name.split()
        found = self._command(user, channel, command, SLASH)
        data = slash_data(self.world, found, below, options, focus=focus)
        return begin(self.world, InteractionKind.AUTOCOMPLETE, user, channel, data, name=name)

    async def autocomplete(
        self, user: User, channel: Channel, name: str, /, *, focus: str, **options: Typed
    ) -> list[Choice]:
        """Type into an option of a command and return what the bot suggests."""
        asked = self.suggest(user, channel, name, focus=focus, **options)
        await self.world.until(lambda: asked.choices is not None, because=f"suggestions for {name} {focus}")
        return asked.choices or []

    def menu(
        self, user: User, target: Message | User, name: str, *, channel: Channel | None = None
    ) -> Interaction:
        """Use an entry of the menu of a message, or of a user in a channel."""
        place = target.channel if isinstance(target, Message) else channel
        assert place is not None, "a user's menu needs a channel"
        kind = MESSAGE_MENU if isinstance(target, Message) else USER_MENU
        data = menu_data(self.world, self._command(user, place, name, kind), target, place)
        return begin(self.world, InteractionKind.COMMAND, user, place, data, name=name)

    def click(self, user: User, message: Message, button: str) -> Interaction:
        """Press the button with this custom id, or this label."""
        found = self._component(user, message, button, frozenset({BUTTON}))
        data: Json = {"custom_id": found["custom_id"], "component_type": BUTTON, "id": found.get("id", 1)}
        return self._use(user, message, data)

    def choose(self, user: User, message: Message, select: str, *values: str) -> Interaction:
        """Choose in the select with this custom id or placeholder; values may be given as their labels."""
        found = self._component(user, message, select, SELECTS)
        chosen = [_value(found, value) for value in values]
        low, high = found.get("min_values", 1), found.get("max_values", 1)
        assert low <= len(chosen) <= high, f"one chooses {low} to {high} there, not {len(chosen)}"
        kind = found["type"]
        data: Json = {"custom_id": found["custom_id"], "component_type": kind, "values": chosen}
        return self._use(user, message, data)

    def submit(self, opened: Interaction, values: Mapping[str, str | list[str]]) -> Interaction:
        """Send the modal that the bot opened, its fields given by custom id or label."""
        modal = opened.modal
        assert modal is not None, f"the bot opened no modal for {opened.name}"
        data = {"custom_id": modal["custom_id"], "components": submitted_json(modal, values)}
        return begin(
            self.world,
            InteractionKind.MODAL,
            opened.user,
            opened.channel,
            data,
            name=modal["title"],
            message=opened.message,
            from_modal=opened,
        )

    async def answered(self, interaction: Interaction) -> Message:
        """Wait for the message that answers the interaction and return it."""
        await self.world.until(
            lambda: interaction.replies, because=f"a message in answer to {interaction.name}"
        )
        return interaction.reply

    async def acknowledged(self, interaction: Interaction) -> Interaction:
        """Wait until the bot acknowledged the interaction and return it."""
        await self.world.until(
            lambda: interaction.acknowledged, because=f"an acknowledgement of {interaction.name}"
        )
        return interaction

    def commands(self, guild_id: int | None = None) -> dict[str, Command]:
        """Return the global commands, or those of one server alone, by name."""
        return {command.name: command for command in self.world.commands.get(guild_id, [])}

    def labels(self, message: Message) -> list[str]:
        """Return what stands on the message's buttons, without disabled ones."""
        buttons = [one for one in walk(message.components) if one.get("type") == BUTTON]
        return [
            one.get("label") or (one.get("emoji") or {}).get("name", "")
            for one in buttons
            if not one.get("disabled")
        ]

    def options(self, message: Message) -> dict[str, str]:
        """Return the labels of the message's selects with their values."""
        selects = [one for one in walk(message.components) if one.get("type") in SELECTS]
        return {
            option["label"]: option["value"] for select in selects for option in select.get("options") or []
        }

    def _use(self, user: User, message: Message, data: Json) -> Interaction:
        name = data["custom_id"]
        return begin(
            self.world, InteractionKind.COMPONENT, user, message.channel, data, name=name, message=message
        )

    def _command(self, user: User, channel: Channel, name: str, kind: int) -> Command:
        guild = channel.guild
        own = self.world.commands.get(guild.id, []) if guild else []
        for command in (*own, *self.world.commands.get(None, [])):
            if command.name == name and command.kind == kind and _offered(command, channel):
                _demand_right(command, channel, user)
                return command
        known = sorted(one.name for commands in self.world.commands.values() for one in commands)
        raise AssertionError(f"no command {name!r} there; registered are {known}")

    def _component(self, user: User, message: Message, named: str, kinds: frozenset[int]) -> Json:
        assert message.only_for in (None, user), f"{user.name} does not see this message"
        assert sees(message.channel, user), f"{user.name} does not see {message.channel.name}"
        assert not message.deleted, "the message is gone"
        fitting = [one for one in walk(message.components) if one.get("type") in kinds]
        for component in fitting:
            names = (component.get("custom_id"), component.get("label"), component.get("placeholder"))
            emoji = (component.get("emoji") or {}).get("name")
            if named in (*names, emoji):
                assert not component.get("disabled"), f"{named!r} is disabled"
                return component
        offered = [one.get("label") or one.get("custom_id") for one in fitting]
        raise AssertionError(f"no {named!r} below {message.content[:60]!r}; there are {offered}")


def _offered(command: Command, channel: Channel) -> bool:
    contexts = command.body.get("contexts")
    direct = channel.kind is ChannelKind.DM
    if contexts is not None:
        return (1 if direct else 0) in contexts
    return not (direct and command.body.get("dm_permission") is False)


def _demand_right(command: Command, channel: Channel, user: User) -> None:
    held = permissions_in(channel, user)
    assert held & Permission.USE_APPLICATION_COMMANDS, f"{user.name} may not use commands there"
    needed = command.body.get("default_member_permissions")
    if needed is not None and channel.guild is not None:
        assert not int(needed) & ~int(held), f"{user.name} is not offered {command.name}"


def _value(select: Json, named: str) -> str:
    options: list[Any] = select.get("options") or []  # any JSON
    for option in options:
        if named in (option["value"], option["label"]):
            return str(option["value"])
    assert not options, f"no {named!r} among {[option['label'] for option in options]}"
    return named
