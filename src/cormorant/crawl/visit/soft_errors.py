"""Soft error detection: soft 404 pages and login pages that come with status 200.

    text differs? --login page, the copy was none-------------------> HELD, the older version stays
                 `-like the response for a random address ----------> new: Excluded; indexed: Failed once, then Gone

When a page looks like a soft 404, a random address of its site is requested, at most once a day, in the turn and by the
rules of any other visit; the response is stored as a fact of the site for every source.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from cormorant.base.clock import random_token
from cormorant.base.errors import CacheDamaged
from cormorant.extract.compare import soft_404
from cormorant.extract.compare.fingerprint import likeness
from cormorant.extract.compare.soft_404 import Sketch
from cormorant.frontier.staging import staged_versions
from cormorant.frontier.state.host_facts import FOR_EVER
from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Failed, Gone, Held, Moved, Ok, OutcomeKind, Unchanged
from cormorant.model.resource import Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.text.login_pages import IN_ITS_PLACE, is_login
from cormorant.store.blobs.protocol import BlobPlace

if TYPE_CHECKING:
    from cormorant.frontier.queue.workbench import VisitTask
    from cormorant.model.content import Document, Extraction, VisitTrace
    from cormorant.model.outcome import Outcome
    from cormorant.model.resource import Resource
    from cormorant.sources.protocol import Source
    from cormorant.store.blobs.protocol import Cache
    from cormorant.store.blobs.record import Frame
    from cormorant.store.db.database import Store

    Reads = Callable[[Content, Source, VisitTrace], Awaitable[tuple[Content, Extraction] | Outcome]]

FACT = "missing"
"""The name of the fact: the time of the request (epoch seconds), a space, and the sketch of the response, if any."""
DAY_S = 86_400.0
KEPT_SHARE = 0.9
"""The share of its lines that a page keeps if a login form is all that is new on it."""
FORM_CHARACTERS = 2_000
"""Length of a page that has hardly more than its form, in characters."""
MOST_TITLES = 20_000
SEVERAL = 3
"""Consecutive pages with the same text and title: from then on, that text may be a soft 404."""
NEVER_READ = "It answers with a login page although a credential was offered."
LIKE_MISSING = "it says what the site says of addresses that do not exist"
STAYS = (
    "It says what the site says of addresses that do not exist. The older version stays until the next crawl agrees."
)
HTML = ("text/html", "application/xhtml+xml")
_PASSWORD = re.compile(rb"<input[^>]{0,500}type\s*=\s*[\"']?password", re.IGNORECASE)


class ReadContent(NamedTuple):
    """Result of reading a response, and the outcome of the visit if it is no soft error."""

    task: VisitTask
    content: Content
    said: Extraction
    outcome: Outcome

    @property
    def resource(self) -> Resource:
        """The visited resource."""
        return self.task.resource


class _Said(NamedTuple):
    """Last use of a page title: the resource, its text (None: unread), and how often in a row."""

    last: int
    words: int | None
    times: int


class Doubts:
    """Soft error detection of one retriever for the pages it reads.

    `copy` gives the cached copy of a document, None if there is none.
    """

    def __init__(self, copy: Callable[[int], Frame | None]) -> None:
        self._copy = copy
        self._titles: dict[int, _Said] = {}  # by hash of site and title: thousands of entries
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._sketches: dict[bytes, Sketch | None] = {}

    async def outcome(self, read: ReadContent, source: Source, reads: Reads, wire: VisitTrace) -> Outcome:
        """Return the outcome of a visit after checking it for soft errors.

        Unchanged pages and pages that exclude themselves from the index are not checked.
        """
        outcome, settings = read.outcome, source.settings
        if isinstance(outcome, Unchanged):
            return outcome
        if settings.doubts_logins and (held := self._login(read, wire)) is not None:
            return held
        document = outcome.document if isinstance(outcome, Ok) else None
        if document is None or not settings.doubts_missing or not read.resource.depth or document.mime not in HTML:
            return outcome
        return _gone(read) if await self._is_missing(read, document, source, reads, wire) else outcome

    def _login(self, read: ReadContent, wire: VisitTrace) -> Held | None:
        """Hold a login page in place of a document. A new one may be meant to be indexed, unless we logged in."""
        resource, content, said, outcome = read.resource, read.content, read.said, read.outcome
        at = outcome.target if isinstance(outcome, Moved) else content.address
        led_to = at != resource.address and is_login(at, resource.address)
        if not (said.login or led_to) or is_login(resource.address):
            return None
        if not resource.indexed:
            bare = led_to or len(said.text) <= FORM_CHARACTERS
            return Held(NEVER_READ) if isinstance(outcome, Ok) and wire.offered and bare else None
        copy = self._copy(resource.id)
        if copy is not None and (_was_login(copy) or _share(copy.text, said.text) >= KEPT_SHARE):
            return None
        return Held(IN_ITS_PLACE)

    async def _is_missing(
        self, read: ReadContent, document: Document, source: Source, reads: Reads, wire: VisitTrace
    ) -> bool:
        """Return whether a page is the one that the site shows for addresses that do not exist.

        Requests a random address if the page looks like one and no recent response is stored.
        """
        site = read.task.site
        known = site.facts.get(FACT)
        if known is not None and self._is_like(known, read, document):
            return True
        lately = known is not None and abs(read.content.at - _asked_at(known)) < DAY_S
        if lately or not self._suspected(read, document):
            return False
        async with self._asking.setdefault(site.key, asyncio.Lock()):
            if site.facts.get(FACT) is known:
                await _ask(read, source, reads, wire)
        found = site.facts.get(FACT)
        return found is not None and self._is_like(found, read, document)

    def _suspected(self, read: ReadContent, document: Document) -> bool:
        """Return whether a page says that it is missing, or has the same text as other pages before."""
        resource = read.resource
        headlines = read.said.attributes.get("Headline1")
        above = [document.title, *map(str, headlines[:2])] if isinstance(headlines, tuple) else [document.title]
        if soft_404.says_missing("\n".join(above), document.text):
            return True
        key = hash((read.task.site.key, document.title))
        before = self._titles.get(key)
        if before is None and len(self._titles) >= MOST_TITLES:
            self._titles.clear()
        if before is None:
            self._titles[key] = _Said(resource.id, None, 1)
            return False
        words = likeness(document.title, document.text, resource.address, figures=True)
        again = before.last != resource.id and before.words in (words, None)
        said = self._titles[key] = _Said(resource.id, words, before.times + 1 if again else 1)
        return said.times >= SEVERAL

    def _is_like(self, known: bytes, read: ReadContent, document: Document) -> bool:
        """Return whether a page is like the sketch stored in a fact. Computed only if their lengths are similar."""
        if known not in self._sketches:
            if len(self._sketches) >= 1_000:
                self._sketches.clear()
            self._sketches[known] = soft_404.unpack(known.partition(b" ")[2])
        there = self._sketches[known]
        if there is None or not soft_404.may_be_like(len(document.text), there):
            return False
        return soft_404.is_like(soft_404.sketch(document.title, document.text, read.resource.address), there)


def _gone(read: ReadContent) -> Outcome:
    """New: excluded as not found. Indexed: failed the first time, gone the second."""
    resource, status = read.resource, Status.SOFT_NOT_FOUND
    again = resource.status == status and resource.outcome in (OutcomeKind.FAILED, OutcomeKind.GONE)
    if again:
        return Gone(status)
    if resource.indexed:
        return Failed(status, STAYS)
    follow, unfollowed = (read.outcome.follow, read.outcome.unfollowed) if isinstance(read.outcome, Ok) else ((), ())
    ruling = Ruling(False, Gate.MISSING, LIKE_MISSING, status)
    return Excluded(ruling, status, follow, read.content, unfollowed)


def _asked_at(known: bytes) -> float:
    return float(known.partition(b" ")[0] or 0)


async def _ask(read: ReadContent, source: Source, reads: Reads, wire: VisitTrace) -> None:
    """Request a random address beside a page, and store the sketch of the response."""
    site, resource = read.task.site, read.resource
    folder, _, name = resource.address.partition("?")[0].rpartition("/")
    probe = resource._replace(
        address=f"{folder}/{random_token(12)}{_extension(name)}", role=Role.PROBE, etag="", modified="", validator="",
        content_hash=b"", text_hash=b"", before=b"", indexed=False, outcome=0, status=0, display="",
    )  # fmt: skip
    ruling = source.gates.visit(probe, site.facts)
    sketch = b""
    if isinstance(ruling, Ruling) and ruling.admitted:
        got = await source.fetch(probe, wire)
        found = await reads(got, source, wire) if isinstance(got, Content) else None
        if isinstance(found, tuple):
            sketch = soft_404.sketch(found[1].title, found[1].text, probe.address).pack()
    value = b"%.0f " % read.content.at + sketch
    site.learn(FACT, value, FOR_EVER)
    wire.shared.append((FACT, value, FOR_EVER))


def _extension(name: str) -> str:
    _, dot, extension = name.rpartition(".")
    return f".{extension}" if dot and extension.isalnum() and len(extension) <= 5 else ""


def _was_login(copy: Frame) -> bool:
    return _PASSWORD.search(copy.body) is not None or is_login(copy.access_url)


def _share(before: str, now: str) -> float:
    """The share of a text's lines that another text has too, by length."""
    lines = set(before.split("\n")) - {""}
    whole = sum(map(len, lines))
    return sum(map(len, lines & set(now.split("\n")))) / whole if whole else 0.0


def copies(store: Store, cache: Cache) -> Callable[[int], Frame | None]:
    """Return a function that gives the cached copy of a document by its number.

    It returns None for a copy that cannot be read.
    """

    def copy(number: int) -> Frame | None:
        with store.read() as tx:
            found = staged_versions.in_use(tx, [number]).get(number)
        if found is None:
            return None
        try:
            return cache.read(BlobPlace(*staged_versions.place_of(found)))
        except CacheDamaged:
            return None

    return copy
