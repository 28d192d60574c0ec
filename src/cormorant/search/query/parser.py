"""Parser of typed queries.

    query  = part*                          hotel rail          any of them, the more the better
    part   = all (OR all)*                  hotel OR lodging
    all    = one (AND one)*                 hotel AND capital
    one    = [+ - NOT] (word | "phrase" | "near"~3 | word* | wo?d | word~ | field:... | "(" query ")")

Parts that are joined by AND or have a + must match. So must filters (`site:`, `source:`, `type:`, `lang:`, `date:`,
`size:`, `depth:`, the name of an attribute); filters for one field widen each other unless they are ranges. Of all
other parts, any is enough.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from cormorant.model.attribute import AttributeType
from cormorant.search.index import query as ask
from cormorant.search.index.identifiers import identifiers
from cormorant.search.index.query import Field, Key, Query
from cormorant.search.index.tokenizer import clean, words
from cormorant.search.query import ranges
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, KnownAttributes, attribute_query
from cormorant.search.query.lexer import FIELDS, QueryToken, TokenKind, as_word, lex
from cormorant.search.query.render import render
from cormorant.search.query.type_names import mimes

_ANALYSED = {
    "title": Field.TITLE, "heading": Field.HEADINGS, "text": Field.TEXT, "url": Field.ADDRESS, "link": Field.ANCHORS,
}  # fmt: skip
_KEYS = {"site": Key.SITE, "source": Key.SOURCE, "lang": Key.LANGUAGE}
_LEAVES: dict[TokenKind, type[ask.QueryWord | ask.Phrase | ask.Prefix | ask.Pattern]] = {
    TokenKind.WORD: ask.QueryWord, TokenKind.PHRASE: ask.Phrase, TokenKind.PREFIX: ask.Prefix,
    TokenKind.PATTERN: ask.Pattern,
}  # fmt: skip
_WILD = re.compile("[*?~]")
_JOINS = (TokenKind.AND, TokenKind.OR)
_OPERATORS = (*_JOINS, TokenKind.NOT)
_MOST_JOINED = 5
"""Words of a query in capitals that AND and OR may join; with more words the query is a sentence."""
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Understood:
    """The query as it was understood, as text, with notes on parts ignored or read otherwise."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A query, and how it was understood."""

    query: Query
    understood: Understood


def parse(text: str, attributes: KnownAttributes = BUILT_IN_ATTRIBUTES) -> Parsed:
    """Parse any text as a query, in which these attributes may be named.

    Parsing the understood text gives the same query.
    """
    pieces, cut = lex(clean(text), attributes)
    if _is_in_capitals(text, pieces):
        pieces = [as_word(piece) for piece in pieces]
    reading = _Reading(pieces, attributes)
    query = reading.query("")
    if query is None:  # nothing but operators, perhaps: then they are words
        reading = _Reading([as_word(piece) for piece in pieces], attributes)
        query = reading.query("") or ask.Nothing()
    return Parsed(query, Understood(render(query), tuple(dict.fromkeys((*cut, *reading.notes)))))


def _is_in_capitals(text: str, pieces: Sequence[QueryToken]) -> bool:
    """Say whether a query is a sentence in capitals, in which AND joins words as it does in speech."""
    kinds = {piece.kind for piece in pieces if not (piece.sign or piece.field)}
    found = sum(piece.kind is TokenKind.WORD for piece in pieces)
    return text.isupper() and found > _MOST_JOINED and kinds <= {TokenKind.WORD, *_OPERATORS}


