"""EPUBs that are broken, locked, lying or meant to do harm."""

import random
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import ImportFailure
from agent_core.importing.archive import MEGABYTE, Archive, member_name
from agent_core.importing.epub import MAX_MEMBER_BYTES, read_epub
from tests.agent_core.importing.books import CONTAINER, Epub, chapter, texts

ONE: dict[str, str | bytes] = {"a.xhtml": chapter("1", "Salt", "One.")}
ENCRYPTION = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
 xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="{}"/>
<enc:CipherData><enc:CipherReference URI="OEBPS/{}"/></enc:CipherData></enc:EncryptedData></encryption>"""


def refused(path: Path) -> dict[str, object]:
    """Return the facts of the refusal of a file that stands in a folder called as in `path`."""
    with pytest.raises(ImportFailure) as raised:
        read_epub(path)
    facts: dict[str, object] = {
        name: value for name, value in raised.value.facts.items() if value is not None
    }
    assert facts.pop("file") == path.name
    assert str(path.parent) not in str(raised.value)
    return facts


def zipped(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_file_that_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.epub") == {"reason": "not_found"}


def test_file_that_is_no_zip(tmp_path: Path) -> None:
    path = tmp_path / "b.epub"
    path.write_bytes(b"Once upon a time" * 100)
    assert refused(path) == {"reason": "damaged"}


def test_zip_cut_off_in_the_middle(tmp_path: Path) -> None:
    path = Epub(documents=dict(ONE)).write(tmp_path / "b.epub")
    path.write_bytes(path.read_bytes()[:-200])
    assert refused(path)["reason"] == "damaged"


def test_member_with_a_wrong_checksum(tmp_path: Path) -> None:
    path = zipped(tmp_path / "b.epub", {"META-INF/container.xml": CONTAINER})
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    assert refused(path) == {"reason": "damaged", "part": "META-INF/container.xml"}


def test_container_missing(tmp_path: Path) -> None:
    path = zipped(tmp_path / "b.epub", {"mimetype": "application/epub+zip"})
    assert refused(path) == {"reason": "damaged", "part": "META-INF/container.xml"}


def test_package_document_missing(tmp_path: Path) -> None:
    path = zipped(tmp_path / "b.epub", {"META-INF/container.xml": CONTAINER})
    assert refused(path) == {"reason": "damaged", "part": "OEBPS/book.opf"}


def test_nothing_of_the_spine_is_there(tmp_path: Path) -> None:
    assert refused(Epub(documents=dict(ONE), spine=["b.xhtml"]).write(tmp_path / "b.epub")) == {
        "reason": "damaged",
        "part": "spine",
    }


def test_book_without_story(tmp_path: Path) -> None:
    documents: dict[str, str | bytes] = {
        "t.xhtml": '<section epub:type="titlepage"><h1>The Long Ford</h1></section>'
    }
    assert refused(Epub(documents=documents).write(tmp_path / "b.epub")) == {"reason": "empty"}


def test_locked_text(tmp_path: Path) -> None:
    locked = ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "a.xhtml")
    epub = Epub(documents=dict(ONE), extra={"META-INF/encryption.xml": locked})
    assert refused(epub.write(tmp_path / "b.epub")) == {"reason": "encrypted"}


@pytest.mark.parametrize("method", ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"])
def test_scrambled_fonts_are_no_lock(tmp_path: Path, method: str) -> None:
    epub = Epub(documents=dict(ONE), extra={"META-INF/encryption.xml": ENCRYPTION.format(method, "f.otf")})
    assert texts(read_epub(epub.write(tmp_path / "b.epub")).chapters[0]) == ["One."]


def test_zip_bomb_is_refused_without_unpacking_it(tmp_path: Path) -> None:
    path = Epub(documents={"a.xhtml": b"<p>" + b" " * (60 * MEGABYTE)}).write(tmp_path / "b.epub")
    assert refused(path) == {"reason": "bomb", "part": "OEBPS/a.xhtml"}


def test_member_that_lies_about_its_size_is_damaged(tmp_path: Path) -> None:
    path = zipped(tmp_path / "b.zip", {"a.xhtml": b"a" * (4 * MEGABYTE)})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<I", 4 * MEGABYTE), struct.pack("<I", 1000)))
    with Archive(path, MEGABYTE) as archive, pytest.raises(ImportFailure) as raised:
        archive.read("a.xhtml")
    assert raised.value.facts["reason"] == "damaged"


def test_archive_of_far_too_many_members_is_a_bomb(tmp_path: Path) -> None:
    path = zipped(tmp_path / "b.epub", {f"{n}": b"" for n in range(10_001)})
    assert refused(path) == {"reason": "bomb", "limit": 10_000}


def test_directory_that_claims_to_be_endless_is_not_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "b.epub", {"a": b"b"})
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rfind(b"PK\x05\x06") + 12, 0x7FFFFFFF)
    path.write_bytes(data)
    assert refused(path)["reason"] == "bomb"


def test_forty_megabyte_paragraph_names_the_limit(tmp_path: Path) -> None:
    paragraph = random.Random(1).randbytes(20_000_000).hex()
    path = Epub(documents={"a.xhtml": f"<h2>1</h2><p>{paragraph}</p>"}).write(tmp_path / "b.epub")
    assert refused(path) == {"reason": "too_large", "limit_mb": 8.0, "part": "OEBPS/a.xhtml"}


def test_paragraph_just_below_the_limit_is_read(tmp_path: Path) -> None:
    text = "word " * ((MAX_MEMBER_BYTES - 1000) // 5)
    path = zipped_plain(tmp_path / "b.epub", {"a.xhtml": f"<h2>1</h2><p>{text}</p>"})
    scene = read_epub(path).chapters[0].scenes[0]
    assert len(scene.text) == len(text) - 1


def zipped_plain(path: Path, documents: dict[str, str | bytes]) -> Path:
    """Write an EPUB whose members aren't shrunk, so that repeated text is no bomb."""
    shrunk = Epub(documents=documents).write(path.with_suffix(".zip"))
    with zipfile.ZipFile(shrunk) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return path


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    document = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">{laughs}]>'
        "<html><body><h2>1</h2><p>Once &l11; more.</p></body></html>"
    )
    text = texts(read_epub(Epub(documents={"a.xhtml": document}).write(tmp_path / "b.epub")).chapters[0])[0]
    assert "haha" not in text
    assert text.startswith("Once ")


