"""The frame of the REST interface: routes, parsed calls, replies, and the log of requests."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import BodyPartReader, web

from tests.emulators.discord.model import Attachment, Json
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.world import World

_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Upload:
    filename: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """A request, parsed."""

    method: str
    path: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Any = None  # any JSON, or nothing
    files: Mapping[int, Upload] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the id of that name in the path.

        Raises:
            Refused: 50035, for what is no id.
        """
        text = self.params[name]
        if not text.isdigit():
            detail = {"code": "NUMBER_TYPE_COERCE", "message": f'Value "{text}" is not snowflake.'}
            raise Refused(50035, errors={name: {"_errors": [detail]}})
        return int(text)

    @property
    def fields(self) -> Json:
        """The body as an object.

        Raises:
            Refused: 50109, for anything else.
        """
        if not isinstance(self.body, dict):
            raise Refused(50109)
        return self.body


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; without a body it is a 204."""

    body: Any = None  # any JSON, or nothing
    status: int = 200


NOTHING: Final = Reply(status=204)


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint; those that carry a token of their own need no bot token."""

    method: str
    path: str
    answer: Callable[[World, Call], Reply]
    needs_token: bool = True


@dataclass(eq=False, slots=True)
class Request:
    """A request in the log; `code` is that of the refusal, 0 without one."""

    sequence: int
    method: str
    path: str
    query: Mapping[str, str]
    body: Any  # any JSON, or nothing
    arrived_s: float
    status: int = 0
    code: int = 0


async def parsed(request: web.Request) -> tuple[Any, dict[int, Upload]]:  # any JSON, or nothing
    """Return the body and the files of a request.

    Raises:
        Refused: 50109, for what is no JSON.
    """
    if request.content_type == "multipart/form-data":
        return await _multipart(request)
    raw = await request.read()
    return (_loaded(raw) if raw else None), {}


def attachments_of(world: World, call: Call, listed: list[Json] | None) -> list[Attachment]:
    """Return the uploaded files as attachments, with what the body says about each."""
    described = {int(item["id"]): item for item in listed or [] if str(item.get("id", "")).isdigit()}
    return [
        world.store(
            str(described.get(number, {}).get("filename") or upload.filename),
            upload.content,
            description=described.get(number, {}).get("description"),
        )
        for number, upload in sorted(call.files.items())
    ]


def _loaded(raw: bytes) -> Any:  # any JSON
    try:
        return json.loads(raw)
    except ValueError as error:
        raise Refused(50109) from error


async def _multipart(request: web.Request) -> tuple[Any, dict[int, Upload]]:  # any JSON, or nothing
    body: Any = None  # any JSON, or nothing
    files: dict[int, Upload] = {}
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        content = bytes(await part.read())
        name = part.name or ""
        if name == "payload_json":
            body = _loaded(content)
        elif name.startswith("files[") and name.endswith("]"):
            files[int(name[6:-1])] = Upload(part.filename or "unknown", content)
    return body, files
