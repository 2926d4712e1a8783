"""`lorekeeper directus` where Directus is not set up, or not there: sentences, no traces."""

from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper

NOWHERE = {"LOREKEEPER_DIRECTUS_URL": "http://127.0.0.1:9", "LOREKEEPER_DIRECTUS_TOKEN": "a-token-of-tests"}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("init", "LOREKEEPER_DIRECTUS_ADMIN_TOKEN are needed"),
        ("check", "LOREKEEPER_DIRECTUS_URL is missing"),
    ],
)
async def test_command_says_which_setting_is_missing(tmp_path: Path, command: str, said: str) -> None:
    ended = await lorekeeper(tmp_path, "directus", command)

    assert ended.code == 1
    assert said in ended.said


async def test_token_without_an_address_is_refused(tmp_path: Path) -> None:
    ended = await lorekeeper(tmp_path, "doctor", LOREKEEPER_DIRECTUS_TOKEN="a-token-of-tests")

    assert ended.code == 2
    assert "LOREKEEPER_DIRECTUS_URL is missing" in ended.said


@pytest.mark.slow
async def test_doctor_says_that_directus_is_away(tmp_path: Path) -> None:
    ended = await lorekeeper(tmp_path, "doctor", **NOWHERE)

    assert ended.code == 1
    assert "Directus can’t be reached" in ended.said
    assert "a-token-of-tests" not in ended.said
