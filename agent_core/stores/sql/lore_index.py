"""The search index of the canon in SQL: folded names, facts and scene texts, written with their rows.

Each row becomes a document. The tables of terms hold nothing but a document's terms, each with a tag of its
series in front, so that a term never meets those of another series.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice

from agent_core.lore.details import patch_text
from agent_core.lore.fold import document, name_keys
from agent_core.lore.model import Asserted, Named, Recorded, TextSet
from agent_core.lore.similar import ALIKE, likeness, slips, trigrams
from agent_core.lore.store import FactHit, NameHit, TextHit
from agent_core.stores.sql.database import Database, SqlRow, Tx
from agent_core.stores.sql.dialect import TermSearch
from agent_core.stores.sql.rows import decode


def index_rows(tx: Tx, series: str, rows: Iterable[Recorded]) -> None:
    """Add the names, facts and texts among the rows, in the transaction that stores them.

    Folds long texts, so it belongs in the database's thread.
    """
    given = [recorded.row for recorded in rows]
    _index_names(tx, series, [row for row in given if isinstance(row, Named)])
    _index_facts(tx, series, [row for row in given if isinstance(row, Asserted)])
    _index_scenes(tx, series, [row for row in given if isinstance(row, TextSet)])


def index_all(tx: Tx) -> None:
    """Fill the index, which is empty, with all rows that are stored, a series at a time."""
    for (series,) in tx.rows("SELECT id FROM series"):
        rows = tx.rows(
            "SELECT change, ord, kind, subject, body FROM lore_row WHERE series = :series"
            " ORDER BY change, ord",
            {"series": series},
        )
        index_rows(tx, series, decode(rows))


class SqlLoreIndex:
    """A `LoreIndex` over the tables that `index_rows` fills."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def names(self, series: str, key: str) -> tuple[NameHit, ...]:
        return await self._database.read(lambda tx: _names(tx, series, key))

    async def name_terms(self, series: str, terms: Sequence[str]) -> tuple[NameHit, ...]:
        return await self._database.read(lambda tx: _name_terms(tx, series, terms))

    async def similar_names(self, series: str, key: str, limit: int = 200) -> tuple[NameHit, ...]:
        return await self._database.read(lambda tx: _similar_names(tx, series, key, limit))

    async def facts(self, series: str, terms: Sequence[str]) -> tuple[FactHit, ...]:
        return await self._database.read(lambda tx: _facts(tx, series, terms))

    async def scenes(self, series: str, terms: Sequence[str]) -> tuple[TextHit, ...]:
        return await self._database.read(lambda tx: _scenes(tx, series, terms))


_FOREIGN = re.compile(r"[^ 0-9A-Za-z#+\x80-\ud7ff\ue000-\U0010ffff]")
_LAST = "\U0010ffff"
_MOST_PARTS, _MOST_WORDS = 500, 50


def _index_names(tx: Tx, series: str, named: Sequence[Named]) -> None:
    ids = _new_ids(tx, "search_name", len(named))
    names = [_storable(row.name) for row in named]
    keys = [name_keys(name) for name in names]
    tx.run_many(
        "INSERT INTO search_name (id, series, entity, row, name, keys)"
        " VALUES (:id, :series, :entity, :row, :name, :keys)",
        (
            {
                "id": i,
                "series": series,
                "entity": row.entity,
                "row": row.id,
                "name": name,
                "keys": "\n".join(k),
            }
            for i, row, name, k in zip(ids, named, names, keys, strict=True)
        ),
    )
    tx.run_many(
        "INSERT INTO search_name_key (series, key, name) VALUES (:series, :key, :id)",
        ({"series": series, "key": key, "id": i} for i, k in zip(ids, keys, strict=True) for key in k),
    )
    tag = _tag(series)
    _add_terms(tx, "search_name_term", ids, (_tagged(f"{tag}:", document(name).split()) for name in names))
    _add_terms(tx, "search_name_part", ids, (" ".join(_parts(tag, k)) for k in keys))


