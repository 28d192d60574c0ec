"""Reconversion: a newer reader reads a document from its cached copy, and no request is sent.

    cached copy -> read -> Ok: a Reconversion          its text, title and attributes are replaced
        |           |----> Deferred                    it is tried again later
        `-----------`----> anything else: its reason   the next crawl visits it, and may ask its source

Gates, links and members are left to crawls: no document is excluded or discovered here.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from cormorant.base.errors import CacheDamaged
from cormorant.crawl import url_rewriting
from cormorant.crawl.visit.convert import Converter, says_nothing
from cormorant.crawl.visit.visit import bounded
from cormorant.frontier.policy.transition import reason_of
from cormorant.model.content import Content, Document, VisitTrace
from cormorant.model.member import member_address
from cormorant.model.outcome import Deferred, Ok, Outcome
from cormorant.model.resource import Resource
from cormorant.model.status import Status
from cormorant.sources.protocol import Source
from cormorant.store.blobs.protocol import OutOfSight

NO_COPY = "its kept copy cannot be read, or does not hold all that its source said"
FELL_SILENT = "it is empty, and was not"
IS_COPY = "it calls itself a copy of another page"


class Reconversion(NamedTuple):
    """A reread document, and its members as address -> version."""

    resource: Resource
    outcome: Ok
    document: Document
    members: dict[str, str]

    @property
    def says_the_same(self) -> bool:
        """Return whether the text is unchanged."""
        return self.document.text_hash == self.resource.before


async def reconvert(resource: Resource, source: Source, reader: Converter) -> Reconversion | Deferred | str:
    """Read a document from its cached copy, or return why a crawl has to.

    Raises OutOfSight for a copy that cannot be read now, and ServerGone.
    """
    try:
        content = reader.kept(resource)
    except OutOfSight:
        raise
    except CacheDamaged:
        content = None
    if content is None:
        return NO_COPY
    outcome = await bounded(resource, _read(resource, content, source, reader))
    if isinstance(outcome, Deferred):
        return outcome
    if not isinstance(outcome, Ok) or outcome.document is None:
        return f"{outcome.status} {reason_of(outcome) or outcome.kind.name.lower()}"
    document = outcome.document
    if document.original:
        return IS_COPY
    if says_nothing(document, content) and document.text_hash != resource.before and resource.status != Status.EMPTY:
        return FELL_SILENT
    members = {member_address(resource.address, each.path): each.version for each in outcome.members or ()}
    return Reconversion(resource, outcome, document, members)


async def _read(resource: Resource, content: Content, source: Source, reader: Converter) -> Outcome:
    """Return the outcome that a visit would have with the cached copy."""
    read = await reader.read(content, source, VisitTrace())
    if not isinstance(read, tuple):
        return read
    found, said = read
    content_hash = hashlib.sha256(found.body).digest()
    outcome = reader.outcome(source, resource, found, said, content_hash)
    outcome = await reader.with_members(outcome, found, content_hash, source, embeds=said.embeds)
    return url_rewriting.named(outcome, source.rename)
