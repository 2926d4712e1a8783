"""The long dialogue of the scenarios with the canon in Directus."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.clock import FakeClock
from tests.directus.fixtures import empty_directus, laid_out_directus
from tests.directus.place import BOT
from tests.scenarios.test_dialogue import hold_dialogue

__all__ = ["empty_directus", "laid_out_directus"]
pytestmark = [pytest.mark.directus, pytest.mark.timeout(120)]


async def test_a_dialogue_with_every_fate_of_a_proposal_over_directus(
    empty_directus: str, tmp_path: Path, clock: FakeClock
) -> None:
    await hold_dialogue(tmp_path, clock, directus_url=empty_directus, directus_token=SecretStr(BOT))
