"""One fold for everything that is compared: names, queries, facts, scene text and quotes.

What differs by case, accent, width, ligature or apostrophe is the same word here. Scripts without
spaces are cut into single characters and pairs.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from agent_core.lore.stopwords import without_stop_words
from agent_core.texts import standing


@dataclass(frozen=True, slots=True)
class Atom:
    """A word, or one character of a script without spaces, with its place in the text it was cut from.

    `forms` are the terms that find it, the one that must match when a name is looked for being first.
    """

    start: int
    end: int
    forms: tuple[str, ...]


def fold(text: str) -> str:
    """Return the text without case, marks, ligatures and widths; idempotent, safe to store."""
    if text.isascii():
        return text.lower().replace("\0", " ")
    # Lowering first leaves only what lies beyond ASCII to the slower table.
    folded = _BEYOND_ASCII.sub(lambda run: run[0].translate(_FOLDED), text.lower())
    return unicodedata.normalize("NFC", folded).replace("\0", " ")


def name_key(name: str) -> str:
    """Return the canonical form of a name: its folded words with single spaces, signs as in "C++" kept.

    A name without any word ("???") is its own key; the key of white space is "".
    """
    folded = fold(name)
    words = [folded[m.start() : m.end()] for m in _matches(folded)]
    return " ".join(words) or " ".join(folded.split())


def spelled(name: str) -> str:
    """Return a name as it is kept: in one line with single blanks, without what steers a screen.

    That are control characters and those that turn the order of letters round; what is no character goes too.
    """
    return " ".join(filter(None, (_NO_LETTERS.sub("", standing(word)) for word in name.split())))


def name_keys(name: str) -> tuple[str, ...]:
    """Return the keys under which a name is found, `name_key` first.

    Besides "o neil" also "oneil"; besides "lee ann" for "Lee, Ann" also "ann lee".
    """
    if _PLAIN_NAME.fullmatch(name):
        return (" ".join(name.lower().split()),) if name.strip() else ()
    keys = [name_key(name), name_key(_JOINTS.sub("", fold(name)))]
    last, comma, first = name.partition(",")
    if comma and "," not in first and last.strip() and first.strip():
        keys.append(name_key(f"{first} {last}"))
    if "r" in keys[0].translate(_CLASSES):
        keys.append(keys[0].replace(" ", ""))
    return tuple(dict.fromkeys(filter(None, keys)))


def terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms to look for, in order, without stop words unless nothing else is left."""
    return without_stop_words(tuple(dict.fromkeys(_query_terms(fold(text)))))


def core(text: str) -> str:
    """Return the part of a question from its first to its last word that is no stop word, as it stands."""
    telling = frozenset(terms(text))
    kept = [
        one
        for one in atoms(text)
        if not telling.isdisjoint(one.forms) or _CLASSES[ord(one.forms[0][0])] == "r"
    ]
    return text[kept[0].start : kept[-1].end] if kept else ""


def document(text: str) -> str:
    """Return the distinct terms that find this text, joined by spaces; stop words are kept."""
    if _PLAIN_NAME.fullmatch(text):
        return " ".join(dict.fromkeys(text.lower().split()))
    pieces = dict.fromkeys(fold(text).split())  # no term spans white space, so each piece is cut but once
    return " ".join(dict.fromkeys(_document_terms(" ".join(pieces))))


def atoms(text: str) -> Iterator[Atom]:
    """Yield the words of a text in order, with offsets into the text as it is given."""
    return _atoms(*_with_origins(text))


