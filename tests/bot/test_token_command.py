"""`lorekeeper token` as people use it."""

from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper


async def test_token_is_printed_once_and_listed_without_its_secret(tmp_path: Path) -> None:
    made = await lorekeeper(tmp_path, "token", "make", "--person", "terminal:bea", "--name", "phone")
    [token] = [line for line in made.said.splitlines() if line.startswith("lk_")]
    _, public, secret = token.split("_", 2)

    listed = await lorekeeper(tmp_path, "token", "list")

    assert made.code == listed.code == 0
    assert public in listed.said
    assert "bea" in listed.said
    assert "phone" in listed.said
    assert secret not in listed.said


@pytest.mark.slow
async def test_revoked_token_is_listed_as_such_and_revoked_once(tmp_path: Path) -> None:
    made = await lorekeeper(tmp_path, "token", "make")
    public = next(line for line in made.said.splitlines() if line.startswith("lk_")).split("_")[1]

    first = await lorekeeper(tmp_path, "token", "revoke", public)
    again = await lorekeeper(tmp_path, "token", "revoke", public)
    listed = await lorekeeper(tmp_path, "token", "list")

    assert (first.code, again.code) == (0, 1)
    assert "revoked" in listed.said


async def test_person_has_to_be_an_account(tmp_path: Path) -> None:
    refused = await lorekeeper(tmp_path, "token", "make", "--person", "bea")

    assert refused.code == 1
    assert "terminal:ann" in refused.said
