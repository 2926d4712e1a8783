"""Files that were made in conversations, to be fetched."""

from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import Response

from adapters.http import places
from adapters.http.dependencies import Called, Hosted
from adapters.http.problems import not_found
from adapters.http.routes import examples

router = APIRouter(tags=["conversations"])


@router.get("/api/files/{file}", response_class=Response, responses=examples.file())
async def content(file: str, host: Hosted, caller: Called) -> Response:
    """Return a file that an event `attachment` told of, while it is kept; its conversation must be yours."""
    files = host.core.askers.files.store
    found = await files.file(file)
    if found is None:
        raise not_found()
    await places.own(host, caller, found.conversation)
    held = await files.content(file)
    if held is None:
        raise not_found()
    headers = {
        "content-disposition": f"attachment; filename*=utf-8''{quote(found.name, safe='')}",
        "x-content-type-options": "nosniff",
    }
    return Response(held, media_type="application/octet-stream", headers=headers)