def _index_facts(tx: Tx, series: str, asserted: Sequence[Asserted]) -> None:
    ids = _new_ids(tx, "search_fact", len(asserted))
    tx.run_many(
        "INSERT INTO search_fact (id, series, entity, row) VALUES (:id, :series, :entity, :row)",
        (
            {"id": i, "series": series, "entity": row.entity, "row": row.id}
            for i, row in zip(ids, asserted, strict=True)
        ),
    )
    tag = f"{_tag(series)}:"
    documents = (_tagged(tag, document(patch_text(row.patch)).split()) for row in asserted)
    _add_terms(tx, "search_fact_term", ids, documents)


def _index_scenes(tx: Tx, series: str, texts: Sequence[TextSet]) -> None:
    ids = _new_ids(tx, "search_scene", len(texts))
    tx.run_many(
        "INSERT INTO search_scene (id, series, scene, row) VALUES (:id, :series, :scene, :row)",
        (
            {"id": i, "series": series, "scene": row.scene, "row": row.id}
            for i, row in zip(ids, texts, strict=True)
        ),
    )
    tag = f"{_tag(series)}:"
    _add_terms(tx, "search_scene_term", ids, (_tagged(tag, document(row.text).split()) for row in texts))


def _new_ids(tx: Tx, table: str, size: int) -> range:
    found = tx.row(f"SELECT coalesce(max(id), 0) + 1 FROM {table}", {})  # noqa: S608 - one of our tables
    first = int(found[0]) if found else 1
    return range(first, first + size)


def _add_terms(tx: Tx, table: str, ids: range, documents: Iterable[str]) -> None:
    tx.run_many(
        f"INSERT INTO {table} (rowid, terms) VALUES (:id, {tx.term_search.stored})",  # noqa: S608 - one of our tables
        ({"id": i, "terms": terms} for i, terms in zip(ids, documents, strict=True)),
    )


def _parts(tag: str, keys: Collection[str]) -> Iterator[str]:
    for key in keys:
        if not _FOREIGN.search(key):
            yield from (f"{tag}:{part}" for part in trigrams(key))
            yield from (f"{tag}~{part}" for word in key.split() for part in slips(word))
            yield f"{tag}~{key.replace(' ', '')}"


def _names(tx: Tx, series: str, key: str) -> tuple[NameHit, ...]:
    found = tx.rows(
        "SELECT d.entity, d.row, d.name FROM search_name_key k JOIN search_name d ON d.id = k.name"
        " WHERE k.series = :series AND k.key = :key",
        {"series": series, "key": _storable(key)},
    )
    return tuple(NameHit(*row) for row in found)


def _name_terms(tx: Tx, series: str, terms: Sequence[str]) -> tuple[NameHit, ...]:
    match = _any_of(tx.term_search, f"{_tag(series)}:", terms)
    if not match:
        return ()
    found = tx.rows(
        "SELECT d.entity, d.row, d.name FROM search_name_term f JOIN search_name d ON d.id = f.rowid"  # noqa: S608 - ours
        f" WHERE {tx.term_search.condition('search_name_term')} AND d.series = :series",
        {"match": match, "series": series},
    )
    return tuple(NameHit(*row) for row in found)


def _similar_names(tx: Tx, series: str, key: str, limit: int) -> tuple[NameHit, ...]:
    if not key or _FOREIGN.search(key):
        return ()
    best = sorted(
        (-score, name, row, entity)
        for entity, row, name, keys in dict.fromkeys(_names_that_may_be_like(tx, series, key))
        if (score := max(likeness(key, other) for other in keys.split("\n"))) >= ALIKE
    )
    return tuple(NameHit(entity, row, name, -score) for score, name, row, entity in best[:limit])


def _names_that_may_be_like(tx: Tx, series: str, key: str) -> list[SqlRow]:
    """Return at least all names that are like the key: those that hold it or share a slip with it."""
    if len(key) < 3:
        return tx.rows(
            "SELECT d.entity, d.row, d.name, d.keys FROM search_name_key k"
            " JOIN search_name d ON d.id = k.name"
            " WHERE k.series = :series AND k.key >= :key AND k.key < :last",
            {"series": series, "key": key, "last": key + _LAST},
        )
    return tx.rows(
        "SELECT d.entity, d.row, d.name, d.keys FROM search_name_part f"  # noqa: S608 - ours
        " JOIN search_name d ON d.id = f.rowid"
        f" WHERE {tx.term_search.condition('search_name_part')} AND d.series = :series",
        {"match": _parts_match(tx.term_search, _tag(series), key), "series": series},
    )