def spans(text: str, phrase: str) -> tuple[tuple[int, int], ...]:
    """Return where the words of `phrase` stand one after the other, as (start, end) offsets.

    Only whole words count; between them there may be white space, hyphens, apostrophes, and a full stop
    after something as short as "Dr".
    """
    wanted = [atom.forms[0] for atom in atoms(phrase)]
    if not wanted:
        return ()
    folded, origins = _with_origins(text)
    begin, end = folded.find(wanted[0]), folded.rfind(wanted[-1])
    if begin < 0 or end < 0:
        return ()
    begin, end = folded.rfind(" ", 0, begin) + 1, folded.find(" ", end + len(wanted[-1]))
    end = len(folded) if end < 0 else end
    there = list(_atoms(folded[begin:end], origins[begin : end + 1]))
    return tuple(
        (there[i].start, there[i + len(wanted) - 1].end)
        for i in range(len(there) - len(wanted) + 1)
        if _stand_at(text, there[i : i + len(wanted)], wanted)
    )


def term_spans(text: str, wanted: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, term) wherever one of the terms stands in the text, term by term."""
    folded, origins = _with_origins(text)
    skeleton = folded.translate(_CLASSES)
    for term in wanted:
        start = folded.find(term) if term else -1
        while start >= 0:
            end = start + len(term)
            if _is_term_at(folded, skeleton, start, term):
                yield origins[start], _end(origins, end), term
            start = folded.find(term, start + 1)


_NO_LETTERS = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")  # what stands for no character ever
_APOSTROPHES = dict.fromkeys("’‘ʼʻʹʽʾʿ´′＇‛ꞌ", "'")
_HYPHENS = dict.fromkeys("‐‑−﹣－⁃", "-")
_SPACES = dict.fromkeys("\0\u200b", " ")
_PLAIN = {
    **_APOSTROPHES, **_HYPHENS, **_SPACES,
    "ı": "i", "ȷ": "j", "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ð": "d", "þ": "th",
    "æ": "ae", "œ": "oe",
}  # fmt: skip

# Marks that make another letter of it, not an accent: nukta, kana voicing, virama, Thai and Lao tones.
_KEPT_MARKS = frozenset({0, 7, 8, 9, 84, 91, *range(103, 200)})

_INVISIBLE_MARKS = frozenset("\u034f" + "".join(map(chr, range(0xFE00, 0xFE10))))

# Blocks whose writing sets no spaces between words, and Hangul, whose particles join the word.
_UNSPACED_BLOCKS = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x1950, 0x19DF),
    (0x1A20, 0x1AAF),
    (0x1B00, 0x1B7F), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x31FF), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xA960, 0xA9FF), (0xAA60, 0xAADF), (0xAC00, 0xD7FF), (0xF900, 0xFAFF),
    (0x16FE0, 0x18DFF), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF),
)  # fmt: skip


class _Folding(dict[int, str]):
    """What each character folds to, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        before, after = "", chr(code)
        if unicodedata.category(after) == "Cs":  # half of a surrogate pair: no database takes it
            after = " "
        while before != after:
            before, after = after, _fold_once(after)
        self[code] = after
        return after


class _Classes(dict[int, str]):
    """What each folded character is: w(ord), r(un without spaces), + # or ., "-" for a joint, or a space."""

    def __missing__(self, code: int) -> str:
        self[code] = kind = _class_of(chr(code))
        return kind


_BEYOND_ASCII = re.compile(r"[^\0-\x7f]+")
_PLAIN_NAME = re.compile(r"[A-Za-z ]*")
_FOLDED = _Folding()
_CLASSES = _Classes()
_PATTERN = re.compile(r"(?P<head>(?<![w#])#)?(?P<word>w+)(?P<tail>[+#]+(?![w+#]))?|(?P<run>r+)")
_CHAINS = re.compile(r"w+(?:-w+)+|(?<!w)w(?:\.w)+(?!w)")
_JOINTS = re.compile(r"(?<=[^\W_])['\-·](?=[^\W_])|(?<=\b[^\W_])\.(?=[^\W_]\b)")
_GAP = re.compile(r"[\s'’‘ʼʻ\-‐‑·・]{0,3}")
_SHORT_GAP = re.compile(r"\.?[\s'’\-]{0,3}")


