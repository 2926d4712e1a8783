"""What the text of an EPUB becomes."""

from pathlib import Path

import pytest

from agent_core.importing.epub import read_epub
from agent_core.importing.manuscript import Manuscript
from tests.agent_core.importing.books import Epub, texts, warned


def read(tmp_path: Path, body: str | bytes, **more: str | bytes) -> Manuscript:
    documents: dict[str, str | bytes] = {"a.xhtml": body}
    extra = {f"OEBPS/{name}": data for name, data in more.items()}
    return read_epub(Epub(documents=documents, extra=extra).write(tmp_path / "b.epub"))


def text_of(tmp_path: Path, body: str | bytes) -> str:
    return "\n---\n".join(texts(read(tmp_path, body).chapters[0]))


@pytest.mark.parametrize(
    "between",
    [
        "<hr/>",
        "<p>* * *</p>",
        "<p>***</p>",
        "<p>⁂</p>",
        "<p>#</p>",
        "<p>—</p>",
        "<div><p>&nbsp;• • •&nbsp;</p></div>",
        "<h3>* * *</h3>",
        '<p><img src="o.png" alt="* * *"/></p>',
        "<p><i>* * *</i></p>",
    ],
)
def test_rule_or_ornament_breaks_the_scene(tmp_path: Path, between: str) -> None:
    assert text_of(tmp_path, f"<h2>1</h2><p>One.</p>{between}<p>Two.</p>") == "One.\n---\nTwo."


@pytest.mark.parametrize("kept", ["…", "“…”", "“—”", "?!", "No.", "-1-"])
def test_short_paragraph_that_says_something_breaks_nothing(tmp_path: Path, kept: str) -> None:
    assert text_of(tmp_path, f"<h2>1</h2><p>One.</p><p>{kept}</p><p>Two.</p>") == f"One.\n\n{kept}\n\nTwo."


def test_picture_that_stands_alone_twice_is_an_ornament_and_once_an_illustration(tmp_path: Path) -> None:
    body = (
        "<h2>1</h2><p>One.</p><p><img src='o.png' alt=''/></p><p>Two.</p><p><img src='o.png' alt=''/></p>"
        "<p>Three.</p><figure><img src='map.png' alt='A map'/></figure><p>Four.</p>"
    )
    assert text_of(tmp_path, body) == "One.\n---\nTwo.\n---\nThree.\n\nFour."


def test_picture_inside_a_line_gives_its_alternative_text(tmp_path: Path) -> None:
    body = "<h2>1</h2><p>The brand was a <img src='r.png' alt='crossed R'/>, burned deep.</p>"
    assert text_of(tmp_path, body) == "The brand was a crossed R, burned deep."


def test_emphasis_becomes_markdown_with_spaces_outside(tmp_path: Path) -> None:
    body = "<h2>1</h2><p>She <em>never </em>said <i>a</i><i>b</i>, <b>not <i>once</i></b>.</p>"
    assert text_of(tmp_path, body) == "She *never* said *ab*, **not** ***once***."


def test_source_white_space_is_one_space_and_paragraphs_stay_apart(tmp_path: Path) -> None:
    body = "<h2>1</h2>\n  <p>One\n      line.</p>\n<div>Loose text<p>inner</p>tail</div>"
    assert text_of(tmp_path, body) == "One line.\n\nLoose text\n\ninner\n\ntail"


def test_verse_keeps_its_lines(tmp_path: Path) -> None:
    body = (
        '<h2>1</h2><blockquote epub:type="z3998:verse"><p><span>Down came the <i>rain</i></span>\n<br/>\n'
        "<span>and up came the river</span></p><p><span>and stayed.</span></p></blockquote>"
    )
    assert text_of(tmp_path, body) == "Down came the *rain*\nand up came the river\n\nand stayed."


def test_note_marks_go_and_their_number_is_told(tmp_path: Path) -> None:
    body = (
        '<h2>1</h2><p>Salt<a epub:type="noteref" href="n.xhtml#n1">1</a> and rope'
        '<a href="#n2"><sup>[2]</sup></a>.</p>'
        '<aside epub:type="footnote" id="n2"><p>A note.</p></aside><p>More.</p>'
    )
    book = read(tmp_path, body)
    assert texts(book.chapters[0]) == ["Salt and rope.\n\nMore."]
    assert warned(book) == {"notes_dropped": 2}


def test_endnotes_inside_a_chapter_are_dropped_and_the_text_goes_on(tmp_path: Path) -> None:
    body = (
        '<section epub:type="chapter"><h2>1</h2><p>One.</p><section epub:type="endnotes"><h3>Notes</h3><ol>'
        '<li epub:type="endnote"><p>A note.</p></li></ol></section><p>Two.</p></section>'
    )
    assert text_of(tmp_path, body) == "One.\n\nTwo."


