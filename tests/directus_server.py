"""A Directus server for tests: its own folder, database and port, gone afterwards with all that it held.

`python -m tests.directus_server COMMAND ...` runs a command beside one and ends with its exit code; the
command finds it in LOREKEEPER_TEST_DIRECTUS_URL and ..._TOKEN (the administrator's). scripts/directus
installs what is missing; LOREKEEPER_TEST_DIRECTUS_VERSION names another version than that of our checks.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

import httpx

URL_VARIABLE = "LOREKEEPER_TEST_DIRECTUS_URL"
TOKEN_VARIABLE = "LOREKEEPER_TEST_DIRECTUS_TOKEN"
VERSION_VARIABLE = "LOREKEEPER_TEST_DIRECTUS_VERSION"
TOKEN = "static-token-of-the-administrator-in-tests"

_INSTALLER = Path(__file__).parents[1] / "scripts/directus"
_START_S = 120
_STOP_S = 20
_BELOW_OUTGOING = range(20_000, 32_000)  # no connection of another program takes one while it is restarted
# Without the look-up of the newest version online that the published start script begins with.
_COMMAND_LINE = "process.argv.splice(1, 0, 'directus'); await import('@directus/api/cli/run.js');"
# A run that is itself killed must not leave its servers behind.
_ENDS_WITH_US = "process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume();"
_SETTINGS = {
    "ADMIN_EMAIL": "admin@example.com",
    "ADMIN_PASSWORD": "a password of tests",
    "ADMIN_TOKEN": TOKEN,
    "DB_CLIENT": "sqlite3",
    "EMAIL_VERIFY_SETUP": "false",
    "HOST": "127.0.0.1",
    "KEY": "the-key-of-a-server-for-tests",
    "LOG_LEVEL": "warn",
    "LOG_STYLE": "raw",
    "NODE_ENV": "production",
    "PRESSURE_LIMITER_ENABLED": "false",
    "RATE_LIMITER_ENABLED": "false",
    "SECRET": "a-secret-of-a-server-for-tests-that-is-long-enough",
    "SERVE_APP": "false",
    "TELEMETRY": "false",
    "TZ": "UTC",
    "WEBSOCKETS_ENABLED": "false",
}


@dataclass
class DirectusServer:
    """A server over a SQLite file in a folder. Its log stands there too."""

    home: Path
    folder: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **settings: str) -> None:
        """Start it, with further settings of Directus where a test needs some; return when it answers."""
        self.settings = settings
        self.process = self._run("start")
        end = monotonic() + _START_S
        while not self._answers():
            if self.process.poll() is not None or monotonic() > end:
                raise RuntimeError(f"Directus did not start: {self.log()}")
            sleep(0.1)

    def stop(self) -> None:
        """Stop it in order; what it is doing is done to its end."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a crash does; what it is doing is rolled back."""
        self._end(signal.SIGKILL)

    def restart(self, **settings: str) -> None:
        """Stop it and start it over the same database and port."""
        self.stop()
        self.start(**settings)

    def pause(self) -> None:
        """Let it answer nothing until it is resumed; connections to it still open."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on where it was paused."""
        self._send(signal.SIGCONT)

    def reset(self) -> None:
        """Take all that was made on it away: it starts again as newly installed."""
        self.stop()
        self._lay_database()
        self.start()

    def version(self) -> str:
        """Return what the server says it is."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = httpx.get(f"{self.url}/server/info", headers=headers, timeout=10)
        return str(answer.json()["data"]["version"])

    def log(self) -> str:
        file = self.folder / "server.log"
        return file.read_text(errors="replace")[-4000:] if file.exists() else ""

    def create(self) -> None:
        """Lay its folder out."""
        for name in ("uploads", "extensions"):
            (self.folder / name).mkdir()
        self._lay_database()

    def _lay_database(self) -> None:
        """Copy the database of a new installation, which is made once for each installation."""
        digest = sha256(repr(_SETTINGS).encode()).hexdigest()[:12]
        made = self.home / f"bootstrapped-{digest}.db"
        if not made.exists():
            if self._run("bootstrap").wait(_START_S):
                raise RuntimeError(f"Directus could not make its database: {self.log()}")
            own = made.with_suffix(f".{os.getpid()}")
            shutil.copy(self._database, own)
            own.replace(made)
        shutil.copy(made, self._database)

    @property
    def _database(self) -> Path:
        return self.folder / "data.db"

    def _run(self, command: str) -> "subprocess.Popen[bytes]":
        script = _COMMAND_LINE + (_ENDS_WITH_US if command == "start" else "")
        node = [str(self.home / "bin/node"), "--input-type=module", "-e", script, "--", command]
        with (self.folder / "server.log").open("ab") as log:
            return subprocess.Popen(
                node,
                cwd=self.home,
                env=self._environment(),
                stdin=subprocess.PIPE if command == "start" else subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests, which stop it
            )

    def _environment(self) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            **_SETTINGS,
            "DB_FILENAME": str(self._database),
            "EXTENSIONS_PATH": str(self.folder / "extensions"),
            "PORT": str(self.port),
            "PUBLIC_URL": self.url,
            "STORAGE_LOCAL_ROOT": str(self.folder / "uploads"),
            **self.settings,
        }

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/server/ping", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def _send(self, what: signal.Signals) -> None:
        if self.process is None:
            raise RuntimeError("the server is not running")
        self.process.send_signal(what)

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        self.process.send_signal(how)
        self.process.send_signal(signal.SIGCONT)  # a paused one hears no other signal
        try:
            self.process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(_STOP_S)
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process = None


@contextmanager
def running_server() -> Iterator[DirectusServer]:
    """Give a new server, which is gone afterwards with all that it held."""
    folder = Path(tempfile.mkdtemp(prefix="lorekeeper-directus."))
    server = DirectusServer(_home(), folder, _free_port())
    try:
        server.create()
        server.start()
        yield server
    finally:
        try:
            server.stop()
        finally:
            shutil.rmtree(folder)


def given_server() -> str:
    """Return the address of the server that this run was given."""
    url = os.environ.get(URL_VARIABLE)
    if not url:
        raise RuntimeError(
            f"{URL_VARIABLE} is missing: run python -m tests.directus_server pytest -m directus"
        )
    return url


def _home() -> Path:
    """Return the folder of an installation, made where it is missing."""
    wanted = [os.environ[VERSION_VARIABLE]] if VERSION_VARIABLE in os.environ else []
    installer = subprocess.run(
        ["sh", _INSTALLER, *wanted], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True
    )
    return Path(installer.stdout.strip())


def _free_port() -> int:
    for port in random.sample(_BELOW_OUTGOING, len(_BELOW_OUTGOING)):
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise RuntimeError("no port is free")


def main(command: list[str]) -> int:
    """Run the command beside a server; return its exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a deadline must not leave the server behind
    with running_server() as server:
        print(f"Directus {server.version()}", flush=True)  # noqa: T201 - a command
        given = {URL_VARIABLE: server.url, TOKEN_VARIABLE: TOKEN}
        code = subprocess.run(command, env={**os.environ, **given}, check=False).returncode
        if code:
            print(f"The log of Directus ends:\n{server.log()}", flush=True)  # noqa: T201 - a command
        return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
