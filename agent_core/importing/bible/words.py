"""The folder names, types and keys that novelists use, in three languages, and what each of them says."""

from collections.abc import Mapping
from enum import StrEnum

from agent_core.lore.fold import name_key
from agent_core.lore.model import EntityType, Mode


class Kind(StrEnum):
    """What a note is about. An event comes in as a law of the world, whose detail `kind` says so."""

    CHARACTER = "character"
    LOCATION = "location"
    FACTION = "faction"
    OBJECT = "object"
    RULE = "rule"
    EVENT = "event"
    SCENE = "scene"
    WORK = "work"
    SKIP = "skip"


class Role(StrEnum):
    """What a key is for. A DETAIL is a fact about the entry, a RELATION one that names other entries.

    A TITLE is the name where nothing else gives one, else a detail: captains have titles too.
    """

    NAME = "name"
    TITLE = "title"
    ALIASES = "aliases"
    TYPE = "type"
    HINT = "hint"
    BOOK = "book"
    CHAPTER = "chapter"
    CHAPTER_TITLE = "chapter title"
    PART = "part"
    ORDER = "order"
    MODE = "mode"
    DATE = "date"
    BEFORE = "before"
    AFTER = "after"
    DESCRIPTION = "description"
    RELATION = "relation"
    DETAIL = "detail"
    SKIP = "skip"


def _keyed(table: Mapping[str, str]) -> dict[str, str]:
    return {name_key(word): says for says, words in table.items() for word in words.split(", ")}


ENTITY_TYPES = {
    Kind.CHARACTER: EntityType.CHARACTER,
    Kind.LOCATION: EntityType.LOCATION,
    Kind.FACTION: EntityType.FACTION,
    Kind.OBJECT: EntityType.OBJECT,
    Kind.RULE: EntityType.RULE,
    Kind.EVENT: EntityType.RULE,
}

KINDS: Mapping[str, Kind] = {
    word: Kind(kind)
    for word, kind in _keyed({
        "character": "character, characters, person, persons, people, cast, npc, npcs, protagonist,"
        " protagonists, charakter, charaktere, figur, figuren, personen, personnage, personnages,"
        " personne, personnes, creature, creatures, kreatur, kreaturen, créature, créatures",
        "location": "location, locations, place, places, setting, settings, world, worlds, region, regions,"
        " city, cities, town, towns, ort, orte, schauplatz, schauplätze, welt, welten, stadt, städte, lieu,"
        " lieux, endroit, endroits, monde, mondes, ville, villes, décor, décors, geography, geographie",
        "faction": "faction, factions, group, groups, organization, organizations, organisation,"
        " organisations, organisationen, house, houses, family, families, gruppe, gruppen, fraktion,"
        " fraktionen, haus, häuser, familie, familien, groupe, groupes, maison, maisons, famille, familles",
        "object": "object, objects, item, items, artifact, artifacts, artefact, artefacts, prop, props,"
        " artefakt, artefakte, gegenstand, gegenstände, objekt, objekte, requisit, requisiten, objet, objets",
        "rule": "rule, rules, law, laws, lore, magic, concept, concepts, religion, religions, culture,"
        " cultures, subplot, subplots, other, regel, regeln, weltgesetz, weltgesetze, gesetz, gesetze,"
        " magie, konzept, konzepte, règle, règles, loi, lois, culte, concept du monde",
        "event": "event, events, history, ereignis, ereignisse, geschichte, événement, événements,"
        " évènement, évènements, histoire",
        "scene": "scene, scenes, szene, szenen, scène, scènes",
        "work": "storyline, novel, novel project, project, work, roman, projekt, projet",
        "skip": "template, templates, _templates, vorlage, vorlagen, modèle, modèles, attachment,"
        " attachments, anhang, anhänge, snippet, snippets, archive, archiv, archives, daily, journal",
    }).items()
}  # fmt: skip

ROLES: Mapping[str, Role] = {
    key: Role(role)
    for key, role in _keyed({
        "name": "name, nom, display name, displayname",
        "title": "title, titel, titre",
        "aliases": "alias, aliases, aka, nickname, nicknames, also called, also known as, other names,"
        " spitzname, spitznamen, auch bekannt als, weitere namen, surnom, surnoms, autres noms, alias noms",
        "type": "type, kind, category, typ, art, kategorie, catégorie, fileclass, file class",
        "hint": "disambiguator, hint, hinweis",
        "book": "book, novel, volume, buch, band, roman, livre, tome",
        "chapter": "chapter, kapitel, chapitre, chapter number, kapitelnummer",
        "chapter title": "chapter title, chaptertitle, kapiteltitel, titre du chapitre",
        "part": "act, part, akt, teil, acte, partie",
        "order": "scene, order, sequence, scene number, sceneorder, position, szene, reihenfolge, scène,"
        " ordre, number, nummer, numéro",
        "mode": "mode, timeline mode, timelinemode, narrative mode, modus, zeitmodus",
        "date": "date, story date, storydate, story time, when, datum, zeitpunkt, zeit, quand, date du récit",
        "before": "before, happens before, story before, geschieht vor, vor, se passe avant, avant",
        "after": "after, happens after, story after, geschieht nach, nach, se passe après, après",
        "description": "description, beschreibung, summary, zusammenfassung, résumé",
        "relation": "allies, ally, enemies, enemy, friends, friend, family, parents, parent, children, child,"
        " siblings, sibling, spouse, partner, partners, romantic, mentors, mentor, rivals, rival, members,"
        " leader, owner, inhabitants, locations, location, home, residence, props, factions, faction,"
        " verbündete, feinde, freunde, familie, eltern, kinder, geschwister, ehepartner, mitglieder,"
        " anführer, besitzer, bewohner, orte, ort, wohnort, gegenstände, gruppe, gruppen, alliés, ennemis,"
        " amis, famille, enfants, frères et soeurs, conjoint, membres, chef, propriétaire, habitants, lieux,"
        " lieu, objets, groupes, others, related, connections",
        "skip": "created, modified, updated, cssclass, cssclasses, publish, tags, tag, banner, cover, image,"
        " images, icon, color, colour, wordcount, word count, wordtarget, id, uid, up, dg-publish,"
        " permalink, excalidraw-plugin, notetoolbar, erstellt, geändert, créé, modifié",
    }).items()
}  # fmt: skip

MODES: Mapping[str, Mode] = {
    word: Mode(mode)
    for word, mode in _keyed({
        "linear": "linear, linéaire, present, gegenwart, présent, normal, chronological, chronologisch",
        "flashback": "flashback, analepsis, rückblende, retour en arrière, analepse, past, vergangenheit",
        "flashforward": "flashforward, flash-forward, prolepsis, vorausblende, vorgriff, prolepse, future,"
        " zukunft, futur",
    }).items()
}  # fmt: skip
