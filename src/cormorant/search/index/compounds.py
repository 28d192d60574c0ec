"""Compounds that have a given word as a part.

German, Dutch and the Nordic languages write compounds as one word.

    urlaub  -> urlaubsantrag, urlaubstage      as the first part
    antrag  -> urlaubsantrag, bauantrage       as the last part

No word list is used: a compound is a word that begins with another word or its stem, or ends with one of its forms, and
whose rest could be a word: long enough, with a vowel, and with a possible beginning. Short words have no compounds,
since most words that contain the same three letters are unrelated. A compound counts far less than a form.

The index also holds the long words of such texts reversed (`backwards`), so that words can be found by their ends.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cormorant.search.index import stemming
from cormorant.search.index.stemming import stem

COMPOUNDING: Final = frozenset(("af", "da", "de", "fo", "fy", "gsw", "is", "lb", "nb", "nds", "nl", "nn", "no", "sv"))
"""Languages that write compounds as one word, as the first part of a tag."""
LANGUAGES: Final = stemming.LANGUAGES | COMPOUNDING
"""Languages of which we know forms of words, or compounds."""

SHORTEST_PART: Final = 4
"""Letters of a word that is looked for in compounds."""
_SHORTEST_REST: Final = 4
"""Letters of the rest of a compound; one less before a longer word."""
SHORTEST_COMPOUND: Final = SHORTEST_PART + _SHORTEST_REST

_PARTICLES: Final = frozenset((
    "aber", "achter", "alle", "alles", "anden", "annan", "auch", "aussen", "bara", "door", "durch", "efter", "eine",
    "einer", "eller", "endast", "etter", "fore", "fram", "gegen", "genom", "gjennom", "hier", "hinter", "immer",
    "inter", "kann", "langs", "maar", "mehr", "mellan", "mellem", "mellom", "miss", "mitten", "naar", "nach", "noch",
    "oben", "oder", "ohne", "onder", "oven", "over", "selbst", "sich", "sine", "tegen", "tilbake", "trans", "tussen",
    "uber", "under", "unter", "uten", "veel", "voor", "wider", "wieder", "zonder", "zuruck", "zusammen", "zwischen",
))  # fmt: skip
"""Words without a meaning of their own that many others begin with (über, Übersicht)."""
_ENDINGS: Final = (
    "", "a", "ar", "arna", "arne", "e", "en", "ene", "ens", "er", "eren", "erna", "erne", "ern", "ernes", "ers", "es",
    "et", "ets", "n", "na", "ne", "nen", "ns", "or", "orna", "r", "s", "t", "ts",
)  # fmt: skip
"""Endings of nouns in these languages, as the last part of a compound may have them."""
_LINK: Final = "(?:ens|es|en|er|e|s|n|u|a|o)?"
"""Linking letters between two parts (Fugenelement)."""
_ONSET: Final = (
    "(?:chr?|sch[lmnrw]?|s[ckt]r|skv|s[pt]j|spl|spr|str|pf[lr]?|ph|qu|rh|th|[bcfgkps]l|[bcdfgkptvw]r|[gks]n|fn|[dtzsk]w"
    "|[dhkst]v|[bfhkmnpst]j|sk|sm|sp|st|sj|vl|ps|ts|[bcdfghjklmnpqrstvwxz])?"
)
"""Consonants with which words of these languages begin."""
_VOWEL: Final = "[aeiouy]"
_TWO: Final = (
    ("\u00df", "ss"), ("\u00e6", "ae"), ("\u0153", "oe"), ("\u00fe", "th"), ("\u0133", "ij"), ("\u00c6", "AE"),
    ("\u0152", "OE"), ("\u00de", "TH"), ("\u0132", "IJ"), ("\u1e9e", "SS"),
)  # fmt: skip
"""Letters that folding turns into two, which have to be reversed too."""


def language_of(tag: str) -> str:
    """The language of a tag of which we know forms or compounds, "" for another: `de-CH` is `de`."""
    primary = tag.lower().partition("-")[0]
    return primary if primary in LANGUAGES else ""


def has_compounds(word: str, language: str) -> bool:
    """Say whether a word may be a part of others, in a language."""
    return language in COMPOUNDING and len(word) >= SHORTEST_PART and word.isalpha() and word not in _PARTICLES


def holds(compound: str, word: str, language: str) -> bool:
    """Say whether a word is the first or the last part of another one, which is no form of it."""
    if len(compound) < SHORTEST_COMPOUND or not has_compounds(word, language) or not compound.isalpha():
        return False
    return bool(_pattern(word, language).fullmatch(compound)) and stem(compound, language) != stem(word, language)


def first_part(word: str, language: str) -> str:
    """Return the prefix of compounds whose first part is this word: its stem, unless that is too short."""
    found = stem(word, language)
    return found if len(found) >= SHORTEST_PART and word.startswith(found) else word


def ends_backwards(word: str, language: str) -> tuple[str, ...]:
    """The prefixes of reversed compounds whose last part is a form of this word."""
    return tuple(sorted({(part + ending)[::-1] for part in _last_parts(word, language) for ending in _ENDINGS}))


def backwards(*texts: str) -> str:
    """The long words of texts that are ready to be split, each once and reversed, to be found by their ends.

    Texts are split at spaces alone: the index splits the reversed words at signs.
    """
    found = " ".join({each for text in texts for each in text.split() if len(each) >= SHORTEST_COMPOUND})
    if not found.isascii():
        for letter, two in _TWO:  # faster than a table, since most are not there
            found = found.replace(letter, two)
    return found[::-1]


def turned(word: str) -> str:
    """Reverse a word of a `backwards` text into its normal order."""
    return word[::-1]


def are_backwards(tag: str) -> bool:
    """Say whether long words of texts in this language are indexed backwards; for an unknown language they are."""
    return not tag or tag.lower().partition("-")[0] in COMPOUNDING


def _last_parts(word: str, language: str) -> set[str]:
    """Return the last parts, without an ending, of compounds with this word: it, or it without its ending."""
    common = stem(word, language)
    shorter = {word.removesuffix(ending) for ending in _ENDINGS}
    found = {each for each in shorter | {common} if len(each) >= SHORTEST_PART and stem(each, language) == common}
    if language == "nl" and common[-3:-1] in stemming.DOUBLED:  # boot, zeilboten
        found |= {common[:-2] + common[-1] + ending for ending in ("e", "en", "er")}
    return {word, *found}


@lru_cache(10_000)
def _pattern(word: str, language: str) -> re.Pattern[str]:
    """Return the pattern of compounds that have a word as the first or the last part."""
    before = _SHORTEST_REST if len(word) == SHORTEST_PART else _SHORTEST_REST - 1
    last, endings = "|".join(_last_parts(word, language)), "|".join(_ENDINGS)
    first = f"{first_part(word, language)}(?=.{{{_SHORTEST_REST},}}){_LINK}{_ONSET}{_VOWEL}.*"
    return re.compile(f"{first}|(?={_ONSET}{_VOWEL}).{{{before},}}(?:{last})(?:{endings})")
