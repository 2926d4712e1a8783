"""The bot's account in Directus: it may read and add, change what people see, and delete nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agent_core.messages import Json
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.layout import ALL, SERIES, SHOWN, Collection
from agent_core.stores.directus.tail import probe_fields

NAME = "LoreKeeper"
EMAIL = "lorekeeper@example.com"
NO_LIMIT = -1
_FULL = "full"


class Trouble(StrEnum):
    """What `check` finds; also the end of a text key."""

    COLUMNS = "columns"
    LACKS = "lacks"
    EXCEEDS = "exceeds"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be: which right on which collection, or which limit."""

    trouble: Trouble
    collection: str = ""
    right: str = ""


def rights() -> Iterator[tuple[Collection, str]]:
    """Yield what the bot needs: a collection and an action."""
    for collection in ALL:
        yield collection, "read"
        yield collection, "create"
        if collection in SHOWN:
            yield collection, "update"


async def version(client: DirectusClient) -> str:
    """Return what the server says it is.

    Raises:
        DirectusFailure: it can't be asked, or is no Directus.

    """
    found = (await _info(client)).version
    if found is None:
        raise DirectusFailure(reason=DirectusCause.TOKEN)  # it tells nobody whom it does not know
    return found


async def check(client: DirectusClient) -> tuple[Finding, ...]:
    """Return all that the bot lacks or has too much of.

    Raises:
        DirectusFailure: Directus can't be asked.

    """
    granted = await _granted(client)
    most = (await _info(client)).limits.max
    findings = [Finding(Trouble.LIMIT, right=str(most))] if most != NO_LIMIT else []
    findings += [
        Finding(Trouble.LACKS, collection.name, action)
        for collection, action in rights()
        if granted.get(collection.name, {}).get(action) != _FULL
    ]
    needed = {(collection.name, action) for collection, action in rights()}
    findings += [
        Finding(Trouble.EXCEEDS, collection.name, action)
        for collection in ALL
        for action, access in granted.get(collection.name, {}).items()
        if action in {"update", "delete"} and access != "none" and (collection.name, action) not in needed
    ]
    unreadable = {one.collection for one in findings if one.right == "read" and one.trouble is Trouble.LACKS}
    for collection in ALL:
        if collection.name not in unreadable and not await _has_columns(client, collection):
            findings.append(Finding(Trouble.COLUMNS, collection.name))
    return tuple(findings)


async def grant(admin: DirectusClient, token: str) -> None:
    """Make the bot's account with this token, or give the one that is there what it lacks.

    Raises:
        DirectusFailure: it can't be made.

    """
    policy = await _found_or_made(
        admin,
        "/policies",
        {"name": {"_eq": NAME}},
        {"name": NAME, "icon": "auto_stories", "admin_access": False, "app_access": False},
    )
    known = await _items(admin, "/permissions", {"policy": {"_eq": policy}})
    there = {(row.get("collection"), row.get("action")) for row in known}
    for collection, action in rights():
        if (collection.name, action) not in there:
            right: Json = {"policy": policy, "collection": collection.name, "action": action, "fields": ["*"]}
            await admin.post("/permissions", right)
    account: Json = {
        "email": EMAIL,
        "first_name": NAME,
        "status": "active",
        "token": token,
        "policies": {"create": [{"policy": policy}], "update": [], "delete": []},
    }
    users = await _items(admin, "/users", {"email": {"_eq": EMAIL}})
    if users:
        await admin.patch(f"/users/{users[0]['id']}", {"token": token, "status": "active"})
    else:
        await admin.post("/users", account)


class _Limits(BaseModel):
    max: int = NO_LIMIT


class _Info(BaseModel):
    version: str | None = None
    limits: _Limits = Field(default_factory=_Limits, alias="queryLimit")


async def _info(client: DirectusClient) -> _Info:
    try:
        return _Info.model_validate((await client.get("/server/info")).data)
    except ValidationError as error:
        raise DirectusFailure(reason=DirectusCause.FOREIGN) from error


class _Right(BaseModel):
    access: str = "none"


_GRANTED = TypeAdapter(dict[str, dict[str, _Right]])


async def _granted(client: DirectusClient) -> Mapping[str, Mapping[str, str]]:
    answer = await client.get("/permissions/me")
    try:
        found = _GRANTED.validate_python(answer.data)
    except ValidationError as error:
        raise DirectusFailure(reason=DirectusCause.FOREIGN) from error
    return {
        collection: {action: right.access for action, right in actions.items()}
        for collection, actions in found.items()
    }


async def _has_columns(client: DirectusClient, collection: Collection) -> bool:
    lists = probe_fields() if collection is SERIES else ()
    query: Mapping[str, Json] = {"fields": [*collection.fields, *lists], "limit": 1}
    try:
        await client.get(f"/items/{collection.name}", query)
    except DirectusFailure as failure:
        if failure.cause is not DirectusCause.DENIED:
            raise
        return False
    return True


async def _found_or_made(admin: DirectusClient, path: str, wanted: Json, new: Json) -> str:
    found = await _items(admin, path, wanted)
    if found:
        return str(found[0]["id"])
    made = (await admin.post(path, new)).data
    if not isinstance(made, Mapping):
        raise DirectusFailure(reason=DirectusCause.DENIED)
    return str(made["id"])


async def _items(admin: DirectusClient, path: str, wanted: Json) -> Sequence[Mapping[str, Json]]:
    found = (await admin.get(path, {"filter": wanted, "limit": -1})).data
    if not isinstance(found, Sequence):
        raise DirectusFailure(reason=DirectusCause.FOREIGN)
    return [row for row in found if isinstance(row, Mapping)]
