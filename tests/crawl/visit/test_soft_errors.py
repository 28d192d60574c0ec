"""What is doubted of an answer, and what is asked to be sure?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from cormorant.base.clock import SystemClock
from cormorant.base.profiling import unmeasured
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.soft_errors import DAY_S, FACT, Doubts
from cormorant.crawl.visit.visit import VisitResult, visit
from cormorant.frontier.queue.workbench import HostState, VisitTask
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Failed, Gone, Outcome, OutcomeKind
from cormorant.model.resource import Lease, Resource
from cormorant.sandbox.client import ChildPool
from cormorant.sources.web.source import WebSource
from cormorant.store.blobs.record import Frame
from tests.crawl.samples import INDEXED, NEVER_SEEN, a_content, web_source

LOST = b"<title>Sorry</title><p>404: there is no such page. You may be looking for one of the many others "
LOST += b"that we have here: roses, lilies, tulips, asters, violets and lavender."
HONEST = b"<title>Roses</title><p>How to plant roses in a garden of your own."
LOGIN = b"<title>Hello</title><form><input type=password></form>"
NOW = 1_000_000.0


class Site:
    """A site whose addresses answer so; what nobody has made answers with `lost`."""

    def __init__(self, lost: bytes | Outcome = LOST) -> None:
        self.pages: dict[str, bytes] = {}
        self.lost, self.asked, self.now = lost, list[str](), NOW
        self.work = HostState(Lease(1, "a.example", 1, 1e12), {})

    async def fetch(self, _source: object, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        wire.requests += 1
        self.asked.append(resource.address)
        await asyncio.sleep(0)
        body = self.pages.get(resource.address, self.lost)
        return replace(a_content(body), address=resource.address, at=self.now) if isinstance(body, bytes) else body

    @property
    def probes(self) -> list[str]:
        return [each for each in self.asked if each not in self.pages]


Visit = Callable[..., Awaitable[VisitResult]]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    made = Site()

    async def fetch(source: WebSource, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        return await made.fetch(source, resource, wire)

    monkeypatch.setattr(WebSource, "fetch", fetch)
    return made


def visits(site: Site, *resources: Resource, copy: Frame | None = None, **settings: object) -> list[VisitResult]:
    """Visit these at once with one retriever."""
    reader = Converter(ChildPool({}), unmeasured, doubts=Doubts(lambda _: copy))
    source = web_source(**settings)

    async def all_of_them() -> list[VisitResult]:
        tasks = [visit(VisitTask(each, site.work), source, reader, SystemClock()) for each in resources]
        return [each for each in await asyncio.gather(*tasks) if isinstance(each, VisitResult)]

    return asyncio.run(all_of_them())


def page(number: int, known: Resource = NEVER_SEEN) -> Resource:
    return known._replace(id=number, address=f"https://a.example/flowers/{number}.html")


def put(site: Site, body: bytes, *resources: Resource) -> None:
    site.pages |= {each.address: body for each in resources}


def test_pages_that_look_missing_are_compared_with_one_that_is_asked_for_once(site: Site) -> None:
    lost = [page(number) for number in range(1, 5)]
    put(site, LOST, *lost)
    reports = visits(site, *lost)
    assert [each.outcome.status for each in reports] == [978] * 4
    assert len(site.probes) == 1
    assert site.probes[0].startswith("https://a.example/flowers/")
    assert site.probes[0].endswith(".html")
    assert sum(each.wire.requests for each in reports) == 5
    assert [name for each in reports for name, _, _ in each.wire.shared] == [FACT]


@pytest.mark.parametrize("answer", [Gone(404), Failed(500, "no"), HONEST, b"", LOGIN])
def test_a_site_that_answers_otherwise_is_believed_for_a_day(site: Site, answer: bytes | Outcome) -> None:
    site.lost = answer
    put(site, LOST, page(1), page(2), page(3))
    assert [each.outcome.status for each in visits(site, page(1))] == [200]
    site.now += DAY_S - 1
    assert [each.outcome.status for each in visits(site, page(2))] == [200]
    assert len(site.probes) == 1
    site.now, site.lost = site.now + 2, LOST
    assert [each.outcome.status for each in visits(site, page(3))] == [978]
    assert len(site.probes) == 2


def test_what_was_asked_on_a_day_to_come_was_asked_long_ago(site: Site) -> None:
    site.lost = HONEST
    put(site, LOST, page(1), page(2))
    visits(site, page(1))
    site.now, site.lost = site.now - 400 * DAY_S, LOST
    assert [each.outcome.status for each in visits(site, page(2))] == [978]


def test_what_is_known_is_enough_however_old(site: Site) -> None:
    put(site, LOST, page(1), page(2))
    visits(site, page(1))
    site.now += 30 * DAY_S
    assert [each.outcome.status for each in visits(site, page(2))] == [978]
    assert len(site.probes) == 1


def test_honest_pages_and_starts_raise_no_question(site: Site) -> None:
    put(site, HONEST, page(1))
    put(site, LOST, page(2), page(3))
    assert visits(site, page(1))[0].outcome.status == 200
    assert visits(site, page(2)._replace(depth=0))[0].outcome.status == 200
    assert visits(site, page(3), missing_pages="believe")[0].outcome.status == 200
    assert not site.probes


def test_three_addresses_with_one_text_raise_it(site: Site) -> None:
    same = b"<title>Shop</title><p>" + b"It is a pity. " * 20
    site.lost = same
    pages = [page(number) for number in range(1, 5)]
    put(site, same, *pages)
    assert [each.outcome.status for each in visits(site, *pages)] == [200, 200, 978, 978]
    assert len(site.probes) == 1


def test_a_document_is_gone_the_second_time(site: Site) -> None:
    put(site, LOST, page(1))
    first = visits(site, page(1, INDEXED))[0].outcome
    assert (first.kind, first.status) == (OutcomeKind.FAILED, 978)
    again = page(1, INDEXED._replace(outcome=int(OutcomeKind.FAILED), status=978))
    assert visits(site, again)[0].outcome == Gone(978)
    gone = again._replace(outcome=int(OutcomeKind.GONE), indexed=False)
    assert visits(site, gone)[0].outcome == Gone(978)


def copy_of(body: bytes, text: str, access_url: str = "https://a.example/flowers/1.html") -> Frame:
    return Frame("https://a.example/7", access_url, "text/html", "HTTP/1.1 200", b"", body, text)


@pytest.mark.parametrize(
    ("copy", "kind"),
    [
        (copy_of(HONEST, "How to plant roses"), OutcomeKind.HELD),
        (None, OutcomeKind.HELD),
        (copy_of(b'<INPUT name=p TYPE = "password">', "Log in"), OutcomeKind.OK),
        (copy_of(HONEST, "How to", "https://a.example/login"), OutcomeKind.OK),
    ],
)
def test_a_login_page_takes_no_document_s_place(site: Site, copy: Frame | None, kind: OutcomeKind) -> None:
    for body in (LOGIN, b"<meta name=robots content=noindex>" + LOGIN):
        put(site, body, page(1))
        (report,) = visits(site, page(1, INDEXED), copy=copy)
        excluded = kind is OutcomeKind.OK and body is not LOGIN
        assert report.outcome.kind is (OutcomeKind.EXCLUDED if excluded else kind)
    put(site, b"<meta http-equiv=refresh content='0; url=/login'>", page(1))
    moved = OutcomeKind.HELD if kind is OutcomeKind.HELD else OutcomeKind.MOVED
    assert visits(site, page(1, INDEXED), copy=copy)[0].outcome.kind is moved
    assert visits(site, page(1, INDEXED), copy=copy, login_pages="index")[0].outcome.kind is OutcomeKind.MOVED
