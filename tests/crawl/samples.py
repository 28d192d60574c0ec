"""Samples for tests of crawl: a web source without a network, a task at a leased site, documents and visits."""

from __future__ import annotations

import hashlib

from cormorant.base.clock import SystemClock
from cormorant.crawl.commit.batch import Visited
from cormorant.crawl.link_filter import Screened
from cormorant.crawl.visit.visit import VisitResult
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.queue.workbench import HostState, VisitTask
from cormorant.model.acl import ACL, PUBLIC
from cormorant.model.content import Content, Document, PageLink, VisitTrace
from cormorant.model.outcome import Outcome, OutcomeKind
from cormorant.model.resource import Lease, Resource, Role
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource

SOURCE, RUN, AT = 3, 8, 100.5
NOTHING_FOUND = Screened([], [])
OLD_BODY, OLD_TEXT = hashlib.sha256(b"old body").digest(), hashlib.sha256(b"old text").digest()

NEVER_SEEN = Resource(
    7, SOURCE, 1, "https://a.example/7", Role.DOCUMENT, 2, 0, int(OutcomeKind.NONE), 0, "", "", "", b"", b"", 0,
    indexed=False,
)  # fmt: skip
INDEXED = NEVER_SEEN._replace(
    outcome=int(OutcomeKind.OK), status=200, etag='"1"', modified="Mon", content_hash=OLD_BODY, text_hash=OLD_TEXT,
    acl=1, indexed=True,
)  # fmt: skip


def web_source(**settings: object) -> WebSource:
    given = {"start": ["https://a.example/"], "robots": "ignore", **settings}
    return WebSource(SOURCE, WebSettings.model_validate(given), None, SystemClock())


def a_content(body: bytes = b"new body", etag: str = '"2"', acl: ACL | None = None) -> Content:
    return Content("https://a.example/7", body, "text/html", etag=etag, modified="Tue", acl=acl, validator="60")


def a_document(*links: str, body: bytes = b"new body", acl: ACL = PUBLIC) -> Document:
    return Document(
        "https://a.example/7", "https://a.example/7", "text/html", "en", "Title", "text", len(body),
        hashlib.sha256(body).digest(), hashlib.sha256(b"new text").digest(), acl,
        links=tuple(PageLink(each) for each in links),
    )  # fmt: skip


def visited(resource: Resource, outcome: Outcome, *, lists: bool = False, wire: VisitTrace | None = None) -> Visited:
    lease = Lease(resource.site, f"site-{resource.site}", 1, 1e12)
    task = VisitTask(resource, HostState(lease, {}, failures=2, requested_at=5.0, not_before=6.0))
    return Visited(
        VisitResult(task, outcome, wire or VisitTrace(), AT), fate(resource, outcome, VisitConditions(1, lists, AT))
    )
