"""The kept copy of a document as readers see it: its content, its date, and the words of a query marked in it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged, NotFoundError, NotShown
from cormorant.crawl.run import damaged_copies
from cormorant.extract.html import safe_html
from cormorant.extract.html.safe_html import SafeHtml
from cormorant.extract.html.xhtml import XHTML, html_of
from cormorant.model.acl import ANYONE, Reader
from cormorant.model.text import display_directives
from cormorant.operate.installation import Installation
from cormorant.search.reader import Hit, Library, Question
from cormorant.search.results.match_positions import Marking
from cormorant.store.blobs.protocol import BlobPlace, OutOfSight
from cormorant.store.blobs.record import Frame
from cormorant.store.schema import content

PAGES: Final = frozenset(("text/html", XHTML))
"""Media types that are shown as pages; others are shown as text, and so are originals that services withhold."""


class MarkedWord(NamedTuple):
    """A word of the query, the number of its first mark (from 1), and how often it is marked."""

    text: str
    place: int
    times: int


@dataclass(frozen=True, slots=True)
class CachedCopy:
    """A kept copy. `markup` holds nothing that runs or loads and may be put into a page as it is.

    `is_kept` is False if the copy is gone or `is_damaged`; only `hit` is then known. `is_page`: it has a layout of its
    own; `as_text`: it is shown without its layout. `fetched_at` is in epoch seconds.
    """

    hit: Hit
    is_kept: bool = True
    is_page: bool = False
    as_text: bool = True
    fetched_at: float | None = None
    markup: str = ""
    words: tuple[MarkedWord, ...] = ()
    cut: bool = False
    is_damaged: bool = False

    @property
    def places(self) -> int:
        """Number of highlight marks; the third has the id `place-3`."""
        return sum(each.times for each in self.words)


class CopyOptions(NamedTuple):
    """View options of a cached copy: the query whose words are marked, and text only."""

    query: str = ""
    as_text: bool = False


AS_IT_WAS: Final = CopyOptions()


def copy(
    house: Installation, shelf: Library, number: int, wish: CopyOptions = AS_IT_WAS, reader: Reader = ANYONE
) -> CachedCopy:
    """A document's kept copy as this reader may see it.

    Raises NotFoundError for unknown and forbidden documents alike; NotShown for a visible page that forbids copies.
    """
    hit = _seen(shelf, number, reader)
    with house.store.read() as tx:
        columns = content.c
        places = (columns.pack, columns.pack_offset, columns.pack_length, columns.fetched_at)
        rows = tx.rows(sa.select(*places).where(columns.id == number))
    try:
        frame = _frame(house, BlobPlace(*rows[0][:3])) if rows else None
    except CacheDamaged:
        return CachedCopy(hit, is_kept=False, is_damaged=True)
    if frame is None:
        return CachedCopy(hit, is_kept=False)
    _allow_copy(frame, hit)
    is_page = not frame.withheld and frame.mime in PAGES and 0 < len(frame.body) <= safe_html.MOST_BYTES
    marking = Marking(wish.query, hit.language, shelf.attributes(Question(wish.query), reader))
    shown = _shown(frame, marking, as_page=is_page and not wish.as_text)
    words = tuple(
        MarkedWord(marking.words[part], shown.firsts[part], count) for part, count in sorted(shown.counts.items())
    )
    return CachedCopy(
        hit, is_page=is_page, as_text=wish.as_text or not is_page, fetched_at=rows[0].fetched_at, markup=shown.markup,
        words=words, cut=shown.cut or frame.truncated,
    )  # fmt: skip


def text_of(house: Installation, shelf: Library, number: int, reader: Reader = ANYONE) -> tuple[Hit, str]:
    """Return a document and the text in its kept copy, "" if the copy is gone or damaged.

    Raises the errors of `copy`.
    """
    hit = _seen(shelf, number, reader)
    with house.store.read() as tx:
        columns = content.c
        rows = tx.rows(sa.select(columns.pack, columns.pack_offset, columns.pack_length).where(columns.id == number))
    try:
        frame = _frame(house, BlobPlace(*rows[0])) if rows else None
    except CacheDamaged:
        return hit, ""
    if frame is None:
        return hit, ""
    _allow_copy(frame, hit)
    return hit, frame.text


def _seen(shelf: Library, number: int, reader: Reader) -> Hit:
    """Return a document as this reader finds it. Raises the errors of `copy`."""
    hit = shelf.see(number, reader)
    if hit is None:
        raise NotFoundError("There is no such document, or you have no access to it.")
    _allow(hit.attributes, hit.url)
    return hit


def _allow_copy(frame: Frame, hit: Hit) -> None:
    """Raise NotShown if the kept copy of a page forbids that copies are shown."""
    _allow(frame.attributes, hit.url)


def _allow(attributes: Any, url: str) -> None:
    """Raise NotShown if a page forbids that copies are shown."""
    if display_directives.forbids(attributes, display_directives.NO_COPY):
        raise NotShown(f"This page forbids cached copies (noarchive). Open the original: {url}")


def _frame(house: Installation, place: BlobPlace) -> Frame | None:
    """The kept copy, None if its pack is out of sight. Raises CacheDamaged if it is damaged."""
    with closing(house.cache()) as cache, suppress(OutOfSight):
        return cache.read(place)
    return None


def note_damaged(house: Installation, numbers: Collection[int]) -> None:
    """Have the next run check the copies of these documents, at most 1,000, and refetch damaged ones."""
    with house.store.begin() as tx:
        damaged_copies.note(tx, numbers)


def _shown(frame: Frame, marking: Marking, *, as_page: bool) -> SafeHtml:
    if as_page:
        body, charset = frame.body, frame.charset
        if frame.mime == XHTML:
            body, charset, *_ = html_of(body, charset)
        return safe_html.page(body, address=frame.access_url, charset=charset, marks=marking)
    return safe_html.plain(frame.text, marking)
