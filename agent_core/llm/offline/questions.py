"""Reads questions: which look-up, of whom, bound to what."""

import re
from dataclasses import replace

from agent_core.llm.offline.concepts import is_concept, is_plain_detail
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
from agent_core.llm.offline.places import place_label
from agent_core.llm.offline.plain import bare, plain
from agent_core.llm.offline.rules import Form, Rules, match
from agent_core.llm.offline.scope import Scope, scoped
from agent_core.llm.offline.wishes import Asked, Names, Question, Remark, Said

MAX_NAME_WORDS = 6
MAX_DETAIL_WORDS = 5

_JOINT = re.compile(
    r",? (?:and|und|et) (?=(?:who|what|where|when|why|how|wer|was|wo|wann|warum|wie"
    r"|qui|que|qu'|où|quand|pourquoi)\b)",
    re.IGNORECASE,
)
_FIRST_SCENE = re.compile(r"(?:b\d+:)?(?:p\d+\.)?\d+")


def read_question(sentence: str, rules: Rules, subject: Names = ()) -> Question | Said | None:
    """Return what the sentence asks for, or None if it has no form that is known.

    `subject` is who "she" would be: the one an earlier question of the same message named.
    """
    text = bare_question(rules.rewritten(sentence), rules)
    core, scope = scoped(text, rules)
    core = stripped(core, rules)
    pronoun: Said | None = None
    for form in rules.question_forms:
        if form.group.with_place and not scope.place:
            continue
        parts = match(form.pattern, core)
        if parts is None and "place" in form.pattern.groupindex:
            parts = match(form.pattern, text)
        read = None if parts is None else _question(form, parts, scope, rules, core)
        if isinstance(read, Question) and parts is not None and "owner" in parts:
            return _or_longer_name(read, parts["owner"], sentence, rules)
        if isinstance(read, Said) and subject:
            read = _about(form, parts or {}, scope, rules, subject)
        if isinstance(read, Question):
            return read
        pronoun = pronoun or read
    return pronoun


def _or_longer_name(read: Question, owner: str, sentence: str, rules: Rules) -> Question:
    """Read "Wer ist Hans Meier" of Hans Meier too, where no detail is known as the "Meier" of Han."""
    first = read.words.partition(" ")[0]
    if rules.language != "de" or is_concept(read.words) or is_concept(first):
        return read
    hidden = masked(sentence, owner)
    other = read_question(hidden, rules) if hidden != sentence else None
    if not isinstance(other, Question) or not any(map(is_masked, other.names)):
        return read
    names, words = tuple(map(unmasked, other.names)), unmasked(other.words)
    other = replace(other, names=names, words=words, instead=None)
    if is_concept(other.words) or has_no_genitive(owner):
        return other
    return replace(read, instead=other)


def bare_question(text: str, rules: Rules) -> str:
    """Return the sentence without marks around it and without polite words at its ends."""
    text = bare(text)
    filler = rules.pattern(rf",? \b{rules.question.filler}\b(?:,(?= )|(?=[ ,]|$))")
    while (found := filler.search(plain(text))) is not None:
        text = f"{text[: found.start()]}{text[found.end() :]}".strip(" ,")
    return stripped(text, rules) or text


def stripped(text: str, rules: Rules) -> str:
    """Return the sentence without the words that only lead to a question or away from it."""
    tail = rules.pattern(f"(?P<kept>.+?)(?:{rules.question.tail})")
    leads = [rules.pattern(f"(?:{lead})(?P<kept>.+)") for lead in rules.question.lead]
    changed = True
    while changed:
        changed = False
        for pattern in (*leads, tail):
            parts = match(pattern, text)
            if parts is not None and parts["kept"]:
                text, changed = bare(parts["kept"]), True
    return text


def _question(
    form: Form, parts: dict[str, str], scope: Scope, rules: Rules, core: str
) -> Question | Said | None:
    parts = _with_whole_name(form, parts, rules)
    question = _unnamed(form, parts, scope, rules)
    if question is None or not {"name", "owner"} & parts.keys():
        return question
    name = parts.get("owner") or parts["name"]
    if is_pronoun(name, rules):
        return Said(remark=Remark.PRONOUN, word=bare(name))
    return _named(question, parts, rules, core)


def _with_whole_name(form: Form, parts: dict[str, str], rules: Rules) -> dict[str, str]:
    """Return the parts with all of the name, where words follow it directly: "when does Ann Lee die"."""
    follows = next((part for part in ("rest", "detail") if parts.get(part)), None)
    if follows is None or "name" not in parts or "owner" in parts:
        return parts
    ahead = form.pattern.groupindex[follows] > form.pattern.groupindex["name"]
    if not ahead or "'s" in form.pattern.pattern.partition("(?P<name>")[2][:24]:
        return parts
    name, rest = whole_name(parts["name"], parts[follows], rules)
    return {**parts, "name": name, follows: rest}


