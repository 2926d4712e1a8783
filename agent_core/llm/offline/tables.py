"""What stands in a language's file of rules."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field


class Table(BaseModel):
    """A table of the file; unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Words(Table):
    """Words of a language; lists are separated by spaces, the others are patterns."""

    function: str
    pronouns: str
    articles: str
    nobody: str
    joints: str
    never_in_names: str
    possessed: tuple[str, ...]
    indefinite: str
    kinds: str
    name_tail: str
    months: str
    day_words: str
    last: str
    numbers: str
    ordinals: str


class RuleGroup(Table):
    """Forms of sentences that mean the same kind of thing; the first form that fits a sentence counts."""

    kind: str
    forms: tuple[str, ...]
    detail: str = ""
    value: str = ""
    type: str = ""
    reader: bool = False
    with_place: bool = False


class QuestionRules(Table):
    """How questions begin and end, and their forms."""

    lead: tuple[str, ...]
    filler: str
    tail: str
    word: str
    rules: tuple[RuleGroup, ...]


class LooseRules(Table):
    """Words that tell what a sentence of no known form may ask for."""

    contents: str
    chapter: str
    why: str
    timeline: str
    history: str
    when: str
    where: str


class WriteRules(Table):
    """How wishes to write are worded: an explicit verb, or nothing is written."""

    lead: tuple[str, ...]
    modal: str
    not_: str = Field(alias="not")
    verbs: tuple[str, ...]
    retcon: str
    loose: tuple[str, ...]
    after: tuple[str, ...]
    alone: str
    then: str
    create: tuple[str, ...]
    create_has: str
    create_tail: tuple[str, ...]
    undo: tuple[str, ...]
    rename: tuple[str, ...]
    alias: tuple[str, ...]
    types: Mapping[str, str]


class StatementRules(Table):
    """How facts are worded."""

    that: str
    joint: str
    together: str
    truth: str
    truth_word: str
    always: str
    contrast: str
    ended: str
    own: str
    own_text: str
    self: str
    self_text: str
    gapped: tuple[str, ...]
    gapped_text: str
    key_lead: str
    value_lead: str
    age: str
    none: str
    have_items: str
    have_lead: str
    have_named: str
    sexes: str
    titles: str
    keys: Mapping[str, str]
    rules: tuple[RuleGroup, ...]


class PlaceRules(Table):
    """How places in the book are worded, and the phrases that bind a sentence to one."""

    chapter: str
    scene: str
    book: str
    of: str
    the: str
    ordinal_mark: str
    titles: str
    start: str
    until: str
    since: str
    at: str
    on: str
    beginning: str
    here: str
    told: str
    reader: str
    reader_after: str
    spoilers: str


class KnownRules(Table):
    """How an earlier state of the notes is worded."""

    before: str
    bare: str
    edit: str
    since: str


class TalkRules(Table):
    """Talk that wants no look-up."""

    decision: str
    greeting: str
    thanks: str
    make: str
    chat: str


class RuleFile(Table):
    """All rules of a language."""

    words: Words
    rewrite: Mapping[str, str]
    pieces: Mapping[str, str]
    question: QuestionRules
    loose: LooseRules
    write: WriteRules
    statement: StatementRules
    place: PlaceRules
    known: KnownRules
    talk: TalkRules
