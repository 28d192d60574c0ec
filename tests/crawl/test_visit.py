"""What does a visit end as when something happens that nobody foresaw?"""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.steps import unmeasured
from cormorant.crawl.reading import Reader
from cormorant.crawl.visit import Blocked, Report, visit
from cormorant.frontier.desk import SiteWork, Task
from cormorant.limits import ChildPool, ServerGone
from cormorant.model.content import Content, Wire
from cormorant.model.outcome import Excluded, Failed, Outcome, Unchanged
from cormorant.model.resource import Lease, Resource
from cormorant.sources.web.source import WebSource
from tests.crawl.samples import INDEXED, NEVER_SEEN, a_content, web_source


def made(
    resource: Resource, got: Content | Outcome | BaseException, monkeypatch: pytest.MonkeyPatch
) -> Report | Blocked:
    """Visit a resource whose source answers so."""

    async def fetch(_self: WebSource, _resource: Resource, wire: Wire) -> Content | Outcome:
        wire.requests += 1
        if isinstance(got, BaseException):
            raise got
        return got

    monkeypatch.setattr(WebSource, "fetch", fetch)
    task = Task(resource, SiteWork(Lease(1, "a.example", 1, 1e12), {}))
    reader = Reader(ChildPool("/nowhere"), unmeasured)
    return asyncio.run(visit(task, web_source(), reader, SystemClock()))


def test_what_nobody_foresaw_costs_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = made(NEVER_SEEN, ZeroDivisionError("in a plug-in"), monkeypatch)
    assert isinstance(report, Report)
    assert isinstance(report.outcome, Failed)
    assert report.outcome.status == 903
    assert report.outcome.reason.endswith("ZeroDivisionError: in a plug-in")
    assert report.wire.requests == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ServerGone("the converters"), asyncio.CancelledError()])
def test_what_is_ours_to_mend_is_not_the_document_s_fault(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(type(error)):
        made(NEVER_SEEN, error, monkeypatch)


def test_the_same_bytes_are_unchanged_unless_a_header_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    content = a_content(b"<title>t</title><p>the same")
    known = INDEXED._replace(content_hash=hashlib.sha256(content.body).digest())
    report = made(known, content, monkeypatch)
    assert isinstance(report, Report)
    assert isinstance(report.outcome, Unchanged)
    forbidden = Content(content.address, content.body, content.mime, directives=("noindex",))
    report = made(known, forbidden, monkeypatch)
    assert isinstance(report, Report)
    assert isinstance(report.outcome, Excluded)
    assert report.outcome.status == 971
