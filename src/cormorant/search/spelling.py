"""Is there a better query? The same with misspelt words as documents that the reader may read have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cormorant.index import query as ask
from cormorant.index.query import Query
from cormorant.index.words import words
from cormorant.search.render import render


def better(
    query: Query, alike: Callable[[str], Sequence[str]], finds: Callable[[Query], int], total: int
) -> str | None:
    """Return a query that finds `total` at least, as it could be typed; None when there is none, or no need.

    `alike` gives words for one that no document holds, best first; `finds` says how much a query finds. However much is
    found: among several words the one that nobody wrote so may be the one that matters.
    """
    mended = _mended(query, alike)
    if mended == query or finds(mended) < max(total, 1):
        return None
    return render(mended)


def _mended(node: Query, alike: Callable[[str], Sequence[str]]) -> Query:
    """Return a part of a query with its misspelt words mended; what must not be found stays as it is."""

    def again(parts: Sequence[Query]) -> tuple[Query, ...]:
        return tuple(_mended(each, alike) for each in parts)

    match node:
        case ask.Word() | ask.Phrase():
            return replace(node, text=_text(node.text, alike))
        case ask.And() | ask.Or():
            return replace(node, parts=again(node.parts))
        case ask.Clauses():
            return replace(node, must=again(node.must), should=again(node.should))
        case _:
            return node


def _text(text: str, alike: Callable[[str], Sequence[str]]) -> str:
    found = words(text)
    mended = [next(iter(alike(word)), word) for word in found]
    return text if mended == found else " ".join(mended)
