"""Suggestions while somebody types: how the query may go on, and which documents are called so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.reader import Library


def suggested(shelf: Library, typed: str, sources: Sequence[str] = (), reader: Reader = ANYONE) -> dict[str, Any]:
    """The Suggestions record of the interfaces, as far as this reader may know. Raises IndexDamaged."""
    found = shelf.suggest(typed, reader, tuple(sources))
    return {
        "query": typed,
        "wordings": [{"text": each.text, "documents": each.documents} for each in found.wordings],
        "documents": [
            {"id": hit.id, "title": hit.title or hit.url, "url": hit.url, "source": hit.source} for hit in found.hits
        ],
    }
