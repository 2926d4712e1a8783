"""The outside of an EPUB: container, package document, series metadata, reading order, table of contents."""

from dataclasses import dataclass, field

from lxml import etree

from agent_core.errors import ImportFailure
from agent_core.importing.archive import Archive, member_name
from agent_core.importing.manuscript import as_position
from agent_core.importing.markup import parse_xml

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# These two only scramble fonts; everything else is a lock on the text.
_FONT_SCRAMBLING = {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
_PACKAGE_TYPE = "application/oebps-package+xml"
_NCX_TYPE = "application/x-dtbncx+xml"
_GUIDE_NAMES = {
    "title-page": "titlepage",
    "acknowledgements": "acknowledgments",
    "notes": "endnotes",
    "text": "bodymatter",
}


@dataclass(eq=False, slots=True)
class TocEntry:
    """A line of the table of contents. `path` is "" for a line that leads nowhere."""

    label: str
    path: str
    fragment: str
    parent: "TocEntry | None" = None
    children: list["TocEntry"] = field(default_factory=list)

    @property
    def ancestors(self) -> list["TocEntry"]:
        """The entries above this one, outermost first."""
        return [] if self.parent is None else [*self.parent.ancestors, self.parent]


@dataclass(frozen=True, slots=True)
class Package:
    """What the package document says. `spine` are archive names in reading order.

    `landmarks` maps an archive name to the `epub:type` words that landmarks or guide give it.
    """

    title: str
    language: str
    series: str
    series_position: float | None
    spine: tuple[str, ...]
    toc: tuple[TocEntry, ...]
    landmarks: dict[str, frozenset[str]]
    missing: tuple[str, ...]


def read_package(archive: Archive) -> Package:
    """Return the package of an EPUB 2 or 3.

    Raises:
        ImportFailure: damaged (`part` names what is missing) or encrypted.
    """
    _refuse_locked(archive)
    opf_name = _package_name(archive)
    opf = _parsed(archive, opf_name)
    items = _manifest(opf, opf_name)
    spine, missing = _spine(archive, opf, items)
    nav = next((item.path for item in items.values() if "nav" in item.properties), "")
    toc, landmarks = _navigation(archive, nav) if nav in archive else ([], {})
    if not toc:
        toc = _ncx(archive, next((item.path for item in items.values() if item.media_type == _NCX_TYPE), ""))
    series, position = _series(opf)
    return Package(
        title=_main_title(opf),
        language=_first_text(opf, "language"),
        series=series,
        series_position=position,
        spine=tuple(path for path in spine if path != nav),
        toc=tuple(toc),
        landmarks=_guide(opf, opf_name) | landmarks,
        missing=missing,
    )


def type_words(element: etree._Element) -> frozenset[str]:
    """Return the words of `epub:type` and of a `doc-` role, without their prefixes."""
    typed = element.get("{http://www.idpf.org/2007/ops}type") or element.get("epub:type") or ""
    role = element.get("role") or ""
    words = {word.rpartition(":")[2] for word in typed.split()}
    return frozenset(words | {word[4:] for word in role.split() if word.startswith("doc-")})


def local_name(element: etree._Element) -> str:
    """Return the tag without its namespace, in lower case; "" for what is no element."""
    tag: object = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def plain_text(element: etree._Element) -> str:
    """Return all the text inside an element as it stands in the source."""
    return "".join(str(text) for text in element.itertext())


@dataclass(frozen=True, slots=True)
class _Item:
    path: str
    media_type: str
    properties: frozenset[str]


def _parsed(archive: Archive, name: str) -> etree._Element:
    data = archive.read(name)
    if data is None:
        raise ImportFailure(file=archive.file, reason="damaged", part=name)
    return parse_xml(data, archive.file, name)


def _refuse_locked(archive: Archive) -> None:
    if _ENCRYPTION not in archive:
        return
    methods = _all(_parsed(archive, _ENCRYPTION), "EncryptionMethod")
    if any(method.get("Algorithm") not in _FONT_SCRAMBLING for method in methods):
        raise ImportFailure(file=archive.file, reason="encrypted")


def _package_name(archive: Archive) -> str:
    files = _all(_parsed(archive, _CONTAINER), "rootfile")
    packages = [file for file in files if file.get("media-type") == _PACKAGE_TYPE] or files
    name = member_name("", packages[0].get("full-path") or "")[0] if packages else ""
    if name not in archive:
        raise ImportFailure(file=archive.file, reason="damaged", part=name or _CONTAINER)
    return name


def _manifest(opf: etree._Element, opf_name: str) -> dict[str, _Item]:
    return {
        item.get("id") or "": _Item(
            path=member_name(opf_name, item.get("href") or "")[0],
            media_type=item.get("media-type") or "",
            properties=frozenset((item.get("properties") or "").split()),
        )
        for item in _all(opf, "item")
    }


def _spine(
    archive: Archive, opf: etree._Element, items: dict[str, _Item]
) -> tuple[list[str], tuple[str, ...]]:
    """Return (documents in reading order, those that the book names but does not hold)."""
    present: dict[str, None] = {}
    missing = []
    for reference in _all(opf, "itemref"):
        item_id = reference.get("idref") or ""
        item = items.get(item_id)
        if item is None or item.path not in archive:
            missing.append(item.path.rpartition("/")[2] if item and item.path else item_id)
        elif reference.get("linear") != "no":
            present[item.path] = None
    if not present:
        raise ImportFailure(file=archive.file, reason="damaged", part="spine")
    return list(present), tuple(missing)


def _series(opf: etree._Element) -> tuple[str, float | None]:
    """Return (series, position): a collection typed as series wins, then an untyped one, then a set."""
    refined = {
        (meta.get("refines") or "", meta.get("property") or ""): _text(meta)
        for meta in _all(opf, "meta")
        if meta.get("refines")
    }
    found = []
    for meta in _all(opf, "meta"):
        if meta.get("property") == "belongs-to-collection" and _text(meta):
            about = f"#{meta.get('id')}"
            preference = {"series": 0, "": 1, "set": 2}.get(refined.get((about, "collection-type"), ""), 3)
            found.append((preference, _text(meta), refined.get((about, "group-position"), "")))
    if found:
        _, name, position = min(found, key=lambda collection: collection[0])
        return name, as_position(position)
    named = {meta.get("name"): (meta.get("content") or "").strip() for meta in _all(opf, "meta")}
    name = named.get("calibre:series", "")
    return name, as_position(named.get("calibre:series_index", "")) if name else None


def _main_title(opf: etree._Element) -> str:
    titles = [title for title in _all(opf, "title") if _text(title)]
    kinds = {
        meta.get("refines"): _text(meta) for meta in _all(opf, "meta") if meta.get("property") == "title-type"
    }
    main = [title for title in titles if kinds.get(f"#{title.get('id')}", "main") == "main"]
    return _text((main or titles)[0]) if titles else ""


def _guide(opf: etree._Element, opf_name: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for reference in _all(opf, "reference"):
        kind = (reference.get("type") or "").lower()
        path, _ = member_name(opf_name, reference.get("href") or "")
        found[path] = found.get(path, frozenset()) | {_GUIDE_NAMES.get(kind, kind)}
    return found


def _navigation(archive: Archive, nav: str) -> tuple[list[TocEntry], dict[str, frozenset[str]]]:
    toc: list[TocEntry] = []
    landmarks: dict[str, frozenset[str]] = {}
    for element in _all(_parsed(archive, nav), "nav"):
        types = type_words(element)
        if "toc" in types and not toc:
            toc = _nav_entries(_children(element, "ol"), nav, None)
        if "landmarks" in types:
            for link in _all(element, "a"):
                path, _ = member_name(nav, link.get("href") or "")
                landmarks[path] = landmarks.get(path, frozenset()) | type_words(link)
    return toc, landmarks


def _nav_entries(lists: list[etree._Element], nav: str, parent: TocEntry | None) -> list[TocEntry]:
    entries = []
    for item in (child for ordered in lists for child in _children(ordered, "li")):
        line = next((child for child in item if local_name(child) in {"a", "span"}), None)
        href = "" if line is None else line.get("href") or ""
        path, fragment = member_name(nav, href) if href else ("", "")
        entry = TocEntry("" if line is None else _text(line), path, fragment, parent)
        entry.children = _nav_entries(_children(item, "ol"), nav, entry)
        entries.append(entry)
    return entries


def _ncx(archive: Archive, name: str) -> list[TocEntry]:
    if name not in archive:
        return []
    return _ncx_entries(_all(_parsed(archive, name), "navmap"), name, None)


def _ncx_entries(parents: list[etree._Element], ncx: str, above: TocEntry | None) -> list[TocEntry]:
    entries = []
    for point in (child for parent in parents for child in _children(parent, "navpoint")):
        source = next((content.get("src") or "" for content in _children(point, "content")), "")
        path, fragment = member_name(ncx, source) if source else ("", "")
        label = " ".join(_text(child) for child in _children(point, "navlabel"))
        entry = TocEntry(label, path, fragment, above)
        entry.children = _ncx_entries([point], ncx, entry)
        entries.append(entry)
    return entries


def _all(root: etree._Element, name: str) -> list[etree._Element]:
    return [element for element in root.iter() if local_name(element) == name.lower()]


def _children(element: etree._Element, name: str) -> list[etree._Element]:
    return [child for child in element if local_name(child) == name]


def _first_text(opf: etree._Element, name: str) -> str:
    return next((_text(element) for element in _all(opf, name) if _text(element)), "")


def _text(element: etree._Element) -> str:
    return " ".join(plain_text(element).split())
