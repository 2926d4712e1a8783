"""The web, the git host, the schedule and messages: what others were asked, and what is stored."""

from collections.abc import Awaitable, Callable

from tests.agent_core.tools.scenarios.row import Arguments, Row
from tests.agent_core.tools.world import HIT, World

Check = Callable[[World], Awaitable[None]]


def _asked(target: str) -> Check:
    async def check(world: World) -> None:
        assert target in world.site.asked()

    return check


async def _page(world: World) -> Arguments:
    return {"url": f"http://127.0.0.1:{world.site.port}/harbour"}


async def _site(world: World) -> Arguments:
    return {**await _page(world), "maxPages": 1}


def _read_there(path: str) -> Check:
    async def check(world: World) -> None:
        assert path in [request.path for request in world.forge.requests]

    return check


async def _task(world: World) -> Arguments:
    """Make a task; return its number."""
    await world.house.write("create_scheduled_task", when="every Friday 18:00", prompt="What is new in Vel?")
    [[number]] = world.rows("SELECT max(number) FROM schedule")
    return {"task": str(number)}


async def _tasks(world: World) -> Arguments:
    await _task(world)
    return {}


async def _scheduled(world: World) -> None:
    [[prompt]] = world.rows("SELECT prompt FROM schedule WHERE prompt LIKE 'Who sails%'")
    assert prompt == "Who sails where?"


async def _gone(world: World) -> None:
    kept = [str(number) for (number,) in world.rows("SELECT number FROM schedule")]
    assert world.asked["task"] not in kept


async def _queued(world: World) -> None:
    assert world.rows("SELECT 1 FROM schedule_run WHERE by_hand = 1")


async def _delivered(world: World) -> None:
    assert world.services.taken[-1].text == "News\n\nThe tide turns."


OUTSIDE = (
    Row(
        tool="web_search",
        arguments={"query": "salt roads"},
        tells=(HIT["url"], HIT["content"]),
        outside=_asked("/search?q=salt+roads&format=json"),
        refused=({"query": ""}, "InvalidArguments"),
    ),
    Row(
        tool="fetch_url",
        arguments=_page,
        tells=("The old ships lay at anchor",),
        outside=_asked("/harbour"),
        mentions_site=True,
        refused=({"url": "http://169.254.169.254/latest/meta-data"}, "address"),
    ),
    Row(
        tool="crawl_site",
        arguments=_site,
        tells=("The old ships lay at anchor",),
        outside=_asked("/robots.txt"),
        mentions_site=True,
        refused=({"url": "file:///etc/passwd"}, "scheme"),
    ),
    Row(
        tool="git_list_repos",
        arguments={},
        tells=("ann/novel", "ann/secret"),
        outside=_read_there("/api/v1/repos/search?sort=updated&order=desc&page=1&limit=50"),
        refused=({"owner": "nobody"}, "unknown_owner"),
    ),
    Row(
        tool="git_get_file",
        arguments={"repo": "ann/novel", "path": "chapters/01.md"},
        tells=("Sie hört die Möwen.",),
        outside=_read_there("/api/v1/repos/ann/novel/contents/chapters/01.md"),
        refused=({"repo": "ann/novel", "path": "../../etc/passwd"}, "path_form"),
    ),
    Row(
        tool="git_search_issues",
        arguments={"query": "scarf", "repo": "ann/novel"},
        tells=("Mara's scarf is blue",),
        outside=_read_there("/api/v1/repos/ann/novel/issues?q=scarf&state=open&type=issues&page=1&limit=50"),
        refused=({"query": "scarf", "repo": "ann/nothing"}, "unknown_repo"),
    ),
    Row(
        tool="list_scheduled_tasks",
        arguments=_tasks,
        tells=("What is new in Vel?",),
        refused=({"what": "x"}, "InvalidArguments"),
    ),
    Row(
        tool="create_scheduled_task",
        arguments={"when": "every Friday 18:00", "prompt": "Who sails where?"},
        outside=_scheduled,
        refused=({"when": "on the 30th of February", "prompt": "x"}, "ScheduleRefusal"),
    ),
    Row(
        tool="run_scheduled_task",
        arguments=_task,
        outside=_queued,
        refused=({"task": "9999"}, "unknown"),
    ),
    Row(
        tool="delete_scheduled_task",
        arguments=_task,
        outside=_gone,
        refused=({"task": "9999"}, "unknown"),
    ),
    Row(
        tool="notify_external",
        arguments={"channel": "team", "text": "The tide turns.", "title": "News"},
        outside=_delivered,
        refused=({"channel": "https://evil.test/hook", "text": "x"}, "channel"),
    ),
)
