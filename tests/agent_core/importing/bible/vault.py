"""A made-up vault in the shape that StoryLine writes, with a flashback that nothing dates."""

from pathlib import Path

VAULT = {
    "The Tide Clock.md": (
        "---\ntype: storyline\ntitle: The Tide Clock\nactLabels:\n  - Act 1 — Ebb\n"
        "chapterLabels:\n  - Ch 1 — The Ferry\n  - Ch 2 — Low Water\n---\nNobody winds the clock.\n"
    ),
    "Characters/Ines Valk.md": (
        '---\ntype: character\nname: "Ines Valk"\naliases: [The Warden]\nage: 34\nstatus: alive\nroom: 010\n'
        'allies:\n  - "[[Bram Oster]]"\nenemies:\n  - Nobody Known\nlocations:\n  - "#TheSaltHouse"\n'
        "custom:\n  fear: deep water # since the flood\n  motto: Storm #4 landing\n"
        "tags:\n  - keeper\ncreated: 2026-02-22\n---\n\n"
        "# Ines Valk\n\nKeeps the clock of [[The Salt House]].\n\n"
        "## Ties\n[[Bram Oster|Bram]]\n"
    ),
    "Characters/Bram Oster.md": (
        "---\r\ntype: character\r\nname: Bram Oster\r\nage: 51\r\nanswer: no\r\n"
        "born: 1931-08-14\r\n---\r\n\r\nA pilot.\r\n"
    ),
    "Characters/Elke.md": "\ufeff---\ntype: character\nstatus: missing\n---\n",
    "Locations/The Salt House.md": "---\ntype: location\nworld: Oru\nworld: Oru\n---\n",
    "Locations/Oru/The Salt House.md": "---\ntype: location\nlocationType: building\n---\nWhite with salt.\n",
    "Locations/Oru.md": "---\ntype: world\nclimate: wet\n---\n",
    "Scenes/01-01 The Ferry.md": (
        "---\ntype: scene\ntitle: The Ferry\nact: 1\nchapter: 1\nsequence: 1\npov: Ines Valk\n---\n"
        "Ines Valk stood at the rail of [[The Salt House|the house]].\n"
    ),
    "Scenes/01-02 Low Water.md": (
        "---\ntype: scene\ntitle: Low Water\nact: 1\nchapter: 2\nsequence: 2\n---\nBram Oster said nothing.\n"
    ),
    "Scenes/01-03 The Flood.md": (
        "---\ntype: scene\ntitle: The Flood\nact: 1\nchapter: 2\nsequence: 3\ntimeline_mode: flashback\n---\n"
        "The water came at night.\n"
    ),
    "Scenes/01-04 The Key.md": "---\ntype: scene\ntitle: The Key\nact: 1\nchapter: 2\nsequence: 4\n---\n",
    "Ideas.md": "A lighthouse?\n",
    "plotgrid.json": "{}",
}


def write_vault(root: Path, files: dict[str, str] = VAULT) -> Path:
    """Write the vault below a folder and return it."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root
