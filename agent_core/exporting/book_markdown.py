"""Takes a manuscript out as one Markdown file; scenes stand in it exactly as they are."""

from agent_core.documents.model import Made
from agent_core.exporting.headings import has_parts, headed
from agent_core.importing.manuscript import Manuscript, ManuscriptScene

MEDIA_TYPE = "text/markdown"
BREAK = "* * *"


def markdown_of(manuscript: Manuscript, author: str) -> Made:
    """Return the file: front matter that importing understands, then headings and texts."""
    about = [("title", manuscript.title), ("series", manuscript.series), ("author", author)]
    about.append(("language", manuscript.language))
    if manuscript.series_position is not None:
        about.append(("position", f"{manuscript.series_position:g}"))
    front = [f'{name}: "{" ".join(value.split())}"' for name, value in about if value]
    level = 2 if has_parts(manuscript) else 1
    pieces: list[str] = []
    for one in headed(manuscript):
        pieces += [f"# {one.part}"] if one.part else []
        pieces += [f"{'#' * level} {one.heading}"] if one.heading else []
        for place, scene in enumerate(one.chapter.scenes):
            pieces += _scene(scene, level, is_first=place == 0)
    text = "\n".join(["---", *front, "---", ""]) + "\n" + "\n\n".join(pieces) + "\n"
    return Made(
        content=text.encode("utf-8", "replace"),
        media_type=MEDIA_TYPE,
        suffix=".md",
        facts={"chapters": len(manuscript.chapters)},
    )


def _scene(scene: ManuscriptScene, level: int, *, is_first: bool) -> list[str]:
    if scene.title:
        return [f"{'#' * (level + 1)} {scene.title}", scene.text]
    return [scene.text] if is_first else [BREAK, scene.text]
