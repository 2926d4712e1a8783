"""Issues and pull requests, as both interfaces describe them."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue

from agent_core.forge.model import IssueItem

MAX_QUOTE_CHARS = 500


class _Named(BaseModel):
    login: str = ""
    name: str = ""
    full_name: str = ""


class IssueShape(BaseModel):
    """What both interfaces say of an issue; a pull request is one that has `pull_request`."""

    number: int
    title: str
    state: Literal["open", "closed"]
    body: str | None = None
    user: _Named | None = None
    labels: list[_Named] | None = None
    comments: int = 0
    updated_at: str | None = None
    html_url: str = ""
    pull_request: dict[str, JsonValue] | None = None
    repository: _Named | None = None
    repository_url: str = ""


def issue_item(shape: IssueShape, repo: str) -> IssueItem:
    """Return an issue in our form; `repo` is its repository where it doesn't say so."""
    return IssueItem(
        repo=_repo(shape) or repo,
        number=shape.number,
        kind="pull" if shape.pull_request is not None else "issue",
        title=shape.title,
        state=shape.state,
        author=shape.user.login if shape.user else "",
        labels=tuple(label.name for label in shape.labels or ()),
        comments=shape.comments,
        updated=shape.updated_at or "",
        url=shape.html_url,
        quote=" ".join((shape.body or "").split())[:MAX_QUOTE_CHARS],
    )


def _repo(shape: IssueShape) -> str:
    if shape.repository is not None:
        return shape.repository.full_name
    return "/".join(urlsplit(shape.repository_url).path.split("/")[-2:]) if shape.repository_url else ""