def _unnamed(form: Form, parts: dict[str, str], scope: Scope, rules: Rules) -> Question | None:
    group = form.group
    asks = Asked(group.kind)
    words = group.detail or parts.get("detail") or parts.get("words") or parts.get("rest") or ""
    if len(words.split()) > MAX_DETAIL_WORDS and asks is Asked.DETAIL:
        return None
    if asks is Asked.SEARCH:
        words = _word_alone(words, rules)
    if "place" in parts:
        scope = replace(scope, place=place_label(parts["place"], rules.place_words))
    if group.reader:
        scope = replace(scope, place="", reader=scope.reader or scope.place)
    return Question(
        asks=asks,
        words=_without_article(words, rules),
        person=parts.get("who", ""),
        type=group.type or _type(parts.get("type") or parts.get("listed", ""), rules),
        scope=_at_first_scene(scope),
    )


def _named(question: Question, parts: dict[str, str], rules: Rules, core: str) -> Question | None:
    name = parts.get("owner") or parts["name"]
    genitive = "owner" in parts
    if genitive and not may_end_a_name(question.words, rules):
        return None
    for source in rules.words.possessed if question.asks in {Asked.ENTRY, Asked.DETAIL} else ():
        owned = match(rules.pattern(source), name)
        if owned is not None and is_concept(owned["detail"]):
            question = replace(question, asks=Asked.DETAIL, words=owned["detail"])
            parts, name = owned, owned["owner"]
            break
    genitive = genitive or ("owner" in parts and rules.language == "de")
    if is_nobody(name, rules) or (
        genitive and plain(f"{name}s").rsplit(maxsplit=1)[-1] in rules.function_words
    ):
        return None
    names = owners(name, rules) if genitive else spelled(name, rules)
    if not names or len(names[0].split()) > MAX_NAME_WORDS:
        return None
    return replace(question, names=names, whole=_whole(question, name, core, rules))


def _whole(question: Question, name: str, core: str, rules: Rules) -> str:
    """Return "the Order of the Heron" where that may be a name and no detail of "the Heron"."""
    is_name = question.words[:1].isupper() and rules.language != "de"
    if question.asks is not Asked.DETAIL or (is_plain_detail(question.words) and not is_name):
        return ""
    if question.words not in core:
        return ""
    whole = core[core.find(question.words) : core.rfind(name) + len(name)]
    return whole if len(whole) > len(name) else ""


def _about(form: Form, parts: dict[str, str], scope: Scope, rules: Rules, subject: Names) -> Question | None:
    """Return the question about an earlier subject; "her brother" asks for a detail of hers."""
    question = _unnamed(form, parts, scope, rules)
    name = plain(parts.get("owner") or parts.get("name", ""))
    if question is None or " " in name:
        return None
    return replace(question, names=subject)


def _without_article(words: str, rules: Rules) -> str:
    articles = rules.pattern(rf"(?:(?:{'|'.join(rules.words.articles.split())}) )(?P<kept>.+)")
    for pattern in (articles, rules.pattern(f"(?:{rules.statement.key_lead})(?P<kept>.+)")):
        parts = match(pattern, bare(words))
        words = parts["kept"] if parts else words
    return bare(words)


def _word_alone(words: str, rules: Rules) -> str:
    """Return what is to be looked for: "hazel" where the question says "the word hazel"."""
    parts = match(rules.pattern(f"(?:{rules.question.word}) (?P<kept>.+)"), bare(words))
    return parts["kept"] if parts else words


def _type(words: str, rules: Rules) -> str:
    """Return the kind that "character" or "the main characters" name; "" for "entries"."""
    for word in (words, *words.split()):
        for kind, pattern in rules.write.types.items():
            if rules.pattern(f"(?:{pattern})(?:s|es|en|n|e)?").fullmatch(plain(word)):
                return kind
    return ""


def _at_first_scene(scope: Scope) -> Scope:
    """A chapter stands for its last scene, so what comes before it is bound to its first."""
    if scope.starts and _FIRST_SCENE.fullmatch(scope.place):
        return replace(scope, place=f"{scope.place}.1")
    return scope


def read_questions(sentence: str, rules: Rules) -> tuple[Question | Said, ...]:
    """Return what the sentence asks; "who is Ann and where does she live" asks two things."""
    whole = read_question(sentence, rules)
    found: list[Question | Said] = []
    subject: Names = ()
    for part in _JOINT.split(sentence):
        read = read_question(part, rules, subject)
        if read is not None:
            found.append(read)
        subject = read.names if isinstance(read, Question) else subject
    if len(found) > 1 or whole is None:
        return tuple(found)
    return (whole,)
