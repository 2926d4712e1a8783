"""Addresses at which a platform calls us: outside the API, known by their secret."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


@dataclass(frozen=True, slots=True)
class Hook:
    """Where a platform posts to. `take` gets the body and what stood in `header`; False is no one we know."""

    path: str
    header: str
    take: Callable[[bytes, str], Awaitable[bool]]


def hook_route(hook: Hook) -> Route:
    """Return the route of a hook: 200 for what was taken, 403 for a wrong secret."""

    async def post(request: Request) -> Response:
        taken = await hook.take(await request.body(), request.headers.get(hook.header, ""))
        return Response(status_code=200 if taken else 403)

    return Route(hook.path, post, methods=["POST"], include_in_schema=False)
