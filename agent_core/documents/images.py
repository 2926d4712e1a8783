"""Tells by its first bytes what kind of picture a file is."""

from agent_core.documents.model import Image

MAX_IMAGE_BYTES = 20_000_000


def image_of(content: bytes) -> Image | None:
    """Return the picture in these bytes, or None where they are of no kind that documents can show."""
    if len(content) > MAX_IMAGE_BYTES:
        return None
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return Image(content, "png")
    if content.startswith(b"\xff\xd8\xff"):
        return Image(content, "jpg")
    if content.startswith((b"GIF87a", b"GIF89a")):
        return Image(content, "gif")
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return Image(content, "webp")
    return Image(content, "svg") if b"<svg" in content[:2_000].lower() else None
