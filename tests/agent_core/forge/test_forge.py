"""Gitea and GitHub, each read over a real socket, and what is honestly said of what is not there."""

from datetime import timedelta

import pytest

from agent_core.errors import ForgeFailure, ForgeRefusal, OutboundRefusal
from agent_core.forge.contents import MAX_FILE_BYTES
from agent_core.forge.github import api_address
from agent_core.forge.kept import Kept, KeptAnswers
from agent_core.forge.model import Forge
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, open_outbound
from tests.agent_core.forge.conftest import KINDS, loopback, opened
from tests.clock import FakeClock
from tests.emulators.forge import ForgeEmulator, Issue, Limit, Repo, forge_emulator

NOVEL = "ann/novel"


async def refused(forge: Forge, repo: str = NOVEL, path: str = "README.md", ref: str = "") -> ForgeRefusal:
    """Return why a file is refused."""
    with pytest.raises(ForgeRefusal) as caught:
        await forge.file(repo, path, ref)
    return caught.value


async def test_file_is_read_with_all_its_letters(forge: Forge) -> None:
    found = await forge.file(NOVEL, "chapters/01.md", "")
    assert (found.kind, found.text) == ("text", "Mara waits. Sie hört die Möwen.\n")
    assert found.bytes == 34
    assert found.url.endswith("/chapters/01.md")


async def test_branch_is_read_that_was_named(forge: Forge) -> None:
    assert (await forge.file(NOVEL, "README.md", "draft")).text == "# Draft\n"


async def test_folder_is_listed_with_what_each_thing_is(forge: Forge) -> None:
    found = await forge.file(NOVEL, "", "")
    kinds = {item.path: item.kind for item in found.items}
    assert found.kind == "folder"
    assert kinds["chapters"] == "folder"
    assert kinds["README.md"] == "file"
    assert kinds["away"] == "link"
    assert kinds["fonts"] == "submodule"
    inner = await forge.file(NOVEL, "chapters", "")
    assert [item.path for item in inner.items] == ["chapters/01.md", "chapters/02.md"]


async def test_what_is_no_text_is_said_to_be_none(forge: Forge) -> None:
    binary = await forge.file(NOVEL, "map.png", "")
    link = await forge.file(NOVEL, "away", "")
    module = await forge.file(NOVEL, "fonts", "")
    large = await forge.file(NOVEL, "cover.psd", "")
    assert (binary.kind, binary.text, binary.bytes) == ("binary", "", 16)
    assert (link.kind, link.target) == ("link", "../elsewhere")
    assert (module.kind, module.target) == ("submodule", "https://git.example/ann/fonts.git")
    assert (large.kind, large.bytes, large.text) == ("lfs", 12_345_678, "")
    assert large.target.startswith("sha256:4d7a")


@pytest.mark.parametrize(("coding", "text"), [("utf-16", "Öl\n"), ("utf-8-sig", "Öl\n")])
async def test_text_in_another_coding_is_read(
    forge: Forge, host: ForgeEmulator, coding: str, text: str
) -> None:
    host.repos[0].branches["main"]["oil.txt"] = text.encode(coding)
    assert (await forge.file(NOVEL, "oil.txt", "")).text == text


async def test_file_that_is_not_sent_along_is_fetched_and_one_too_large_refused(
    forge: Forge, host: ForgeEmulator
) -> None:
    host.repos[0].branches["main"]["long.md"] = b"word " * 500_000
    host.repos[0].branches["main"]["huge.md"] = b"x" * (MAX_FILE_BYTES + 1)
    assert len((await forge.file(NOVEL, "long.md", "")).text) == 2_500_000
    error = await refused(forge, path="huge.md")
    assert (error.facts["reason"], error.facts["most"]) in {
        ("too_large", MAX_FILE_BYTES),
        ("too_large", 8_000_000),
    }


async def test_missing_repository_branch_and_path_are_told_apart(forge: Forge) -> None:
    assert (await refused(forge, repo="ann/nothing")).facts["reason"] == "unknown_repo"
    assert (await refused(forge, ref="main2")).facts["reason"] == "unknown_ref"
    path = await refused(forge, path="chapters/1.md")
    assert path.facts["reason"] == "unknown_path"
    assert "chapters/01.md" in str(path.facts["nearest"])


