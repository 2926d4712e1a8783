"""Which parts of an EPUB are story, and how they are numbered, titled and cut."""

from pathlib import Path

from agent_core.importing.epub import read_epub
from tests.agent_core.importing.books import Epub, chapter, shape, texts, warned

SERIES = """
<meta property="belongs-to-collection" id="c1">Best Sea Stories</meta>
<meta refines="#c1" property="collection-type">set</meta>
<meta refines="#c1" property="group-position">7</meta>
<meta property="belongs-to-collection" id="c2">The Ford</meta>
<meta refines="#c2" property="collection-type">series</meta>
<meta refines="#c2" property="group-position">2</meta>"""


def test_parts_are_labels_and_numbers_may_start_again(tmp_path: Path) -> None:
    part = (
        '<section epub:type="part"><h2><span epub:type="label">Part</span> '
        '<span epub:type="ordinal">{}</span></h2></section>'
    )
    documents = {
        "p1.xhtml": part.format("I"),
        "a.xhtml": chapter("I", "Salt", "One."),
        "b.xhtml": chapter("II", "Rope", "Two."),
        "p2.xhtml": part.format("II"),
        "c.xhtml": chapter("I", "Ash", "Three."),
    }
    book = read_epub(Epub(documents=dict(documents)).write(tmp_path / "b.epub"))
    assert shape(book) == [("Part I", "1", "Salt", 1), ("Part I", "2", "Rope", 1), ("Part II", "1", "Ash", 1)]


def test_chapter_listed_outside_the_parts_stands_in_none(tmp_path: Path) -> None:
    documents = {
        "p1.xhtml": '<section epub:type="part"><h2>Part One</h2></section>',
        "a.xhtml": chapter("1", "Salt", "One."),
        "z.xhtml": '<section epub:type="epilogue"><h2>Epilogue</h2><p>After.</p></section>',
    }
    toc = [("Part One", "p1.xhtml", [("1: Salt", "a.xhtml")]), ("Epilogue", "z.xhtml")]
    book = read_epub(Epub(documents=dict(documents), toc=toc).write(tmp_path / "b.epub"))
    assert shape(book) == [("Part One", "1", "Salt", 1), ("", "", "Epilogue", 1)]


def test_part_inside_a_volume_keeps_both_labels(tmp_path: Path) -> None:
    documents = {
        "v1.xhtml": '<section epub:type="volume"><h1>Book One</h1></section>',
        "p1.xhtml": '<section epub:type="part"><h2>Part I</h2></section>',
        "a.xhtml": chapter("1", "Salt", "One."),
        "v2.xhtml": '<section epub:type="volume"><h1>Book Two</h1></section>',
        "b.xhtml": chapter("1", "Ash", "Two."),
    }
    book = read_epub(Epub(documents=dict(documents)).write(tmp_path / "b.epub"))
    assert [one.part for one in book.chapters] == ["Book One · Part I", "Book Two"]


def test_collection_of_type_series_wins_over_a_set(tmp_path: Path) -> None:
    documents: dict[str, str | bytes] = {"a.xhtml": chapter("1", "Salt", "One.")}
    book = read_epub(Epub(documents=documents, metadata=SERIES).write(tmp_path / "b.epub"))
    assert (book.series, book.series_position, book.title, book.language) == (
        "The Ford",
        2.0,
        "The Long Ford",
        "en",
    )


def test_set_is_taken_where_there_is_no_series(tmp_path: Path) -> None:
    only_set, _, _ = SERIES.partition('<meta property="belongs-to-collection" id="c2">')
    documents: dict[str, str | bytes] = {"a.xhtml": chapter("1", "Salt", "One.")}
    book = read_epub(Epub(documents=documents, metadata=only_set).write(tmp_path / "b.epub"))
    assert (book.series, book.series_position) == ("Best Sea Stories", 7.0)


