"""Queries of every form of the query language, and the same with typing mistakes. Randomness is passed in.

query = part, part ...      part = [+ - NOT] leaf, leaf AND leaf, leaf OR leaf, [field:] ( query )
leaf  = word, "phrase", "near"~3, word*, wo?d, *ord, word~, field:leaf, Author:leaf, date:..., size:..., depth:..., *
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cormorant.search.query.lexer import FIELDS, LONGEST
from cormorant.search.query.type_names import NAMES

_WORDS = (
    "ferry", "timetable", "harbour", "heron", "the", "a", "of", "Crème", "café", "naïve", "STRASSE", "straße", "ﬁsh",
    "İstanbul", "日本語", "東京都", "한국어", "ไทย", "العربية", "עברית", "русский", "ελληνικά", "हिन्दी", "x1", "3.14",
    "C++", "don't", "e-mail", "foo_bar", "http://127.0.0.1:8000/a?b=c#d", "a.b.c", "ǆ", "\U0001d4bb\U0001d4b6", "🐦",
    "e\u0301\u0301", "\u200b", "\u202eabc", "0", "-0", "NULL", "None", "true", "AND", "or", "١٢٣",
)  # fmt: skip
_NUMBERS = (
    "2026", "2026-03", "2026-03-14", "1970", "0000", "9999-12-31", "2026-02-30", "1", "99999999999", "-3",
    "1e9", "500kB", ">2MB", "10kB..2MB", "..", "..2026", "2026..", "<=3", ">", "=1", "NaN", "²", "½MB",
)  # fmt: skip
_RANGED = ("date", "size", "depth", "after", "before")
_DEEPEST = 4
_EVERY_FIELD = tuple(
    sorted(FIELDS | {"intitle", "inurl", "inanchor", "filetype", "mime", "language", "host", "domain", "nofield"})
)
_CONTROLS = ("\x00", "\x07", "\n", "\r\n", "\t", "\x1b[0m", "\u2028", "\ufeff", "\ufffe", "\ud800", "\udfff",
             "\U0010ffff")  # fmt: skip
_SYNTAX = ('"', "(", ")", "+", "-", "*", "?", "~", ":", "\\", "%", "&", "#", "'", "<", ">", "{", "}", "^", "/", "$",
           "`")  # fmt: skip


class Speaker:
    """Says queries, each other than the one before."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def query(self, depth: int = 0) -> str:
        """A query as an expert might type it."""
        return " ".join(self._part(depth) for _ in range(self._chance.choice((1, 1, 1, 2, 2, 3, 5))))

    def slip(self) -> str:
        """A query in which something went wrong, once or a few times."""
        text = self.query()
        for _ in range(self._chance.choice((1, 1, 2, 4))):
            text = self._chance.choice(self._slips)(text)
        return text[: 4 * LONGEST]

    def _part(self, depth: int) -> str:
        kind = self._chance.randrange(12)
        if depth < _DEEPEST and kind == 0:
            field = f"{self._chance.choice(_EVERY_FIELD)}:" if self._chance.random() < 0.3 else ""
            return f"{field}({self.query(depth + 1)})"
        if kind in (1, 2):
            return self._chance.choice((" AND ", " OR ", " AND NOT ", " OR NOT ")).join((self._leaf(), self._leaf()))
        return self._chance.choice(("", "", "", "+", "-", "NOT ")) + self._leaf()

    def _leaf(self) -> str:
        return self._chance.choice(self._leaves)()

    @property
    def _leaves(self) -> tuple[Callable[[], str], ...]:
        return (
            self._word, self._word, self._phrase, self._near, self._wild, self._like, self._named, self._range,
            self._attribute, lambda: f"type:{self._chance.choice(tuple(NAMES))}", lambda: "*",
        )  # fmt: skip

    def _attribute(self) -> str:
        value = self._chance.choice((self._word, self._phrase, lambda: f'="{self._some(3)}"'))
        return f"{self._chance.choice(('Author', 'keywords', 'Comments'))}:{value()}"

    def _word(self) -> str:
        return self._chance.choice(_WORDS)

    def _some(self, most: int) -> str:
        return " ".join(self._word() for _ in range(self._chance.randint(1, most)))

    def _phrase(self) -> str:
        return self._chance.choice(('"{}"', "\u201c{}\u201d", "\u201e{}\u201c")).format(self._some(4))

    def _near(self) -> str:
        return f'"{self._some(5)}"~{self._chance.choice((0, 1, 3, 100, 999))}'

    def _wild(self) -> str:
        word = self._word()
        at = self._chance.randint(0, len(word))
        return word[:at] + self._chance.choice(("*", "?", "**", "?*", "*?*")) + word[at + self._chance.randrange(2) :]

    def _like(self) -> str:
        return self._word() + self._chance.choice(("~", "~1", "~2", "~9", "~~"))

    def _named(self) -> str:
        leaf = self._chance.choice((self._word, self._phrase, self._wild, self._like))()
        return f"{self._chance.choice(_EVERY_FIELD)}:{leaf}"

    def _range(self) -> str:
        quote = self._chance.choice(("", "", '"'))
        return f"{self._chance.choice(_RANGED)}:{quote}{self._chance.choice(_NUMBERS)}{quote}"

    @property
    def _slips(self) -> tuple[Callable[[str], str], ...]:
        chance = self._chance

        def at(text: str) -> int:
            return chance.randint(0, len(text))

        def put(text: str, what: str) -> str:
            place = at(text)
            return text[:place] + what + text[place:]

        return (
            lambda text: text[: at(text)],
            lambda text: text[at(text) :],
            lambda text: text[::-1],
            lambda text: text.swapcase(),
            lambda text: text.replace(" ", ""),
            lambda text: put(text, chance.choice(_SYNTAX)),
            lambda text: put(text, chance.choice(_SYNTAX) * chance.randint(2, 60)),
            lambda text: put(text, chance.choice(_CONTROLS)),
            lambda text: put(text, self.query()),
            lambda text: "".join(chance.sample(text, len(text))),
            lambda text: f"{text} " * chance.randint(2, 40),
            lambda text: "(" * chance.randint(1, 300) + text,
            lambda text: f"{text}{'x' * chance.choice((255, 256, 2_000))}",
            lambda text: "".join(chr(chance.randrange(chance.choice((0x250, 0x11_0000)))) for _ in text),
        )  # fmt: skip
