"""The reference page shows what `curl` prints."""

import shutil
from pathlib import Path

import pytest

from tests.adapters.http.transcripts import PAGE, played


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
async def test_commands_of_the_reference_page_print_what_it_says(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")

    assert "/api/agent/chat" in page
    assert await played(page, tmp_path) == page
