"""The tools that read a git host."""

from pydantic import Field

from agent_core.errors import ForgeRefusal
from agent_core.forge.model import Forge, GitFile, IssueKind, IssueList, RepoList, State
from agent_core.forge.names import clean_owner, clean_path, clean_ref, clean_repo
from agent_core.tools.spec import Args, Family, Risk, Tool, ToolContext

TEXT_SHARE = 0.7  # of a result's characters; the rest is for what else is said of a file, and JSON
SETTING = "LOREKEEPER_FORGE"


class ReposArgs(Args):
    """Arguments of git_list_repos."""

    query: str = Field("", description="only repositories whose name or description holds these words")
    owner: str = Field("", description="a person or organisation; empty for all that the token sees")
    page: int = Field(1, ge=1, le=10_000, description="the page to list; nextPage of the answer before")


class FileArgs(Args):
    """Arguments of git_get_file."""

    repo: str = Field(description="the repository as OWNER/NAME")
    path: str = Field("", description="a file or folder within it; empty for its root")
    ref: str = Field("", description="a branch, tag or commit; empty for the default branch")
    offset: int = Field(0, ge=0, description="go on at this character of a long file")


class IssuesArgs(Args):
    """Arguments of git_search_issues."""

    query: str = Field(description="words to look for; may be empty with repo")
    repo: str = Field("", description="the repository as OWNER/NAME; empty for all that the token sees")
    state: State = Field("open", description="open, closed or all")
    kind: IssueKind = Field("issue", description="issue, or pull for pull requests")
    page: int = Field(1, ge=1, le=10_000, description="the page to list; nextPage of the answer before")


def _forge(context: ToolContext) -> Forge:
    """Return the git host of the settings.

    Raises:
        ForgeRefusal: reason "none".
    """
    if context.services.forge is None:
        raise ForgeRefusal(reason="none", variable=SETTING)
    return context.services.forge


async def _repos(context: ToolContext, args: ReposArgs) -> RepoList:
    owner = clean_owner(args.owner) if args.owner.strip() else ""
    return await _forge(context).repos(args.query.strip(), owner, args.page)


async def _file(context: ToolContext, args: FileArgs) -> GitFile:
    repo, path, ref = clean_repo(args.repo), clean_path(args.path), clean_ref(args.ref)
    found = await _forge(context).file(repo, path, ref)
    start = min(args.offset, found.total)
    end = start + round(context.max_chars * TEXT_SHARE)
    following = end if end < found.total else None
    piece = {"text": found.text[start:end], "offset": start, "next_offset": following}
    return found.model_copy(update=piece)


async def _issues(context: ToolContext, args: IssuesArgs) -> IssueList:
    repo = clean_repo(args.repo) if args.repo.strip() else ""
    return await _forge(context).issues(args.query.strip(), repo, args.state, args.kind, args.page)


GIT_LIST_REPOS = Tool(
    name="git_list_repos",
    family=Family.FORGE,
    risk=Risk.READ,
    args=ReposArgs,
    read=_repos,
    description="List the repositories of the connected git host, those that changed last first.",
    timeout_s=120.0,
    untrusted=True,
)
GIT_GET_FILE = Tool(
    name="git_get_file",
    family=Family.FORGE,
    risk=Risk.READ,
    args=FileArgs,
    read=_file,
    description="Read a file of a repository on the connected git host, or list a folder.",
    timeout_s=60.0,
    untrusted=True,
)
GIT_SEARCH_ISSUES = Tool(
    name="git_search_issues",
    family=Family.FORGE,
    risk=Risk.READ,
    args=IssuesArgs,
    read=_issues,
    description="Search issues or pull requests on the connected git host.",
    timeout_s=60.0,
    untrusted=True,
)

FORGES = (GIT_LIST_REPOS, GIT_GET_FILE, GIT_SEARCH_ISSUES)
