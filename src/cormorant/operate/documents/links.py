"""Links of documents: inlinks and outlinks. With the texts of the links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import NotFoundError
from cormorant.frontier.links import codec
from cormorant.frontier.links.codec import InLink
from cormorant.model.content import PageLink
from cormorant.operate.documents import lookup
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import LinkRecord
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import inlinks, outlinks, resource

IN, OUT = "in", "out"
TEXTS = 8
"""Different texts of links to a document that are shown."""


class DocumentLinks(NamedTuple):
    """Some links of one direction. `total` counts all of them; `texts` what others call the document, most first."""

    records: list[LinkRecord]
    total: int
    texts: list[tuple[str, int]]


def links(house: Installation, address: str) -> list[LinkRecord]:
    """The links of an address: out with anchor and rel, in with referrer and anchor.

    Raises NotFoundError when no source knows it, BadAddress for what is no address.
    """
    with house.store.read() as tx:
        rows = lookup.at(tx, lookup.address_of(tx, address))
        if not rows:
            raise NotFoundError(f"No source knows {address}. `cormorant explain` says whether a gate excluded it.")
        return [record for row in rows for record in _of(tx, row)]


def of_document(house: Installation, number: int) -> list[LinkRecord]:
    """The links of the document of that number, as `links` has them. Raises NotFoundError."""
    with house.store.read() as tx:
        return list(_of(tx, lookup.row(tx, number)))


def some(house: Installation, number: int, direction: str, offset: int, most: int) -> DocumentLinks:
    """At most so many links of a document behind the first `offset`. Raises NotFoundError."""
    with house.store.read() as tx:
        row = lookup.row(tx, number)
        if direction == OUT:
            out = _out(tx, row)
            return DocumentLinks(out[offset : offset + most], len(out), [])
        into = _into(tx, row.id)
        called = Counter(link.text for link in into if link.text)
        return DocumentLinks(_referring(tx, row, into[offset : offset + most]), len(into), called.most_common(TEXTS))


def counted(tx: Tx, number: int) -> dict[str, int]:
    """Return the number of links that lead to a document and from it."""
    into = tx.rows(sa.select(inlinks.c.count).where(inlinks.c.id == number))
    return {IN: into[0].count if into else 0, OUT: len(_kept(tx, number))}


def text(tx: Tx, number: int | None, address: str) -> str:
    """The text of the link of a document that leads to an address; "" where there is none, or it has none."""
    found = _kept(tx, number) if number is not None else []
    return next((each.text for each in found if each.address == address), "")


def _of(tx: Tx, row: Any) -> Iterator[LinkRecord]:
    yield from _out(tx, row)
    yield from _referring(tx, row, _into(tx, row.id))


def _kept(tx: Tx, number: int) -> list[PageLink]:
    """The links of a page as they were when it was last read; none where none are kept."""
    out = tx.rows(sa.select(outlinks.c.links).where(outlinks.c.id == number))
    return codec.unpack(out[0].links if out else None)


def _out(tx: Tx, row: Any) -> list[LinkRecord]:
    found = _kept(tx, row.id)
    return [
        {"source": row.source, "direction": OUT, "address": each.address, "text": each.text, "rel": each.rel}
        for each in found
    ]


def _into(tx: Tx, number: int) -> list[InLink]:
    into = tx.rows(sa.select(inlinks.c.links).where(inlinks.c.id == number))
    return codec.unpack_in(into[0].links if into else None)


def _referring(tx: Tx, row: Any, into: Sequence[InLink]) -> list[LinkRecord]:
    """The records of links to a document; a page that is known no longer links to nothing."""
    known = dict(bulk.select_in(tx, resource, ("id", "address"), "id", {each.referrer for each in into}))
    return [
        {"source": row.source, "direction": IN, "address": known[each.referrer], "text": each.text, "rel": ""}
        for each in into
        if each.referrer in known
    ]
