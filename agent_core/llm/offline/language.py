"""Tells in which of our languages somebody writes, by the small words of a sentence."""

import re

from agent_core.llm.offline.plain import plain, tidy
from agent_core.llm.offline.rules import LANGUAGES, rules_of

_WORD = re.compile(r"[^\W\d_]+'?")
_ORDER = re.compile(r"You answer (?:authors )?in (English|German|French)")
_BY_NAME = {"English": "en", "German": "de", "French": "fr"}
_OWN_SIGNS = {"de": "äöüß", "fr": "éèêàçùœ"}


def languages_of(text: str, default: str) -> tuple[str, ...]:
    """Return the languages that the text may be in, the likeliest first: all of them where nothing tells.

    The likeliest has most of its small words in the text; `default` wins a tie.
    """
    tidied = tidy(text).lower()
    read = _WORD.findall(plain(tidied).replace("ß", "ss"))
    words = [word for found in read for word in {found, found.rstrip("'")}]
    scores = {
        language: sum(word in rules_of(language).function_words for word in words) for language in LANGUAGES
    }
    for language, signs in _OWN_SIGNS.items():
        scores[language] += any(sign in tidied for sign in signs)
    ranked = sorted(LANGUAGES, key=lambda language: (-scores[language], language != default))
    best = scores[ranked[0]]
    return tuple(language for language in ranked if 2 * scores[language] >= best)


def ordered_language(prompt: str) -> str:
    """Return the language that the system prompt asks for; English where it names none."""
    found = _ORDER.search(prompt)
    return _BY_NAME[found[1]] if found else "en"
