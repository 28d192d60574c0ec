"""Identifiers: part numbers, versions, paths, e-mail addresses and names with marks, as people spell them.

    AB-123/4   v6.2.8   1,234,567   SKIP_BRIDGE   anna.berg@example.org   /etc/fstab      marks within
    C++   C#   .NET   #42   @anna   $page                                                 marks at an end

The tokenizer drops marks between words. Documents that hold an identifier as it was typed rank before those that hold
only its words. If it has marks within, its words stand side by side in few documents, whose stored texts are compared.
If it has marks at an end, it is one word, which many documents may hold (every C of a library beside its C++); so such
names are terms of a field of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import tantivy

from cormorant.search.index.tokenizer import LONGEST_WORD, Prepared, prepare, words

_HYPHENS: Final = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2212", "-"))
"""Typographic hyphens, which count as the plain one."""
_SIGNS: Final = (b"#", b" .")
"""Where a name may have its marks, once `_LEVELLED` has mapped all of `#$@+` to one sign, and brackets to spaces."""
_LEVELLED: Final = bytes.maketrans(b"\t\n\r\x0b\x0c()[]{}<>\"'\x9c\x9e$@+", b" " * 17 + b"###")
"""Bytes 0x9c and 0x9e end an opening curved quote."""
_PLAIN: Final = frozenset(b"0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS: Final = _PLAIN | frozenset(range(128, 256))
"""Bytes that may belong to a letter or a digit."""
_JOINED: Final = _PLAIN | frozenset(b".$@#/+&")
"""Bytes behind which no name begins with a mark: `anna@example.org`."""
_PLUS: Final = ord("+")
_HASH: Final = ord("#")
_NEAR: Final = 64
"""Bytes on either side of a mark in which its name is looked for."""
_AHEAD: Final = r"(?:(?<![\w.$@#/+&])(?:\.(?=[^\W\d])|[$@#]))"
_BEHIND: Final = r"(?:\+\+|#)?(?![\w+#])"
_NAMES: Final = re.compile(rf"(?<!\w)\w+(?:\+\+|#)(?![\w+#])|{_AHEAD}\w+")
EDGES: Final = (
    " \t.,;:!?'`<>[]{}|/\\~^&%$#@=+-*_\u00a1\u00ab\u00b4\u00bb\u00bf\u2013\u2014\u2018\u2019\u2026"
    "\u3001\u3002\uff01\uff0c\uff1a\uff1f"
)
"""Marks at the ends of what is typed that belong to the sentence, unless they belong to a name."""
_BETWEEN: Final = re.compile(r"[\s()\"\u201a\u201c-\u201f]+")
_COMPOUND: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)+|[^\W\d_](?:\.[^\W\d_])+")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[,.'\u2019]\d{3})+")
_VERSION: Final = re.compile(r"[vV]?\d+(?:\.\d+)+")
_JOINTS: Final = "-/_.:@\\\\"
"""Marks that continue an identifier if a letter or digit follows: `AB-123` differs from `AB-123/4`."""
_VARIANT: Final = 0.95
"""Weight of another usual spelling of a number or a version, relative to the one that was typed."""
_LEAST_GROUPED: Final = 5
"""Digits of a number that may be written in groups; a number of four is mostly a year."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier of a query: its `text` in lower case, and the `words` that the index has of it.

    `share` is less than 1 for another usual spelling of the typed identifier.
    """

    text: str
    words: tuple[str, ...]
    share: float = 1.0

    @property
    def is_name(self) -> bool:
        """Return whether the identifier's marks stand at an end, which makes it a term of its own."""
        return len(self.words) == 1

    @property
    def is_compound(self) -> bool:
        """Return whether it joins plain words that prose also splits, or is short: `zero-copy`, `i.e`."""
        return _COMPOUND.fullmatch(self.text) is not None

    def stands_in(self, texts: Iterable[str]) -> bool:
        """Say whether one of these stored texts holds the identifier itself, not as a part of a longer one."""
        lowered = (text.lower() if text.isascii() else text.translate(_HYPHENS).lower() for text in texts)
        return any(self.text in text and _literal(self.text).search(text) for text in lowered)


