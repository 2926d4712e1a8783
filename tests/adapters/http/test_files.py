"""Files that tools make are told of in the stream, and fetched by those whose conversation it is."""

from collections.abc import Sequence

import pytest

from agent_core.people.model import SeriesRole
from agent_core.tools.spec import AnyTool
from tests.adapters.http.conftest import Desk
from tests.attaching import ATTACHING, CONTENT, NAME
from tests.emulators.model_endpoint import Call


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    return ATTACHING


async def test_file_of_an_answer_can_be_fetched_by_its_id(desk: Desk) -> None:
    desk.house.endpoint.reply(Call("make_file", {}))
    desk.house.endpoint.reply("Here it is.")

    [told] = (await desk.ask("Make me a file."))["attachments"]

    assert (told["name"], told["mediaType"], told["size"]) == (NAME, "application/zip", len(CONTENT))
    found = await desk.client.get(f"/api/files/{told['fileId']}")
    assert found.content == CONTENT
    assert found.headers["content-disposition"].startswith("attachment; filename*=utf-8''Die%20Reise")
    assert await desk.house.core.askers.files.store.due_files() == ()


async def test_file_of_a_write_is_told_of_before_its_turn_ends(desk: Desk) -> None:
    desk.house.endpoint.reply(Call("print_file", {}))
    card = (await desk.ask("Print me a file."))["pending"]
    desk.house.endpoint.reply("Printed.")

    decided = await desk.post(
        "/api/bookslm/agent/confirm_all", {"batchId": card["batchId"], "digest": card["digest"]}
    )

    assert [one["name"] for one in decided["attachments"]] == [NAME]
    events = await desk.house.app.events.events(decided["conversationId"])
    names = [event.name for event in events]
    assert names.count("attachment") == 1
    assert names.index("attachment") < len(names) - 1 - names[::-1].index("done")


async def test_others_do_not_get_the_file(desk: Desk) -> None:
    desk.house.endpoint.reply(Call("make_file", {}))
    desk.house.endpoint.reply("Here it is.")
    [told] = (await desk.ask("Make me a file."))["attachments"]
    stranger = await desk.token("ben", SeriesRole.EDITOR)

    statuses = [
        (await desk.client.get(f"/api/files/{file}", headers=stranger)).status_code
        for file in (told["fileId"], "none")
    ]

    assert statuses == [404, 404]
