"""What holds for the page's files without a browser: texts complete, nothing inline, no markup made."""

import json
import re
import tomllib
from pathlib import Path

import httpx
import pytest

from adapters.http.routes.page import FOLDER
from tests.page.site import Site

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "de", "fr")
MODULES = sorted((FOLDER / "app").rglob("*.js"))
TEXTS = {
    language: json.loads((FOLDER / "texts" / f"{language}.json").read_text(encoding="utf-8"))
    for language in LANGUAGES
}
# Ways to turn text into markup or code, and to reach for what isn't ours.
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser"
    r"|javascript:|createContextualFragment|setHTML|\.style\s*=[^=]|setAttribute\(\"style\""
)
ADDRESS = re.compile(r"https?://(?!www\.w3\.org/2000/svg)[\w.]+")


def words(text: object) -> list[str]:
    return list(text.values()) if isinstance(text, dict) else [str(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_places_to_fill(language: str) -> None:
    def places(texts: dict[str, object]) -> dict[str, set[str]]:
        return {key: set(re.findall(r"\{\w+\}", "".join(words(text)))) for key, text in texts.items()}

    assert places(TEXTS[language]) == places(TEXTS["en"])
    assert [key for key, text in TEXTS[language].items() if not all(words(text))] == []


def test_every_text_that_is_said_is_written_and_every_written_one_said() -> None:
    code = "\n".join(module.read_text(encoding="utf-8") for module in MODULES)
    said = set(re.findall(r"""\bt\("([^"]+)\"""", code))
    named = set(re.findall(r"""["`]([a-z]+\.[a-z_]+)["`]""", code))
    families = set(re.findall(r"`([a-z]+)\.(?:\w*)\$\{", code))
    written = set(TEXTS["en"])

    assert said - written == set()
    assert {key for key in written - said - named if key.partition(".")[0] not in families} == set()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_modules_build_elements_from_text_only(module: Path) -> None:
    text = module.read_text(encoding="utf-8")

    assert DANGEROUS.findall(text) == []
    assert ADDRESS.findall(text) == []
    assert len(text.splitlines()) <= 300


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_modules_import_files_that_are_there(module: Path) -> None:
    imported = re.findall(r"(?:from|import\()\s*\"(\.[^\"]+)\"", module.read_text(encoding="utf-8"))

    assert [path for path in imported if not (module.parent / path).is_file()] == []


def test_the_page_holds_nothing_inline_and_asks_nobody_else() -> None:
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    styles = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "style").glob("*.css"))
    linked = re.findall(r'(?:src|href)="([^"]+)"', html)

    assert re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", html) == []
    assert re.findall(r"@import|url\(", styles) == []
    assert [path for path in linked if not (FOLDER / path).is_file()] == []


def test_the_page_ships_with_the_package() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]

    assert "adapters" in built["targets"]["wheel"]["packages"]
    assert not {"exclude", "only-include"} & {*built, *built["targets"]["wheel"]}
    assert FOLDER.is_relative_to(ROOT / "adapters")


async def test_every_file_is_served_under_a_policy_that_allows_nothing_inline(site: Site) -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]

    async with httpx.AsyncClient(base_url=site.address) as client:
        answers = [await client.get(f"/{path.relative_to(FOLDER).as_posix()}") for path in files]

    assert {answer.status_code for answer in answers} == {200}
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
