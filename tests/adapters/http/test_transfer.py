"""Books come in by upload, series go out by download."""

import io
import zipfile

import pytest

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

    assert (other.status_code, second.status_code) == (404, 404)


@pytest.mark.parametrize("role", [SeriesRole.OWNER, SeriesRole.EDITOR])
async def test_writers_import_into_their_own_series(desk: Desk, role: SeriesRole) -> None:
    writer, name = await desk.token("kim", role), {"series": "The Salt Roads"}
    report = await desk.client.post("/api/imports", files=files(), data=name, headers=writer)

    imported = await desk.post(f"/api/imports/{report.json()['importId']}", name, writer)

    [batch] = imported["batches"]
    assert (batch["status"], batch["seriesId"]) == ("approved", desk.series)
    outline = await desk.get(desk.at("/books"))
    assert "Rain" in [book["place"]["title"] for book in outline["answer"]["books"]]


async def test_reader_may_not_upload(desk: Desk) -> None:
    bea = await desk.token("bea", SeriesRole.READER)

    refused = await desk.client.post("/api/imports", files=files(), headers=bea)
    imported = await desk.client.post("/api/imports/any", json={}, headers=bea)

    assert (refused.status_code, imported.status_code) == (403, 403)
    assert not (desk.house.app.settings.data_dir / "uploads").exists()


async def test_import_into_a_series_of_others_begins_one_of_the_same_name(desk: Desk) -> None:
    await desk.house.join("kim", SeriesRole.EDITOR)
    lead = await desk.token("lee", SeriesRole.OWNER)
    await desk.post("/api/series", {"series": "Weather"}, lead)
    report = await uploaded(desk)

    [batch] = (await desk.post(f"/api/imports/{report['importId']}", {"series": "Weather"}))["batches"]

    of_lee = next(one for one in await desk.get("/api/series", lead) if one["name"] == "Weather")
    assert batch["seriesId"] != of_lee["id"]
    assert (await desk.get(f"/api/series/{of_lee['id']}/books", lead))["answer"]["books"] == []


async def test_no_answer_and_no_record_names_a_folder_of_this_machine(desk: Desk) -> None:
    report = await desk.client.post("/api/imports", files=files(), data={"series": "Weather"})
    imported = await desk.client.post(f"/api/imports/{report.json()['importId']}", json={"series": "Weather"})
    batch = await desk.client.get(f"/api/batches/{imported.json()['batches'][0]['batchId']}")

    folder = str(desk.house.app.settings.data_dir)
    for shown in (report.text, imported.text, batch.text, *map(str, await desk.house.audit())):
        assert folder not in shown
        assert "uploads" not in shown


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


SHEET = b"name,eyes\nMara,green\nTom,brown\n"


async def test_a_story_bible_is_reviewed_and_then_brought_in(desk: Desk) -> None:
    upload = {"files": ("characters.csv", SHEET, "text/csv")}
    found = await desk.client.post("/api/imports", files=upload, data={"series": "Weather"})
    assert found.status_code == 200, found.text
    [report] = found.json()["series"]
    assert (report["name"], report["exists"], report["nothingToDo"]) == ("Weather", False, False)
    assert report["warnings"][0].startswith("Entries: 2 new, 0 known. Details: 2 new")

    imported = await desk.post(f"/api/imports/{found.json()['importId']}", {"series": "Weather"})

    assert [batch["edit"] for batch in imported["batches"]] == [1]
    again = await desk.client.post("/api/imports", files=upload, data={"series": "Weather"})
    [report] = again.json()["series"]
    assert (report["exists"], report["nothingToDo"]) == (True, True)
    assert report["warnings"] == ["Entries: 0 new, 2 known. Details: 0 new, 2 same, 0 differ. Unclear: 0."]
