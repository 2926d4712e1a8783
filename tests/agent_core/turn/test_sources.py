"""What an answer rests on, as its steps tell."""

import json

import pytest

from agent_core.messages import ChatMessage, Json, Role
from agent_core.turn.model import Step
from agent_core.turn.sources import MAX_SOURCES, sources_of

PAGE = "https://a.test/x"
SEARCHED: dict[str, Json] = {"items": [{"url": PAGE}, {"url": "https://b.test/"}]}
NOTES: dict[str, Json] = {
    "items": [
        {"vault": "n", "path": "Vel.md", "quotes": [{"line": 4, "text": "x"}, {"line": 9, "text": "y"}]},
        {"vault": "n", "path": "Places/Vel.md", "quotes": [{"line": 2, "text": "z"}]},
        {"vault": "n", "path": "Oru.md"},
    ]
}


def step(tool: str, data: Json, outcome: str = "done") -> Step:
    content = json.dumps({"tool": tool, "note": "data", "data": data})
    return Step(turn="t", seq=0, message=ChatMessage(Role.TOOL, content), outcome=outcome)


def test_what_was_read_counts_before_what_was_found() -> None:
    steps = [step("web_search", SEARCHED), step("fetch_url", {"url": PAGE, "text": "…"})]
    assert sources_of(steps) == (PAGE,)
    assert sources_of(steps[:1]) == (PAGE, "https://b.test/")


def test_what_the_answer_names_counts_before_what_was_read() -> None:
    steps = [step("web_search", SEARCHED), step("fetch_url", {"url": PAGE})]
    assert sources_of(steps, "As (https://b.test/) says.") == ("https://b.test/",)
    assert sources_of(steps, "As https://a.test/x/y says.") == (PAGE,)


def test_notes_are_told_with_their_lines() -> None:
    assert sources_of([step("search_fulltext", NOTES)]) == ("Vel.md:4", "Vel.md:9", "Places/Vel.md:2")
    assert sources_of([step("search_fulltext", NOTES)], "See Places/Vel.md:7.") == ("Places/Vel.md:7",)
    read: Json = {"vault": "n", "path": "Oru.md", "text": "…", "line": 31}
    assert sources_of([step("search_fulltext", NOTES), step("read_file", read)]) == ("Oru.md:31",)
    link: Json = {"vault": "n", "path": "Vel.md", "items": [{"path": "Oru.md", "line": 3, "text": "[[Vel]]"}]}
    assert sources_of([step("get_backlinks", link)]) == ("Oru.md:3",)


def test_notes_of_several_folders_are_told_apart() -> None:
    steps = [
        step("read_file", {"vault": vault, "path": "Vel.md", "text": ""}) for vault in ("novel", "world")
    ]
    assert sources_of(steps) == ("novel:Vel.md:1", "world:Vel.md:1")


def test_all_pages_of_a_site_are_sources() -> None:
    pages: Json = {"site": "https://a.test", "pages": [{"url": PAGE}, {"url": "https://a.test/y"}]}
    assert sources_of([step("crawl_site", pages)]) == (PAGE, "https://a.test/y")


def test_each_kind_has_room_of_its_own() -> None:
    scenes: Json = {"scenes": [{"scene": {"label": f"{number}.1"}} for number in range(1, 40)]}
    pages: Json = {"pages": [{"url": f"https://a.test/{number}"} for number in range(40)]}
    found = sources_of([step("search_lore", scenes), step("crawl_site", pages)])
    assert len(found) == 2 * MAX_SOURCES
    assert (found[0], found[-1]) == ("1.1", f"https://a.test/{MAX_SOURCES - 1}")


@pytest.mark.parametrize("outcome", ["refused", "failed", "pending"])
def test_what_brought_nothing_is_no_source(outcome: str) -> None:
    assert sources_of([step("fetch_url", {"url": PAGE}, outcome)]) == ()
