"""Whole turns on Postgres: a sample of the tests of turns, run with the house of this folder."""

import pytest

pytestmark = pytest.mark.postgres

__all__ = [name for name in dir() if name.startswith("test_")]