@pytest.mark.parametrize("kind", KINDS)
async def test_private_repository_is_unknown_without_the_token(
    kind: str, host: ForgeEmulator, outbound: Outbound, clock: FakeClock
) -> None:
    known = await opened(kind, host, outbound, clock).file("ann/secret", "plan.md", "")
    assert known.text == "hidden plan\n"
    error = await refused(opened(kind, host, outbound, clock, token=None), "ann/secret", "plan.md")
    assert error.facts["reason"] == "unknown_repo"


@pytest.mark.parametrize("kind", KINDS)
async def test_wrong_token_and_one_of_too_few_rights_are_told_apart(
    kind: str, host: ForgeEmulator, outbound: Outbound, clock: FakeClock
) -> None:
    with pytest.raises(ForgeFailure) as wrong:
        await opened(kind, host, outbound, clock, token="another").file(NOVEL, "README.md", "")
    host.scopes = False
    error = await refused(opened(kind, host, outbound, clock))
    assert wrong.value.facts["reason"] == "token"
    assert error.facts["reason"] == "forbidden"
    assert "token" in str(error.facts["said"])


async def test_what_did_not_change_is_not_sent_again(host: ForgeEmulator, outbound: Outbound) -> None:
    clock = FakeClock()
    forge = opened("github", host, outbound, clock)
    first = await forge.file(NOVEL, "README.md", "")
    assert await forge.file(NOVEL, "README.md", "") == first
    assert host.unchanged == 1
    host.repos[0].branches["main"]["README.md"] = b"# New\n"
    assert (await forge.file(NOVEL, "README.md", "")).text == "# New\n"


def test_kept_answers_stay_within_their_number_and_size() -> None:
    kept = KeptAnswers(max_answers=3, max_bytes=100)
    for number in range(5):
        kept.put(f"u{number}", "a", Kept(f"e{number}", b"x" * 10, more=False, total=None))
    assert [number for number in range(5) if kept.get(f"u{number}", "a")] == [2, 3, 4]
    kept.put("large", "a", Kept("e", b"x" * 26, more=False, total=None))
    assert kept.get("large", "a") is None
    for number in range(3):
        kept.put(f"v{number}", "a", Kept("e", b"x" * 25, more=False, total=None))
        kept.put(f"w{number}", "a", Kept("e", b"x" * 25, more=False, total=None))
    held = [one for one in (kept.get(f"{name}{n}", "a") for name in "uvw" for n in range(5)) if one]
    assert len(held) == 3


async def test_pages_are_gone_through_by_number(forge: Forge, host: ForgeEmulator) -> None:
    host.repos = [Repo(f"ann/r{number}", {"main": {}}, number=number) for number in range(120)]
    seen: list[str] = []
    page: int | None = 1
    while page is not None:
        found = await forge.repos("", "", page)
        seen += [item.name for item in found.items]
        page = found.next_page
    assert seen == [repo.name for repo in host.repos]


async def test_query_finds_a_repository_on_a_later_page(forge: Forge, host: ForgeEmulator) -> None:
    host.repos = [Repo(f"ann/r{number}", {"main": {}}, number=number) for number in range(120)]
    assert [item.name for item in (await forge.repos("r117", "", 1)).items] == ["ann/r117"]
    assert [item.name for item in (await forge.repos("r117", "ann", 1)).items] == ["ann/r117"]


async def test_unknown_owner_is_named(forge: Forge) -> None:
    with pytest.raises(ForgeRefusal) as caught:
        await forge.repos("", "nobody", 1)
    assert caught.value.facts["reason"] == "unknown_owner"


async def test_github_lists_private_repositories_of_an_organisation(
    host: ForgeEmulator, outbound: Outbound
) -> None:
    host.organisations.add("ann")
    found = await opened("github", host, outbound, FakeClock()).repos("", "ann", 1)
    assert {item.name for item in found.items} == {NOVEL, "ann/secret"}


