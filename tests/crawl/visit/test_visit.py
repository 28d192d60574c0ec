"""What does a visit end as, and what is counted of it?"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os

import pytest
from msgspec.structs import replace
from sqlalchemy.exc import OperationalError

from cormorant.base.clock import SystemClock
from cormorant.base.errors import Unreachable
from cormorant.base.profiling import unmeasured
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.visit import Blocked, VisitResult, visit
from cormorant.frontier.queue.workbench import HostState, VisitTask
from cormorant.model.acl import ACL
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Moved, Ok, Outcome, OutcomeKind, Unchanged
from cormorant.model.resource import Lease, Resource
from cormorant.model.ruling import ADMITTED, Ruling
from cormorant.net.http.messages import Response as HTTPAnswer
from cormorant.sandbox import Answer, ServerGone, TaskFailed
from cormorant.sandbox.client import ChildPool
from cormorant.sources.web.filters import WebGates
from cormorant.sources.web.response import content_of
from cormorant.sources.web.source import WebSource
from tests.crawl.samples import INDEXED, NEVER_SEEN, a_content, web_source


def made(
    resource: Resource, got: Content | Outcome | BaseException, monkeypatch: pytest.MonkeyPatch, **settings: object
) -> VisitResult | Blocked:
    """Visit a resource whose source, which has these settings, answers so."""

    async def fetch(_self: WebSource, _resource: Resource, wire: VisitTrace) -> Content | Outcome:
        wire.requests += 1
        if isinstance(got, BaseException):
            raise got
        return got

    monkeypatch.setattr(WebSource, "fetch", fetch)
    task = VisitTask(resource, HostState(Lease(1, "a.example", 1, 1e12), {}))
    reader = Converter(ChildPool({}), unmeasured)
    return asyncio.run(visit(task, web_source(**settings), reader, SystemClock()))


def test_what_nobody_foresaw_costs_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    report = made(NEVER_SEEN, ZeroDivisionError("in a plug-in"), monkeypatch)
    assert isinstance(report, VisitResult)
    assert isinstance(report.outcome, Failed)
    assert report.outcome.status == 903
    assert report.outcome.reason.endswith("ZeroDivisionError: in a plug-in")
    assert report.wire.requests == 1
    assert "ZeroDivisionError: in a plug-in" in caplog.text, "with where it happened"
    assert not capsys.readouterr().err


@pytest.mark.parametrize("error", [ServerGone("the converters"), asyncio.CancelledError()])
def test_what_is_ours_to_mend_is_not_the_document_s_fault(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(type(error)):
        made(NEVER_SEEN, error, monkeypatch)


def test_a_database_that_fails_is_no_fault_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    away = Unreachable("The database has no connection free.")
    away.__cause__ = OperationalError("SELECT 1", {}, OSError())
    with pytest.raises(Unreachable):
        made(NEVER_SEEN, away, monkeypatch)
    got = made(NEVER_SEEN, Unreachable("A server of a plug-in is away."), monkeypatch)
    assert isinstance(got, VisitResult)
    assert got.outcome.status == 903


@pytest.mark.parametrize(
    ("refresh", "kind"),
    [("0; url=/8", OutcomeKind.MOVED), ("0; url=/7?PHPSESSID=1f2e3d4c5b6a79881f2e3d4c", OutcomeKind.OK),
     ("300; url=/7", OutcomeKind.OK), ("0; url=/7?page=2", OutcomeKind.MOVED)],
)  # fmt: skip
def test_a_page_that_refreshes_to_itself_stays(
    refresh: str, kind: OutcomeKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = a_content(f'<meta http-equiv="refresh" content="{refresh}"><p>words'.encode())
    report = made(NEVER_SEEN, page, monkeypatch)
    assert isinstance(report, VisitResult)
    assert report.outcome.kind is kind
    elsewhere = made(NEVER_SEEN, replace(page, address="https://a.example/after-a-redirect"), monkeypatch)
    assert isinstance(elsewhere, VisitResult)
    assert elsewhere.outcome.kind is kind


def test_the_same_bytes_are_unchanged_unless_a_header_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    content = a_content(b"<title>t</title><p>the same")
    known = INDEXED._replace(content_hash=hashlib.sha256(content.body).digest())
    report = made(known, content, monkeypatch)
    assert isinstance(report, VisitResult)
    assert isinstance(report.outcome, Unchanged)
    forbidden = Content(content.address, content.body, content.mime, directives=("noindex",))
    report = made(known, forbidden, monkeypatch)
    assert isinstance(report, VisitResult)
    assert isinstance(report.outcome, Excluded)
    assert report.outcome.status == 971


@pytest.mark.parametrize("body", [b"", b" \n", b"<html><body></body></html>"])
def test_a_document_that_shrank_to_nothing_is_believed_the_second_time(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(INDEXED, a_content(body), monkeypatch)
    assert isinstance(first, VisitResult)
    assert isinstance(first.outcome, Failed)
    assert first.outcome.status == 911
    known = INDEXED._replace(outcome=int(OutcomeKind.FAILED), status=911)
    second = made(known, a_content(body), monkeypatch)
    assert isinstance(second, VisitResult)
    assert isinstance(second.outcome, Ok)
    assert second.outcome.document is not None
    assert (second.outcome.document.title, second.outcome.document.text) == ("7", "")


def test_a_name_is_the_same_however_its_address_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = HTTPAnswer(200, "HTTP/1.1 200 OK", b"Content-Type: text/html\r\n", b"", 0)
    report = made(INDEXED, content_of(said, "https://a.example/J%C3%A4ger.html", "", 0.0), monkeypatch)
    assert isinstance(report, VisitResult)
    assert report.outcome.status == 911, "it shrank to nothing but its name"


def test_a_document_that_has_always_been_empty_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(NEVER_SEEN, a_content(b""), monkeypatch)
    assert isinstance(first, VisitResult)
    assert isinstance(first.outcome, Ok)
    assert first.outcome.document is not None
    known = INDEXED._replace(text_hash=first.outcome.document.text_hash)
    again = made(known, a_content(b"\n\n"), monkeypatch)
    assert isinstance(again, VisitResult)
    assert isinstance(again.outcome, Unchanged)
    forced = made(known._replace(text_hash=b"", before=known.text_hash), a_content(b""), monkeypatch)
    assert isinstance(forced, VisitResult)
    assert isinstance(forced.outcome, Ok)


@pytest.mark.parametrize(
    ("body", "directives", "follow", "unfollowed"),
    [
        (b"<a href=/a rel=nofollow>a</a><a href=/b>b</a>", (), ["/b"], ["/a"]),
        (b"<a href=/a rel=nofollower>a</a><a href=/b rel='external NOFOLLOW'>b</a>", (), ["/a"], ["/b"]),
        (b"<meta name=robots content='nofollower, nonone'><a href=/a>a</a>", (), ["/a"], []),
        (b"<meta name=robots content='max-snippet:-1 nofollow'><a href=/a>a</a>", (), [], ["/a"]),
        (b"<meta name=robots content=nofollow><a href=/a>a</a>", (), [], ["/a"]),
        (b"<a href=/a>a</a><a href=/b>b</a>", ("nofollow",), [], ["/a", "/b"]),
        (b"<a href=/a>a</a>", ("none",), [], ["/a"]),
        (b"<a href=/a>a</a>", (), ["/a"], []),
    ],
)
def test_links_marked_nofollow_are_distinguished(
    body: bytes, directives: tuple[str, ...], follow: list[str], unfollowed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Content("https://a.example/7", b"<title>t</title><p>text" + body, "text/html", directives=directives)
    report = made(NEVER_SEEN, content, monkeypatch)
    assert isinstance(report, VisitResult)
    assert isinstance(report.outcome, Ok | Excluded)
    paths = [[link.address.removeprefix("https://a.example") for link in each] for each in (
        report.outcome.follow, report.outcome.unfollowed,
    )]  # fmt: skip
    assert paths == [follow, unfollowed]


STAFF = ACL.of(["group:staff"])


@pytest.mark.parametrize("whose", ["the document's", "the source's"])
@pytest.mark.parametrize(
    ("body", "mime", "status"),
    [
        (b"%PDF-1.7", "application/pdf", 903),
        (b"", "text/plain", 911),
        (b"<p>text", "text/x-fault", 903),
        (b"\x7fELF\0\0\0", "application/octet-stream", 1001),
        (b"<meta http-equiv=refresh content='0;url=/8'>", "text/html", 953),
        (b"<meta name=robots content=noindex><p>text", "text/html", 971),
    ],
)
def test_rights_hold_whatever_became_of_the_text_they_came_with(
    body: bytes, mime: str, status: int, whose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that was read before may be found still, by those who might read it then."""

    async def run(_self: ChildPool, _task: str, *_payload: bytes) -> Answer:
        return TaskFailed("it gave up")

    def read(_gates: WebGates, content: Content) -> Ruling:
        if content.mime == "text/x-fault":
            raise ZeroDivisionError("in a plug-in")
        return ADMITTED

    monkeypatch.setattr(ChildPool, "run", run)
    monkeypatch.setattr(WebGates, "read", read)
    own = STAFF if whose == "the document's" else None
    grants = () if own else ("group:staff",)
    report = made(INDEXED, Content("https://a.example/7", body, mime, acl=own), monkeypatch, grants=grants)
    assert isinstance(report, VisitResult)
    assert isinstance(report.outcome, Failed | Moved | Excluded)
    assert (report.outcome.status, report.outcome.acl) == (status, STAFF)


@pytest.mark.parametrize(("mime", "body", "children"), [("text/html", b"<p>a", 0), ("application/pdf", b"%PDF-1.7", 1)])
def test_what_a_child_reads_is_a_conversion(
    mime: str, body: bytes, children: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(_self: ChildPool, _task: str, *_payload: bytes) -> Answer:
        return TaskFailed("it gave up")

    monkeypatch.setattr(ChildPool, "run", run)
    report = made(NEVER_SEEN, Content("https://a.example/7", body, mime), monkeypatch)
    assert isinstance(report, VisitResult)
    assert report.wire.conversions == children
    assert (report.outcome.status == 903) == bool(children)


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ENFILE])
def test_what_fails_for_want_of_files_is_put_off(error: int, monkeypatch: pytest.MonkeyPatch) -> None:
    report = made(INDEXED, OSError(error, os.strerror(error)), monkeypatch)
    assert isinstance(report, VisitResult)
    assert isinstance(report.outcome, Deferred)
    assert (report.outcome.status, report.lack) == (904, report.outcome.lack)
    assert report.lack is not None
    other = made(INDEXED, OSError(errno.EIO, ""), monkeypatch)
    assert isinstance(other, VisitResult)
    assert other.lack is None