class _Reading:
    """Reads pieces from left to right; methods return None for parts that are empty."""

    def __init__(self, pieces: Sequence[QueryToken], attributes: KnownAttributes) -> None:
        self._attributes = attributes
        self.notes: list[str] = []
        self._pieces = pieces
        self._at = 0

    def query(self, field: str) -> Query | None:
        """Read parts up to the closing bracket, or the end; `field` is the field before the bracket."""
        signed: list[tuple[str, Query]] = []
        while (kind := self._kind()) not in (None, TokenKind.CLOSE):
            if kind in _JOINS:
                self._lone("before")
                continue
            part = self._part(field)
            if part:
                signed.append(part)
        return _joined(signed)

    def _kind(self, ahead: int = 0) -> TokenKind | None:
        """Return the kind of a piece ahead, None at the end."""
        at = self._at + ahead
        return self._pieces[at].kind if at < len(self._pieces) else None

    def _lone(self, side: str) -> None:
        """Skip an operator that joins nothing, with a note."""
        name = self._pieces[self._at].text
        following = "follows it" if side == "after" else "stands before it"
        self.notes.append(f"{name} was ignored, because nothing {following}.")
        self._at += 1

    def _part(self, field: str) -> tuple[str, Query] | None:
        """Read alternatives, with the sign of a single one."""
        sign, first = self._all(field)
        parts = [first]
        while self._joins(TokenKind.OR):
            inner, part = self._all(field)
            parts.append(_negated(part) if inner == "-" else part)
        found = [part for part in parts if part]
        if len(parts) > 1 and sign == "-" and first:
            found[0] = ask.Not(first)
        if not found:
            return None
        return ("", _either(found)) if len(parts) > 1 else (sign, found[0])

    def _all(self, field: str) -> tuple[str, Query | None]:
        """Read parts joined by AND, with the sign of a single one."""
        sign, first = self._one(field)
        parts = [_negated(first) if sign == "-" else first]
        while self._joins(TokenKind.AND):
            inner, part = self._one(field)
            parts.append(_negated(part) if inner == "-" else part)
        if len(parts) == 1:
            return sign, first
        found = [part for part in parts if part]
        return "", _both(found) if found else None

    def _joins(self, kind: TokenKind) -> bool:
        """Consume an operator of this kind if it has something to join."""
        if self._kind() is not kind:
            return False
        ahead = 1
        while self._kind(ahead) is TokenKind.NOT:
            ahead += 1
        if self._kind(ahead) in (None, TokenKind.CLOSE, *_JOINS):
            self._lone("after")
            return self._joins(kind)
        self._at += 1
        return True

    def _one(self, field: str) -> tuple[str, Query | None]:
        """Read one thing with its sign; a NOT before it turns the sign round."""
        sign = ""
        while self._kind() is TokenKind.NOT:
            if self._kind(1) in (None, TokenKind.CLOSE, *_JOINS):
                self._lone("after")
                return sign, None
            sign = "" if sign else "-"
            self._at += 1
        piece = self._pieces[self._at]
        self._at += 1
        found = self._bracket(piece, field) if piece.kind is TokenKind.OPEN else self._leaf(piece, piece.field or field)
        if piece.sign == "-":
            sign = "" if sign else "-"
        return sign or piece.sign.replace("-", ""), found

    def _bracket(self, piece: QueryToken, field: str) -> Query | None:
        """Read the query in brackets."""
        found = self.query(piece.field or field)
        self._at += 1
        return found

    def _leaf(self, piece: QueryToken, field: str) -> Query | None:
        """Return the query of a single piece."""
        if piece.kind is TokenKind.ALL:
            return ask.Everything()
        if piece.kind is TokenKind.RANGE or field in ranges.NAMES:
            return self._range(piece, field)
        if field.lower() in self._attributes and field not in FIELDS:
            return self._attribute(piece, field)
        if field in _KEYS or field == "type":
            return self._exact(piece, field)
        if not words(piece.text):
            long = any(map(str.isalnum, piece.text))
            why = "is too long" if long else "holds no letter or digit"
            self.notes.append(f"{piece.text[:20]} {why} and was ignored.")
            return None
        where = _ANALYSED.get(field)
        if piece.kind is TokenKind.NEAR:
            return ask.Near(piece.text, piece.amount, where)
        if piece.kind is TokenKind.LIKE:
            return ask.Like(piece.text, piece.amount, where)
        return _LEAVES[piece.kind](piece.text, where)

    def _range(self, piece: QueryToken, field: str) -> Query | None:
        """Return a filter by a day, a size or a depth; an invalid one is noted and read as words."""
        found = ranges.ranged(field, piece.text)
        if isinstance(found, ask.Range):
            return found
        done = "read as words" if words(piece.text) else "ignored"
        self.notes.append(f"{piece.text[:20]} was {done}: {found}")
        return self._leaf(replace(piece, kind=TokenKind.PHRASE), "") if words(piece.text) else None

    def _attribute(self, piece: QueryToken, field: str) -> Query | None:
        """Return a filter by an attribute; an invalid one is noted and read as words."""
        name, kind = self._attributes[field.lower()]
        if piece.kind in (TokenKind.PREFIX, TokenKind.PATTERN, TokenKind.LIKE) or _WILD.search(piece.text):
            self.notes.append(f"{name}: takes no wildcard.")
        text = piece.text if kind is AttributeType.DATE else _WILD.sub("", piece.text)
        found = attribute_query(name, kind, text)
        if not isinstance(found, str):
            return found
        done = "read as words" if words(piece.text) else "ignored"
        self.notes.append(f"{piece.text[:20]} was {done}: {found}")
        return self._leaf(replace(piece, kind=TokenKind.PHRASE, field=""), "") if words(piece.text) else None

    def _exact(self, piece: QueryToken, field: str) -> Query | None:
        """Return a filter by an exact value; an unknown type is read as words."""
        value = piece.text
        if piece.kind in (TokenKind.PREFIX, TokenKind.PATTERN, TokenKind.LIKE):
            self.notes.append(f"{field}: takes no wildcard.")
            value = _WILD.sub("", value)
        if field == "type":
            if found := mimes(value):
                return ask.Exact(Key.MIME, tuple(sorted(found)))
            self.notes.append(f"There is no type {value}; it was read as words.")
            return self._leaf(replace(piece, kind=TokenKind.PHRASE), "")
        if field == "lang" and not _TAG.fullmatch(value):
            self.notes.append("lang: takes a tag like en, de or pt-BR.")
        return ask.Exact(_KEYS[field], (_filed(field, value),))


