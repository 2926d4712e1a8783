"""Builds EPUBs and DOCX files for tests, in code, so that every byte of them is known."""

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_core.importing.manuscript import Manuscript, ManuscriptChapter

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""


@dataclass
class Epub:
    """An EPUB in the making: `documents` maps file names in `OEBPS/` to XHTML bodies or whole documents."""

    title: str = "The Long Ford"
    version: str = "3.0"
    metadata: str = ""
    documents: dict[str, str | bytes] = field(default_factory=dict)
    toc: Sequence[object] = ()
    landmarks: Mapping[str, str] = field(default_factory=dict)
    guide: Mapping[str, str] = field(default_factory=dict)
    spine: Sequence[str] | None = None
    extra: dict[str, str | bytes] = field(default_factory=dict)

    def write(self, path: Path) -> Path:
        """Write the file and return its path."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", "application/epub+zip")
            members: dict[str, str | bytes] = {
                "META-INF/container.xml": CONTAINER,
                "OEBPS/book.opf": self._opf(),
            }
            members |= {f"OEBPS/{name}": _document(body) for name, body in self.documents.items()}
            members |= self._contents() | self.extra
            for name, data in members.items():
                archive.writestr(name, data)
        return path

    def _opf(self) -> str:
        names = list(self.documents)
        spine = names if self.spine is None else self.spine
        items = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in names)
        is_three = self.version.startswith("3")
        nav = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        ncx = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        items += (nav if is_three else ncx) if self.toc or self.landmarks else ""
        itemrefs = "".join(f'<itemref idref="{name}"/>' for name in spine)
        guide = "".join(f'<reference type="{kind}" href="{href}"/>' for kind, href in self.guide.items())
        return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="{self.version}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{self.title}</dc:title><dc:language>en</dc:language>{self.metadata}</metadata>
<manifest>{items}</manifest><spine toc="ncx">{itemrefs}</spine><guide>{guide}</guide></package>"""

    def _contents(self) -> dict[str, str | bytes]:
        if not (self.toc or self.landmarks):
            return {}
        if not self.version.startswith("3"):
            return {"OEBPS/toc.ncx": f"<ncx><navMap>{_ncx(self.toc)}</navMap></ncx>"}
        marks = "".join(
            f'<li><a epub:type="{kind}" href="{href}">x</a></li>' for kind, href in self.landmarks.items()
        )
        return {
            "OEBPS/nav.xhtml": _document(
                f'<nav epub:type="toc"><ol>{_nav(self.toc)}</ol></nav>'
                f'<nav epub:type="landmarks"><ol>{marks}</ol></nav>'
            )
        }


def chapter(number: str, title: str, *paragraphs: str, word: str = "chapter") -> str:
    """Return a typed section with an ordinal, a title and paragraphs."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f'<section epub:type="{word}"><hgroup><h2 epub:type="ordinal">{number}</h2>'
        f'<p epub:type="title">{title}</p></hgroup>{text}</section>'
    )


def shape(book: Manuscript) -> list[tuple[str, str, str, int]]:
    """Return (part, number, title, scenes) of each chapter."""
    return [(one.part, one.number, one.title, len(one.scenes)) for one in book.chapters]


def texts(one: ManuscriptChapter) -> list[str]:
    """Return the texts of a chapter's scenes."""
    return [scene.text for scene in one.scenes]


def warned(book: Manuscript) -> dict[str, object]:
    """Return the items (or the count, where there are none) of each warning by its code."""
    return {
        warning.code.value: warning.params.get("items", warning.params["count"]) for warning in book.warnings
    }


def _document(body: str | bytes) -> str | bytes:
    if isinstance(body, bytes) or body.lstrip().startswith(("<?xml", "<!DOCTYPE", "<html")):
        return body
    inner = body if body.lstrip().startswith("<body") else f"<body>{body}</body>"
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head>{inner}</html>'
    )


def _nav(entries: Sequence[object]) -> str:
    """Entries are (label, href) or (label, href, entries below); an href of "" is a line without a link."""
    lines = []
    for entry in entries:
        assert isinstance(entry, tuple)
        label, href, *below = entry
        line = f'<a href="{href}">{label}</a>' if href else f"<span>{label}</span>"
        lines.append(f"<li>{line}{f'<ol>{_nav(below[0])}</ol>' if below else ''}</li>")
    return "".join(lines)


def _ncx(entries: Sequence[object]) -> str:
    points = []
    for entry in entries:
        assert isinstance(entry, tuple)
        label, href, *below = entry
        inner = _ncx(below[0]) if below else ""
        points.append(
            f"<navPoint><navLabel><text>{label}</text></navLabel><content src='{href}'/>{inner}</navPoint>"
        )
    return "".join(points)
