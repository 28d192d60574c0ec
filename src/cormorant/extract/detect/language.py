"""Detection of the language of a text.

The declaration of the page is accepted unless its text is clearly in another language.

    declared by page or header --its commonest words are there--> accepted
              |                 `--they are not, and another's plainly are--> that one
    nothing declared ----------> the language whose commonest words alone are there, or a sure detection
    else the source's default

Templates declare `lang="en"` for texts in any language, so a declaration is checked first: by a search for the words
that no text of a language goes without, which is a hundred times faster than detection. If most of the words of one
language are there and hardly any of another's, they identify the language of an undeclared text as well. Detection
compares three-letter pieces; it assigns lists of names to some rare language, so its result counts only if the
commonest words of that language are there too.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from turbohtml.detect import LanguageDetection, detect_language

PAGE: Final = "page"
HEADER: Final = "header"
TEXT: Final = "text"
DEFAULT: Final = "default"
"""Origins of a language: the values of `Document.language_from`."""

SAMPLE: Final = 600
"""Characters that are read; more are seldom surer and cost more."""
MIN_TEXT: Final = 60
"""The shortest text whose language is detected, in characters."""
LONG: Final = 300
"""Characters from which on two different common words are required, and a declaration is doubted at all."""
SURE: Final = 0.8
VERY_SURE: Final = 0.98
"""The required certainty of the detector for a text of at least LONG characters, and for a shorter one."""
_CJK_SHARE: Final = 0.15

_WORDS: Final = {
    "af": "die en van het is nie", "ca": "que els les amb per una", "cs": "se na je že pro jako",
    "cy": "yn yr mae ac ar", "da": "og at det der til ikke", "de": "der die und das ist nicht mit für",
    "en": "the and of to is for",
    "eo": "la de kaj estas en", "es": "que el los las con una para", "et": "ja on ei et see või",
    "fi": "ja on ei että joka tai", "fr": "le les des et est une pour dans", "hr": "je se na za su da",
    "hu": "a az és hogy nem egy", "id": "yang dan untuk dengan tidak dari", "it": "il che di una per non sono",
    "lt": "ir yra kad ar į su", "lv": "ir un nav ar vai lai", "nl": "de het een van en niet voor",
    "no": "og er det ikke som til", "pl": "nie na się jest do że", "pt": "que não uma os para com do",
    "ro": "și şi nu este pentru să care", "sk": "sa na je že nie pre", "sl": "je in za ni se pri",
    "sv": "och att det inte som för är", "tl": "ang ng mga sa na", "tr": "ve bir bu için değil olarak",
    "uz": "va bu uchun bilan ham emas", "vi": "không của và các được cho",
}  # fmt: skip
_COMMON: Final = {tag: tuple(f" {word} " for word in words.split()) for tag, words in _WORDS.items()}
"""Languages in Latin script with words that hardly any text in them goes without."""
_SPOKEN_IN: Final = {
    word: tuple(tag for tag, words in _WORDS.items() if word in words.split())
    for word in sorted({word for words in _WORDS.values() for word in words.split()})
}
"""Each of these words, with its languages."""
PLAIN: Final = 3
"""Words of one language that identify it if no other language has more than one."""

_TAGS: Final = {
    "afr": "af", "amh": "am", "ara": "ar", "aze": "az", "bel": "be", "ben": "bn", "bul": "bg", "cat": "ca",
    "ces": "cs", "cmn": "zh", "cym": "cy", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "epo": "eo",
    "est": "et", "fin": "fi", "fra": "fr", "guj": "gu", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu",
    "hye": "hy", "ind": "id", "ita": "it", "jpn": "ja", "kan": "kn", "kat": "ka", "khm": "km", "kor": "ko",
    "lav": "lv", "lit": "lt", "mal": "ml", "mar": "mr", "mkd": "mk", "mya": "my", "nep": "ne", "nld": "nl",
    "nob": "no", "ori": "or", "pan": "pa", "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru",
    "sin": "si", "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta", "tel": "te",
    "tgl": "tl", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur", "uzb": "uz", "vie": "vi", "yid": "yi",
}  # fmt: skip
"""ISO 639-3, which the detector says, to the two letters of a language tag (BCP 47)."""
DETECTED: Final = frozenset(_TAGS.values())
"""Languages that can be detected."""
_OTHER_SCRIPTS: Final = DETECTED - _COMMON.keys() - {"az", "sr"}
"""Languages that are not written in Latin letters, so that a text without any other is hardly in them."""
_ALSO: Final = {"nb": "no", "nn": "no"}
"""Languages that share the common words of another in this table."""
_OPTIONS: Final = LanguageDetection(allowed=frozenset(_TAGS))
_RELATIVES: Final = (
    frozenset(("da", "nb", "nn", "no", "sv")), frozenset(("bs", "hr", "mk", "sh", "sl", "sr", "bg")),
    frozenset(("cs", "sk")), frozenset(("id", "ms", "jv", "su")), frozenset(("af", "nl", "fy", "nds")),
    frozenset(("an", "ast", "ca", "es", "gl", "oc", "pt")), frozenset(("be", "bg", "mk", "ru", "sr", "uk")),
    frozenset(("hi", "mr", "ne", "sa")), frozenset(("zh", "yue", "wuu", "ja")), frozenset(("az", "tr", "tk")),
    frozenset(("fil", "tl")), frozenset(("fa", "ps", "ur", "ar")), frozenset(("de", "gsw", "lb", "nds")),
)  # fmt: skip
"""Languages so similar that the declaration is always accepted."""
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LATIN: Final = re.compile("[A-Za-z]+")


class Declared(NamedTuple):
    """The tags that were declared, "" for none: by the page, by the header, and by default of the source."""

    page: str = ""
    header: str = ""
    default: str = ""


def language_said(declared: Declared, text: str) -> tuple[str, str]:
    """Return the language tag of a document, and its origin: `page`, `header`, `text`, `default`, or "" for both.

    A declared tag stands unless the text is surely in a language that is no relative of it.
    """
    tag, known_from = (declared.page, PAGE) if declared.page else (declared.header, HEADER)
    if tag:
        primary = tag.partition("-")[0]
        if _plausible(primary, text):
            return tag, known_from
        detected = language_of_text(text)
        return (tag, known_from) if not detected or _related(primary, detected) else (detected, TEXT)
    detected = language_of_text(text)
    if detected:
        return detected, TEXT
    return declared.default, DEFAULT if declared.default else ""


def language_of_text(text: str) -> str:
    """Return the language of a text, two letters, or "" if it is uncertain."""
    sample = _sample(text)
    if len(sample) < MIN_TEXT:
        return ""
    if len(sample) >= LONG:
        first, best, second = _commonest(sample)
        if best >= PLAIN and second <= 1:
            return first
        if best < 2 and sample.isascii():  # languages in these letters have words of their own above
            return ""
    found = detect_language(_without_foreign_words(sample), _OPTIONS)
    tag = _TAGS.get(found.language or "", "")
    if not tag or found.confidence < (SURE if len(sample) >= LONG else VERY_SURE):
        return ""
    return tag if found.script != "Latin" or _has_common(tag, sample) else ""


def _plausible(primary: str, text: str) -> bool:
    """Return whether a declaration is plausible: its common words are there, or nothing could contradict it."""
    if len(text) < LONG:
        return True
    sample, primary = _sample(text), _ALSO.get(primary, primary)
    return not sample.isascii() if primary in _OTHER_SCRIPTS else _has_common(primary, sample)


def _sample(text: str) -> str:
    """Return the part of a text that is read: after its beginning, where menus stand."""
    start = min(len(text) // 4, 2_000) if len(text) > SAMPLE else 0
    return text[start : start + SAMPLE].replace("\n", " ")


def _has_common(tag: str, sample: str) -> bool:
    wanted = 2 if len(sample) >= LONG else 1
    text = f" {sample.lower()} "
    for word in _COMMON.get(tag, ()):
        if word in text:
            wanted -= 1
            if not wanted:
                return True
    return tag not in _COMMON


def _commonest(sample: str) -> tuple[str, int, int]:
    """Return the language with most of its common words in a text, their number, and that of the next language."""
    met: dict[str, int] = {}
    for word in _SPOKEN_IN.keys() & sample.lower().split():
        for tag in _SPOKEN_IN[word]:
            met[tag] = met.get(tag, 0) + 1
    first = max(met, key=met.__getitem__, default="")
    return first, met.pop(first, 0), max(met.values(), default=0)


def _without_foreign_words(sample: str) -> str:
    """Return a Chinese, Japanese or Korean text without Latin words, which would outnumber its characters."""
    if sample.isascii() or len(_CJK.findall(sample)) < len(sample) * _CJK_SHARE:
        return sample
    return _LATIN.sub(" ", sample)


def _related(one: str, other: str) -> bool:
    return one == other or any(one in relatives and other in relatives for relatives in _RELATIVES)
