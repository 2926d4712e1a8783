"""Words that say little by themselves: dropped from queries, or too common to be taken for a name.

All are folded. The lists are short on purpose; a word of one language that carries meaning in another
("war", "die", "son") is dropped only where the query speaks the first.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _words(
    """a about after all also am an and any are as at be because been before being but by can could did do
    does doing for from had has have having he her hers him his how i if in into is it its me my no nor not
    of on or our out she should so some such than that the their them then there these they this those to
    too up us very was we were what when where which who whom whose why will with would you your
    ll re ve don doesn didn isn wasn aren ain"""
)
_GERMAN = _words(
    """aber alle als also am an auch auf aus bei bin bis bist da dann das dass dein dem den denn der des die
    dies diese dieser dieses doch du durch ein eine einem einen einer eines er es euch fur gegen hat hatte
    hatten haben ich ihr ihre ihrem ihren im in ins ist ja kann kein keine man mein mich mir mit nach nicht
    noch nur ob oder ohne sein seine seinem seinen sich sie sind so uber um und uns unter vom von vor war
    waren warum was weil welche welcher welches wem wen wenn wer werden wessen wie wieso wir wird wo woher
    wohin zu zum zur zwischen"""
)
_FRENCH = _words(
    """a ai as au aux avec avait avaient ce ces cet cette comment dans de des du elle elles en est et etait
    etaient eu il ils je la le les leur leurs lui ma mais me meme mes mon ne nos notre nous on ont ou
    par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta
    te tes toi ton tu un une vers vos votre vous y"""
)
_LANGUAGES = (_ENGLISH, _GERMAN, _FRENCH)

_ALSO_WORDS = _words(
    """amber angel april art ash august autumn bear bill bishop black blue bond brook brown buck captain
    chance chase clay cliff cook crow dawn dean dove drew duke earl eve faith father fern flint forest fox
    frank friend gale ghost glen god gold grace grant gray green grey guard guy harmony hawk heath hill holly
    home hope hunter iron ivy jade jay joy june justice king kit knight lady lance lark laurel leaf lily lion
    lord love major mark mason master may mercy merry mother nick noble north oak olive page patience pearl
    penny pepper pip poppy prince princess queen rain raven ray red reed rich river rob robin rock rod rook
    rose ruby rue rush rusty sage sandy scout shade shadow silver sky smoke snow spring star stone storm sue
    summer sun swan sword temple thorn violet wade walker water way west white winter wolf wood wren young
    adler engel ernst falke fels frei fuchs gott gut held herr herz hirsch jager klein konig konigin kraft
    lange licht lieb linde mai mond morgen mutter nacht rabe reich richter ritter rot schatten schmied
    schwarz see stein stern tag tod turm vater vogel wald wasser weiss winter wolke wunder
    ange aube belle blanc bleu bon brun cerise ciel corbeau dame dieu espoir etoile faucon fleur foret gris
    jour loup lumiere lune mer mere neige noir nuit ombre pere petit renard rouge roi reine roux soleil vent
    vert ville"""
)


def without_stop_words(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms without the stop words of the language they are in most, unless none are left.

    Lone letters, as an apostrophe leaves them, count as stop words in every language.
    """
    counts = [sum(term in language for term in terms) for language in _LANGUAGES]
    spoken = [
        language for language, count in zip(_LANGUAGES, counts, strict=True) if count == max(counts) > 0
    ]
    kept = tuple(
        term for term in terms if not (_is_lone_letter(term) or any(term in words for words in spoken))
    )
    return kept or terms


def is_common_word(term: str) -> bool:
    """Return whether a folded word is everyday language too, so that it alone names nobody for certain."""
    return term in _ALSO_WORDS or any(term in language for language in _LANGUAGES)


def _is_lone_letter(term: str) -> bool:
    """Only in alphabets: a single character of a script without spaces is a word."""
    return len(term) == 1 and term.isalpha() and term < "\u0590"