def _filed(field: str, value: str) -> str:
    """Return a value as the index holds it; for an address typed as a site, its host."""
    if field == "source":
        return value
    if field == "site":
        value = value.rpartition("://")[2].partition("/")[0].rpartition("@")[2] or value
    return value.lower()


def _negated(part: Query | None) -> Query | None:
    """Return the opposite of a part."""
    if isinstance(part, ask.Not):
        return part.part
    return ask.Not(part) if part else None


def _both(parts: list[Query]) -> Query:
    """Return a query that matches all of the parts."""
    flat = _flat(parts, ask.And)
    return flat[0] if len(flat) == 1 else ask.And(flat)


def _either(parts: list[Query]) -> Query:
    """Return a query that matches any of the parts."""
    flat = _widened(_flat(parts, ask.Or))
    return flat[0] if len(flat) == 1 else ask.Or(tuple(flat))


def _flat(parts: Iterable[Query], kind: type[ask.And] | type[ask.Or]) -> tuple[Query, ...]:
    """Return the parts, with nested ones of the same kind flattened, each once."""
    flat: list[Query] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    return tuple(dict.fromkeys(flat))


def _is_place(part: Query) -> bool:
    """Say whether a part is a filter."""
    match part:
        case ask.Exact() | ask.Range() | ask.AttributeMatch() | ask.AttributeRange() | ask.Everything():
            return True
        case ask.And() | ask.Or():
            return all(map(_is_place, part.parts))
        case ask.Not():
            return _is_place(part.part)
        case _:
            return False


def _joined(signed: list[tuple[str, Query]]) -> Query | None:
    """Combine parts that stand side by side into one query."""
    must: list[Query] = []
    should: list[Query] = []
    never: list[Query] = []
    for sign, part in signed:
        if sign == "-":
            never.append(part)
        elif isinstance(part, ask.Not):
            never.append(part.part)
        elif sign == "+" or isinstance(part, ask.And) or _is_place(part):
            must.append(part)
        else:
            should.append(part)
    must, should = _widened(must), _different(should)
    if never and not must and not should:
        must = [ask.Everything()]
    if len(must) + len(should) == 1 and not never:
        return (must or should)[0]
    if not must and not should:
        return None
    least = int(bool(should) and all(map(_is_place, must)))
    return ask.Clauses(tuple(must), tuple(should), tuple(dict.fromkeys(never)), least)


def _different(parts: list[Query]) -> list[Query]:
    """Return the parts, each set of words only once."""
    kept: dict[Hashable, Query] = {}
    for part in parts:
        key: Hashable = part
        if isinstance(part, ask.QueryWord | ask.Phrase | ask.Prefix):  # others differ in more than their words
            key = (type(part), part.field, *words(part.text), *identifiers(part.text))
        kept.setdefault(key, part)
    return list(kept.values())


def _widened(parts: Iterable[Query]) -> list[Query]:
    """Return the parts, with the filters of each key merged into one with all their values."""
    merged: dict[Hashable, Query] = {}
    for part in parts:
        if isinstance(part, ask.Exact):
            known = merged.get(part.key)
            values = known.values if isinstance(known, ask.Exact) else ()
            merged[part.key] = replace(part, values=tuple(sorted({*values, *part.values})))
        elif isinstance(part, ask.AttributeMatch):
            key = (part.name, part.whole)
            before = merged.get(key)
            texts = before.texts if isinstance(before, ask.AttributeMatch) else ()
            merged[key] = replace(part, texts=tuple(sorted({*texts, *part.texts})))
        else:
            merged[part] = part
    return list(merged.values())