def test_external_entities_are_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    document = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'
        "<html><body><h2>1</h2><p>Once &s; more.</p></body></html>"
    )
    opf = f'<!DOCTYPE package [<!ENTITY s SYSTEM "{secret.as_uri()}">]><package>&s;</package>'
    text = texts(read_epub(Epub(documents={"a.xhtml": document}).write(tmp_path / "b.epub")).chapters[0])[0]
    assert "hunter2" not in text
    path = zipped(tmp_path / "c.epub", {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": opf})
    assert "hunter2" not in str(refused(path))


@pytest.mark.parametrize(
    "href", ["../../../etc/passwd", "/etc/passwd", "..%2F..%2Fetc%2Fpasswd", "file:///etc/passwd"]
)
def test_links_out_of_the_archive_lead_nowhere(href: str) -> None:
    assert member_name("OEBPS/book.opf", href)[0] == ""


@pytest.mark.parametrize(
    ("href", "name"),
    [
        ("text/a.xhtml#c1", ("OEBPS/text/a.xhtml", "c1")),
        ("../a%20b.xhtml", ("a b.xhtml", "")),
        ("#c%C3%A9", ("OEBPS/book.opf", "cé")),
        ("./x/../y.xhtml", ("OEBPS/y.xhtml", "")),
    ],
)
def test_links_inside_the_archive_are_resolved(href: str, name: tuple[str, str]) -> None:
    assert member_name("OEBPS/book.opf", href) == name


def test_spine_item_outside_the_archive_is_reported_missing_by_name_only(tmp_path: Path) -> None:
    epub = Epub(
        documents={"../../../etc/passwd": "<p>x</p>", **ONE}, spine=["../../../etc/passwd", "a.xhtml"]
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert len(book.chapters) == 1


def test_nesting_beyond_all_measure_is_damaged_and_not_a_crash(tmp_path: Path) -> None:
    document = f"<html><body>{'<div>' * 20_000}deep{'</div>' * 20_000}</body></html>"
    assert refused(Epub(documents={"a.xhtml": document}).write(tmp_path / "b.epub")) == {
        "reason": "damaged",
        "part": "a.xhtml",
    }


SHAPES = {
    "list": "<ol>" + "<li>x</li>" * 30_000 + "</ol>",
    "headings": "".join(f"<h2>x{n}</h2>" for n in range(15_000)) + "<p>x</p>",
    "emphasis": "<p>" + "<i>x</i><b>y</b>" * 30_000 + "</p>",
    "lines": "<p>" + "<br/>" * 100_000 + "x</p>",
    "table": "<table>" + "<tr><td>x</td><td>y</td></tr>" * 15_000 + "</table>",
    "chapters": "".join(f"<section epub:type='chapter'><p>x{n}</p></section>" for n in range(4_000)),
    "no-break spaces": "<p>" + "&nbsp;" * 300_000 + "x</p>",
    "spaces": "<p>x" + " " * 1_000_000 + "x</p>",
    "pictures": "<p>a" + "<img src='a' alt='b'/>" * 30_000 + "</p>",
    "long heading": "<h2>" + "Chapter  " * 100_000 + "</h2><p>x</p>",
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_text_is_read_before_the_test_times_out(tmp_path: Path, name: str) -> None:
    path = zipped_plain(tmp_path / "b.epub", {"a.xhtml": SHAPES[name]})
    assert read_epub(path).chapters


MEMBERS = ["META-INF/container.xml", "OEBPS/book.opf", "OEBPS/nav.xhtml", "OEBPS/a.xhtml"]


@given(
    member=st.sampled_from(MEMBERS),
    cut=st.tuples(st.integers(0, 1500), st.integers(0, 60)),
    junk=st.one_of(
        st.binary(max_size=20), st.sampled_from([b"<p>", b"</p>", b"&x;", b"<!--", b"]]>", b"../"])
    ),
)
def test_damage_anywhere_is_read_or_refused_but_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, member: str, cut: tuple[int, int], junk: bytes
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    epub = Epub(documents=dict(ONE), toc=[("Part", "", [("Salt", "a.xhtml")])])
    with zipfile.ZipFile(epub.write(folder / "whole.epub")) as whole:
        members: dict[str, str | bytes] = {name: whole.read(name) for name in whole.namelist()}
        data = whole.read(member)
    begin, length = cut
    members[member] = data[:begin] + junk + data[begin + length :]
    path = zipped(folder / "b.epub", members)
    try:
        outcome = "read" if read_epub(path).chapters else "nothing"
    except ImportFailure as failure:
        outcome = str(failure.facts["reason"])
    assert outcome in {"read", "damaged", "empty", "encrypted"}