def _fold_once(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", "".join(_PLAIN.get(char, char) for char in text))
    kept = "".join(char for char in decomposed if not _is_dropped(char))
    return unicodedata.normalize("NFC", kept.casefold())


def _is_dropped(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "Mn":
        return unicodedata.combining(char) not in _KEPT_MARKS or char in _INVISIBLE_MARKS
    return category in {"Cf", "Me"}


def _class_of(char: str) -> str:
    if char in "'-·":
        return "-"
    if char in "+#.":
        return char
    if unicodedata.category(char)[0] not in "LMN":
        return " "
    return "r" if _is_unspaced(char) else "w"


def _is_unspaced(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _UNSPACED_BLOCKS)


def _matches(folded: str) -> Iterator[re.Match[str]]:
    return _PATTERN.finditer(folded.translate(_CLASSES))


def _forms(match: re.Match[str], folded: str) -> tuple[str, ...]:
    """Return the word and, with signs at it, the whole; a lone letter or number is nothing without them."""
    word = folded[match.start("word") : match.end("word")]
    if not match["head"] and not match["tail"]:
        return (word,)
    whole = folded[match.start() : match.end()]
    return (whole,) if len(word) == 1 or word.isdecimal() else (word, whole)


def _document_terms(folded: str) -> Iterator[str]:
    skeleton = folded.translate(_CLASSES)
    for match in _PATTERN.finditer(skeleton):
        if match["run"]:
            run = folded[match.start() : match.end()]
            yield from run
            yield from _pairs(run)
        else:
            yield from _forms(match, folded)
    for chain in _CHAINS.finditer(skeleton):
        yield _JOINTS.sub("", folded[chain.start() : chain.end()])


def _query_terms(folded: str) -> Iterator[str]:
    for match in _matches(folded):
        if match["run"]:
            run = folded[match.start() : match.end()]
            yield from _pairs(run) if len(run) > 1 else run
        else:
            yield from _forms(match, folded)


def _pairs(run: str) -> Iterator[str]:
    return (run[i : i + 2] for i in range(len(run) - 1))


def _atoms(folded: str, origins: "list[int] | range") -> Iterator[Atom]:
    for match in _matches(folded):
        if match["run"]:
            yield from (
                Atom(origins[i], _end(origins, i + 1), (folded[i],))
                for i in range(match.start(), match.end())
            )
        else:
            end = _end(origins, match.end())
            yield Atom(origins[match.start()], end, _forms(match, folded)[::-1])


def _with_origins(text: str) -> tuple[str, "list[int] | range"]:
    """Return the folded text and, for each of its characters and its end, the offset it came from."""
    if text.isascii():
        return fold(text), range(len(text) + 1)
    pieces = [_FOLDED[ord(char)] for char in text]
    if all(len(piece) == 1 for piece in pieces):
        return "".join(pieces), range(len(text) + 1)
    origins = [i for i, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*origins, len(text)]


def _end(origins: "list[int] | range", end: int) -> int:
    """Return where in the text the folded character before `end` ends, with the marks that follow it."""
    return max(origins[end], origins[end - 1] + 1)


def _is_term_at(folded: str, skeleton: str, start: int, term: str) -> bool:
    """Return whether a term that was found there is a term of the text, not a part of a longer word."""
    if skeleton[start] == "r":
        return True
    if skeleton[start - 1 : start] == "w":
        return False
    with_head = _PATTERN.match(skeleton, start - 1) if skeleton[start - 1 : start] == "#" else None
    match = with_head or _PATTERN.match(skeleton, start)
    return match is not None and term in _forms(match, folded)


def _stand_at(text: str, there: list[Atom], wanted: list[str]) -> bool:
    if any(want not in atom.forms for want, atom in zip(wanted, there, strict=True)):
        return False
    return all(
        (_SHORT_GAP if left.end - left.start <= 3 else _GAP).fullmatch(text, left.end, right.start)
        for left, right in pairwise(there)
    )
