"""Sorts details into the groups of a state card by their names, in three languages."""

import unicodedata
from functools import cache

GROUPS = ("body", "place", "possessions", "ties", "knowledge", "other")

_WORDS = {
    "body": (
        "body appearance look looks eye eyes hair face skin scar height weight age sex gender health wound"
        " injury build voice beard status alive dead species race born birth hp condition"
        " auge augen haar haare gesicht haut narbe größe alter geschlecht gesundheit wunde stimme bart"
        " aussehen körper zustand geboren augenfarbe haarfarbe art lebt"
        " corps apparence œil yeux cheveux visage peau cicatrice taille âge sexe santé blessure voix barbe"
        " état espèce né née vivant"
    ),
    "place": (
        "place home location where residence lives city town country address region position whereabouts"
        " ort heimat wohnort wohnung stadt land adresse gegend aufenthalt zuhause haus wohnt"
        " lieu maison domicile ville pays adresse région demeure habite"
    ),
    "possessions": (
        "has owns owner carries wears possessions items item weapon weapons money coat clothes clothing horse"
        " inventory holds keeps"
        " hat besitz besitzt besitzer trägt kleidung waffe waffen geld mantel pferd gegenstände"
        " possède possessions propriétaire porte vêtements arme armes argent manteau cheval objets"
    ),
    "ties": (
        "spouse husband wife partner mother father parent parents brother sister sibling siblings son"
        " daughter child children friend friends enemy enemies ally allies lover member members group faction"
        " leader family master servant allegiance oath loyalty married rank title titles job profession"
        " ehemann ehefrau mutter vater eltern bruder schwester geschwister sohn tochter kind kinder freund"
        " freundin freunde feind feinde verbündete mitglied mitglieder gruppe familie herr diener treue eid"
        " verheiratet rang titel beruf"
        " époux épouse mari femme mère père parents frère sœur fils fille enfant enfants ami amie amis"
        " ennemi ennemis allié alliés membre membres groupe famille maître serviteur serment loyauté rang"
        " titre titres métier"
    ),
    "knowledge": (
        "knows knowledge secret secrets believes suspects learned remembers identity"
        " weiß wissen geheimnis geheimnisse glaubt ahnt erinnert identität"
        " sait connaissance secret secrets croit soupçonne identité"
    ),
}


def group_of(key: str) -> str:
    """Return the group that a detail belongs to, "other" if its name says nothing."""
    words = _plain(key).replace("-", " ").replace("_", " ").split()
    return next((_groups()[word] for word in reversed(words) if word in _groups()), "other")


@cache
def _groups() -> dict[str, str]:
    return {word: group for group, words in _WORDS.items() for word in _plain(words).split()}


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
