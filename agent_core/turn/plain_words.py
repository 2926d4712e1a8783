"""A plain yes or no, in the languages we speak, as an answer to a card."""

import re

# Bare answers, each a whole message: English, German, French.
_YES = frozenset(
    {"yes", "y", "yep", "yeah", "ok", "okay", "sure", "save", "confirm", "approve"}
    | {"do it", "go ahead", "save it", "yes please"}
    | {"ja", "jo", "klar", "passt", "übernehmen", "speichern", "einverstanden", "ja bitte", "mach das"}
    | {"oui", "d'accord", "enregistrer", "valider", "vas-y", "oui merci"}
)
_NO = frozenset(
    {"no", "n", "nope", "nah", "discard", "decline", "reject", "no thanks", "don't", "do not"}
    | {"nein", "ne", "nö", "verwerfen", "ablehnen", "nein danke"}
    | {"non", "écarter", "refuser", "non merci"}
)


def plain_answer(text: str) -> bool | None:
    """Return True for a bare yes, False for a bare no, None for anything else."""
    bare = re.sub(r"[\s.!,…]+", " ", text).strip().casefold()
    if bare in _YES:
        return True
    return False if bare in _NO else None
