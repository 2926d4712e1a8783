"""Turns an SVG (standard input) into a PNG (standard output), as a program of its own.

The library holds the whole interpreter while it draws, and a server has others to serve. Arguments are
folders of fonts beside those of the system.
"""

import sys

NO_LETTERS = 3  # the exit code where no font is there: text would be left out in silence
_FRAME = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>'
_LETTER = '<text x="2" y="30" font-size="30">W</text>'


def main(folders: list[str]) -> int:
    """Draw what is given; return the exit code."""
    from resvg_py import svg_to_bytes  # noqa: PLC0415  the server reads the constant only

    letter, nothing = (
        svg_to_bytes(svg_string=_FRAME.format(text), font_dirs=folders) for text in (_LETTER, "")
    )
    if letter == nothing:
        return NO_LETTERS
    svg = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(svg_to_bytes(svg_string=svg, font_dirs=folders))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
