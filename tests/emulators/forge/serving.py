"""Serves the host over a real socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from urllib.parse import parse_qs, unquote

from tests.emulators.forge.gitea import Gitea
from tests.emulators.forge.github import GitHub
from tests.emulators.forge.host import ForgeEmulator, Issue, Link, Repo, Submodule
from tests.emulators.http1 import HttpRequest, Response, serve


@asynccontextmanager
async def forge_emulator() -> AsyncIterator[ForgeEmulator]:
    """Give a host with a public and a private repository, and some issues."""
    novel = Repo(
        "ann/novel",
        {
            "main": {
                "README.md": b"# The Salt Roads\n",
                "chapters/01.md": "Mara waits. Sie hört die Möwen.\n".encode(),
                "chapters/02.md": b"The Heron sails.\n",
                "map.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
                "latest.md": Link("chapters/02.md"),
                "away": Link("../elsewhere"),
                "fonts": Submodule("https://git.example/ann/fonts.git"),
                "cover.psd": b"version https://git-lfs.github.com/spec/v1\n"
                b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
                b"size 12345678\n",
            },
            "draft": {"README.md": b"# Draft\n"},
        },
        description="A book",
    )
    secret = Repo("ann/secret", {"main": {"plan.md": b"hidden plan\n"}}, private=True, number=2)
    issues = [
        Issue("ann/novel", 1, "Mara's scarf is blue", "It was red in chapter 1."),
        Issue("ann/novel", 2, "Rename Vel", state="closed"),
        Issue("ann/novel", 3, "Fix the scarf", pull=True),
    ]
    host = ForgeEmulator(repos=[novel, secret], issues=issues)
    async with serve(partial(_handle, host)) as port:
        host.port = port
        yield host


async def _handle(host: ForgeEmulator, request: HttpRequest, response: Response) -> None:
    host.requests.append(request)
    path, _, query = request.path.partition("?")
    asked = {name: values[0] for name, values in parse_qs(query).items()}
    dialect = Gitea(host, request, asked) if path.startswith("/api/v1/") else GitHub(host, request, asked)
    status, headers, body = dialect.answer(unquote(path))
    if status == 304:
        host.unchanged += 1
    await response.send(status, {"content-type": dialect.content_type, **headers}, body)
