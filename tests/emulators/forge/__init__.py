"""A git host that speaks the REST interfaces of Gitea (/api/v1) and of GitHub Enterprise (/api/v3).

It answers in the shapes of the real ones and refuses what they refuse: other methods, no user agent, unknown
versions, wrong tokens, private repositories, searches without a kind, requests beyond the limit.
"""

from tests.emulators.forge.host import (
    TOKEN,
    ForgeEmulator,
    Issue,
    Limit,
    Link,
    Repo,
    Submodule,
)
from tests.emulators.forge.serving import forge_emulator

__all__ = ["TOKEN", "ForgeEmulator", "Issue", "Limit", "Link", "Repo", "Submodule", "forge_emulator"]