async def test_github_without_a_token_asks_for_an_owner(host: ForgeEmulator, outbound: Outbound) -> None:
    with pytest.raises(ForgeRefusal) as caught:
        await opened("github", host, outbound, FakeClock(), token=None).repos("", "", 1)
    assert caught.value.facts["reason"] == "needs_owner"


async def test_issues_are_found_by_words_state_and_kind(forge: Forge) -> None:
    open_ones = await forge.issues("scarf", NOVEL, "open", "issue", 1)
    closed = await forge.issues("", NOVEL, "closed", "issue", 1)
    pulls = await forge.issues("scarf", "", "all", "pull", 1)
    assert [(item.number, item.repo, item.quote) for item in open_ones.items] == [
        (1, NOVEL, "It was red in chapter 1.")
    ]
    assert [item.number for item in closed.items] == [2]
    assert [(item.number, item.kind, item.repo) for item in pulls.items] == [(3, "pull", NOVEL)]


async def test_issues_of_an_unknown_repository_are_refused(forge: Forge) -> None:
    with pytest.raises(ForgeRefusal) as caught:
        await forge.issues("x", "ann/nothing", "open", "issue", 1)
    assert caught.value.facts["reason"] == "unknown_repo"


async def test_search_ends_where_the_host_ends_it(host: ForgeEmulator, outbound: Outbound) -> None:
    host.issues = [Issue(NOVEL, number, "scarf") for number in range(1, 1_102)]
    forge = opened("github", host, outbound, FakeClock())
    assert (await forge.issues("scarf", NOVEL, "open", "issue", 19)).next_page == 20
    last = await forge.issues("scarf", NOVEL, "open", "issue", 20)
    assert (last.next_page, last.total) == (None, 1_101)
    with pytest.raises(ForgeRefusal) as caught:
        await forge.issues("scarf", NOVEL, "open", "issue", 21)
    assert caught.value.facts["reason"] == "last_page"


@pytest.mark.parametrize(
    "limit",
    [
        Limit(0, reset=300),
        Limit(0, retry_after="300"),
        Limit(0, retry_after="300", message="You have exceeded a secondary rate limit."),
    ],
)
async def test_host_is_left_alone_until_its_limit_ends(
    host: ForgeEmulator, outbound: Outbound, clock: FakeClock, limit: Limit
) -> None:
    forge = opened("github", host, outbound, clock)
    limit.reset = round(clock.now().timestamp()) + 300 if limit.reset else 0
    host.limits["core"] = limit
    first = await refused(forge)
    asked = len(host.requests)
    again = await refused(forge)
    assert first.facts["reason"] == again.facts["reason"] == "rate"
    assert again.facts["until"] == f"{clock.now() + timedelta(seconds=300):%Y-%m-%d %H:%M:%S} UTC"
    assert len(host.requests) == asked
    assert (await forge.issues("scarf", NOVEL, "open", "issue", 1)).items  # has a limit of its own
    host.limits.clear()
    clock.advance(seconds=301)
    assert (await forge.file(NOVEL, "README.md", "")).kind == "text"


async def test_secondary_limit_that_names_no_time_is_a_minute(
    host: ForgeEmulator, outbound: Outbound, clock: FakeClock
) -> None:
    host.limits["core"] = Limit(0, message="You have exceeded a secondary rate limit.")
    error = await refused(opened("github", host, outbound, clock))
    assert (error.facts["reason"], error.facts["retry_after_s"]) == ("rate", 60)


async def test_last_request_of_a_limit_is_answered_and_the_next_not_sent(
    host: ForgeEmulator, outbound: Outbound, clock: FakeClock
) -> None:
    host.limits["core"] = Limit(1, reset=round(clock.now().timestamp()) + 60)
    forge = opened("github", host, outbound, clock)
    assert (await forge.file(NOVEL, "README.md", "")).kind == "text"
    assert (await refused(forge)).facts["reason"] == "rate"
    assert len(host.requests) == 1


