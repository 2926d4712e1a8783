"""The words by which people say times, in English, German and French, without accents and in lower case."""

WEEKDAYS = {
    "sunday": 0, "sun": 0, "sonntag": 0, "so": 0, "dimanche": 0, "dim": 0,
    "monday": 1, "mon": 1, "montag": 1, "mo": 1, "lundi": 1, "lun": 1,
    "tuesday": 2, "tue": 2, "tues": 2, "dienstag": 2, "di": 2, "mardi": 2, "mar": 2,
    "wednesday": 3, "wed": 3, "mittwoch": 3, "mi": 3, "mercredi": 3, "mer": 3,
    "thursday": 4, "thu": 4, "thur": 4, "thurs": 4, "donnerstag": 4, "do": 4, "jeudi": 4, "jeu": 4,
    "friday": 5, "fri": 5, "freitag": 5, "fr": 5, "vendredi": 5, "ven": 5,
    "saturday": 6, "sat": 6, "samstag": 6, "sonnabend": 6, "sa": 6, "samedi": 6, "sam": 6,
}  # fmt: skip
"""Weekdays as cron counts them: Sunday is 0."""

MONTHS = {
    "january": 1, "jan": 1, "januar": 1, "janner": 1, "janvier": 1, "janv": 1,
    "february": 2, "feb": 2, "februar": 2, "fevrier": 2, "fevr": 2,
    "march": 3, "mar": 3, "marz": 3, "maerz": 3, "mars": 3,
    "april": 4, "apr": 4, "avril": 4, "avr": 4,
    "may": 5, "mai": 5,
    "june": 6, "jun": 6, "juni": 6, "juin": 6,
    "july": 7, "jul": 7, "juli": 7, "juillet": 7, "juil": 7,
    "august": 8, "aug": 8, "aout": 8,
    "september": 9, "sep": 9, "sept": 9, "septembre": 9,
    "october": 10, "oct": 10, "oktober": 10, "okt": 10, "octobre": 10,
    "november": 11, "nov": 11, "novembre": 11,
    "december": 12, "dec": 12, "dezember": 12, "dez": 12, "decembre": 12,
}  # fmt: skip

MINUTE, HOUR, DAY, WEEK, MONTH, YEAR = "minute", "hour", "day", "week", "month", "year"

UNITS = {
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuten"), MINUTE),
    **dict.fromkeys(("hour", "hours", "h", "hr", "hrs", "stunde", "stunden", "std", "heure", "heures"), HOUR),
    **dict.fromkeys(("day", "days", "tag", "tage", "tagen", "tages", "jour", "jours"), DAY),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "semaine", "semaines"), WEEK),
    **dict.fromkeys(("month", "months", "monat", "monate", "monaten", "monats", "mois"), MONTH),
    **dict.fromkeys(("year", "years", "jahr", "jahre", "jahren", "jahres", "an", "ans", "annee",
        "annees"), YEAR),
}  # fmt: skip

EVERY = frozenset({
    "every", "each", "jeden", "jede", "jedes", "jeder", "alle", "tous", "toutes", "chaque", "les",
})  # fmt: skip

REPEATED = {
    **dict.fromkeys(("hourly", "stundlich"), HOUR),
    **dict.fromkeys(("daily", "taglich", "quotidien", "quotidiennement"), DAY),
    **dict.fromkeys(("weekly", "wochentlich", "hebdomadaire"), WEEK),
    **dict.fromkeys(("monthly", "monatlich", "mensuel", "mensuellement"), MONTH),
    **dict.fromkeys(("yearly", "annually", "jahrlich", "annuel", "annuellement"), YEAR),
}  # fmt: skip

NUMBERS = {
    "one": 1, "ein": 1, "eine": 1, "einer": 1, "einem": 1, "un": 1, "une": 1, "a": 1, "an": 1,
    "two": 2, "zwei": 2, "deux": 2, "other": 2, "zweite": 2, "zweiten": 2, "second": 2,
    "three": 3, "drei": 3, "trois": 3, "four": 4, "vier": 4, "quatre": 4, "five": 5, "funf": 5, "cinq": 5,
    "six": 6, "sechs": 6, "ten": 10, "zehn": 10, "dix": 10, "fifteen": 15, "quinze": 15,
    "thirty": 30, "trente": 30, "dreissig": 30,
}  # fmt: skip

AHEAD = frozenset({"in", "dans"})
TOMORROWS = {
    "today": 0, "heute": 0, "aujourd'hui": 0, "tomorrow": 1, "morgen": 1, "demain": 1,
    "ubermorgen": 2, "apres-demain": 2,
}  # fmt: skip
WORKDAYS = frozenset({
    "weekday", "weekdays", "workday", "workdays", "werktag", "werktags", "werktage", "wochentags",
    "ouvres", "ouvrables", "ouvre", "ouvrable",
})  # fmt: skip
WEEKENDS = frozenset({"weekend", "weekends", "wochenende", "wochenenden", "week-end", "week-ends"})
FIRSTS = {
    "first": 1, "erster": 1, "ersten": 1, "erste": 1, "premier": 1, "premiere": 1, "1er": 1,
    "third": 3, "dritten": 3, "dritter": 3, "dritte": 3, "troisieme": 3,
    "fourth": 4, "vierten": 4, "vierter": 4, "vierte": 4, "quatrieme": 4, "deuxieme": 2,
    "second": 2, "zweiten": 2, "zweiter": 2, "zweite": 2,
}  # fmt: skip
LASTS = frozenset({"last", "letzter", "letzten", "letzte", "letztes", "dernier", "derniere"})
MONTH_ENDS = frozenset({"monatsende", "monatsletzten", "ultimo"})
NEXTS = frozenset(
    {"next", "this", "nachsten", "nachster", "nachste", "diesen", "kommenden", "prochain", "ce"}
)

TIMES_OF_DAY = {
    "noon": 12, "midday": 12, "mittag": 12, "mittags": 12, "midi": 12,
    "midnight": 0, "mitternacht": 0, "minuit": 0,
}  # fmt: skip

LITTLE = frozenset({
    "at", "on", "the", "of", "and", "um", "am", "im", "der", "des", "den", "dem", "die", "das", "und", "vom",
    "a", "le", "la", "du", "de", "d'", "et", "en", "jour", "je", "uhr", "o'clock", "oclock", "einmal", "once",
    "from", "ab", "month's",
})  # fmt: skip
"""Words that say nothing by themselves."""
