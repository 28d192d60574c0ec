"""Lexer of typed queries, which splits a query into tokens.

    hotel  "head of department"  "head department"~3  inst*  *ation  te?t  hotle~  title:policy  site:example.org
    date:2026-01..2026-03  size:>1MB  +must  -never  ( )  AND OR NOT

Anything else is text; nothing is an error. Brackets come out balanced and at most DEEPEST deep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from cormorant.search.index.edit_distance import allowed
from cormorant.search.index.identifiers import EDGES, core
from cormorant.search.query import ranges
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, WHOLE, KnownAttributes

LONGEST = 1_000
MOST_TERMS = 64
MOST_PREFIXES = 8
"""Words with a wildcard or a tilde: each may stand for thousands."""
MOST_WILDCARDS = 5
LONGEST_PATTERN = 50
"""Of one word: with more its automaton takes longer than 0.1 s a field, or is larger than the index takes."""
MOST_BETWEEN = 100
DEEPEST = 20

FIELDS = frozenset(("title", "heading", "text", "url", "link", "site", "source", "type", "lang", *ranges.NAMES))
"""Names of fields before a colon."""
_ALSO = {
    "intitle": "title", "inurl": "url", "inanchor": "link", "filetype": "type", "mime": "type", "language": "lang",
    "host": "site", "domain": "site", "mimetype": "type", "lastmodifieddate": "date", "infosource": "source",
}  # fmt: skip
"""Names of these fields in other search engines."""

_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\uff02", '"'))
_NAME = r"[A-Za-z]{2,12}"
"""A name that may stand before a colon, whether there is such a field or not."""
_PIECE = r"""
    (?P<sign>(?<![^\s(])[+\-](?=[^\s+\-)]))?           # + or - before something
    (?:(?P<field>NAME):(?=[^\s:/)]))?                  # a name and a colon before something
    (?: (?P<open>\()
      | (?P<close>\))
      | (?P<whole>=)?"(?P<phrase>[^"]*)"(?:~(?P<within>\d{1,3})(?![^\s)]))?
      | (?P<word>[^\s()"]+)
      | (?P<stray>")
      | (?P<space>\s+)
    )"""


@lru_cache(16)
def _patterns(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a piece and of a field name, including attributes whose names have other shapes."""
    longest = sorted((each for each in names if not re.fullmatch(_NAME, each)), key=len, reverse=True)
    name = "|".join([*(f"(?ai:{re.escape(each)})" for each in longest), _NAME])
    return re.compile(_PIECE.replace("NAME", name), re.VERBOSE), re.compile(rf"({name}):(?=[^\s:/)])")


_EDGES_BUT_WILD = EDGES.translate({ord(each): None for each in "*?~"})
_TILDE = re.compile(r"([^~*?]*[^\W_][^~*?]*)~([12]?)")
_PATTERN = re.compile(r"[\w*?]+|[^*?]+\*")
"""Wildcards within one word, or one after several words that stand together."""
_WILDCARD = re.compile(r"[*?]")
_BOOST = re.compile(r"[\[{]?(\w{3,})(\^\d+(?:\.\d+)?)[\]}]?")
"""A word with a factor, as Lucene has it; `m^2` and `x^2` are something else."""
_STARS = re.compile(r"\*+")


class TokenKind(Enum):
    """Sorts of pieces."""

    WORD = auto()
    PHRASE = auto()
    PREFIX = auto()
    NEAR = auto()
    PATTERN = auto()
    LIKE = auto()
    RANGE = auto()
    VALUE = auto()
    ALL = auto()
    OPEN = auto()
    CLOSE = auto()
    AND = auto()
    OR = auto()
    NOT = auto()


OPERATORS = {"AND": TokenKind.AND, "OR": TokenKind.OR, "NOT": TokenKind.NOT}


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A piece with the sign (`+`, `-` or nothing) and the field (or nothing) written before it.

    `amount` is how many words may stand between those of NEAR, or how many letters of LIKE may differ.
    """

    kind: TokenKind
    text: str = ""
    sign: str = ""
    field: str = ""
    amount: int = 0


def lex(text: str, attributes: KnownAttributes = BUILT_IN_ATTRIBUTES) -> tuple[list[QueryToken], list[str]]:
    """Split a query into pieces, with notes on parts ignored or read otherwise. `attributes` may be named in it."""
    cutting = _Cutting(text, attributes)
    return cutting.pieces, cutting.notes


class _Cutting:
    """Splits one query from left to right."""

    def __init__(self, text: str, attributes: KnownAttributes) -> None:
        self._attributes = attributes
        piece, self._named = _patterns(tuple(sorted(attributes)))
        self.pieces: list[QueryToken] = []
        self.notes: list[str] = []
        self._terms = 0
        self._prefixes = 0
        if len(text) > LONGEST:
            self.notes.append(f"Only the first {LONGEST:,} characters were read.")
        for found in piece.finditer(text[:LONGEST].translate(_QUOTES)):
            self._take(found)
        self._balance()

    def _take(self, found: re.Match[str]) -> None:
        """Take a match of the pattern."""
        sign = found["sign"] or ""
        name = self._name(found["field"], sign) if found["field"] else ""
        if found["open"]:
            self.pieces.append(QueryToken(TokenKind.OPEN, "", sign, name))
        elif found["close"]:
            self.pieces.append(QueryToken(TokenKind.CLOSE))
        elif found["phrase"] is not None:
            whole = WHOLE if found["whole"] and self._is_attribute(name) else ""
            self._phrase(whole + " ".join(found["phrase"].split()), int(found["within"] or 0), sign, name)
        elif found["word"]:
            self._word(found["word"], sign, name)
        elif found["stray"]:
            self.notes.append("A quote without its partner was ignored.")

    def _name(self, name: str, sign: str) -> str:
        """Return the field of this name; if there is none, take the name as a word and return ""."""
        known = _ALSO.get(name.lower(), name.lower())
        if known in FIELDS:
            return known
        if name.lower() in self._attributes:
            return self._attributes[name.lower()][0]
        self.notes.append(f"There is no field {name}; it was read as a word.")
        self._term(QueryToken(TokenKind.WORD, name.lower() if name in OPERATORS else name, sign))
        return ""

    def _is_attribute(self, name: str) -> bool:
        return bool(name) and name not in FIELDS and name.lower() in self._attributes

    def _word(self, text: str, sign: str, name: str) -> None:
        """Take a run of characters: an operator, a word or the beginning of one."""
        if text in OPERATORS and not sign and not name:
            self.pieces.append(QueryToken(OPERATORS[text], text))
            return
        if text == "*" and not name:
            self._term(QueryToken(TokenKind.ALL, text, sign))
            return
        if boosted := _BOOST.fullmatch(text):
            self.notes.append(f"{boosted[2][:20]} was ignored, because no word counts more than another.")
            text = boosted[1]
        bare = core(text)
        if not name and (named := self._named.match(bare)):
            name = self._name(named[1], sign)
            self._word(text.lstrip(EDGES)[named.end() :], sign, name)
            return
        if not name and bare in OPERATORS:
            bare = bare.lower()
        if name in ranges.NAMES or self._is_attribute(name):
            kind = TokenKind.RANGE if name in ranges.NAMES else TokenKind.VALUE
            self._term(QueryToken(kind, text, sign, name))
            return
        self._term(self._wild(text, QueryToken(TokenKind.WORD, bare, sign, name)))

    def _phrase(self, text: str, within: int, sign: str, name: str) -> None:
        """Take a phrase in quotes; `within` is the number of other words that may stand between its words."""
        if name in ranges.NAMES or self._is_attribute(name):
            kind = TokenKind.RANGE if name in ranges.NAMES else TokenKind.VALUE
            self._term(QueryToken(kind, text, sign, name))
        elif within and " " in text:
            self._term(QueryToken(TokenKind.NEAR, text, sign, name, min(within, MOST_BETWEEN)))
        else:
            self._term(QueryToken(TokenKind.PHRASE, text, sign, name))

    def _wild(self, text: str, plain: QueryToken) -> QueryToken:
        """Return a word with wildcards or a tilde as its meaning, or as a plain word if it is not understood."""
        whole = text.strip(_EDGES_BUT_WILD)
        pattern = whole.rstrip("?") if "*" not in whole else whole
        if "://" in whole or whole.startswith("/"):  # an address may have a query
            pattern = pattern.replace("?", "")
        tilde = _TILDE.fullmatch(whole)
        if tilde is None and "*" not in pattern and "?" not in pattern:
            return plain
        found = _liked(tilde, plain) if tilde is not None else _patterned(pattern, plain)
        if found is not None and _is_large(found.text):
            self.notes.append(f"A word takes {MOST_WILDCARDS} wildcards and {LONGEST_PATTERN} letters at most.")
            return _tame(plain)
        if found is None:
            self.notes.append("A wildcard stands in one word, with two letters or digits at least.")
            return _tame(plain)
        if self._prefixes == MOST_PREFIXES:
            self.notes.append(f"Only the first {MOST_PREFIXES} words with a *, ? or ~ were read so.")
            return _tame(plain)
        self._prefixes += 1
        return found

    def _term(self, piece: QueryToken) -> None:
        """Take a term, up to MOST_TERMS."""
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
            if piece.kind is TokenKind.OPEN:
                opened.append(at)
            elif piece.kind is TokenKind.CLOSE and opened:
                begin = opened.pop()
                if len(opened) >= DEEPEST:
                    dropped |= {begin, at}
                    self.notes.append(f"Brackets more than {DEEPEST} deep were ignored.")
            elif piece.kind is TokenKind.CLOSE:
                dropped.add(at)
                self.notes.append("A bracket without its partner was ignored.")
        if opened:
            dropped.update(opened)
            self.notes.append("A bracket without its partner was ignored.")
        self.pieces = [piece for at, piece in enumerate(self.pieces) if at not in dropped]


def _liked(tilde: re.Match[str], plain: QueryToken) -> QueryToken | None:
    """Return a word with a tilde: by default one letter of a short word may differ, two of a longer one."""
    edits = int(tilde[2]) if tilde[2] else allowed(tilde[1])
    return replace(plain, kind=TokenKind.LIKE, text=tilde[1], amount=edits)


def _is_large(pattern: str) -> bool:
    """Say whether a word with wildcards makes a larger automaton than the index takes."""
    wild = len(_WILDCARD.findall(pattern))
    return wild > 0 and (wild > MOST_WILDCARDS or len(pattern) > LONGEST_PATTERN)


def _tame(plain: QueryToken) -> QueryToken:
    """Return a word whose wildcards are not understood as a phrase of the pieces between them."""
    text = " ".join(_WILDCARD.sub(" ", plain.text).split())
    return replace(plain, kind=TokenKind.PHRASE if " " in text else plain.kind, text=text.strip(EDGES))


def _patterned(pattern: str, plain: QueryToken) -> QueryToken | None:
    """Return a word with wildcards; None if it has fewer than two letters or digits, or is no single word."""
    if sum(map(str.isalnum, pattern)) < 2 or not _PATTERN.fullmatch(pattern):
        return None
    pattern = _STARS.sub("*", pattern)
    if pattern.endswith("*") and not _WILDCARD.search(pattern[:-1]):
        return replace(plain, kind=TokenKind.PREFIX)
    return replace(plain, kind=TokenKind.PATTERN, text=pattern)


def as_word(piece: QueryToken) -> QueryToken:
    """Return an operator as a plain word, and any other piece unchanged."""
    return replace(piece, kind=TokenKind.WORD, text=piece.text.lower()) if piece.kind in OPERATORS.values() else piece
