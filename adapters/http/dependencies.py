"""What routes ask for by type: the host, the caller, and the caller at their desk for a series."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from adapters.http.caller import caller_of
from adapters.http.host import Caller, Host
from adapters.http.places import desk, own
from adapters.http.problems import not_found
from agent_core.tools.spec import Asker


def host_of(request: Request) -> Host:
    """Return what the application is served with."""
    host: Host = request.app.state.host
    return host


Hosted = Annotated[Host, Depends(host_of)]
Called = Annotated[Caller, Depends(caller_of)]
SeriesId = Annotated[str, Path(alias="seriesId", description="a series of yours", max_length=100)]


Place = Annotated[
    str | None,
    Query(
        alias="conversationId",
        max_length=100,
        description="a conversation about the series whose book and position count, instead of your desk",
    ),
]


async def asker_at_desk(host: Hosted, caller: Called, series: SeriesId, place: Place = None) -> Asker:
    """Return the caller at their desk for the series in the path, or in another conversation about it.

    Raises:
        Problem: 404.
    """
    asker = await desk(host, caller, series)
    if place is None:
        return asker
    asker = await own(host, caller, place)
    if asker.conversation.series != series:
        raise not_found()
    return asker


AtDesk = Annotated[Asker, Depends(asker_at_desk)]
Text = Annotated[str | None, Query(max_length=500)]
