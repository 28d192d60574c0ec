"""Detection of the language of a text.

What the page says is believed unless the text plainly says another.

    declared by page or header --its commonest words are there--> believed
              |                 `--they are not, and another's plainly are--> that one
    nothing declared ----------> told by the commonest words of one language alone, or detected, if that is sure
    and else the source's default

Templates say `lang="en"` whatever is written in them, so a declaration is looked at before it is believed: the words
that no text of a language goes without are looked for, which is a hundred times quicker than to detect one. Where most
of the words of one language are there and hardly any of another's, they tell the language of a text as well. Detection
compares three-letter pieces; it takes lists of names for some rare language, so its answer counts only where the
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
"""How a language was known: the values of `Document.language_from`."""

SAMPLE: Final = 600
"""Characters that are looked at; more are seldom surer and cost more."""
MIN_TEXT: Final = 60
"""Characters below which nothing is said of a text."""
LONG: Final = 300
"""Characters from which two different common words are asked for, and a declaration is doubted at all."""
SURE: Final = 0.8
VERY_SURE: Final = 0.98
"""What is asked of the detector for a text of at least LONG characters, and for a shorter one."""
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
"""Languages in Latin script, whose pieces are alike, with words that hardly any text in them goes without."""
_SPOKEN_IN: Final = {
    word: tuple(tag for tag, words in _WORDS.items() if word in words.split())
    for word in sorted({word for words in _WORDS.values() for word in words.split()})
}
"""Each of these words, and the languages that it is one of."""
PLAIN: Final = 3
"""Words of one language that tell it where no other has more than one."""

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
"""Languages that a text can be told to be in."""
_OTHER_SCRIPTS: Final = DETECTED - _COMMON.keys() - {"az", "sr"}
"""Languages that are not written in Latin letters, so that a text without any other is hardly in them."""
_ALSO: Final = {"nb": "no", "nn": "no"}
"""Languages whose common words are those of another here."""
_OPTIONS: Final = LanguageDetection(allowed=frozenset(_TAGS))
_RELATIVES: Final = (
    frozenset(("da", "nb", "nn", "no", "sv")), frozenset(("bs", "hr", "mk", "sh", "sl", "sr", "bg")),
    frozenset(("cs", "sk")), frozenset(("id", "ms", "jv", "su")), frozenset(("af", "nl", "fy", "nds")),
    frozenset(("an", "ast", "ca", "es", "gl", "oc", "pt")), frozenset(("be", "bg", "mk", "ru", "sr", "uk")),
    frozenset(("hi", "mr", "ne", "sa")), frozenset(("zh", "yue", "wuu", "ja")), frozenset(("az", "tr", "tk")),
    frozenset(("fil", "tl")), frozenset(("fa", "ps", "ur", "ar")), frozenset(("de", "gsw", "lb", "nds")),
)  # fmt: skip
"""Languages so near to each other that whoever declares one knows better."""
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LATIN: Final = re.compile("[A-Za-z]+")


class Declared(NamedTuple):
    """The tags that were declared, "" for none: by the page, by the header, and by the source for what says none."""

    page: str = ""
    header: str = ""
    default: str = ""


def language_said(declared: Declared, text: str) -> tuple[str, str]:
    """Return the language tag of a document, and how it is known: `page`, `header`, `text`, `default`, or "" for both.

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
    """Return the language that a text is surely in, two letters, or "" where that is not sure."""
    sample = _sample(text)
    if len(sample) < MIN_TEXT:
        return ""
    if len(sample) >= LONG:
        first, best, second = _commonest(sample)
        if best >= PLAIN and second <= 1:
            return first
        if best < 2 and sample.isascii():  # whatever is written in these letters has words of its own above
            return ""
    found = detect_language(_without_foreign_words(sample), _OPTIONS)
    tag = _TAGS.get(found.language or "", "")
    if not tag or found.confidence < (SURE if len(sample) >= LONG else VERY_SURE):
        return ""
    return tag if found.script != "Latin" or _has_common(tag, sample) else ""


def _plausible(primary: str, text: str) -> bool:
    """Say whether a declaration need not be doubted: its common words are there, or nothing could contradict it."""
    if len(text) < LONG:
        return True
    sample, primary = _sample(text), _ALSO.get(primary, primary)
    return not sample.isascii() if primary in _OTHER_SCRIPTS else _has_common(primary, sample)


def _sample(text: str) -> str:
    """The part of a text that is looked at: behind its beginning, where menus stand."""
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
    """The language most of whose common words are in a text, how many, and how many of the one that comes next."""
    met: dict[str, int] = {}
    for word in _SPOKEN_IN.keys() & sample.lower().split():
        for tag in _SPOKEN_IN[word]:
            met[tag] = met.get(tag, 0) + 1
    first = max(met, key=met.__getitem__, default="")
    return first, met.pop(first, 0), max(met.values(), default=0)


def _without_foreign_words(sample: str) -> str:
    """Chinese, Japanese and Korean say in one character what takes six in Latin script, which would outnumber them."""
    if sample.isascii() or len(_CJK.findall(sample)) < len(sample) * _CJK_SHARE:
        return sample
    return _LATIN.sub(" ", sample)


def _related(one: str, other: str) -> bool:
    return one == other or any(one in relatives and other in relatives for relatives in _RELATIVES)
