"""Reads statements of fact: of whom, which detail, which value; one sentence may hold several."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agent_core.llm.offline.concepts import is_concept, is_kin
from agent_core.llm.offline.names import (
    has_no_genitive,
    is_masked,
    is_nobody,
    is_pronoun,
    masked,
    may_end_a_name,
    owners,
    spelled,
    unmasked,
    whole_name,
)
from agent_core.llm.offline.plain import bare, ended, plain
from agent_core.llm.offline.possessions import had
from agent_core.llm.offline.rules import Form, Rules, match
from agent_core.llm.offline.scope import Scope, scoped_fact
from agent_core.llm.offline.values import value_of
from agent_core.llm.offline.wishes import Fact, Names, Record, Remark, Rename, Said
from agent_core.messages import Json

MAX_NAME_WORDS = 6
MAX_KEY_WORDS = 4

_VERB_LAST = frozenset({"has", "is", "role", "verb"})
_ENDING = frozenset({"has", "home", "place", "verb", "spouse", "kin"})

Noted = tuple[Record | Rename, ...]


def read_statement(text: str, rules: Rules, subject: Names = ()) -> Noted | Said:
    """Return what the statement says, () if that is not clear, or the pronoun that nobody was named for.

    `subject` is whom "she" means, if an earlier sentence named somebody.
    """
    reading = _Reading(rules)
    noted = reading.clauses(ended(text), subject)
    if not noted and reading.pronoun:
        return Said(remark=Remark.PRONOUN, word=reading.pronoun)
    return tuple(_sharing_place(noted))


def _sharing_place(noted: Sequence[Record | Rename]) -> Iterator[Record | Rename]:
    """A place that is named once holds for all that is said in the sentence."""
    scopes = [one.scope for one in noted if isinstance(one, Record)]
    bound = [scope for scope in scopes if scope != Scope()]
    always = any(one.retcon for one in noted if isinstance(one, Record))
    for one in noted:
        if isinstance(one, Record) and len(bound) == 1:
            yield replace(one, scope=bound[0], retcon=always)
        else:
            yield one


def read_event(text: str, rules: Rules) -> Noted:
    """Return what somebody did, in the words of the sentence, where it names no detail."""
    core, scope = scoped_fact(_without(ended(text), rules.statement.that, rules), rules)
    words = _without(core, rules.statement.that, rules).split()
    length = next((place for place, word in enumerate(words) if not word[:1].isupper()), 0)
    name, deed = " ".join(words[:length]), " ".join(words[length:])
    if not 0 < length <= MAX_NAME_WORDS or "'" in name or is_pronoun(name, rules) or is_nobody(name, rules):
        return ()
    fact = Fact(names=spelled(name, rules), key=rules.statement.keys["event"], value=deed)
    return (Record(fact=fact, scope=scope),)


@dataclass(slots=True)
class _Reading:
    """Reads one sentence; remembers the pronoun that kept it from being read."""

    rules: Rules
    pronoun: str = ""

    def clauses(self, text: str, subject: Names) -> list[Record | Rename]:
        for joint in self.rules.pattern(self.rules.statement.joint).finditer(plain(text)):
            for left in self._with_last_verb(text[: joint.start()], text):
                first = self.clause(left, subject)
                rest = self.clauses(text[joint.end() :], _subject(first)) if first else []
                if rest:
                    return [*first, *rest]
        return self.clause(text, subject)

    def clause(self, text: str, subject: Names) -> list[Record | Rename]:
        rules = self.rules
        text, always = _cut(_without(text, rules.statement.that, rules), rules.statement.always, rules)
        core, scope = scoped_fact(text, rules)
        core = _without(core, rules.statement.that, rules)
        core, _ = _cut(core, rules.statement.contrast, rules)
        core = _without(core, f"{rules.statement.truth},? ", rules)
        core, _ = _cut(core, rules.statement.truth, rules, put=rules.statement.truth_word)
        shorter, ended = _cut(core, rules.statement.ended, rules)
        for said in self._completed(shorter, subject) if ended else ():
            if noted := self._fitting(said, _ENDING):
                return [_bound(_over(one), scope, retcon=always) for one in noted]
        for said in self._completed(core, subject):
            noted = self._fitting(said)
            if noted and (said == core or _subject(noted)[0] == subject[0]):
                return [_bound(one, scope, retcon=always) for one in noted]
        return []

    def _fitting(self, said: str, kinds: frozenset[str] | None = None) -> list[Record | Rename]:
        for form in self.rules.statement_forms:
            parts = match(form.pattern, said) if kinds is None or form.group.kind in kinds else None
            noted = [] if parts is None else self._noted(form, parts)
            if noted:
                return self._or_longer_name(noted, parts or {}, said, kinds)
        return []

    def _or_longer_name(
        self, noted: list[Record | Rename], parts: dict[str, str], said: str, kinds: frozenset[str] | None
    ) -> list[Record | Rename]:
        """Read "Hans Meier ist krank" of Hans Meier too, where no detail is known as the "Meier" of Han."""
        if self.rules.language != "de" or "owner" not in parts or is_concept(parts.get("key", "")):
            return noted
        hidden = masked(said, parts["owner"])
        longer = self._fitting(hidden, kinds) if hidden != said else []
        match noted, longer:
            case [Record() as first], [Record() as other] if is_masked(other.fact.names[0]):
                other = _shown(other)
                known = is_concept(other.fact.key) and other.fact.key in said
                if known or has_no_genitive(parts["owner"]):
                    return [other]
                return [replace(first, instead=other.fact)]
        return noted

    def _with_last_verb(self, left: str, text: str) -> Iterator[str]:
        """German clauses share the verb at their end: "dass A grün und B rot sind"."""
        yield left
        if self.rules.language == "de":
            last = text.rsplit(maxsplit=1)[-1]
            if self.rules.pattern("{be}|{have}").fullmatch(plain(last)):
                yield f"{left} {last}"

    def _completed(self, text: str, subject: Names) -> Iterator[str]:
        """Yield the clause with its subject put in where an earlier clause named it."""
        words = self.rules.statement
        if not subject:
            yield text
            return
        for source, template in ((words.own, words.own_text), (words.self, words.self_text)):
            parts = match(self.rules.pattern(source), text)
            if parts is not None:
                yield template.format(name=subject[0], rest=parts.get("rest", ""), kept=parts["kept"])
        for source in words.gapped:
            parts = match(self.rules.pattern(source), text)
            if parts is not None:
                yield words.gapped_text.format(name=subject[0], kept=parts["kept"], rest=parts["rest"])
        yield f"{subject[0]} {text}"
        yield text

    def _noted(self, form: Form, parts: dict[str, str]) -> list[Record | Rename]:
        if self.rules.language == "de" and form.group.kind in _VERB_LAST:
            name, value = whole_name(parts["name"], parts.get("value", ""), self.rules)
            parts = {**parts, "name": name} | ({"value": value} if "value" in parts else {})
        who = parts.get("owner") or parts["name"]
        if is_pronoun(who, self.rules):
            self.pronoun = self.pronoun or bare(who)
            return []
        noted: list[Record | Rename] = []
        for one in _each(who, self.rules):
            names = owners(one, self.rules) if "owner" in parts else spelled(one, self.rules)
            if "owner" in parts and not may_end_a_name(parts.get("key", ""), self.rules):
                return []
            if not names or is_nobody(one, self.rules) or len(names[0].split()) > MAX_NAME_WORDS:
                return []
            facts = _facts(form, parts, names, self.rules)
            if not facts and form.group.kind == "alias":
                noted.append(Rename(names=names, new=bare(parts["value"]), beside=True))
                continue
            if not facts:
                return []
            noted += [Record(fact=fact) for fact in facts]
        return noted


def _facts(form: Form, parts: dict[str, str], names: Names, rules: Rules) -> list[Fact]:
    kind, keys = form.group.kind, rules.statement.keys
    value = form.group.value or parts.get("value", "")
    if kind == "alias":
        return _called(names[0], value, rules)
    if kind == "of":
        return _of(names, parts["key"], value, rules)
    if kind == "kin":
        return _kin(names, parts, rules)
    if kind == "has":
        return had(names, value, rules)
    if kind in {"is", "role"}:
        return _of(names, keys[_nature(kind, value, rules)], value, rules)
    if kind == "verb":
        return _of(names, parts["key"], value, rules)
    return _of(names, keys[kind], value, rules)


def _shown(one: Record) -> Record:
    """Return the record with what was hidden while it was read."""
    names = tuple(unmasked(name) for name in one.fact.names)
    value = unmasked(one.fact.value) if isinstance(one.fact.value, str) else one.fact.value
    fact = replace(one.fact, names=names, key=unmasked(one.fact.key), value=value)
    return replace(one, fact=fact, instead=None)


def _of(names: Names, key: str, text: str, rules: Rules) -> list[Fact]:
    for source in rules.words.possessed:
        owned = match(rules.pattern(source), names[0])
        if owned is not None and is_concept(owned["detail"]):
            names, key = spelled(owned["owner"], rules), owned["detail"]
            break
    key = bare(_without(bare(key), rules.statement.key_lead, rules))
    value = value_of(text, rules)
    if not key or len(key.split()) > MAX_KEY_WORDS or key.startswith("$") or value == "":
        return []
    return [Fact(names=names, key=key if rules.language == "de" else key.lower(), value=value)]


def _kin(names: Names, parts: dict[str, str], rules: Rules) -> list[Fact]:
    """Return of Tom who his sister is, from "Mara is Tom's sister"."""
    if not is_kin(parts["key"]):
        return []
    other = owners(parts["other"], rules) if rules.language == "de" else spelled(parts["other"], rules)
    value: Json = names[0]
    if not other or is_pronoun(parts["other"], rules):
        return []
    key = bare(parts["key"])
    return [Fact(names=other, key=key if rules.language == "de" else key.lower(), value=value)]


def _called(name: str, value: str, rules: Rules) -> list[Fact]:
    """Return who Tom's father is, from "Tom's father is called Bram"."""
    for source in rules.words.possessed:
        owned = match(rules.pattern(source), name)
        if owned is not None and is_kin(owned["detail"]):
            return _of(spelled(owned["owner"], rules), owned["detail"], value, rules)
    return []


