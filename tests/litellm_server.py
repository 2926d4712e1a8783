"""A LiteLLM proxy for tests, in an environment of its own, with all its models on loopback.

`python -m tests.litellm_server COMMAND ...` runs a command beside one and ends with its exit code; the
command finds it as `given_proxy()`. It is set up by docs/howto/litellm.yaml as people are told to use it, to
which models of tests are added; Gemini is where a test puts its emulator, and so is what `stub/...` names.
"""

import json
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
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import yaml

VARIABLE = "LOREKEEPER_TEST_LITELLM"
ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "docs/howto/litellm.yaml"
ENVIRONMENT = ".venv-litellm"

_START_S = 180
_STOP_S = 10
_BELOW_OUTGOING = range(20_000, 32_000)  # no connection of another program happens to hold one of these


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where a proxy listens, and on which ports it looks for the models behind it."""

    url: str
    key: str
    stub_port: int
    gemini_port: int
    llama_port: int


@contextmanager
def running_proxy(folder: Path) -> Iterator[Proxy]:
    """Give a proxy, which ends with the block; its log stands in the folder."""
    port, *ports = _free_ports(4)
    proxy = Proxy(f"http://127.0.0.1:{port}/v1", "sk-key-of-tests", *ports)
    process = _start(proxy, port, folder)
    try:
        _await_answer(proxy, process, folder)
        yield proxy
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_STOP_S)


def given_proxy() -> Proxy:
    """Return the proxy that this run was given."""
    told = os.environ.get(VARIABLE)
    if not told:
        raise RuntimeError(f"{VARIABLE} is missing: run python -m tests.litellm_server pytest -m litellm")
    return Proxy(**json.loads(told))


def configuration(proxy: Proxy) -> dict[str, Any]:  # any YAML: the proxy's own format
    """Return what we ship, and the models of tests."""
    shipped: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())  # any YAML
    mock = {"model": "openai/gpt-4o", "api_key": "none"}
    stub = {"api_base": f"http://127.0.0.1:{proxy.stub_port}/v1", "api_key": "key-of-the-stub"}
    gemini = {"api_key": "key-of-gemini", "api_base": f"http://127.0.0.1:{proxy.gemini_port}/v1beta"}
    models = {
        "mock-text": {**mock, "mock_response": "A text."},
        "mock-rate": {**mock, "mock_response": "litellm.RateLimitError"},
        "mock-context": {**mock, "mock_response": "litellm.ContextWindowExceededError"},
        "mock-error": {**mock, "mock_response": "litellm.InternalServerError"},
        "stub/*": {"model": "openai/*", **stub},
        "slow": {"model": "openai/slow", **stub, "timeout": 1},
        "no-tools": {"model": "perplexity/sonar", **stub},
        "tools-dropped": {"model": "perplexity/sonar", **stub, "drop_params": True},
        "gem-two": {"model": "gemini/gemini-2.5-flash", **gemini},
        "llama": {"model": "openai/smollm2", "api_base": _local(proxy.llama_port), "api_key": "none"},
    }
    added = [{"model_name": name, "litellm_params": params} for name, params in models.items()]
    return {**shipped, "model_list": [*shipped["model_list"], *added]}


def _start(proxy: Proxy, port: int, folder: Path) -> "subprocess.Popen[bytes]":
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(configuration(proxy)))
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = {
        **kept,
        "GEMINI_API_KEY": "key-of-gemini",
        "GEMINI_API_BASE": f"http://127.0.0.1:{proxy.gemini_port}/v1beta",
        "LITELLM_MASTER_KEY": proxy.key,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else each start looks for a newer one online
        "LITELLM_TELEMETRY": "False",
        "DO_NOT_TRACK": "1",
        "NO_DOCS": "True",
    }
    program = ROOT / ENVIRONMENT / "bin/litellm"
    with (folder / "proxy.log").open("wb") as log:
        return subprocess.Popen(
            [str(program), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the tests, which stop it
        )


def _await_answer(proxy: Proxy, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    end = monotonic() + _START_S
    while True:
        try:
            if httpx.get(f"{proxy.url[:-3]}/health/liveliness", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        if process.poll() is not None or monotonic() > end:
            raise RuntimeError(f"the proxy did not start: {_log(folder)}")
        sleep(0.2)


def _version(proxy: Proxy) -> str:
    """Return what the proxy says it is."""
    headers = {"Authorization": f"Bearer {proxy.key}"}
    question = {"model": "mock-text", "messages": [{"role": "user", "content": "Which version are you?"}]}
    answer = httpx.post(f"{proxy.url}/chat/completions", headers=headers, json=question, timeout=30)
    return answer.headers["x-litellm-version"]


def _log(folder: Path) -> str:
    return (folder / "proxy.log").read_text(errors="replace")[-6000:]


def _local(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def _free_ports(count: int) -> list[int]:
    found: list[int] = []
    for port in random.sample(_BELOW_OUTGOING, len(_BELOW_OUTGOING)):
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) != 0:
                found.append(port)
        if len(found) == count:
            break
    return found


def _install() -> None:
    """Bring the environment of the proxy and of llama.cpp up to date."""
    script = str(ROOT / "scripts/environment")
    for lock in ("litellm", "smollm2"):
        subprocess.run(["sh", script, lock, ENVIRONMENT], check=True, stdin=subprocess.DEVNULL)


def main(command: list[str]) -> int:
    """Run the command beside a proxy; return its exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a deadline must not leave the proxy behind
    _install()
    folder = Path(tempfile.mkdtemp(prefix="lorekeeper-litellm."))
    try:
        with running_proxy(folder) as proxy:
            print(f"LiteLLM {_version(proxy)}", flush=True)  # noqa: T201 - a command
            given = {**os.environ, VARIABLE: json.dumps(asdict(proxy))}
            code = subprocess.run(command, env=given, check=False).returncode
            if code:
                print(f"The log of LiteLLM ends:\n{_log(folder)}", flush=True)  # noqa: T201 - a command
            return code
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
