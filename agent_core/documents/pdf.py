"""Makes PDFs: typst sets the pages in a folder of its own, where it finds the pictures and nothing else."""

from collections.abc import Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from pypdf import PdfReader
from typst import Compiler, TypstError

from agent_core.documents.fonts import all_fonts, families_for, scripts_without_font
from agent_core.documents.model import Document, FindImage, Image, Made
from agent_core.documents.plain import all_text, pictures_of
from agent_core.documents.typeset import quoted, typeset

MEDIA_TYPE = "application/pdf"


def make_pdf(document: Document, find_image: FindImage, at: datetime) -> Made:
    """Return the PDF; it names pictures that can't be shown, and scripts that have no font here."""
    named = pictures_of(document.blocks, document.notes)
    text = f"{document.title}\n{document.author}\n{all_text(document.blocks, document.notes)}"
    with TemporaryDirectory(prefix="lorekeeper-") as folder:
        compiler = Compiler(root=folder, font_paths=all_fonts(), ignore_system_fonts=True)
        images = {source: image for source in named if (image := find_image(source)) is not None}
        files = _written(Path(folder), compiler, images)
        content = _compiled(compiler, typeset(document, files, families_for(text)), at)
    return Made(
        content=content,
        media_type=MEDIA_TYPE,
        suffix=".pdf",
        facts={"pages": len(PdfReader(BytesIO(content)).pages)},
        removed=document.removed,
        pictures_lost=tuple(one for one in named if one not in files),
        without_font=scripts_without_font(text),
    )


def _written(folder: Path, compiler: Compiler, images: Mapping[str, Image]) -> dict[str, str]:
    """Return the file of each picture that typst can read."""
    files: dict[str, str] = {}
    for place, (source, image) in enumerate(images.items(), 1):
        name = f"picture-{place}.{image.kind}"
        (folder / name).write_bytes(image.content)
        if _is_readable(compiler, name):
            files[source] = name
    return files


def _is_readable(compiler: Compiler, name: str) -> bool:
    try:
        compiler.compile(f"#image({quoted(name)})".encode())
    except TypstError:
        return False
    return True


def _compiled(compiler: Compiler, source: str, at: datetime) -> bytes:
    whole = at.replace(microsecond=0)  # typst refuses parts of seconds
    content = compiler.compile(source.encode(), timestamp=whole)
    assert isinstance(content, bytes)  # noqa: S101  as PDF, the pages are one file
    return content
