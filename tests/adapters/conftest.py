"""Texts are read before any event loop runs, as the program does at its start."""

import pytest

from agent_core.texts import LANGUAGES, load


@pytest.fixture(scope="session", autouse=True)
def texts_are_loaded() -> None:
    for language in LANGUAGES:
        load(language)
