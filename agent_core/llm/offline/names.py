"""Finds names in what people type, and the ways in which they may be spelled."""

import re
from collections.abc import Iterator

from agent_core.llm.offline.concepts import is_concept, is_plain_detail
from agent_core.llm.offline.plain import bare, plain
from agent_core.llm.offline.rules import Rules, match
from agent_core.llm.offline.wishes import Names

MAX_GUESSES = 3
MAX_HIDDEN = 3

_HIDDEN = "\ue000"
_QUOTED = re.compile(r"[\"“„«‹]\s*([^\"“”„«»]{2,80}?)\s*[\"”“»›]|\[\[([^\]|]{1,80})")
_WORD = re.compile(r"[\w'’-]+")


def spelled(text: str, rules: Rules) -> Names:
    """Return the name in `text` in the ways it may be spelled, with and without its article."""
    name = bare(text)
    for source in (rf"(?P<kept>.+?){rules.words.name_tail}", rf"(?:{rules.words.kinds}) (?P<kept>.+)"):
        parts = match(rules.pattern(source), name)
        kept = bare(parts["kept"]) if parts else name
        name = name if joins(kept, rules) else kept
    if not name or plain(name) in rules.words.articles.split():
        return ()
    articles = rules.pattern(rf"(?:{'|'.join(rules.words.articles.split())}) (?P<kept>.+)")
    elided = re.fullmatch(r"[ldLD]'(?P<kept>.+)", name) if rules.language == "fr" else None
    parts = match(articles, name)
    short = parts["kept"] if parts else elided["kept"] if elided else ""
    forms = (name, short) if short else (name, *_possessor(name, rules))
    return tuple(dict.fromkeys(form for form in forms if form))


def joins(text: str, rules: Rules) -> bool:
    """Tell whether the text goes on with a name: "of the Stones"."""
    return rules.pattern(rf"(?:{rules.words.joints}) .+").fullmatch(plain(text)) is not None


def whole_name(name: str, rest: str, rules: Rules) -> tuple[str, str]:
    """Return a name with what ran over into the words behind it: capitals, and "of the Stones"."""
    words = rest.split()
    while len(words) > 1:
        length = 1 if _goes_on(words, rules) else _joined(words, rules)
        if not length:
            break
        name, words = " ".join([name, *words[:length]]), words[length:]
    return name, " ".join(words)


def _goes_on(words: list[str], rules: Rules) -> bool:
    """Tell whether the first word belongs to the name before it; a known detail or title does not."""
    first, second = words[0], words[1]
    if not first[:1].isupper() or is_concept(first) or plain(first) in rules.function_words:
        return False
    if rules.pattern(f"(?:{rules.statement.titles})").fullmatch(plain(first)) is not None:
        return False
    return rules.language != "de" or second[:1].islower() or is_concept(second)


def _joined(words: list[str], rules: Rules) -> int:
    """Return how many words "of the Stones" has at the start of the words, 0 if it does not stand there."""
    for length in (2, 3):
        phrase = words[:length]
        if len(words) > length and phrase[-1][:1].isupper() and joins(" ".join(phrase), rules):
            return length
    return 0


def owners(text: str, rules: Rules) -> Names:
    """Return the ways to spell a name from which a genitive ending without a mark was taken."""
    names = spelled(text, rules)
    return (*names, f"{names[0]}s") if names else names


def masked(text: str, owner: str) -> str:
    """Return the text with the "s" behind the owner hidden, so that it is read as a part of a longer name.

    The text comes back as it is where there is none to hide, or where enough are hidden.
    """
    if text.count(_HIDDEN) >= MAX_HIDDEN:
        return text
    return text.replace(f"{owner}s", f"{owner}{_HIDDEN}", 1)


def is_masked(name: str) -> bool:
    """Tell whether the name holds the hidden "s", and is not just a part of the words around it."""
    return _HIDDEN in name


def unmasked(text: str) -> str:
    """Return the text with what was hidden."""
    return text.replace(_HIDDEN, "s")


def has_no_genitive(owner: str) -> bool:
    """Tell whether a name can't take a bare "s" in German: "Joss" is never said of Jos."""
    return owner[-1:].lower() in {"s", "x", "z", "ß"}


def may_end_a_name(detail: str, rules: Rules) -> bool:
    """Tell whether an "s" before this detail may be a genitive: only German writes it without a mark.

    Elsewhere the mark was left out in haste, which is believed before a detail that is known.
    """
    return rules.language == "de" or is_concept(detail)


def is_pronoun(text: str, rules: Rules) -> bool:
    """Tell whether the text stands for somebody named elsewhere: "she", "her brother"."""
    words = plain(bare(text)).split()
    alone = len(words) == 1 or not words or words[0] not in rules.words.articles.split()
    return bool(words) and alone and words[0] in rules.pronouns


def is_nobody(text: str, rules: Rules) -> bool:
    """Tell whether the text can be no name: "we", or half a sentence."""
    words = plain(bare(text))
    never = rules.pattern(rf"(?:.*[ ,])?(?:{rules.words.never_in_names})(?:[ ,].*)?")
    nobody = rules.pattern(rules.words.nobody)
    return any(pattern.fullmatch(words) is not None for pattern in (nobody, never))


def names_in(text: str, rules: Rules) -> Names:
    """Return what looks like names in a sentence: quoted words, else runs of capitalised ones."""
    quoted = [bare(found[1] or found[2]) for found in _QUOTED.finditer(text)]
    if quoted:
        return tuple(dict.fromkeys(filter(None, quoted)))[:MAX_GUESSES]
    runs = [run for run in _capitalised(text, rules) if not is_pronoun(run, rules)]
    runs.sort(key=is_concept)
    if not runs and len(text.split()) <= 3:
        lone = [word for word in _WORD.findall(text) if not _tells(word, rules)]
        runs = [" ".join(lone)] if lone and not is_pronoun(lone[0], rules) else []
    spellings = [form for run in runs for form in (run, *_possessor(run, rules))]
    return tuple(dict.fromkeys(spellings))[:MAX_GUESSES]


def _capitalised(text: str, rules: Rules) -> Iterator[str]:
    """Yield runs of capitalised words; the first word of a longer sentence has its capital anyway."""
    words = list(_WORD.finditer(text))
    start = end = -1
    for index, found in enumerate(words):
        word = found[0]
        known = plain(word) in rules.function_words or plain(word) in rules.pronouns
        first = index == 0 and len(words) > 3 and not _is_name_like(words[1][0], rules)
        detail = start >= 0 and is_plain_detail(word)
        if word[:1].isupper() and not known and not first and not detail:
            start, end = (start if start >= 0 else found.start()), found.end()
        elif start >= 0:
            yield text[start:end]
            start = -1
    if start >= 0:
        yield text[start:end]


def _is_name_like(word: str, rules: Rules) -> bool:
    return word[:1].isupper() and plain(word) not in rules.function_words


def _tells(word: str, rules: Rules) -> bool:
    """Tell whether a word is there to ask, not to name."""
    loose = (rules.loose.timeline, rules.loose.history, rules.loose.chapter, rules.loose.contents)
    asks = any(rules.pattern(source).fullmatch(plain(word)) for source in loose)
    return asks or plain(word) in rules.function_words or is_concept(word)


def _possessor(name: str, rules: Rules) -> Names:
    stem = re.sub(r"(?:'s|(?<=s)')$", "", name)
    if stem != name:
        return (stem,)
    if rules.language == "de" and re.search(r"[^s]s$", name) and name[:1].isupper():
        return (name[:-1],)
    return ()