def test_epub_2_takes_series_from_calibre_and_chapters_from_its_ncx(tmp_path: Path) -> None:
    epub = Epub(
        version="2.0",
        metadata=(
            '<meta name="calibre:series" content="The Ford"/>'
            '<meta name="calibre:series_index" content="1.5"/>'
        ),
        documents={
            "t.xhtml": "<h1>The Long Ford</h1><p>by Nobody</p>",
            "all.xhtml": (
                '<h2 id="c1">Chapter 1: Salt</h2><p>One.</p><h2 id="c2">Chapter 2: Rope</h2><p>Two.</p>'
                '<h2 id="n">Copyright</h2><p>All wrongs reserved.</p>'
            ),
        },
        toc=[
            ("Title", "t.xhtml"),
            ("One", "all.xhtml#c1"),
            ("Two", "all.xhtml#c2"),
            ("Copyright", "all.xhtml#n"),
        ],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert (book.series, book.series_position) == ("The Ford", 1.5)
    assert shape(book) == [("", "1", "Salt", 1), ("", "2", "Rope", 1)]
    assert texts(book.chapters[1]) == ["Two."]


def test_book_without_series_metadata_stands_alone(tmp_path: Path) -> None:
    documents: dict[str, str | bytes] = {"a.xhtml": chapter("1", "Salt", "One.")}
    book = read_epub(Epub(documents=documents).write(tmp_path / "b.epub"))
    assert (book.series, book.series_position) == ("", None)


def test_chapter_goes_on_in_files_that_the_contents_do_not_list(tmp_path: Path) -> None:
    epub = Epub(
        documents={
            "a_split_0.xhtml": "<h2>Chapter 1</h2><p>One.</p>",
            "a_split_1.xhtml": "<p>Still one.</p>",
            "b_split_0.xhtml": "<h2>Chapter 2</h2><p>Two.</p>",
            "b_split_1.xhtml": "<p>Still two.</p>",
        },
        toc=[("Chapter 1", "a_split_0.xhtml"), ("Chapter 2", "b_split_0.xhtml")],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert [texts(one) for one in book.chapters] == [["One.\n\nStill one."], ["Two.\n\nStill two."]]


def test_typed_chapter_without_heading_goes_on_if_the_contents_do_not_list_it(tmp_path: Path) -> None:
    epub = Epub(
        documents={
            "a.xhtml": chapter("1", "Salt", "One."),
            "b.xhtml": '<section epub:type="chapter"><p>Still one.</p></section>',
        },
        toc=[("1: Salt", "a.xhtml")],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert [texts(one) for one in book.chapters] == [["One.\n\nStill one."]]


def test_files_are_chapters_where_nothing_names_any(tmp_path: Path) -> None:
    epub = Epub(documents={"a.xhtml": "<p>One.</p>", "b.xhtml": "<p>Two.</p>"})
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("", "1", "", 1), ("", "2", "", 1)]


def test_parts_come_from_contents_lines_that_lead_nowhere(tmp_path: Path) -> None:
    epub = Epub(
        documents={"a.xhtml": "<h2>Salt</h2><p>One.</p>", "b.xhtml": "<h2>Ash</h2><p>Two.</p>"},
        toc=[("Part One", "", [("Salt", "a.xhtml")]), ("Part Two", "", [("Ash", "b.xhtml")])],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("Part One", "1", "Salt", 1), ("Part Two", "2", "Ash", 1)]


def test_contents_lines_below_a_chapter_with_text_are_its_scenes(tmp_path: Path) -> None:
    epub = Epub(
        documents={"a.xhtml": '<h2>Salt</h2><p>One.</p><h3 id="s">The Docks</h3><p>Two.</p>'},
        toc=[("Salt", "a.xhtml", [("The Docks", "a.xhtml#s")])],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert [(scene.title, scene.text) for scene in book.chapters[0].scenes] == [
        ("", "One."),
        ("The Docks", "Two."),
    ]


def test_text_of_a_part_before_its_first_chapter_is_kept_uncounted(tmp_path: Path) -> None:
    documents = {
        "p.xhtml": '<section epub:type="part"><h2>Part One</h2><p>What the tide takes.</p></section>',
        "a.xhtml": chapter("1", "Salt", "One."),
    }
    book = read_epub(Epub(documents=dict(documents)).write(tmp_path / "b.epub"))
    assert [(one.number, one.title, one.matter) for one in book.chapters] == [
        ("", "Part One", True),
        ("1", "Salt", False),
    ]


def test_front_and_back_matter_is_dropped_and_prose_among_it_is_named(tmp_path: Path) -> None:
    def typed(word: str, heading: str, text: str, body: str = "frontmatter") -> str:
        section = f'<section epub:type="{word}"><h2>{heading}</h2><p>{text}</p></section>'
        return f'<body epub:type="{body}">{section}</body>'

    documents = {
        "title.xhtml": typed("titlepage", "The Long Ford", "by Nobody"),
        "imprint.xhtml": typed("imprint", "Imprint", "Printed."),
        "copy.xhtml": typed("copyright-page", "Copyright", "Mine."),
        "ded.xhtml": typed("dedication", "Dedication", "To you."),
        "fore.xhtml": typed("foreword", "Foreword", "How I wrote it."),
        "intro.xhtml": typed("introduction", "Introduction", "Why it matters."),
        "pro.xhtml": typed("prologue", "Prologue", "Long ago."),
        "a.xhtml": chapter("1", "Salt", "One."),
        "epi.xhtml": typed("epilogue", "Epilogue", "Long after.", "backmatter"),
        "notes.xhtml": typed("endnotes", "Endnotes", "A note.", "backmatter"),
        "colophon.xhtml": typed("colophon", "Colophon", "Set in type.", "backmatter"),
    }
    book = read_epub(Epub(documents=dict(documents)).write(tmp_path / "b.epub"))
    assert shape(book) == [("", "", "Prologue", 1), ("", "1", "Salt", 1), ("", "", "Epilogue", 1)]
    assert warned(book) == {"matter_dropped": ("Dedication", "Foreword", "Introduction")}


def test_untyped_front_matter_is_known_by_its_name(tmp_path: Path) -> None:
    epub = Epub(
        version="2.0",
        documents={
            "c.xhtml": "<p>A picture of a ford.</p>",
            "v.xhtml": "<h2>Vorwort</h2><p>Warum.</p>",
            "p.xhtml": "<h2>Prolog</h2><p>Damals.</p>",
            "a.xhtml": "<h2>1. Kapitel: Salz</h2><p>Eins.</p>",
            "d.xhtml": "<h2>Danksagung</h2><p>Danke.</p>",
        },
        toc=[("Vorwort", "v.xhtml"), ("Prolog", "p.xhtml"), ("Salz", "a.xhtml"), ("Danksagung", "d.xhtml")],
        guide={"cover": "c.xhtml"},
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("", "", "Prolog", 1), ("", "1", "Salz", 1)]
    assert warned(book) == {"matter_dropped": ("Vorwort", "Danksagung")}


def test_landmarks_say_where_the_body_begins(tmp_path: Path) -> None:
    epub = Epub(
        documents={
            "map.xhtml": "<h2>The River Country</h2><p>North is up.</p>",
            "a.xhtml": "<h2>Salt</h2><p>One.</p>",
        },
        toc=[("The River Country", "map.xhtml"), ("Salt", "a.xhtml")],
        landmarks={"bodymatter": "a.xhtml"},
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert [one.title for one in book.chapters] == ["Salt"]
    assert warned(book) == {"matter_dropped": ("The River Country",)}


def test_preface_that_belongs_to_the_fiction_is_kept_uncounted(tmp_path: Path) -> None:
    preface = (
        '<body epub:type="frontmatter z3998:fiction"><section epub:type="preface"><h2>Preface</h2>'
        "<p>These papers were found in a well.</p></section></body>"
    )
    documents: dict[str, str | bytes] = {"f.xhtml": preface, "a.xhtml": chapter("1", "Salt", "One.")}
    book = read_epub(Epub(documents=documents).write(tmp_path / "b.epub"))
    assert [(one.number, one.title, one.matter) for one in book.chapters] == [
        ("", "Preface", True),
        ("1", "Salt", False),
    ]


def test_number_comes_from_the_file_where_no_chapter_prints_one(tmp_path: Path) -> None:
    titled = '<section epub:type="chapter"><h2 epub:type="title">{}</h2><p>Text.</p></section>'
    epub = Epub(
        documents={
            "chapter-1.xhtml": titled.format("Salt"),
            "interlude.xhtml": '<section epub:type="interlude"><h2>Interlude</h2><p>Between.</p></section>',
            "chapter-3.xhtml": titled.format("Ash"),
        }
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert [one.number for one in book.chapters] == ["1", "", "3"]


def test_chapters_without_any_number_are_counted(tmp_path: Path) -> None:
    epub = Epub(documents={"x.xhtml": "<h2>Salt</h2><p>One.</p>", "y.xhtml": "<h2>Ash</h2><p>Two.</p>"})
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("", "1", "Salt", 1), ("", "2", "Ash", 1)]


def test_headings_are_not_repeated_in_the_text(tmp_path: Path) -> None:
    epub = Epub(
        documents={
            "a.xhtml": "<h1>The Long Ford</h1><h2>Chapter One</h2><h3>Salt</h3><p>It rained.</p>",
            "b.xhtml": '<p class="c1">Chapter Two</p><p class="c2">Ash</p><p>It burned.</p>',
        },
        toc=[("Chapter One: Salt", "a.xhtml"), ("Chapter Two: Ash", "b.xhtml")],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("", "1", "Salt", 1), ("", "2", "Ash", 1)]
    assert [texts(one) for one in book.chapters] == [["It rained."], ["It burned."]]


def test_first_paragraph_that_only_begins_like_the_title_is_kept(tmp_path: Path) -> None:
    epub = Epub(documents={"a.xhtml": "<p>Salt was dear.</p>"}, toc=[("Salt", "a.xhtml")])
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert (book.chapters[0].title, texts(book.chapters[0])) == ("Salt", ["Salt was dear."])


def test_short_story_named_as_the_book_is_not_taken_for_a_title_page(tmp_path: Path) -> None:
    epub = Epub(
        documents={"a.xhtml": "<h1>The Long Ford</h1><p>It was deep.</p>"}, toc=[("The Long Ford", "a.xhtml")]
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert texts(book.chapters[0]) == ["It was deep."]


def test_item_missing_from_the_archive_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    epub = Epub(documents={"a.xhtml": chapter("1", "Salt", "One.")}, spine=["a.xhtml", "gone.xhtml"])
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert len(book.chapters) == 1
    assert warned(book) == {"part_missing": ("gone.xhtml",)}


def test_chapter_without_text_is_left_out_and_named(tmp_path: Path) -> None:
    documents: dict[str, str | bytes] = {
        "a.xhtml": chapter("1", "Salt", "One."),
        "b.xhtml": chapter("2", "Blank"),
    }
    book = read_epub(Epub(documents=documents).write(tmp_path / "b.epub"))
    assert shape(book) == [("", "1", "Salt", 1)]
    assert warned(book) == {"chapter_empty": ("Blank",)}


def test_guide_says_what_an_untyped_document_is(tmp_path: Path) -> None:
    epub = Epub(
        version="2.0",
        documents={"n.xhtml": "<h2>Remarks</h2><p>A note.</p>", "a.xhtml": "<h2>1</h2><p>One.</p>"},
        toc=[("Remarks", "n.xhtml"), ("1", "a.xhtml")],
        guide={"notes": "n.xhtml"},
    )
    assert shape(read_epub(epub.write(tmp_path / "b.epub"))) == [("", "1", "", 1)]


def test_title_page_with_a_few_words_is_dropped_and_named(tmp_path: Path) -> None:
    epub = Epub(
        documents={"t.xhtml": "<h1>The Long Ford</h1><p>by Nobody</p>", "a.xhtml": "<h2>1</h2><p>One.</p>"}
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("", "1", "", 1)]
    assert warned(book) == {"matter_dropped": ("The Long Ford",)}


def test_page_before_anything_named_is_dropped_and_named_by_its_file(tmp_path: Path) -> None:
    epub = Epub(
        documents={"x.xhtml": "<p>For the drowned.</p>", "a.xhtml": "<h2>Salt</h2><p>One.</p>"},
        toc=[("Salt", "a.xhtml")],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert shape(book) == [("", "1", "Salt", 1)]
    assert warned(book) == {"matter_dropped": ("x.xhtml",)}


def test_part_heading_with_text_holds_the_numbered_chapters_listed_below_it(tmp_path: Path) -> None:
    epub = Epub(
        documents={
            "p.xhtml": "<h1>The North</h1><p>Mind the tide.</p>",
            "a.xhtml": "<h2>Salt</h2><p>One.</p>",
        },
        toc=[("The North", "p.xhtml", [("1. Salt", "a.xhtml")])],
    )
    book = read_epub(epub.write(tmp_path / "b.epub"))
    assert [(one.part, one.number, one.title, one.matter) for one in book.chapters] == [
        ("The North", "", "The North", True),
        ("The North", "1", "Salt", False),
    ]


def test_subtitle_follows_the_title(tmp_path: Path) -> None:
    head = (
        '<hgroup><h2 epub:type="ordinal">I</h2><p epub:type="title">Salt</p>'
        '<p epub:type="subtitle">In Which It Rains</p></hgroup>'
    )
    epub = Epub(documents={"a.xhtml": f'<section epub:type="chapter">{head}<p>One.</p></section>'})
    [one] = read_epub(epub.write(tmp_path / "b.epub")).chapters
    assert (one.number, one.title) == ("1", "Salt: In Which It Rains")


def test_empty_document_is_passed_over(tmp_path: Path) -> None:
    epub = Epub(documents={"e.xhtml": b"", "a.xhtml": chapter("1", "Salt", "One.")})
    assert shape(read_epub(epub.write(tmp_path / "b.epub"))) == [("", "1", "Salt", 1)]
