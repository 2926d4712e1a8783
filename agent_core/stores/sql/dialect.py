"""How databases differ in searching by terms: all that their statements do not have in common."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TermSearch:
    """What statements say about a table of documents, each the terms in it joined by spaces.

    `meets` is the condition that a document, a row `f`, meets the expression `:match`; `stored` is what is
    inserted for `:terms`. Expressions are made of single terms by `quote`, `both` and `either`. Only the
    first `longest` characters of a term count.
    """

    meets: str
    stored: str
    quote: str
    both: str
    either: str
    longest: int | None = None

    def condition(self, table: str) -> str:
        """Return the condition on the documents of this table, which the statement calls `f`."""
        return self.meets.format(table=table)

    def term(self, term: str) -> str:
        """Return the expression that a document holds this term."""
        return f"{self.quote}{term[: self.longest]}{self.quote}"


FULL_TEXT_TABLES = TermSearch(
    meets="{table} MATCH :match", stored=":terms", quote='"', both=" AND ", either=" OR "
)
"""SQLite's FTS5."""

TERM_VECTORS = TermSearch(
    meets="f.terms @@ CAST(:match AS tsquery)",
    stored="array_to_tsvector(ARRAY(SELECT left(term, 500) FROM unnest(string_to_array(:terms, ' ')) term))",
    quote="'",
    both=" & ",
    either=" | ",
    longest=500,  # characters of up to four bytes; a term may have 2,046 bytes
)
"""The tsvector columns of Postgres."""