def test_motto_inside_a_chapter_is_kept(tmp_path: Path) -> None:
    body = (
        '<section epub:type="chapter"><header><h2>1</h2><blockquote epub:type="epigraph"><p>Mind it.</p>'
        "</blockquote></header><p>One.</p></section>"
    )
    assert text_of(tmp_path, body) == "Mind it.\n\nOne."


def test_heading_inside_a_chapter_names_a_scene_but_not_one_in_a_letter(tmp_path: Path) -> None:
    body = (
        "<section epub:type='chapter'><h2>1</h2><p>One.</p>"
        "<blockquote><h4>Notice</h4><p>Keep out.</p></blockquote>"
        "<h3>The Docks</h3><p>Two.</p></section>"
    )
    scenes = read(tmp_path, body).chapters[0].scenes
    assert [(scene.title, scene.text) for scene in scenes] == [
        ("", "One.\n\nNotice\n\nKeep out."),
        ("The Docks", "Two."),
    ]


def test_lists_and_tables_keep_their_words(tmp_path: Path) -> None:
    body = (
        "<h2>1</h2><ol start='3'><li>rope</li><li><p>salt</p></li></ol><ul><li>tar</li></ul>"
        "<table><tr><th>Ship</th><th>Crew</th></tr>\n<tr><td><p>Heron</p></td>\n<td>nine</td></tr></table><p>End.</p>"
    )
    assert text_of(tmp_path, body) == "3. rope\n\n4. salt\n\n- tar\n\nShip | Crew\nHeron | nine\n\nEnd."


def test_page_numbers_scripts_and_hidden_text_are_not_read(tmp_path: Path) -> None:
    body = (
        '<h2>1</h2><p>One <span epub:type="pagebreak" id="p2">2</span>line.</p><script>alert(1)</script>'
        "<p hidden='hidden'>secret</p><section class='pg-boilerplate' id='pg-footer'><p>License</p></section>"
    )
    assert text_of(tmp_path, body) == "One line."


def test_marks_of_the_typesetter_go_and_french_spaces_stay(tmp_path: Path) -> None:
    body = "<h2>1</h2><p>Mr.&#160;Holmes\u2060—\u200a“yes”. « Oui\u00a0! »  dit\u00adil.</p>"
    assert text_of(tmp_path, body) == "Mr. Holmes—“yes”. « Oui\u00a0! » ditil."


def test_right_to_left_and_east_asian_text_is_kept(tmp_path: Path) -> None:
    body = (
        "<h2>第三章 渡河</h2><p>彼女は<ruby>川<rt>かわ</rt></ruby>を渡った。</p><p>＊　＊　＊</p>"
        "<p>قالت: «\u200fلا أعود\u200f».</p><p>היא חזרה.</p>"
    )
    book = read(tmp_path, body)
    assert (book.chapters[0].number, book.chapters[0].title) == ("3", "渡河")
    assert texts(book.chapters[0]) == ["彼女は川を渡った。", "قالت: «\u200fلا أعود\u200f».\n\nהיא חזרה."]


def test_html_entities_are_known_without_a_document_type(tmp_path: Path) -> None:
    assert (
        text_of(tmp_path, "<h2>1</h2><p>caf&eacute; &amp; th&eacute;&hellip; 3 &lt; 4</p>")
        == "café & thé… 3 < 4"
    )


def test_markup_that_is_not_well_formed_is_read_and_named(tmp_path: Path) -> None:
    body = "<html><head><title/></head><body><h2>1</h2><p>One <b>bold<p>Two & three<br>four</body></html>"
    book = read(tmp_path, body)
    assert texts(book.chapters[0]) == ["One **bold**\n\nTwo & three\nfour"]
    assert warned(book) == {"markup_repaired": ("a.xhtml",)}


def test_text_in_an_encoding_it_does_not_declare_is_read_as_windows_1252(tmp_path: Path) -> None:
    body = "<html><body><h2>1</h2><p>“Zoë”</p></body></html>".encode("cp1252")
    book = read(tmp_path, body)
    assert texts(book.chapters[0]) == ["“Zoë”"]
    assert warned(book) == {"encoding_guessed": ("a.xhtml",)}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "iso-8859-1", "shift_jis"])
def test_declared_encodings_are_followed(tmp_path: Path, encoding: str) -> None:
    said = "川" if encoding == "shift_jis" else "Zoe"
    body = f'<?xml version="1.0" encoding="{encoding}"?><html><body><h2>1</h2><p>{said}</p></body></html>'
    book = read(tmp_path, body.encode(encoding))
    assert texts(book.chapters[0]) == [said]
    assert not book.warnings
