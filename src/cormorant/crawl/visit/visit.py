"""One visit: check the gates, fetch, read, judge. It has exactly one outcome.

taken down? --yes--> Excluded
gates.visit --no--> Excluded        --first robots.txt--> Blocked
    `-- yes --> source.fetch --answer is an outcome--> that
                    `-- Content --> same bytes? Unchanged --> read --> same text? Unchanged --> believed? Ok
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from cormorant.base.clock import Clock
from cormorant.base.errors import CacheDamaged
from cormorant.base.exhaustion import Shortage, of_files
from cormorant.base.log import logger
from cormorant.base.secret_masking import fault
from cormorant.crawl.visit.change_detection import BY_TEXT
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.soft_errors import ReadContent
from cormorant.frontier.queue.workbench import VisitTask
from cormorant.frontier.traps import detector
from cormorant.model.content import Content, VisitTrace
from cormorant.model.member import is_member
from cormorant.model.other_hosts import Beside
from cormorant.model.outcome import Deferred, Excluded, Failed, Outcome, Unchanged, with_rights
from cormorant.model.resource import Resource, Role
from cormorant.model.ruling import Prerequisite, Ruling
from cormorant.sandbox import ServerGone
from cormorant.sources.protocol import Source
from cormorant.store.db.database import is_of_database

_log = logger(__name__)
R = TypeVar("R")


class VisitResult(NamedTuple):
    """Result of a visit: its outcome, its cost, and when it ended (epoch seconds)."""

    task: VisitTask
    outcome: Outcome
    wire: VisitTrace
    at: float

    @property
    def lack(self) -> Shortage | None:
        """Resource shortage of this process that prevented the visit; None if there was none."""
        return self.outcome.lack if isinstance(self.outcome, Deferred) else None


class Blocked(NamedTuple):
    """The visit must wait for another one."""

    task: VisitTask
    prerequisite: Prerequisite


def _nothing_barred(resource: Resource) -> Ruling | None:  # noqa: ARG001 - the shape of a takedown watch
    return None


async def visit(
    task: VisitTask,
    source: Source,
    reader: Converter,
    clock: Clock,
    others: Beside | None = None,
    barred: Callable[[Resource], Ruling | None] = _nothing_barred,
) -> VisitResult | Blocked:
    """Make one visit, unless the resource is `barred` by a takedown.

    Raises ServerGone, and the errors of a database that fails. Any other unexpected error fails this document alone.
    """
    wire = VisitTrace(sent=task.sender(clock, others), site=task.site.key, facts=task.site.facts, beside=others)
    got: Content | Outcome | Blocked | None = None

    async def ended() -> Outcome | Blocked:
        nonlocal got
        taken_down = barred(task.resource)
        got = Excluded(taken_down, taken_down.status) if taken_down else await _asked(task, source, reader, wire, clock)
        return await _judge(task, source, got, reader, wire) if isinstance(got, Content) else got

    outcome = await bounded(task.resource, ended())
    if isinstance(outcome, Blocked):
        return outcome
    entitled = with_rights(outcome, got.acl or source.settings.acl) if isinstance(got, Content) else outcome
    return VisitResult(task.read_as(entitled), entitled, wire, clock.now())


async def bounded(resource: Resource, ending: Awaitable[R]) -> R | Failed | Deferred:
    """Return the outcome of reading a resource; an unexpected error fails this resource alone.

    Raises ServerGone, and the errors of a database that fails: then the process waits for it and visits again.
    """
    try:
        return await ending
    except ServerGone:
        raise  # the server of the converters is gone: its parent restarts it
    except Exception as error:
        if is_of_database(error):
            raise
        lack = of_files(error)
        _log.exception("fault", extra={"source": resource.source, "address": resource.address})
        return Failed(903, fault(error)) if lack is None else Deferred(904, lack.said, lack=lack)


async def _asked(
    task: VisitTask, source: Source, reader: Converter, wire: VisitTrace, clock: Clock
) -> Content | Outcome | Blocked:
    """Fetch the resource, unless a gate refuses; a member is read from its container's copy."""
    if is_member(task.resource.address):
        return await reader.member(task.resource)
    if task.resource.role is not Role.ROBOTS:
        ruling = source.gates.visit(task.resource, task.site.facts)
        if isinstance(ruling, Prerequisite):
            return Blocked(task, ruling)
        if not ruling.admitted:
            return Excluded(ruling, ruling.status)
    stopped = detector.stopped(task.site.watches, task.resource, clock.now())
    return stopped or await _fetched(task.resource, source, reader, wire)


async def _fetched(resource: Resource, source: Source, reader: Converter, wire: VisitTrace) -> Content | Outcome:
    """Fetch from the source. A document to be renewed that is unchanged there is read from its cached copy."""
    got = await source.fetch(resource, wire)
    if not resource.renewed or not isinstance(got, Unchanged) or got.content is not None:
        return got
    try:
        kept = reader.kept(resource)
    except CacheDamaged:
        kept = None
    return kept or await source.fetch(resource._replace(etag="", modified=""), wire)


async def _judge(task: VisitTask, source: Source, content: Content, reader: Converter, wire: VisitTrace) -> Outcome:
    """Decide the outcome of a response for the resource."""
    resource = task.resource
    if resource.role is not Role.DOCUMENT or content.lists:
        return await reader.read_other(content, resource.role, wire)
    content_hash = hashlib.sha256(content.body).digest()
    by_text = source.settings.modified_by == BY_TEXT
    if resource.indexed and by_text and content_hash == resource.content_hash and not content.says_beside:
        return Unchanged(200, content)
    read = await reader.read(content, source, wire)
    if not isinstance(read, tuple):
        return read
    content, said = read
    outcome = reader.outcome(source, resource, content, said, content_hash)
    outcome = await reader.believed(ReadContent(task, content, said, outcome), source, wire)
    return await reader.with_members(outcome, content, content_hash, source, embeds=said.embeds)
