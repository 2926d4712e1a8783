"""PDF and DOCX: what was given stands in them, and nothing of it is taken for a command."""

import json
import zipfile
from datetime import UTC, datetime
from io import BytesIO

import docx
import pytest
from docx.document import Document as Docx
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader
from typst import Compiler

from agent_core.documents.draft import draft
from agent_core.documents.fonts import scripts_without_font
from agent_core.documents.images import image_of
from agent_core.documents.legible import legible
from agent_core.documents.model import Document, Image, Made
from agent_core.documents.pdf import make_pdf
from agent_core.documents.typeset import quoted
from agent_core.documents.word import make_docx
from agent_core.errors import DocumentRefusal
from tests.agent_core.documents.conftest import png

AT = datetime(2026, 11, 30, tzinfo=UTC)
TEXT = """# First

Told[^a] with **bold** text.

- one
  1. two

> quoted

| Name | Sum |
|---|---:|
| Ann | 12 |

```
x = 1
```

![chart](chart.png) ![gone](gone.png)

## Second

Told again[^a].

[^a]: The note.
"""


def drafted(text: str, *, title: str = "Report", contents: bool = False) -> Document:
    return draft(
        text,
        title=title,
        author="Ann",
        language="en",
        contents=contents,
        page_numbers=True,
        paper="a4",
    )


def test_time_of_a_real_clock_is_taken_into_every_file() -> None:
    """Clocks give microseconds; typst refuses them."""
    at = datetime(2026, 11, 30, 20, 48, 35, 728161, tzinfo=UTC)
    pages = make_pdf(drafted("One."), lambda _: None, at)
    word = make_docx(drafted("One."), lambda _: None, at)
    about = PdfReader(BytesIO(pages.content)).metadata
    assert about is not None
    assert about.creation_date == at.replace(microsecond=0)
    assert docx.Document(BytesIO(word.content)).core_properties.created == at.replace(microsecond=0)


def chart(source: str) -> Image | None:
    return image_of(png(40, 20)) if source == "chart.png" else None


def pdf_text(made: Made) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(made.content)).pages)


def opened(made: Made) -> Docx:
    return docx.Document(BytesIO(made.content))


def test_pdf_holds_text_contents_footnote_and_picture() -> None:
    made = make_pdf(drafted(TEXT, contents=True), chart, AT)
    reader = PdfReader(BytesIO(made.content))

    text = pdf_text(made)
    for said in (
        "Report",
        "Ann",
        "Contents",
        "First",
        "bold",
        "quoted",
        "12",
        "x = 1",
        "The note.",
        "[gone]",
    ):
        assert said in text
    assert text.count("The note.") == 1
    assert made.facts == {"pages": 2}
    assert made.pictures_lost == ("gone.png",)
    assert reader.metadata is not None
    assert reader.metadata.title == "Report"
    assert [str(one["/Title"]) for one in reader.outline if not isinstance(one, list)] == ["First"]
    assert sum(len(page.images) for page in reader.pages) == 1


def test_broken_picture_costs_the_picture_alone() -> None:
    made = make_pdf(
        drafted("![a](a.png)\n\nStill here."), lambda _: Image(b"\x89PNG\r\n\x1a\nbroken", "png"), AT
    )
    assert made.pictures_lost == ("a.png",)
    assert "Still here." in pdf_text(made)


def test_svg_cannot_reach_a_file_of_the_machine() -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/logo.png"/></svg>'
    made = make_pdf(drafted("![a](a.svg)"), lambda _: Image(svg, "svg"), AT)
    assert made.pictures_lost == ("a.svg",)


def test_footnote_that_calls_itself_ends() -> None:
    made = make_pdf(drafted("a[^x]\n\n[^x]: see[^x]\n"), chart, AT)
    assert "see" in pdf_text(made)


@pytest.mark.parametrize(
    "text",
    ["#panic()", "$x$ #import", '"); panic("', "\\u{41} \\ `#x` @ref <label> // x", "*/ #[x] ~ --- ..."],
)
def test_text_is_never_typst(text: str) -> None:
    made = make_pdf(drafted(f"    {text}\n\nend", title=text), chart, AT)
    assert text.replace(" ", "") in pdf_text(made).replace(" ", "").replace("\n", "")


@settings(max_examples=20)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00")))
def test_quoted_string_stands_for_exactly_its_text(text: str) -> None:
    text = legible(text)[0]
    metadata = f"#metadata({quoted(text)}) <said>"
    compiler = Compiler(metadata.encode())
    assert compiler.query("<said>", field="value", one=True) == json.dumps(text, ensure_ascii=False)


def test_scripts_without_a_font_are_named() -> None:
    rare = "\U0001e290\U0001e291 \U00010570"  # Toto and Vithkuqi: few machines have a font for either
    assert scripts_without_font("Ann Άννα Анна אנה — ½ → 12") == ()
    assert set(scripts_without_font(f"Ann {rare}")) <= {"Toto", "Vithkuqi"}
    assert scripts_without_font(rare) == make_pdf(drafted(rare), chart, AT).without_font


def test_docx_holds_text_contents_footnote_and_picture() -> None:
    made = make_docx(drafted(TEXT, contents=True), chart, AT)
    document = opened(made)

    styles = {paragraph.style.name for paragraph in document.paragraphs if paragraph.style is not None}
    assert {"Title", "Subtitle", "Heading 1", "Heading 2", "Quote", "List Paragraph"} <= styles
    assert [cell.text for row in document.tables[0].rows for cell in row.cells] == [
        "Name",
        "Sum",
        "Ann",
        "12",
    ]
    assert len(document.inline_shapes) == 1
    assert made.pictures_lost == ("gone.png",)
    with zipfile.ZipFile(BytesIO(made.content)) as package:
        notes = package.read("word/footnotes.xml").decode()
        body = package.read("word/document.xml").decode()
        assert "PAGE" in package.read("word/footer1.xml").decode()
    assert notes.count("The note.") == 1
    assert body.count("<w:footnoteReference ") == 1
    assert "TOC " in body


def test_right_to_left_paragraphs_are_marked() -> None:
    made = make_docx(drafted("שלום English עולם\n\nEnglish שלום"), chart, AT)
    with zipfile.ZipFile(BytesIO(made.content)) as package:
        body = package.read("word/document.xml").decode()
    assert body.count("<w:bidi/>") == 1
    assert body.count("<w:rtl/>") == 3


@pytest.mark.slow
@settings(max_examples=40)
@given(st.text(min_size=1), st.text())
def test_any_text_becomes_a_document_that_opens(text: str, title: str) -> None:
    """A40."""
    try:
        document = drafted(text, title=title)
    except DocumentRefusal:  # nothing but spaces, a comment, or what links lead to
        return
    opened(make_docx(document, chart, AT))
    assert PdfReader(BytesIO(make_pdf(document, chart, AT).content)).pages


def test_control_characters_cost_nothing_but_themselves() -> None:
    """A40."""
    document = drafted("a\x0bb\ufffe\n\n| \x1bx |\n|---|\n| \x00y |\n", title="T\x0citle\ud800")
    for made in (make_docx(document, chart, AT), make_pdf(document, chart, AT)):
        assert made.removed == 6
    assert opened(make_docx(document, chart, AT)).paragraphs[0].text == "Title"
