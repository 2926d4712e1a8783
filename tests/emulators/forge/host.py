"""What the host keeps, and how it is steered."""

from dataclasses import dataclass, field
from typing import Any

from tests.emulators.http1 import HttpRequest

TOKEN = "tok-4fZ81kqP20"

Shape = Any  # any JSON: what stands in the body of an answer


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Submodule:
    """Another repository at this place."""

    url: str


@dataclass
class Repo:
    """A repository: per branch what lies at each path."""

    name: str
    branches: dict[str, dict[str, bytes | Link | Submodule]]
    private: bool = False
    description: str = ""
    number: int = 1

    @property
    def owner(self) -> str:
        return self.name.partition("/")[0]


@dataclass
class Issue:
    """An issue or a pull request."""

    repo: str
    number: int
    title: str
    body: str = ""
    state: str = "open"
    pull: bool = False


@dataclass
class Limit:
    """How many more requests the host takes; `reset` is in seconds of the epoch."""

    remaining: int
    reset: int = 0
    retry_after: str = ""
    message: str = "API rate limit exceeded for user ID 7."


@dataclass
class ForgeEmulator:
    """The host. `requests` are all that came; `served` counts the answers with a body of their own."""

    port: int = 0
    repos: list[Repo] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    moved_away: dict[str, str] = field(default_factory=dict)
    limits: dict[str, Limit] = field(default_factory=dict)
    fails: tuple[int, str] | None = None
    scopes: bool = True
    organisations: set[str] = field(default_factory=set)
    requests: list[HttpRequest] = field(default_factory=list)
    unchanged: int = 0

    @property
    def site(self) -> str:
        return f"http://git.test:{self.port}"

    def repo(self, name: str) -> Repo | None:
        return next((one for one in self.repos if one.name.lower() == name.lower()), None)
