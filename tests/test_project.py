"""What holds for the project as a whole: sizes, names, locks, links, and words that must not stand in it."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOP_FOLDERS = (
    ".ci",
    ".github",
    "adapters",
    "agent_core",
    "bench",
    "bot",
    "docs",
    "requirements",
    "scripts",
    "tests",
)
SOURCES = sorted(
    path for folder in ("bot", "adapters", "agent_core") for path in (ROOT / folder).rglob("*.py")
)
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file())
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LOCK_LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\]+))?")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")

# Written so that this file does not contain what it looks for.
FORBIDDEN = re.compile(
    r"(?<![\w.~-])/(?:[r]oot/|[w]ork/|[U]sers/|[h]ome/\w+/)\w"  # "/home/city" alone may be a JSON pointer
    r"|[.][.]/shared|pypi[.]org|pythonhosted[.]org|npmjs[.]org|deb[.]debian[.]org"
)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def project_files() -> list[Path]:
    top = [path for path in ROOT.iterdir() if path.is_file() and path.name not in {".env", "uv.lock"}]
    inner = [path for folder in TOP_FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [
        path for path in top + inner if path.suffix not in {".pyc", ".db"} and ".coverage" not in path.name
    ]


def locked(name: str) -> dict[str, str]:
    """Return {canonical name: version} of a lock."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return {
        canonicalize_name(found["name"]): found["version"]
        for line in text.splitlines()
        if (found := LOCK_LINE.match(line))
    }


@pytest.mark.parametrize("path", ["agent_core/turn/loop.py", "agent_core/pipeline/call.py"])
def test_the_two_straight_lines_stay_short(path: str) -> None:
    assert len(lines(ROOT / path)) <= 150


def test_no_module_is_longer_than_400_lines() -> None:
    assert [str(path) for path in SOURCES if len(lines(path)) > 400] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    modules = [*SOURCES, *(ROOT / "tests").rglob("*.py")]

    assert [str(path) for path in modules if vague & {path.stem, path.parent.name}] == []


def test_every_part_of_agent_core_has_its_layer() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    [inside] = [contract for contract in contracts if contract.get("containers") == ["agent_core"]]
    layered = {part.strip(" ()") for layer in inside["layers"] for part in re.split(r"[|:]", layer)}
    parts = {path.stem for path in (ROOT / "agent_core").glob("[!_]*") if path.suffix in {"", ".py"}}

    assert parts - layered - {"stores"} == set()


@pytest.mark.parametrize(
    ("lock", "named"),
    [
        ("core", PROJECT["project"]["dependencies"]),
        ("dev", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]),
        ("bench", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["bench"]),
        ("browser", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["browser"]),
        ("acceptance", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["acceptance"]),
        *((name, PROJECT["dependency-groups"][name]) for name in ("directus", "litellm", "smollm2")),
        (
            "telemetry",
            PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["telemetry"],
        ),
        (
            "postgres",
            PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["postgres"],
        ),
    ],
)
def test_lock_holds_what_pyproject_asks_for(lock: str, named: list[str]) -> None:
    versions = locked(lock)
    wanted = [Requirement(text) for text in named]

    unmet = [
        str(requirement)
        for requirement in wanted
        if not requirement.specifier.contains(versions.get(canonicalize_name(requirement.name), "0"))
    ]

    assert unmet == [], "run scripts/lock"


@pytest.mark.parametrize("lock", ["dev", "bench", "telemetry", "postgres", "acceptance"])
def test_every_other_lock_holds_all_of_the_core_one(lock: str) -> None:
    assert locked("core").items() <= locked(lock).items()


@pytest.mark.parametrize("lock", sorted(path.stem for path in (ROOT / "requirements").glob("*.txt")))
def test_lock_has_hashes_for_everything_and_names_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    pins = re.split(r"\n(?=\S)", text.strip())

    assert all(LOCK_LINE.match(pin) and "--hash=sha256:" in pin for pin in pins)
    assert "://" not in text


def test_changelog_starts_with_what_is_unreleased_or_with_this_version() -> None:
    first = next(line for line in lines(ROOT / "CHANGELOG.md") if line.startswith("## "))

    assert first == "## [Unreleased]" or first.startswith(f"## [{PROJECT['project']['version']}]")


def test_readme_is_short() -> None:
    assert len(lines(ROOT / "README.md")) <= 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_page_lead_somewhere(page: Path) -> None:
    targets = [found["target"] for found in LINK.finditer(page.read_text(encoding="utf-8"))]

    assert [target for target in targets if not leads_somewhere(page, target)] == []


def test_every_page_is_reached_from_the_index_and_has_content() -> None:
    index = ROOT / "docs/index.md"
    listed = {
        (index.parent / found["target"]).resolve()
        for found in LINK.finditer(index.read_text(encoding="utf-8"))
    }
    pages = set((ROOT / "docs").rglob("*.md")) - {index}

    assert pages - listed == set()
    assert [page for page in pages if len(lines(page)) < 5] == []


def test_nothing_names_a_home_folder_or_a_package_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in project_files()
        if (match := FORBIDDEN.search(path.read_bytes().decode("utf-8", errors="ignore")))
    ]

    assert found == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_script_is_executable_and_plain_sh(script: Path) -> None:
    checked = subprocess.run(["sh", "-n", script], capture_output=True, text=True, timeout=10, check=False)

    assert script.stat().st_mode & 0o111 == 0o111
    assert lines(script)[0] == "#!/bin/sh"
    assert checked.stderr == ""


def test_deadlines_of_all_stages_sum_to_less_than_90_minutes() -> None:
    text = (ROOT / "scripts/test").read_text(encoding="utf-8")
    table = text.partition("<<'TABLE'\n")[2].partition("\nTABLE")[0]
    seconds = [int(line.split()[1]) for line in table.splitlines()]

    assert len(seconds) >= 6
    assert sum(seconds) < 90 * 60


def leads_somewhere(page: Path, target: str) -> bool:
    if target.startswith(("http://", "https://")):
        return True
    name, _, anchor = target.partition("#")
    path = page.parent / name if name else page
    return path.exists() and (not anchor or anchor in anchors(path))


def anchors(page: Path) -> set[str]:
    headings = [line.lstrip("# ") for line in lines(page) if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