def _over(one: Record | Rename) -> Record | Rename:
    """Return the record that says that it is so no longer."""
    if isinstance(one, Rename):
        return one
    fact = replace(one.fact, gone=True) if one.fact.owned else replace(one.fact, value=None)
    return replace(one, fact=fact)


def _cut(text: str, source: str, rules: Rules, put: str = "") -> tuple[str, bool]:
    """Return the text with `put` for what is found (a part named `kept` stays), and whether it was there."""
    found = rules.pattern(source).search(plain(text))
    if found is None:
        return text, False
    kept = text[slice(*found.span("kept"))] if "kept" in found.re.groupindex else put
    left = f"{text[: found.start()]} {kept} {text[found.end() :]}"
    return " ".join(left.split()).strip(" ,"), True


def _nature(kind: str, value: str, rules: Rules) -> str:
    """Return what "X is …" speaks of: who X really is, their sex, their role, or how they are."""
    if rules.pattern(rules.statement.sexes).fullmatch(plain(value)) is not None:
        return "sex"
    if kind == "role" or _is_title(value, rules):
        return "role"
    return "identity" if value[:1].isupper() and rules.language != "de" else "status"


def _is_title(value: str, rules: Rules) -> bool:
    first = value.split(maxsplit=1)[0] if value else ""
    if rules.language == "de" and first[:1].isupper():
        return True
    return rules.pattern(rf"(?:{rules.statement.titles})\b.*").fullmatch(plain(value)) is not None


def _subject(noted: Sequence[Record | Rename]) -> Names:
    for one in noted:
        return one.fact.names if isinstance(one, Record) else one.names
    return ()


def _bound(one: Record | Rename, scope: Scope, *, retcon: bool) -> Record | Rename:
    if isinstance(one, Rename):
        return replace(one, place=scope.place)
    return replace(one, scope=scope, retcon=retcon)


def _each(who: str, rules: Rules) -> list[str]:
    """Return the subjects of "Mara and Tom"."""
    split = re.split(rules.statement.together, who)
    return split if all(part[:1].isupper() for part in split) else [who]


def _without(text: str, lead: str, rules: Rules) -> str:
    pattern = rules.pattern(f"(?:{lead})(?P<kept>.+)")
    while (parts := match(pattern, text)) is not None:
        text = parts["kept"]
    return text
