"""REST: application commands, global and of one server."""

from dataclasses import dataclass
from typing import Final

from tests.emulators.discord.command_rules import SLASH, check_commands
from tests.emulators.discord.model import Json
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.rest import NOTHING, Call, Reply, Route
from tests.emulators.discord.world import World


@dataclass(frozen=True, slots=True)
class Command:
    """A registered command; `guild_id` is the server that alone has it."""

    id: int
    name: str
    kind: int
    guild_id: int | None
    body: Json
    version: int


def list_commands(world: World, call: Call) -> Reply:
    with_texts = call.query.get("with_localizations", "").lower() in ("1", "true")
    return Reply([_shown(world, one, with_texts=with_texts) for one in _held(world, call)])


def get_command(world: World, call: Call) -> Reply:
    return Reply(_shown(world, _one(world, call), with_texts=True))


def overwrite(world: World, call: Call) -> Reply:
    bodies = call.body
    if not isinstance(bodies, list):
        raise Refused(50109)
    check_commands(bodies)
    place = _place(world, call)
    old = {(one.kind, one.name): one for one in world.commands.get(place, [])}
    world.commands[place] = [_made(world, body, place, old) for body in bodies]
    world.synced += 1
    world.announce()
    return list_commands(world, call)


def create(world: World, call: Call) -> Reply:
    check_commands([call.fields])
    place = _place(world, call)
    held = world.commands.setdefault(place, [])
    old = {(one.kind, one.name): one for one in held}
    made = _made(world, call.fields, place, old)
    known = (made.kind, made.name) in old
    world.commands[place] = [one for one in held if (one.kind, one.name) != (made.kind, made.name)] + [made]
    world.announce()
    return Reply(_shown(world, made, with_texts=True), 200 if known else 201)


def edit(world: World, call: Call) -> Reply:
    known = _one(world, call)
    body = known.body | call.fields
    check_commands([body])
    place = _place(world, call)
    made = Command(known.id, body["name"], known.kind, place, body, world.new_id())
    world.commands[place] = [made if one is known else one for one in world.commands[place]]
    world.announce()
    return Reply(_shown(world, made, with_texts=True))


def delete(world: World, call: Call) -> Reply:
    known = _one(world, call)
    world.commands[_place(world, call)].remove(known)
    world.announce()
    return NOTHING


def _place(world: World, call: Call) -> int | None:
    if call.number("application_id") != world.application_id:
        raise Refused(50001)
    if "guild_id" not in call.params:
        return None
    guild = world.guilds.get(call.number("guild_id"))
    if guild is None or world.bot.id not in guild.members:
        raise Refused(50001)
    return guild.id


def _held(world: World, call: Call) -> list[Command]:
    return world.commands.get(_place(world, call), [])


def _one(world: World, call: Call) -> Command:
    number = call.number("command_id")
    known = next((one for one in _held(world, call) if one.id == number), None)
    if known is None:
        raise Refused(10063)
    return known


def _made(world: World, body: Json, place: int | None, old: dict[tuple[int, str], Command]) -> Command:
    kind = int(body.get("type") or SLASH)
    known = old.get((kind, body["name"]))
    return Command(known.id if known else world.new_id(), body["name"], kind, place, body, world.new_id())


def _shown(world: World, command: Command, *, with_texts: bool) -> Json:
    body = command.body if with_texts else _without_texts(command.body)
    seen: Json = {
        "default_member_permissions": None,
        "nsfw": False,
        "contexts": None,
        "description": "",
        "name_localizations": None,
        "description_localizations": None,
        **body,
        "integration_types": body.get("integration_types") or [0],
        "type": command.kind,
        "id": str(command.id),
        "application_id": str(world.application_id),
        "version": str(command.version),
    }
    return seen | {"guild_id": str(command.guild_id)} if command.guild_id else seen


def _without_texts(value: Json) -> Json:
    kept: Json = {key: inner for key, inner in value.items() if not key.endswith("_localizations")}
    if "options" in kept:
        kept["options"] = [_without_texts(option) for option in kept["options"] or []]
    return kept


_GLOBAL = "/applications/{application_id}/commands"
_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"
ROUTES: Final = tuple(
    route
    for path in (_GLOBAL, _GUILD)
    for route in (
        Route("GET", path, list_commands),
        Route("PUT", path, overwrite),
        Route("POST", path, create),
        Route("GET", f"{path}/{{command_id}}", get_command),
        Route("PATCH", f"{path}/{{command_id}}", edit),
        Route("DELETE", f"{path}/{{command_id}}", delete),
    )
)
