"""What a git host answers, whichever it is: typed results, in one form."""

from enum import StrEnum
from typing import Literal, Protocol

from agent_core.lore.answers import Answer

State = Literal["open", "closed", "all"]
IssueKind = Literal["issue", "pull"]
EntryKind = Literal["file", "folder", "link", "submodule"]


class ForgeKind(StrEnum):
    """Which programming interface a git host speaks."""

    GITEA = "gitea"
    GITHUB = "github"


class RepoItem(Answer):
    """A repository. `name` is OWNER/NAME."""

    name: str
    description: str = ""
    private: bool = False
    fork: bool = False
    archived: bool = False
    branch: str = ""
    updated: str = ""
    url: str = ""


class RepoList(Answer):
    """Repositories, those that changed last first; `next_page` is where to go on."""

    forge: str
    items: tuple[RepoItem, ...]
    total: int | None = None
    next_page: int | None = None


class EntryItem(Answer):
    """Something in a folder of a repository."""

    path: str
    kind: EntryKind
    bytes: int = 0


class GitFile(Answer):
    """What lies at a path of a repository.

    `text` is set for a file of text, from `offset` on; `items` for a folder; `target` for a link, a submodule
    and a file that is kept in LFS (its digest). A binary file has none of them.
    """

    repo: str
    path: str
    ref: str = ""
    kind: Literal["text", "binary", "lfs", "folder", "link", "submodule"]
    bytes: int = 0
    url: str = ""
    text: str = ""
    offset: int = 0
    total: int = 0
    next_offset: int | None = None
    target: str = ""
    items: tuple[EntryItem, ...] = ()


class IssueItem(Answer):
    """An issue or a pull request; `quote` is the beginning of its text."""

    repo: str
    number: int
    kind: IssueKind
    title: str
    state: Literal["open", "closed"]
    author: str = ""
    labels: tuple[str, ...] = ()
    comments: int = 0
    updated: str = ""
    url: str = ""
    quote: str = ""


class IssueList(Answer):
    """Issues, or pull requests; `incomplete` says that the host gave up the search before its end."""

    forge: str
    items: tuple[IssueItem, ...]
    total: int | None = None
    next_page: int | None = None
    incomplete: bool = False


class Forge(Protocol):
    """A git host that is read with the rights of one token.

    Raises of all verbs:
        ForgeRefusal: there is no such thing, or it may not be read; facts say what to try.
        ForgeFailure: the host didn't answer, or not as its interface is described.
        OutboundRefusal, OutboundFailure: it can't be reached.
    """

    async def repos(self, query: str, owner: str, page: int) -> RepoList:
        """Return repositories of an owner, or all that the token sees, whose name holds the query."""
        ...

    async def file(self, repo: str, path: str, ref: str) -> GitFile:
        """Return what lies at a path, with the whole text of a file; `ref` may be empty."""
        ...

    async def issues(self, query: str, repo: str, state: State, kind: IssueKind, page: int) -> IssueList:
        """Return issues of a repository, or of all that the token sees, that hold the query."""
        ...
