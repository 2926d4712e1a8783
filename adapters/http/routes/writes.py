"""Writes as commands: each becomes a batch, done at once where nothing stands in its way, else a card."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from adapters.http import asking
from adapters.http.dependencies import AtDesk, Hosted
from adapters.http.routes import examples
from adapters.http.shapes import BatchOut
from adapters.http.show import batch_out
from agent_core.tools.lore_write import (
    CREATE_LORE_ENTITY,
    MERGE_ENTRIES,
    PERSIST_SCENE,
    PLACE_SCENE,
    RECORD_LORE_STATE,
    UNDO,
    UPDATE_ENTRY,
)
from agent_core.tools.members import MEMBERS
from agent_core.tools.place import SET_POSITION, SET_PROGRESS
from agent_core.tools.schedule import (
    CREATE_SCHEDULED_TASK,
    DELETE_SCHEDULED_TASK,
    PAUSE_SCHEDULED_TASK,
    RUN_SCHEDULED_TASK,
)
from agent_core.tools.spec import AnyTool

router = APIRouter(tags=["writes"])
taking = partial(router.api_route, methods=["POST"])

ASK = "show a card in any case, instead of doing at once what overwrites nothing"

# Path below the series, tool, example.
_COMMANDS: tuple[tuple[str, AnyTool, str], ...] = (
    ("facts", RECORD_LORE_STATE, "record"),
    ("entries", CREATE_LORE_ENTITY, "create"),
    ("entries/update", UPDATE_ENTRY, "update"),
    ("entries/merge", MERGE_ENTRIES, "merge"),
    ("scenes", PERSIST_SCENE, "scene"),
    ("scenes/place", PLACE_SCENE, "place"),
    ("undo", UNDO, "undo"),
    ("position", SET_POSITION, "position"),
    ("progress", SET_PROGRESS, "progress"),
    ("members", MEMBERS, "members"),
    ("tasks", CREATE_SCHEDULED_TASK, "task"),
    ("tasks/pause", PAUSE_SCHEDULED_TASK, "task_pause"),
    ("tasks/run", RUN_SCHEDULED_TASK, "task_run"),
    ("tasks/delete", DELETE_SCHEDULED_TASK, "task_run"),
)


def _route(path: str, tool: AnyTool, example: str) -> None:
    arguments_type: Any = tool.args  # Any: each route takes the arguments of its own tool

    async def command(
        arguments: Annotated[arguments_type, Body()],
        host: Hosted,
        asker: AtDesk,
        ask: Annotated[bool, Query(description=ASK)] = False,
    ) -> BatchOut:
        given = arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)
        batch = await asking.propose(host, asker, tool.name, given, at_once=not ask)
        return await batch_out(host, batch, asker)

    add = taking(
        f"/api/series/{{seriesId}}/{path}",
        name=tool.name,
        summary=tool.description.partition(".")[0],
        description=tool.description,
        responses=examples.answer("batch"),
        openapi_extra=examples.body(example),
    )
    add(command)


for _path, _tool, _example in _COMMANDS:
    _route(_path, _tool, _example)
