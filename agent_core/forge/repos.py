"""Repositories, as both interfaces describe them."""

from collections.abc import Awaitable, Callable

from pydantic import BaseModel

from agent_core.forge.model import RepoItem, RepoList

MAX_PAGES = 10  # that are gone through for one query


class RepoShape(BaseModel):
    """What both interfaces say of a repository."""

    full_name: str
    description: str | None = None
    private: bool = False
    fork: bool = False
    archived: bool = False
    default_branch: str = ""
    updated_at: str | None = None
    html_url: str = ""


def repo_item(shape: RepoShape) -> RepoItem:
    """Return a repository in our form."""
    return RepoItem(
        name=shape.full_name,
        description=shape.description or "",
        private=shape.private,
        fork=shape.fork,
        archived=shape.archived,
        branch=shape.default_branch,
        updated=shape.updated_at or "",
        url=shape.html_url,
    )


async def walked(fetch: Callable[[int], Awaitable[RepoList]], query: str, page: int) -> RepoList:
    """Return the page, or with a query what of it and the pages behind it holds every word."""
    found = await fetch(page)
    if not query:
        return found
    items = list(found.items)
    for _ in range(MAX_PAGES - 1):
        if found.next_page is None:
            break
        found = await fetch(found.next_page)
        items += found.items
    fitting = tuple(item for item in items if _holds(item, query))
    return RepoList(forge=found.forge, items=fitting, next_page=found.next_page)


def _holds(item: RepoItem, query: str) -> bool:
    text = f"{item.name} {item.description}".casefold()
    return all(word in text for word in query.casefold().split())
