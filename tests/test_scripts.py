"""The set-up scripts, run for real in a small checkout of their own, with a stand-in for uv on PATH."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Makes real environments, installs nothing but the stand-ins below, and writes down how it was called.
UV = """#!/bin/sh
[ "$1" != --version ] || exit 0
echo "$*" >>"$UV_LOG"
[ "$1" = --quiet ] && shift
for last; do :; done
case $1 in
  venv) exec "$PYTHON" -m venv --without-pip "$last" ;;
  pip)
    if [ -n "${OFFLINE:-}" ]; then echo "no network" >&2; exit 2; fi
    [ -z "${KILLED:-}" ] || kill -9 $PPID
    for tool in ruff mypy lint-imports coverage; do
      printf '#!/bin/sh\\n. "%s/$(basename "$0")"\\n' "$STANDINS" >".venv/bin/$tool"
      chmod +x ".venv/bin/$tool"
    done
    ;;
esac
"""


@dataclass(frozen=True)
class Checkout:
    root: Path
    env: dict[str, str]

    def run(
        self, *command: str | Path, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", *command],
            env=self.env | env,
            cwd=cwd or self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    def set_up(self, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run("scripts/environment", "core", cwd=self.root, **env)

    def uv_calls(self) -> list[str]:
        log = Path(self.env["UV_LOG"])
        return [line.split()[1] for line in log.read_text().splitlines()] if log.exists() else []

    def stand_in(self, tool: str, shell: str) -> None:
        Path(self.env["STANDINS"], tool).write_text(shell + "\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a book's folder"
    for name in ("scripts", "requirements"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "bot/cli").mkdir(parents=True)
    (root / "bot/cli/main.py").write_text("import os, sys\nprint(os.getcwd(), sys.argv[1:])\n")
    tools, stand_ins = tmp_path / "tools", tmp_path / "stand-ins"
    tools.mkdir()
    stand_ins.mkdir()
    (tools / "uv").write_text(UV)
    (tools / "uv").chmod(0o755)
    env = {
        "HOME": str(tmp_path),
        "PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin",
        "PYTHON": sys.executable,
        "UV_LOG": str(tmp_path / "uv.log"),
        "STANDINS": str(stand_ins),
    }
    made = Checkout(root, env)
    for tool in ("ruff", "mypy", "lint-imports"):
        made.stand_in(tool, "exit 0")
    made.stand_in("coverage", 'case $1 in run) echo "=== 3 passed in 0.10s ===" ;; esac')
    return made


def test_first_start_sets_up_and_starts_and_the_second_only_starts(checkout: Checkout) -> None:
    first = checkout.run("scripts/run", "--help")
    second = checkout.run("scripts/run", "--help")

    assert first.stdout == second.stdout == f"{checkout.root} ['run', '--help']\n"
    assert "Ready" in first.stderr
    assert second.stderr == ""
    assert checkout.uv_calls() == ["venv", "pip"]


def test_a_full_start_installs_all_extras_and_later_ones_keep_them(checkout: Checkout) -> None:
    full = checkout.run("scripts/run", "--full", "--help")
    later = checkout.run("scripts/run", "--help")

    assert full.stdout == later.stdout == f"{checkout.root} ['run', '--help']\n"
    assert "requirements/full.txt" in Path(checkout.env["UV_LOG"]).read_text()
    assert later.stderr == ""
    assert checkout.uv_calls() == ["venv", "pip"]


def test_start_works_through_a_link_and_stays_in_the_folder_of_the_caller(
    checkout: Checkout, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "else where"
    (elsewhere / "bot").mkdir(parents=True)  # must not be taken for ours
    (elsewhere / "lore").symlink_to(checkout.root / "scripts/run")

    run = checkout.run("./lore", cwd=elsewhere)

    assert run.stdout == f"{elsewhere} ['run']\n"


def test_set_up_leaves_the_command(checkout: Checkout, tmp_path: Path) -> None:
    checkout.set_up()

    run = checkout.run(checkout.root / ".venv/bin/lorekeeper", "chat", "a b", cwd=tmp_path)

    assert run.stdout == f"{tmp_path} ['chat', 'a b']\n"


def test_changed_lock_is_installed_into_the_same_environment(checkout: Checkout) -> None:
    checkout.set_up()
    with (checkout.root / "requirements/core.txt").open("a") as lock:
        lock.write("# another version\n")

    checkout.set_up()

    assert checkout.uv_calls() == ["venv", "pip", "pip"]


def test_killed_set_up_is_made_anew(checkout: Checkout) -> None:
    killed = checkout.set_up(KILLED="yes")
    again = checkout.set_up()

    assert killed.returncode == -9
    assert again.returncode == 0
    assert checkout.uv_calls() == ["venv", "pip", "venv", "pip"]
    assert not list(checkout.root.glob(".venv-lock"))


def test_environment_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.set_up()
    for python in (checkout.root / ".venv/bin").glob("python*"):
        python.unlink()

    again = checkout.set_up()

    assert again.returncode == 0
    assert checkout.uv_calls() == ["venv", "pip", "venv", "pip"]


def test_moved_checkout_is_set_up_for_its_new_place(checkout: Checkout) -> None:
    checkout.set_up()
    moved = checkout.root.rename(checkout.root.with_name("moved"))

    run = checkout.run(moved / "scripts/run", cwd=moved)

    assert run.stdout == f"{moved} ['run']\n"


def test_missing_network_is_told_and_the_next_start_tries_again(checkout: Checkout) -> None:
    failed = checkout.set_up(OFFLINE="yes")
    again = checkout.set_up()

    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith("The packages could not be installed;")
    assert again.returncode == 0


def test_two_starts_at_once_set_up_once(checkout: Checkout) -> None:
    command = ["sh", "scripts/environment", "core"]
    starts = [
        subprocess.Popen(command, env=checkout.env, cwd=checkout.root, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]

    assert [start.wait(timeout=30) for start in starts] == [0, 0]
    assert checkout.uv_calls() == ["venv", "pip"]


def test_variables_of_the_user_for_uv_are_left_alone(checkout: Checkout) -> None:
    checkout.set_up(UV_PYTHON="3.12")

    assert "--python 3.12" in Path(checkout.env["UV_LOG"]).read_text()


def test_checks_pass_and_end_with_the_closing_line_of_the_tests(checkout: Checkout) -> None:
    run = checkout.run("scripts/test")

    assert run.returncode == 0, run.stdout
    assert run.stdout.splitlines()[-1] == "=== 3 passed in 0.10s ==="
    assert "stage types: ok in" in run.stdout


def test_a_failing_stage_fails_the_checks_and_the_others_run_all_the_same(checkout: Checkout) -> None:
    checkout.stand_in("mypy", "echo found an error; exit 1")

    run = checkout.run("scripts/test")

    assert run.returncode == 1
    assert "stage types: FAILED in" in run.stdout
    assert "stage tests: ok in" in run.stdout
    assert "Failed: types." in run.stdout
    kept = Path(run.stdout.partition("Logs are kept in ")[2].splitlines()[0])
    assert (kept / "types.log").read_text() == "found an error\n"
    shutil.rmtree(kept)


def test_checks_fail_when_no_test_ran(checkout: Checkout) -> None:
    checkout.stand_in("coverage", 'echo "=== 2 skipped in 0.10s ==="')

    run = checkout.run("scripts/test", TMPDIR=str(checkout.root))

    assert run.returncode == 1
    assert "stage tests: FAILED in 0 s (no test ran)" in run.stdout


def test_a_stage_that_hangs_ends_at_its_deadline(checkout: Checkout) -> None:
    script = checkout.root / "scripts/test"
    script.write_text(re.sub(r"(?m)^lint +\d+", "lint 0.2", script.read_text()))
    checkout.stand_in("ruff", '[ "$1" = format ] || exec sleep 20')

    run = checkout.run("scripts/test", TMPDIR=str(checkout.root))

    assert run.returncode == 1
    assert "(stopped at its deadline of 0.2 s)" in run.stdout
    assert "stage format: ok in" in run.stdout


def test_arguments_go_to_pytest_and_slow_tests_run_with_all_only(checkout: Checkout) -> None:
    checkout.stand_in(
        "coverage", """case $1 in run) printf '[%s]' "$@"; echo; echo '= 1 passed in 1s =' ;; esac"""
    )

    quick = checkout.run("scripts/test", "tests/bot", "-k", "a or b")
    whole = checkout.run("scripts/test", "--all", TMPDIR=str(checkout.root))

    needs_server = "not postgres and not directus and not litellm"
    assert f"[-m][not slow and {needs_server}][tests/bot][-k][a or b]" in quick.stdout
    assert f"[-m][{needs_server}]\n" in whole.stdout


@pytest.mark.slow
def test_set_up_without_uv_uses_pip(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "tools/uv").unlink()
    (tmp_path / "tools/python3.13").symlink_to(sys.executable)
    for name in ("core", "dev"):
        (checkout.root / f"requirements/{name}.txt").write_text("")

    run = checkout.run("scripts/run")

    assert run.stdout == f"{checkout.root} ['run']\n", run.stderr
    assert os.access(checkout.root / ".venv/bin/pip", os.X_OK)
