"""A Postgres server for tests: its own folder and port, run by a user who is not root, gone afterwards.

`python -m tests.postgres_server COMMAND ...` runs a command beside one and ends with its exit code; the
command finds the server in LOREKEEPER_TEST_POSTGRES. Where Debian's package is missing, root installs it.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import IO

VARIABLE = "LOREKEEPER_TEST_POSTGRES"
PASSWORD = "a password of tests"
OWNER = "keeper"

_FOLDERS = "/usr/lib/postgresql/*/bin"
_START_S = 30
_names = (f"lore_{os.getpid()}_{n}" for n in count())


@dataclass
class PostgresServer:
    """A server in a folder. Its log stands there too."""

    binaries: Path
    folder: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None

    def url(self, database: str = "postgres", user: str = "postgres", password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def create(self) -> None:
        """Make the data folder."""
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        options = ["--auth=scram-sha-256", f"--pwfile={secret}", "--username=postgres", "--encoding=UTF8"]
        if int(self.binaries.parent.name) >= 15:  # an order of letters that is not the one we need
            options += ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]
        with (self.folder / "initdb.log").open("wb") as log:
            self._start("initdb", "--no-sync", *options, output=log).wait(_START_S)

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = [
            f"-cport={self.port}", "-clisten_addresses=127.0.0.1", "-cunix_socket_directories=",
            "-cfsync=off", "-cmax_connections=80", "-cshared_buffers=64MB",
        ]  # fmt: skip
        with (self.folder / "server.log").open("ab") as log:
            self.process = self._start("postgres", *settings, output=log)
        end = monotonic() + _START_S
        while self.ask("SELECT 1") is None:
            if self.process.poll() is not None or monotonic() > end:
                raise RuntimeError(f"the server did not start: {self.log()}")
            sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it in order, or by SIGQUIT as a crash does; it may be started again."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(_START_S)
            self.process = None

    def version(self) -> str:
        """Return what the server says it is."""
        return self.ask("SELECT version()") or ""

    def log(self) -> str:
        files = (self.folder / "initdb.log", self.folder / "server.log")
        return "".join(file.read_text() for file in files if file.exists())[-4000:]

    def _start(self, name: str, *options: str, output: IO[bytes]) -> "subprocess.Popen[bytes]":
        user, group = _not_root()
        return subprocess.Popen(
            [self.binaries / name, f"--pgdata={self.folder / 'data'}", *options]
            if name == "initdb"
            else [self.binaries / name, "-D", self.folder / "data", *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            start_new_session=True,  # Ctrl-C is for the tests, which stop it
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        )

    def ask(self, sql: str) -> str | None:
        """Return the first value that a statement gives; None if there is none, or the server is away."""
        import psycopg

        try:
            with psycopg.connect(self.url(), connect_timeout=5) as connection:
                cursor = connection.execute(sql.encode())
                found = cursor.fetchone() if cursor.description else None
        except psycopg.OperationalError:
            return None
        return str(found[0]) if found else None


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Give a new server, which is gone afterwards with all that it held."""
    folder = Path(tempfile.mkdtemp(prefix="lorekeeper-postgres."))
    server = PostgresServer(_binaries(), folder, _free_port())
    try:
        user, group = _not_root()
        if user is not None:
            os.chown(folder, user, group or -1)
        server.create()
        server.start()
        server.ask(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
        yield server
    finally:
        try:
            server.stop()
        finally:
            shutil.rmtree(folder)


@contextmanager
def fresh_schema(admin: str) -> Iterator[str]:
    """Give the URL of an empty schema on the server of this URL; it belongs to a user without rights."""
    import psycopg

    name = next(_names)
    with psycopg.connect(admin) as connection:
        connection.execute(f"CREATE SCHEMA {name} AUTHORIZATION {OWNER}".encode())
    try:
        yield f"{admin.replace('//postgres:', f'//{OWNER}:')}?options=-csearch_path%3D{name}"
    finally:
        with psycopg.connect(admin) as connection:  # a test may have restarted the server
            connection.execute(f"DROP SCHEMA {name} CASCADE".encode())


def given_server() -> str:
    """Return the URL of the server that this run was given."""
    url = os.environ.get(VARIABLE)
    if not url:
        raise RuntimeError(f"{VARIABLE} is missing: run python -m tests.postgres_server pytest -m postgres")
    return url


def _not_root() -> tuple[int, int] | tuple[None, None]:
    """Return the user and group of the server where we are root, whom Postgres refuses."""
    if os.geteuid() != 0:
        return None, None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return entry.pw_uid, entry.pw_gid


def _binaries() -> Path:
    """Return the folder of the newest server programs here."""
    found = sorted(Path("/").glob(_FOLDERS.lstrip("/")), key=lambda path: int(path.parent.name))
    if found:
        return found[-1]
    program = shutil.which("postgres")
    if program is None:
        raise RuntimeError("Postgres is not installed")
    return Path(program).resolve().parent


def _install() -> None:
    """Install Debian's package where there is no server and we may; its own cluster is never touched."""
    try:
        _binaries()
    except RuntimeError:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-qq"], ["install", "-qq", "-y", "--no-install-recommends", "postgresql"]):
            subprocess.run(["apt-get", *command], env=quiet, check=True, stdin=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


def main(command: list[str]) -> int:
    """Run the command beside a server; return its exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a deadline must not leave the server behind
    _install()
    with running_server() as server:
        print(server.version(), flush=True)  # noqa: T201 - a command
        return subprocess.run(command, env={**os.environ, VARIABLE: server.url()}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
