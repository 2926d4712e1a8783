"""The plain text of a document that somebody sent along with a question."""

from pathlib import Path

from agent_core.errors import ImportFailure

TEXT = frozenset({".md", ".txt", ".markdown", ".csv", ".json", ".yaml", ".yml"})
READABLE = TEXT | {".docx", ".pdf"}
MOST_PAGES = 200
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError)
"""What a broken file makes the PDF library raise besides its own errors."""


def text_of(path: Path) -> str:
    """Return the text of a document; blocks.

    Raises:
        ImportFailure: damaged, encrypted, bomb, too_large, empty, or unsupported.
    """
    ending = path.suffix.lower()
    if ending in TEXT:
        return path.read_bytes().decode("utf-8-sig", "replace")
    if ending == ".docx":
        return _docx(path)
    if ending == ".pdf":
        return _pdf(path)
    raise ImportFailure(file=path.name, reason="unsupported")


def _docx(path: Path) -> str:
    from agent_core.importing.docx import read_docx  # noqa: PLC0415  slow, and rarely needed

    parts: list[str] = []
    for chapter in read_docx(path).chapters:
        parts += [chapter.title, *(scene.text for scene in chapter.scenes)]
    return "\n\n".join(filter(None, parts))


def _pdf(path: Path) -> str:
    from pypdf import PdfReader  # noqa: PLC0415  slow, and rarely needed
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        reader = PdfReader(path)
        if reader.is_encrypted:
            raise ImportFailure(file=path.name, reason="encrypted")
        text = "\n\n".join(page.extract_text() for page in reader.pages[:MOST_PAGES]).strip()
    except ImportFailure:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise ImportFailure(
            file=path.name, reason="damaged"
        ) from error  # what a broken file can make it raise
    if not text:
        raise ImportFailure(file=path.name, reason="empty")
    return text
