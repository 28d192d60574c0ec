"""Link score and anchor texts of a document.

They are computed from its in-links when these have changed.

    in-links written, or rights changed -> stale --weigh--> texts and score beside them, compared with those before

A link counts if it vouches for its target, and if all readers of the target may also read the page with the link: the
same rights, or a page for everyone. So search finds, shows and counts no link of a page that a reader of the linked
document may not read. The text of a link to a part names that part: the link counts for the document, and does not name
it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

import sqlalchemy as sa

from cormorant.frontier.links import codec
from cormorant.frontier.links.anchor_text import AnchorLink, score, texts
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, inlinks, resource

CHUNK = 500
"""Documents weighed in one transaction."""

_STALE = (
    sa.select(
        inlinks.c.id, inlinks.c.count, inlinks.c.links, inlinks.c.anchors, inlinks.c.score,
        content.c.acl_id, content.c.indexed, content.c.title, resource.c.site_id, resource.c.address,
    )
    .join(content, content.c.id == inlinks.c.id)
    .join(resource, resource.c.id == inlinks.c.id)
    .order_by(inlinks.c.id)
    .with_for_update(of=inlinks)
)  # fmt: skip
_PAGES = sa.select(content.c.id, content.c.acl_id, resource.c.site_id).join(resource, resource.c.id == content.c.id)


class AnchorSummary(NamedTuple):
    """Anchor summary of a document: link texts, best first, and their link score from 0 to 1."""

    anchors: tuple[str, ...] = ()
    score: float = 0.0


NOTHING = AnchorSummary()


class Weighing:
    """Weighs the links of one source. `public` returns whether an access list, by its number, is for everyone.

    `sizes` are known page counts of sites, and get further ones: counting a site takes time in proportion to its size.
    """

    def __init__(self, source: int, public: Callable[[int], bool], sizes: dict[int, int] | None = None) -> None:
        self._source, self._public = source, public
        self._open: dict[int, int] = {}
        self._closed: dict[int, dict[int, int]] = {}
        self._sizes = {} if sizes is None else sizes

    def weigh(self, tx: Tx, behind: int) -> tuple[int, list[int]]:
        """Weigh the next stale in-links after a number.

        Returns the last number (0: there were none) and the searchable documents with changed texts or score. The rows
        are locked before rights are read, so a concurrent change of rights comes later.
        """
        statement = _STALE.where(inlinks.c.stale, content.c.source_id == self._source, inlinks.c.id > behind)
        rows = tx.rows(statement.limit(CHUNK))
        return (rows[-1].id if rows else 0), self._weighed(tx, rows)

    def weigh_these(self, tx: Tx, numbers: Collection[int]) -> list[int]:
        """Weigh the known in-links of these documents; returns the same documents as `weigh`."""
        changed = []
        wanted = sorted(numbers)
        for start in range(0, len(wanted), CHUNK):
            changed += self._weighed(tx, tx.rows(_STALE.where(inlinks.c.id.in_(wanted[start : start + CHUNK]))))
        return changed

    def _weighed(self, tx: Tx, rows: Sequence[Any]) -> list[int]:
        links = {row.id: codec.kept_in(row.links) for row in rows}
        self._learn(tx, {referrer for some in links.values() for referrer, _ in some})
        written, changed = [], []
        for row in rows:
            summary = self._summary(tx, row, links[row.id])
            anchors = json.dumps(summary.anchors, ensure_ascii=False)
            written.append((False, anchors, summary.score, row.id))
            if row.indexed and (anchors, summary.score) != (row.anchors, row.score):
                changed.append(row.id)
        bulk.update(tx, inlinks, ("stale", "anchors", "score"), ("id",), written)
        return changed

    def _summary(self, tx: Tx, row: Any, links: Sequence[tuple[int, str]]) -> AnchorSummary:
        everyone, alike = self._open.get, self._closed.get(row.acl_id, {}).get
        sites = [(text, everyone(page) or alike(page)) for page, text in links if page != row.id]
        heap: Counter[AnchorLink] = Counter()
        for (text, site), count in Counter(sites).items():
            if site is not None and codec.vouches(text):
                heap[AnchorLink(codec.calls_it(text), site)] += count
        if not heap:
            return NOTHING
        sizes = {site: self._size(tx, site) for site in {each.site for each in heap}}
        more = max(1.0, row.count / max(1, len(links)))
        return AnchorSummary(
            texts(heap, sizes, f"{row.title} {unquote(row.address)}", more), score(heap, sizes, row.site_id, more)
        )

    def _learn(self, tx: Tx, pages: Collection[int]) -> None:
        """Look up the sites of pages by their rights, in this transaction.

        Pages for everyone and pages of each other access list are kept separately. A page without content has no known
        rights.
        """
        self._open, self._closed, wanted = {}, {}, sorted(pages)
        for start in range(0, len(wanted), 1000):
            for page, rights, site in tx.rows(_PAGES.where(content.c.id.in_(wanted[start : start + 1000]))):
                alike = self._open if self._public(rights) else self._closed.setdefault(rights, {})
                alike[page] = site

    def _size(self, tx: Tx, site: int) -> int:
        """Return the approximate number of pages of a site."""
        if site not in self._sizes:
            counted = sa.select(sa.func.count()).select_from(resource).where(resource.c.site_id == site)
            self._sizes[site] = int(tx.execute(counted).scalar_one())
        return self._sizes[site]


def waits(tx: Tx, source: int) -> bool:
    """Return whether any in-links of a source are waiting to be weighed."""
    statement = sa.select(inlinks.c.id).join(content, content.c.id == inlinks.c.id)
    return bool(tx.rows(statement.where(inlinks.c.stale, content.c.source_id == source).limit(1)))


def summaries_of(tx: Tx, numbers: Collection[int]) -> dict[int, AnchorSummary]:
    """Return the last weighed anchor summaries of documents; those without any are left out."""
    found = bulk.select_in(tx, inlinks, ("id", "anchors", "score"), "id", numbers)
    return {row[0]: AnchorSummary(tuple(json.loads(row[1])), row[2]) for row in found if row[2] or row[1] != "[]"}
