"""Books come in by upload, series go out by download."""

import io
import zipfile

from agent_core.people.model import SeriesRole
from tests.adapters.http.conftest import Desk

BOOK = """# Rain

## Chapter 1: The Ferry

Tom waits.

***

The ferry comes.

## Chapter 2: The Inn

Tom sleeps.
"""


def files(text: str = BOOK, name: str = "rain.md") -> dict[str, tuple[str, bytes, str]]:
    return {"files": (name, text.encode(), "text/markdown")}


async def uploaded(desk: Desk, text: str = BOOK, series: str = "Weather") -> dict[str, object]:
    found = await desk.client.post("/api/imports", files=files(text), data={"series": series})
    assert found.status_code == 200, found.text
    report: dict[str, object] = found.json()
    return report


async def test_dry_run_tells_what_would_come_in_and_writes_nothing(desk: Desk) -> None:
    report = await uploaded(desk)

    assert report["series"] == [
        {
            "name": "Weather",
            "exists": False,
            "nothingToDo": False,
            "warnings": [],
            "books": [
                {
                    "title": "Rain",
                    "isNew": True,
                    "chapters": ["1 The Ferry", "2 The Inn"],
                    "scenes": 3,
                    "words": 7,
                    "warnings": [],
                }
            ],
        }
    ]
    assert [one["name"] for one in await desk.get("/api/series")] == ["The Salt Roads"]


async def test_confirmed_import_is_one_edit_that_is_taken_back_whole(desk: Desk) -> None:
    report = await uploaded(desk)

    imported = await desk.post(f"/api/imports/{report['importId']}", {"series": "Weather"})

    [batch] = imported["batches"]
    outline = await desk.get(f"/api/series/{batch['seriesId']}/books")
    assert (batch["status"], batch["edit"]) == ("approved", 1)
    assert [book["place"]["title"] for book in outline["answer"]["books"]] == ["Rain"]
    undone = await desk.post("/api/bookslm/agent/take_back", {"batchId": batch["batchId"]})
    assert undone["status"] == "approved"
    assert (await desk.get(f"/api/series/{batch['seriesId']}/books"))["answer"]["books"] == []


async def test_import_of_the_same_file_again_has_nothing_to_do(desk: Desk) -> None:
    first = await uploaded(desk)
    await desk.post(f"/api/imports/{first['importId']}", {"series": "Weather"})

    again = await uploaded(desk)

    assert [one["nothingToDo"] for one in again["series"]] == [True]  # type: ignore[attr-defined]  # a list
    assert (await desk.post(f"/api/imports/{again['importId']}", {"series": "Weather"}))["batches"] == []


async def test_upload_is_good_for_one_import_and_for_its_person_only(desk: Desk) -> None:
    report = await uploaded(desk)
    path = f"/api/imports/{report['importId']}"

    other = await desk.client.post(path, json={}, headers=await desk.token("bea", SeriesRole.OWNER))
    await desk.post(path, {"series": "Weather"})
    second = await desk.client.post(path, json={"series": "Weather"})

    assert (other.status_code, second.status_code) == (403, 404)


async def test_file_that_is_no_manuscript_is_refused_and_not_kept(desk: Desk) -> None:
    refused = await desk.client.post("/api/imports", files=files("MZ", "../../evil.exe"))

    uploads = desk.house.app.settings.data_dir / "uploads"
    assert refused.status_code == 422
    assert "evil.exe" in refused.json()["detail"]
    assert [path for path in uploads.rglob("*") if path.is_file()] == []


async def test_upload_beyond_its_limit_is_refused(desk: Desk) -> None:
    refused = await desk.client.post("/api/imports", files=files("x" * 51_000_000))

    assert refused.status_code == 413
    assert refused.json()["type"] == "urn:lorekeeper:problem:too-large"


async def test_lead_downloads_the_series_and_a_reader_does_not(desk: Desk) -> None:
    lead = await desk.client.get(desk.at("/export"), headers=await desk.token("kim", SeriesRole.OWNER))
    reader = await desk.client.get(desk.at("/export"), headers=await desk.token("bea", SeriesRole.READER))

    with zipfile.ZipFile(io.BytesIO(lead.content)) as archive:
        assert "manifest.json" in archive.namelist()
    assert reader.status_code == 403
