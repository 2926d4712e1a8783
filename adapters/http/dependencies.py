"""What routes ask for by type: the host, the caller, and the caller at their desk for a series."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from adapters.http.caller import caller_of
from adapters.http.host import Caller, Host
from adapters.http.places import desk
from agent_core.tools.spec import Asker


def host_of(request: Request) -> Host:
    """Return what the application is served with."""
    host: Host = request.app.state.host
    return host


Hosted = Annotated[Host, Depends(host_of)]
Called = Annotated[Caller, Depends(caller_of)]
SeriesId = Annotated[str, Path(alias="seriesId", description="a series of yours", max_length=100)]


async def asker_at_desk(host: Hosted, caller: Called, series: SeriesId) -> Asker:
    """Return the caller at their desk for the series in the path."""
    return await desk(host, caller, series)


AtDesk = Annotated[Asker, Depends(asker_at_desk)]
Text = Annotated[str | None, Query(max_length=500)]
