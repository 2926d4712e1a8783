"""Positions as people write them: "7", "7.3", "b2:7.3", "b1:p2.3", a title; read and written here alone."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from agent_core.lore.fold import fold, name_key
from agent_core.lore.model import Node, NodeKind
from agent_core.lore.tree import Tree

HERE, START, NOW = "here", "start", "now"

_BOOK = re.compile(
    r"(?:b|(?:book|buch|band|livre|tome)\s*)(\d{1,6})(?:\s*[:,]\s*(.+))?", re.IGNORECASE | re.DOTALL
)
_WORD = re.compile(
    r"(?:(?P<scene>scene|szene|scène|sc)|chapter|chapitre|chap|kapitel|kap|ch)(?:\.?\s+(?=\S)|\.?(?=\d))",
    re.IGNORECASE,
)
_PART = re.compile(r"p(\d{1,6})", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(.+)\.(\d{1,6})", re.DOTALL)
_COUNT = re.compile(r"\d{1,6}")
_NAMESAKE = re.compile(r"(.+?)\s*\((\d{1,6})\)", re.DOTALL)
_COUNTED = re.compile(r"#(\d{1,6})")
_ROMAN = re.compile(r"(?![cdm]$)(?=.)m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


class Positions:
    """Finds the nodes that a written position may mean, and the position by which a node is written.

    Where a book prints chapter numbers, chapters without one (front and back matter) are not counted and go
    by their title; where it prints none, chapters are counted through the book, and through each part. In a
    book without parts one begins wherever a printed number comes again. Of several nodes with one title the
    second is "Interlude (2)", and what has neither number nor title is "#5", the fifth chapter of its book.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._books = [book.id for book in tree.books()]
        self._numbers: dict[str, str] = {}
        self._parts: dict[str, str] = {}
        self._owns: dict[str, str] = {}
        self._chapters: dict[tuple[str, str, str], list[str]] = {}
        for index, book in enumerate(self._books, 1):
            self._numbers[book] = str(index)
            self._count(book)

    def matches(self, text: str, *, book: str | None, here: str | None) -> tuple[str, ...]:
        """Return the living nodes that `text` may mean, in reading order.

        `book` is looked through before the others; `here` is the position meant by "here". "start" and "now"
        are no nodes.
        """
        text = text.strip()
        found: Iterable[str]
        if (word := fold(text)) in ("", HERE, START, NOW):
            found = (here,) if word == HERE and here is not None else ()
        elif text in self._tree.nodes:
            found = (text,)
        else:
            found = self._written(text, book, here)
        living = {node for node in found if not self._tree.is_gone(node)}
        return tuple(sorted(living, key=lambda node: self._tree.reading[node]))

    def label(self, node: str, *, full: bool) -> str:
        """Return how `node` is written, `full` with its book in front.

        What none of these tells apart is its id. A gone node is its title, or its id.
        """
        if self._tree.is_gone(node):
            return (node in self._tree.nodes and self._tree.nodes[node].title) or node
        ways = (self._local(node), self._counted_out(node))
        forms = chain.from_iterable(self._forms(list(local), node, full=full) for local in ways)
        return next((form for form in forms if self._means(form, node)), node)

    def number(self, node: str) -> str:
        """Return the number of a book, chapter or scene as labels use it, or "" if it is not counted."""
        return self._numbers.get(node, "")

    def next_number(self, book: str) -> str:
        """Return the number that a chapter one past the last of `book` would have; "" if it can't be told."""
        numbers = [self._numbers[chapter.id] for chapter in self._tree.children(book)]
        last = next((number for number in reversed(numbers) if number), "0")
        return str(int(last) + 1) if _COUNT.fullmatch(last) else ""

    def _forms(self, own: Sequence[str], node: str, *, full: bool) -> list[str]:
        with_book = [self._in_book(local, node) for local in own]
        return with_book if full else [local or self._in_book(local, node) for local in own] + with_book

    def _count(self, book: str) -> None:
        chapters = self._tree.children(book)
        parts = list(dict.fromkeys(chapter.part for chapter in chapters if chapter.part))
        printed = any(chapter.number for chapter in chapters)
        in_part = dict.fromkeys(parts, 0)
        runs = _Runs() if printed and not parts else None
        for index, chapter in enumerate(chapters, 1):
            number = number_key(chapter.number) if printed else str(index)
            self._numbers[chapter.id] = number
            self._note(book, "", number, chapter.id)
            if chapter.part:
                in_part[chapter.part] += 1
                self._parts[chapter.id] = str(parts.index(chapter.part) + 1)
                number = number if printed else str(in_part[chapter.part])
                self._note(book, self._parts[chapter.id], number, chapter.id)
            elif runs is not None and number:
                self._parts[chapter.id] = runs.part_of(number)
                self._note(book, self._parts[chapter.id], number, chapter.id)
            for scene_index, scene in enumerate(self._tree.children(chapter.id), 1):
                self._numbers[scene.id] = str(scene_index)

    def _note(self, book: str, part: str, number: str, chapter: str) -> None:
        if number:
            self._chapters.setdefault((book, part, number), []).append(chapter)

    def _written(self, text: str, book: str | None, here: str | None) -> Sequence[str]:
        match = _BOOK.fullmatch(text)
        if match and 0 < int(match[1]) <= len(self._books):
            books = [self._books[int(match[1]) - 1]]
            found = self._inside(match[2], books, here) if match[2] else books
        else:
            found = self._inside(text, [book] if book in self._books else self._books, here)
        return found or self._titled(text, self._books)

    def _inside(self, text: str, books: Sequence[str | None], here: str | None) -> Sequence[str]:
        word = _WORD.match(text)
        rest = text[word.end() :] if word else text
        if word and word["scene"] and _COUNT.fullmatch(rest):
            return self._titled(text, books) or self._scene_beside(here, rest)
        return self._numbered(rest, books) or self._titled(text, books) or self._titled(rest, books)

    def _scene_beside(self, here: str | None, number: str) -> Sequence[str]:
        chapter = None if here is None else self._tree.chapter_of(here)
        return [] if chapter is None else self._scene([chapter], number)

    def _numbered(self, text: str, books: Sequence[str | None]) -> Sequence[str]:
        part, number, *scene = self._pieces(text)
        keys = [(book or "", part, number_key(number)) for book in books]
        chapters = [chapter for key in keys for chapter in self._chapters.get(key, ())]
        match scene:
            case []:
                return chapters
            case [number]:
                return self._scene(chapters, number.strip())
            case _:
                return []

    def _pieces(self, text: str) -> list[str]:
        pieces = text.split(".")
        part = _PART.fullmatch(pieces[0].strip()) if len(pieces) > 1 else None
        return [str(int(part[1])), *pieces[1:]] if part else ["", *pieces]

    def _scene(self, chapters: Iterable[str], number: str) -> list[str]:
        if not _COUNT.fullmatch(number) or int(number) == 0:
            return []
        found = (self._tree.children(chapter)[int(number) - 1 : int(number)] for chapter in chapters)
        return [scene.id for scenes in found for scene in scenes]

    def _titled(self, text: str, books: Sequence[str | None]) -> Sequence[str]:
        found = self._with_title(text, books) or self._counted(text, books)
        if not found and (match := _LAST_NUMBER.fullmatch(text)):
            chapters = self._with_title(match[1], books) or self._counted(match[1], books)
            return self._scene(chapters, match[2])
        return found

    def _counted(self, text: str, books: Sequence[str | None]) -> list[str]:
        """Return the node that "Interlude (2)" or "#5" means in each book."""
        within = [book for book in books if book]
        if match := _COUNTED.fullmatch(text):
            chapters = [[one.id for one in self._tree.children(book)] for book in within]
            return _nth(chapters, int(match[1]))
        if match := _NAMESAKE.fullmatch(text):
            return _nth([self._namesakes(match[1], book) for book in within], int(match[2]))
        return []

    def _namesakes(self, title: str, book: str) -> list[str]:
        return [node for node in self._titles.get(name_key(title), ()) if self._tree.book_of(node) == book]

    def _with_title(self, text: str, books: Sequence[str | None]) -> list[str]:
        """Return the nodes with this title, leaving out those inside another of them."""
        found = [node for node in self._titles.get(name_key(text), ()) if self._tree.book_of(node) in books]
        return [node for node in found if not any(above in found for above in self._above(node))]

    def _above(self, node: str) -> Iterator[str]:
        parent = self._tree.nodes[node].parent
        while parent is not None:
            yield parent
            parent = self._tree.nodes[parent].parent

    def _local(self, node: str) -> Iterator[str]:
        """Yield the ways to write `node` within its book, the best first."""
        found = self._tree.nodes[node]
        if found.kind is NodeKind.BOOK:
            yield ""
        elif found.kind is NodeKind.CHAPTER:
            yield from self._local_chapter(found)
        elif found.parent is not None and (chapter := self._own(found.parent)):
            yield f"{chapter}.{self._numbers[node]}"
        if found.title:
            yield found.title

    def _counted_out(self, node: str) -> Iterator[str]:
        """Yield ways to write a node that shares its number and title with others, or has none."""
        found = self._tree.nodes[node]
        namesakes = self._namesakes(found.title, self._tree.book_of(node) or "")
        if node in namesakes:
            yield f"{found.title} ({namesakes.index(node) + 1})"
        if found.kind is NodeKind.CHAPTER and found.parent is not None:
            siblings = [one.id for one in self._tree.children(found.parent)]
            yield f"#{siblings.index(node) + 1}"

    def _own(self, chapter: str) -> str:
        """Return the best way to write `chapter` that means it alone in its book, or ""."""
        if chapter not in self._owns:
            ways = chain(self._local(chapter), self._counted_out(chapter))
            means = (one for one in ways if self._means(self._in_book(one, chapter), chapter))
            self._owns[chapter] = next(means, "")
        return self._owns[chapter]

    def _local_chapter(self, chapter: Node) -> Iterator[str]:
        if number := self._numbers[chapter.id]:
            yield number
            if chapter.id in self._parts:
                yield f"p{self._parts[chapter.id]}.{number}"

    def _in_book(self, local: str, node: str) -> str:
        book = f"b{self._numbers[self._tree.book_of(node) or node]}"
        return f"{book}:{local}" if local else book

    def _means(self, text: str, node: str) -> bool:
        return self.matches(text, book=None, here=None) == (node,)

    @cached_property
    def _titles(self) -> dict[str, list[str]]:
        titles: dict[str, list[str]] = {}
        for book in self._books:
            for node in self._tree.block(book):
                if key := name_key(node.title):
                    titles.setdefault(key, []).append(node.id)
        return titles


def _nth(lists: Iterable[Sequence[str]], number: int) -> list[str]:
    return [one for each in lists if number for one in each[number - 1 : number]]


class _Runs:
    """Cuts chapters in their order into parts: one begins where a number comes again."""

    def __init__(self) -> None:
        self._part = 1
        self._numbers: set[str] = set()

    def part_of(self, number: str) -> str:
        """Return the number of the part that the next chapter, which has this number, belongs to."""
        if number in self._numbers:
            self._part += 1
            self._numbers.clear()
        self._numbers.add(number)
        return str(self._part)


def number_key(text: str) -> str:
    """Return a chapter number as it is compared and shown: digits without leading zeros, roman ones too."""
    key = " ".join(fold(text).split()).strip(" .:()")
    if _COUNT.fullmatch(key):
        return str(int(key))
    return str(_from_roman(key)) if _ROMAN.fullmatch(key) else key


def _from_roman(text: str) -> int:
    values = [_ROMAN_DIGITS[digit] for digit in text]
    return sum(
        -value if index + 1 < len(values) and value < values[index + 1] else value
        for index, value in enumerate(values)
    )