@lru_cache(1024)
def _literal(text: str) -> re.Pattern[str]:
    """Return the pattern that finds an identifier with marks in a text in lower case."""
    before, behind = rf"(?<!\w)(?<!\w[{_JOINTS}])", rf"(?!\w|[{_JOINTS}]\w)"
    return re.compile(f"{before}{re.escape(text)}{behind}")


def identifiers(text: str) -> tuple[Identifier, ...]:
    """Return the identifiers of a part of a query, each once."""
    found: dict[Identifier, None] = {}
    for run in _BETWEEN.split(prepare(text).split.translate(_HYPHENS)):
        own = tuple(words(run))
        if len(own) > 1:
            found[Identifier(core(run).lower(), own)] = None
            found |= dict.fromkeys(_other_version(core(run).lower()))
        elif own and len(run) >= _LEAST_GROUPED and run.isdecimal():
            (groups,) = variants(run)
            found |= {Identifier(mark.join(groups), tuple(groups), _VARIANT): None for mark in ",."}
        elif own:
            found |= {Identifier(each, own): None for each in names(prepare(run))}
    return tuple(found)


def _other_version(text: str) -> Iterator[Identifier]:
    """Yield a version with a `v` ahead for one without, and the other way round."""
    if _VERSION.fullmatch(text):
        other = text[1:] if text.startswith("v") else f"v{text}"
        yield Identifier(other, tuple(words(other)), _VARIANT)


def core(run: str) -> str:
    """Return a typed run without the marks of the sentence around it; those that belong to a name stay: `C++,`."""
    bare = run.strip(EDGES)
    named = re.search(f"{_AHEAD}?{re.escape(bare)}{_BEHIND}", run) if bare and bare != run else None
    return named[0] if named else bare


def names(text: Prepared) -> list[str]:
    """Return the names of a text that have marks at an end, as the index has them, each once.

    Marks are looked for byte by byte, since few texts have many.
    """
    encoded = b" %b " % (text.encoded if text.split is text.kept else text.split.encode())
    runs = dict.fromkeys(_around(encoded, mark) for mark in _edges(encoded))
    found = dict.fromkeys(_NAMES.findall(b" ".join(runs).decode(errors="ignore"))) if runs else ()
    return list(dict.fromkeys(_own().analyze(" ".join(found)))) if found else []


def _edges(encoded: bytes) -> Iterator[int]:
    """Yield the places of marks where a name may begin or end; `_NAMES` decides."""
    levelled = encoded.translate(_LEVELLED)
    for sign in _SIGNS:
        found = levelled.find(sign)
        while found >= 0:
            mark = found + len(sign) - 1
            before, behind, mine = encoded[mark - 1], encoded[mark + 1], encoded[mark]
            begins = mine != _PLUS and behind in _LETTERS and before not in _JOINED
            if begins or (before in _LETTERS and (behind == _PLUS if mine == _PLUS else mine == _HASH)):
                yield mark
            found = levelled.find(sign, mark + 1)


def _around(encoded: bytes, mark: int) -> bytes:
    """Return the run without spaces around a mark, as far as it is near."""
    before = encoded[max(0, mark - _NEAR) : mark]
    ahead = b"" if before[-1:].isspace() else before.split()[-1]
    return ahead + encoded[mark : mark + _NEAR].split(None, 1)[0]


@cache
def _own() -> tantivy.TextAnalyzer:
    """Return the analyzer that splits names at spaces and folds them as words are folded."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    lower = tantivy.Filter.lowercase
    for each in (tantivy.Filter.remove_long(LONGEST_WORD + 1), lower(), tantivy.Filter.ascii_fold(), lower()):
        builder = builder.filter(each)
    return builder.build()


def variants(text: str) -> list[list[str]]:
    """Return the words of other usual spellings of a number or a version: 1234567 and 1,234,567; 6.2.8 and v6.2.8."""
    if text.isdecimal() and len(text) >= _LEAST_GROUPED:
        first = len(text) % 3
        return [([text[:first]] if first else []) + [text[at : at + 3] for at in range(first, len(text), 3)]]
    found: Sequence[str] = words(text)
    if _GROUPED.fullmatch(text):
        return [["".join(found)]]
    if _VERSION.fullmatch(text):
        other = found[0][1:] if found[0].startswith("v") else f"v{found[0]}"
        return [[other, *found[1:]]]
    return []
