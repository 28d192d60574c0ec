"""Of what pieces is a typed query made?

    hotel  "head of department"  inst*  title:policy  site:example.org  +must  -never  ( )  AND OR NOT

Whatever is none of these is text; nothing is an error. Brackets come out balanced and at most DEEPEST deep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

LONGEST = 1_000
MOST_TERMS = 64
MOST_PREFIXES = 8
DEEPEST = 20

FIELDS = frozenset(("title", "text", "site", "source", "type", "lang"))
"""What may stand before a colon."""

_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\uff02", '"'))
_PIECE = re.compile(
    r"""
    (?P<sign>(?<![^\s(])[+\-](?=[^\s+\-)]))?           # + or - before something
    (?:(?P<field>[A-Za-z]{2,12}):(?=[^\s:/)]))?         # a name and a colon before something
    (?: (?P<open>\()
      | (?P<close>\))
      | "(?P<phrase>[^"]*)"
      | (?P<word>[^\s()"]+)
      | (?P<stray>")
      | (?P<space>\s+)
    )""",
    re.VERBOSE,
)
_NAMED = re.compile(r"([A-Za-z]{2,12}):(?=[^\s:/)])")
_EDGES = (
    " \t.,;:!?'`<>[]{}|/\\~^&%$#@=+-*_\u00a1\u00ab\u00b4\u00bb\u00bf\u2013\u2014\u2018\u2019\u2026"
    "\u3001\u3002\uff01\uff0c\uff1a\uff1f"
)


class Kind(Enum):
    """Sorts of pieces."""

    WORD = auto()
    PHRASE = auto()
    PREFIX = auto()
    ALL = auto()
    OPEN = auto()
    CLOSE = auto()
    AND = auto()
    OR = auto()
    NOT = auto()


OPERATORS = {"AND": Kind.AND, "OR": Kind.OR, "NOT": Kind.NOT}


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece with the sign (`+`, `-` or nothing) and the field (or nothing) written before it."""

    kind: Kind
    text: str = ""
    sign: str = ""
    field: str = ""


def lex(text: str) -> tuple[list[Piece], list[str]]:
    """Cut a query into pieces, and say what was left out or read otherwise."""
    cutting = _Cutting(text)
    return cutting.pieces, cutting.notes


class _Cutting:
    """Cuts one query from left to right."""

    def __init__(self, text: str) -> None:
        self.pieces: list[Piece] = []
        self.notes: list[str] = []
        self._terms = 0
        self._prefixes = 0
        if len(text) > LONGEST:
            self.notes.append(f"Only the first {LONGEST:,} characters were read.")
        for found in _PIECE.finditer(text[:LONGEST].translate(_QUOTES)):
            self._take(found)
        self._balance()

    def _take(self, found: re.Match[str]) -> None:
        """Take what the pattern found."""
        sign = found["sign"] or ""
        name = self._name(found["field"], sign) if found["field"] else ""
        if found["open"]:
            self.pieces.append(Piece(Kind.OPEN, "", sign, name))
        elif found["close"]:
            self.pieces.append(Piece(Kind.CLOSE))
        elif found["phrase"] is not None:
            self._term(Piece(Kind.PHRASE, " ".join(found["phrase"].split()), sign, name))
        elif found["word"]:
            self._word(found["word"], sign, name)
        elif found["stray"]:
            self.notes.append("A quote without its partner was ignored.")

    def _name(self, name: str, sign: str) -> str:
        """Return the field of this name; if there is none, take the name for a word and return nothing."""
        if name.lower() in FIELDS:
            return name.lower()
        self.notes.append(f"There is no field {name}; it was read as a word.")
        self._term(Piece(Kind.WORD, name.lower() if name in OPERATORS else name, sign))
        return ""

    def _word(self, text: str, sign: str, name: str) -> None:
        """Take a run of characters: an operator, a word or the beginning of one."""
        if text in OPERATORS and not sign and not name:
            self.pieces.append(Piece(OPERATORS[text], text))
            return
        if text == "*" and not name:
            self._term(Piece(Kind.ALL, text, sign))
            return
        bare = text.strip(_EDGES)
        if not name and (named := _NAMED.match(bare)):
            name = self._name(named[1], sign)
            self._word(text.lstrip(_EDGES)[named.end() :], sign, name)
            return
        if not name and bare in OPERATORS:
            bare = bare.lower()
        begins = text.rstrip(_EDGES.replace("*", "")).endswith("*") and len(bare) > 1
        if "*" in text and (not begins or "*" in bare):
            self.notes.append("A * is understood only at the end of two letters or more.")
        if begins and self._prefixes == MOST_PREFIXES:
            self.notes.append(f"Only the first {MOST_PREFIXES} words with a * were read so.")
            begins = False
        self._prefixes += begins
        self._term(Piece(Kind.PREFIX if begins else Kind.WORD, bare, sign, name))

    def _term(self, piece: Piece) -> None:
        """Take something to look for, while there are not too many."""
        if self._terms == MOST_TERMS:
            self.notes.append(f"Only the first {MOST_TERMS} words were read.")
        elif piece.text:
            self._terms += 1
            self.pieces.append(piece)

    def _balance(self) -> None:
        """Drop brackets without a partner and those nested too deep."""
        opened: list[int] = []
        dropped: set[int] = set()
        for at, piece in enumerate(self.pieces):
            if piece.kind is Kind.OPEN:
                opened.append(at)
            elif piece.kind is Kind.CLOSE and opened:
                begin = opened.pop()
                if len(opened) >= DEEPEST:
                    dropped |= {begin, at}
                    self.notes.append(f"Brackets more than {DEEPEST} deep were ignored.")
            elif piece.kind is Kind.CLOSE:
                dropped.add(at)
                self.notes.append("A bracket without its partner was ignored.")
        if opened:
            dropped.update(opened)
            self.notes.append("A bracket without its partner was ignored.")
        self.pieces = [piece for at, piece in enumerate(self.pieces) if at not in dropped]


def as_word(piece: Piece) -> Piece:
    """Return an operator as the word it is otherwise; anything else as it is."""
    return replace(piece, kind=Kind.WORD, text=piece.text.lower()) if piece.kind in OPERATORS.values() else piece
