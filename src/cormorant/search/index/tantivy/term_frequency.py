"""Term frequency of a leaf of a query in a field, computed directly, for the index in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import permutations, product
from typing import NamedTuple, assert_never

from cormorant.search.index import query as ask
from cormorant.search.index.compounds import holds
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.edit_distance import edits
from cormorant.search.index.identifiers import variants
from cormorant.search.index.stemming import has_forms, stem
from cormorant.search.index.tantivy.term_queries import MOST_ORDERED, as_regex
from cormorant.search.index.tokenizer import words

Places = Mapping[str, list[int]]
"""The words of a field, each with its positions."""


class Rules(NamedTuple):
    """The languages whose rules find forms of a word, and compounds with it; "" for none."""

    forms: str = ""
    compounds: str = ""


def times(leaf: ask.Leaf, rules: Rules, where: Places) -> float:
    """Return how often a leaf occurs in a field of a document to which these rules apply."""
    found = words(leaf.text)
    match leaf:
        case ask.Pattern():
            made = re.compile(as_regex(leaf.text), re.DOTALL)
            return sum(len(at) for word, at in where.items() if made.fullmatch(word))
        case _ if not found:
            return 0.0
        case ask.QueryWord():
            once = _inflected(where, found[0], rules) if len(found) == 1 else _side_by_side(where, found)
            return once + sum(_side_by_side(where, each) / 2 for each in variants(leaf.text))
        case ask.Phrase():
            return _side_by_side(where, found)
        case ask.Near():
            return _near(where, found, leaf.within)
        case ask.Prefix():
            return _last(where, found, lambda word: word.startswith(found[-1]))
        case ask.Like():
            return _last(where, found, lambda word: edits(found[-1], word, leaf.edits) <= leaf.edits)
    assert_never(leaf)


def between(entry: IndexedDocument, asked: ask.Range) -> bool:
    """Say whether a number of an entry lies between two others."""
    value: float | None = getattr(entry, asked.number)
    if value is None:
        return False
    return (asked.low is None or value >= asked.low) and (asked.high is None or value <= asked.high)


def _inflected(where: Places, word: str, rules: Rules) -> float:
    """Return how often a word occurs, with its forms, which count half, and compounds, which count an eighth."""
    count: float = len(where.get(word, ()))
    wanted = stem(word, rules.forms)
    for other, at in where.items():
        if other != word and rules.forms and has_forms(word) and stem(other, rules.forms) == wanted:
            count += len(at) / 2
        elif other != word and holds(other, word, rules.compounds):
            count += len(at) / 8
    return count


def _side_by_side(where: Places, found: list[str]) -> int:
    """Return how often words occur side by side in this order."""
    starts = where.get(found[0], [])
    return sum(all(start + n in where.get(word, ()) for n, word in enumerate(found)) for start in starts)


def _near(where: Places, found: list[str], within: int) -> int:
    """Return how often the words occur near each other, a few of them in any order; each counts once."""
    found = list(dict.fromkeys(found))
    if not all(word in where for word in found):
        return 0
    orders = permutations(found) if len(found) <= MOST_ORDERED else [tuple(found)]
    choices = {each for order in orders for each in product(*(where[word] for word in order))}
    return sum(list(each) == sorted({*each}) and each[-1] - each[0] < len(found) + within for each in choices)


def _last(where: Places, found: list[str], fits: Callable[[str], bool]) -> int:
    """Return how often a word fits as the last of `found`, if the others occur side by side."""
    if len(found) > 1 and not _side_by_side(where, found[:-1]):
        return 0
    return sum(len(at) for word, at in where.items() if fits(word))