def _parts_match(search: TermSearch, tag: str, key: str) -> str:
    """Return an expression: all trigrams of the key, or a slip of each of its words, or of all in one.

    Of a very long key the first ones only, which more names may meet.
    """
    parts = islice(dict.fromkeys(trigrams(key)), _MOST_PARTS)
    holding = search.both.join(search.term(f"{tag}:{part}") for part in parts)
    words = key.split(maxsplit=_MOST_WORDS)[:_MOST_WORDS]
    slipped = search.both.join(filter(None, (_slips_match(search, tag, word) for word in words)))
    at_once = _slips_match(search, tag, key.replace(" ", ""))
    return search.either.join(f"({part})" for part in dict.fromkeys((holding, slipped, at_once)) if part)


def _slips_match(search: TermSearch, tag: str, word: str) -> str:
    parts = search.either.join(search.term(f"{tag}~{part}") for part in slips(word))
    return f"({parts})" if parts else ""


def _facts(tx: Tx, series: str, terms: Sequence[str]) -> tuple[FactHit, ...]:
    found = _by_terms(tx, "search_fact", "entity", series, terms)
    return tuple(FactHit(entity, row, hit) for entity, row, hit in found)


def _scenes(tx: Tx, series: str, terms: Sequence[str]) -> tuple[TextHit, ...]:
    found = _by_terms(tx, "search_scene", "scene", series, terms)
    return tuple(TextHit(scene, row, hit) for scene, row, hit in found)


def _by_terms(
    tx: Tx, table: str, subject: str, series: str, terms: Sequence[str]
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield (subject, row, terms hit) of the documents that hold some of the terms."""
    tag = f"{_tag(series)}:"
    search = tx.term_search
    findable = [term for term in dict.fromkeys(terms) if _any_of(search, tag, [term])]
    if not findable:
        return
    bits = _bits(tx, table, tag, findable) if len(findable) > 1 else {}
    sets = {bit: frozenset(_of_bits(findable, bit)) for bit in {1, *bits.values()}}
    found = tx.rows(
        f"SELECT d.id, d.{subject}, d.row FROM {table}_term f JOIN {table} d ON d.id = f.rowid"  # noqa: S608 - ours
        f" WHERE {search.condition(f'{table}_term')} AND d.series = :series",
        {"match": _any_of(search, tag, findable), "series": series},
    )
    yield from ((about, row, sets[bits.get(i, 1)]) for i, about, row in found)


def _bits(tx: Tx, table: str, tag: str, terms: Sequence[str]) -> dict[int, int]:
    """Return for each document the terms it holds, the n-th of them as the n-th bit."""
    bits: dict[int, int] = {}
    search = tx.term_search
    sql = f"SELECT rowid FROM {table}_term f WHERE {search.condition(f'{table}_term')}"  # noqa: S608 - ours
    for n, term in enumerate(terms):
        for (i,) in tx.rows(sql, {"match": _any_of(search, tag, [term])}):
            bits[i] = bits.get(i, 0) | 1 << n
    return bits


def _of_bits(terms: Sequence[str], bits: int) -> Iterator[str]:
    return (term for n, term in enumerate(terms) if bits >> n & 1)


def _any_of(search: TermSearch, tag: str, terms: Iterable[str]) -> str:
    """Return an expression that finds any of the terms, "" if none of them can be in the index.

    Each is quoted, and what could end the quotes or break a word in two is left out.
    """
    return search.either.join(
        search.term(f"{tag}{term}")
        for term in terms
        if term and " " not in term and not _FOREIGN.search(term)
    )


def _tagged(tag: str, terms: Iterable[str]) -> str:
    return " ".join(f"{tag}{term}" for term in terms)


def _tag(series: str) -> str:
    return blake2b(series.encode(), digest_size=3).hexdigest()


def _storable(text: str) -> str:
    """Return the text without lone surrogates, which no database takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