async def test_renamed_repository_is_followed(forge: Forge, host: ForgeEmulator) -> None:
    host.renamed["ann/old"] = NOVEL
    assert (await forge.file("ann/old", "chapters/02.md", "main")).text == "The Heron sails.\n"
    assert (await refused(forge, "ann/old", "nothing.md")).facts["reason"] == "unknown_path"


@pytest.mark.parametrize("kind", KINDS)
async def test_token_goes_to_no_other_host(kind: str, host: ForgeEmulator, clock: FakeClock) -> None:
    async with (
        forge_emulator() as other,
        open_outbound(PrivateHosts(["git.test", "other.test"]), resolver=loopback) as outbound,
    ):
        host.moved_away[NOVEL] = f"http://other.test:{other.port}"
        await opened(kind, host, outbound, clock).file(NOVEL, "README.md", "")
        assert "authorization" in host.requests[0].headers
        assert ["authorization" in request.headers for request in other.requests] == [False]


@pytest.mark.parametrize("kind", KINDS)
async def test_redirect_inside_is_refused(
    kind: str, host: ForgeEmulator, outbound: Outbound, clock: FakeClock
) -> None:
    """Case A52: what a host redirects to is checked like everything else."""
    host.moved_away[NOVEL] = "http://169.254.169.254"
    with pytest.raises(OutboundRefusal):
        await opened(kind, host, outbound, clock).file(NOVEL, "README.md", "")


@pytest.mark.parametrize("kind", KINDS)
async def test_private_host_is_reached_only_where_it_is_listed(
    kind: str, host: ForgeEmulator, clock: FakeClock
) -> None:
    """Case A52: a git host inside needs its place on the list."""
    async with open_outbound(PrivateHosts(), resolver=loopback) as outbound:
        with pytest.raises(OutboundRefusal):
            await opened(kind, host, outbound, clock).file(NOVEL, "README.md", "")
    assert host.requests == []


@pytest.mark.parametrize(
    ("fails", "reason"), [((502, "Bad Gateway"), "status"), ((500, "boom"), "status"), ((401, "no"), "token")]
)
async def test_trouble_of_the_host_is_named(
    forge: Forge, host: ForgeEmulator, fails: tuple[int, str], reason: str
) -> None:
    host.fails = fails
    with pytest.raises(ForgeFailure) as caught:
        await forge.file(NOVEL, "README.md", "")
    assert caught.value.facts["reason"] == reason


async def test_answer_that_is_no_answer_of_the_interface_is_told(forge: Forge, host: ForgeEmulator) -> None:
    host.fails = (200, "a page of a proxy")
    with pytest.raises(ForgeFailure) as caught:
        await forge.repos("", "", 1)
    assert caught.value.facts["reason"] == "shape"


async def test_refusal_without_a_word_is_one(forge: Forge, host: ForgeEmulator) -> None:
    """Case A14: 404 with an empty body."""
    host.fails = (404, "")
    assert (await refused(forge)).facts["reason"] == "unknown_repo"


async def test_empty_file_is_an_empty_text(forge: Forge, host: ForgeEmulator) -> None:
    host.repos[0].branches["main"]["empty.md"] = b""
    found = await forge.file(NOVEL, "empty.md", "")
    assert (found.kind, found.text, found.bytes) == ("text", "", 0)


async def test_search_that_the_host_refuses_is_told_in_its_words(
    host: ForgeEmulator, outbound: Outbound
) -> None:
    host.fails = (422, "The search is longer than 256 characters.")
    with pytest.raises(ForgeRefusal) as caught:
        await opened("github", host, outbound, FakeClock()).issues("scarf", "", "open", "issue", 1)
    assert caught.value.facts["reason"] == "query"
    assert "256 characters" in str(caught.value.facts["said"])


@pytest.mark.parametrize(
    ("given", "begins"),
    [
        ("", "https://api.github.com"),
        ("https://github.com/", "https://api.github.com"),
        ("https://git.corp.example", "https://git.corp.example/api/v3"),
        ("https://git.corp.example/api/v3/", "https://git.corp.example/api/v3"),
    ],
)
def test_interface_of_github_is_found_by_its_address(given: str, begins: str) -> None:
    assert api_address(given) == begins
