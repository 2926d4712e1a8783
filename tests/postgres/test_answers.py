"""The canon answers on Postgres as it does on SQLite: a sample of its tests, on the fixtures of this folder."""

import pytest

from tests.agent_core.lore.test_against_naive import (
    shelf,
)
from tests.agent_core.lore.test_record_retcon import (
    mara,
)

pytestmark = pytest.mark.postgres

__all__ = ["mara", "shelf", *(name for name in dir() if name.startswith("test_"))]
