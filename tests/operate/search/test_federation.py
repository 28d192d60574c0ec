"""Federated sources are asked beside the index: what of it a reader sees, and what a server's failures cost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.base.errors import IndexDamaged
from cormorant.model.acl import ANYONE, Reader
from cormorant.operate.installation import Installation
from cormorant.operate.search import federation as module, search
from cormorant.operate.search.circuit_breaker import FAILURES
from cormorant.operate.search.federation import Federation
from cormorant.operate.sources import secrets, sources
from cormorant.operate.sources.secrets import Opened
from cormorant.search.query.parser import parse
from cormorant.search.reader import Answer, Filters, GroupBy, Hit, Question, Sort
from tests.operate.folders import copied, crawled_once
from tests.sources.federated.test_source import ITEM, RSS, SearchServer, description
from tests.threaded import Asked, Said, running

TEXTS = {f"{number}.txt": f"tide table number {number}" for number in range(12)}
HR = Reader("hr", frozenset(("everyone", "group:hr")))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled_once(tmp_path_factory.mktemp("federated"), TEXTS)


@pytest.fixture
def house(crawled: Path, tmp_path: Path) -> Iterator[Installation]:
    plan: BuildPlan = copied(crawled, tmp_path)
    with opened(plan) as made:
        yield made


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with running(SearchServer()) as made:
        yield made


@pytest.fixture
def federation(house: Installation, server: SearchServer) -> Iterator[Federation]:
    """The source `far`, of which three results are wanted."""
    sources.add(house, "federated", "far", {"url": f"{server.origin}/os.xml", "most": 3})
    with closing(Federation(house, Opened(house))) as made:
        yield made


def asked(house: Installation, federation: Federation, question: Question | str, reader: Reader = ANYONE) -> Answer:
    wanted = Question(question) if isinstance(question, str) else question
    return search.search(house, wanted, reader, federation=federation)


def queries(server: SearchServer) -> list[str]:
    return [path.partition("q=")[2] for path in server.paths if path.startswith("/rss")]


def test_hits_stand_among_those_of_the_index_and_are_marked(house: Installation, federation: Federation) -> None:
    found = asked(house, federation, "tide")
    marks = [hit.source for hit in found.hits]
    assert marks == ["docs", "far", "docs", "far", "docs", "far", *["docs"] * 7]
    assert (found.total, found.reachable, found.own) == (12, 12, 10)
    far = [hit for hit in found.hits if hit.federated]
    assert [(hit.id, hit.title, hit.url) for hit in far] == [
        (-2, "Tide 0", "http://far.example/0"), (-3, "Tide 1", "http://far.example/1"), (-4, "Tide 2", "http://far.example/2"),
    ]  # fmt: skip
    assert [(each.source, each.hits, each.note) for each in found.federated] == [("far", 3, "")]
    assert found.notes == ()
    without = search.search(house, Question("tide"))
    assert [hit.id for hit in without.hits] == [hit.id for hit in found.hits if not hit.federated]


def test_text_from_outside_is_one_plain_line(house: Installation, federation: Federation, server: SearchServer) -> None:
    text = "<description>&lt;img src=x onerror=y&gt;the tide</description>"
    item = f"<item><title>Tide\u202e\nevil</title><link>http://far.example/</link>{text}</item>"
    server.answers["/rss"] = Said(200, f"<rss><channel>{item}</channel></rss>")
    hit = next(hit for hit in asked(house, federation, "tide").hits if hit.federated)
    assert (hit.title, hit.snippet, hit.highlights) == ("Tide evil", "the tide", ((4, 8),))


def test_a_reader_who_may_not_read_the_source_asks_nobody(
    house: Installation, federation: Federation, server: SearchServer
) -> None:
    server.answers["/rss"] = Said(500)
    sources.edit(house, "far", {"grants": "group:hr"})
    found = asked(house, federation, "tide")
    assert (server.paths, found.federated, found.notes, found.own) == ([], (), (), len(found.hits))
    assert federation.names(ANYONE) == ()
    assert asked(house, federation, "tide", HR).notes == ("far could not be searched.",)
    sources.edit(house, "far", {"grants": "", "denies": "group:hr"})
    assert asked(house, federation, "tide", HR).federated == ()
    assert federation.names(ANYONE) == ("far",)


@pytest.mark.parametrize(
    "question",
    [
        Question("tide", limit=0),
        Question("tide", offset=10),
        Question("tide", sort=Sort.NEWEST),
        Question("tide", group=GroupBy.SITE),
        Question("tide", sources=("docs",)),
        Question("tide", chosen=Filters(type=("pdf",))),
        Question("tide", chosen=Filters(since="2026")),
        Question("tide", federated=False),
        Question("*"),
        Question(""),
        Question("source:docs tide"),
        Question("-source:docs tide"),
        Question("title:tide"),
        Question("type:pdf tide"),
        Question("tide table~2"),
        Question("date:2026 tide"),
    ],
    ids=str,
)
def test_queries_that_a_server_could_not_answer_do_not_leave(
    house: Installation, federation: Federation, server: SearchServer, question: Question
) -> None:
    assert asked(house, federation, question).federated == ()
    assert server.paths == []


def test_suggestions_ask_nobody(house: Installation, federation: Federation, server: SearchServer) -> None:
    asked(house, federation, "tide")
    before = len(server.paths)
    search.suggested(search.library(house), "tid")
    assert len(server.paths) == before


@pytest.mark.parametrize("text", ['"tide table" -gauge', "tide AND table", "+tide ti*"])
def test_words_are_sent_as_they_were_typed(
    house: Installation, federation: Federation, server: SearchServer, text: str
) -> None:
    asked(house, federation, text)
    assert [unquote(each) for each in queries(server)] == [text]


def test_one_source_can_be_chosen(house: Installation, federation: Federation) -> None:
    found = asked(house, federation, Question("tide", sources=("far",)))
    assert [hit.source for hit in found.hits] == ["far"] * 3
    assert found.total == 0


def test_a_route_sends_what_is_for_the_server(
    house: Installation, federation: Federation, server: SearchServer
) -> None:
    sources.edit(house, "far", {"route": "cat"})
    assert asked(house, federation, "tide").federated == ()
    assert asked(house, federation, "cat tide").federated[0].hits == 3
    assert queries(server) == ["tide"]


def test_groups_of_sources_stand_behind_those_of_the_index(house: Installation, federation: Federation) -> None:
    sources.edit(house, "far", {"most": 5})
    found = asked(house, federation, Question("tide", group=GroupBy.SOURCE))
    assert [(each.value, each.total) for each in found.groups] == [("docs", 12), ("far", 5)]
    assert [hit.group for hit in found.hits] == ["docs"] * 3 + ["far"] * 3


def test_sources_with_hits_are_offered_to_be_chosen(house: Installation, federation: Federation) -> None:
    def offered(*chosen: str) -> list[tuple[str, int, bool]]:
        found = asked(house, federation, Question("tide", sources=chosen, facets=True)).facets
        return [
            (each.value, each.results, each.chosen)
            for facet in found
            if facet.name == "source"
            for each in facet.choices
        ]

    assert offered() == [("docs", 12, False), ("far", 3, False)]
    assert offered("far") == [("docs", 12, False), ("far", 3, True)]
    assert offered("docs") == [("docs", 12, True)]


def test_a_late_server_costs_no_hit_and_no_more_than_its_time(
    house: Installation, federation: Federation, server: SearchServer
) -> None:
    held = threading.Event()

    def late(_: Asked) -> Said:
        held.wait(20)
        return Said(200, RSS)

    server.answers["/rss"] = late
    sources.edit(house, "far", {"timeout_s": 0.4})
    try:
        found = asked(house, federation, "tide")
    finally:
        held.set()
    assert found.notes == ("far did not answer in 0.4 s.",)
    assert (found.own, len(found.hits), found.total) == (10, 10, 12)
    assert 400 <= found.took_ms < 5_000


def test_two_servers_are_asked_at_the_same_time(
    house: Installation, federation: Federation, server: SearchServer
) -> None:
    both = threading.Barrier(2, timeout=10)

    def together(_: Asked) -> Said:
        both.wait()
        return Said(200, RSS)

    server.answers["/rss"] = together
    with running(SearchServer()) as other:
        other.answers["/rss"] = together
        sources.edit(house, "far", {"timeout_s": 10})
        sources.add(house, "federated", "afar", {"url": f"{other.origin}/os.xml", "most": 2, "timeout_s": 10})
        found = asked(house, federation, "tide")
    assert [(each.source, each.hits, each.note) for each in found.federated] == [("afar", 2, ""), ("far", 3, "")]
    ids = [hit.id for hit in found.hits]
    assert len(set(ids)) == len(ids)
    urls = [hit.url for hit in found.hits if hit.federated]
    assert len(urls) == len(set(urls)) == 3


def test_a_server_that_keeps_failing_rests_and_comes_back(
    house: Installation, federation: Federation, server: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["/rss"] = Said(503)
    notes = [asked(house, federation, "tide").notes for _ in range(FAILURES)]
    assert notes == [("far could not be searched.",)] * FAILURES
    sent = len(queries(server))
    (note,) = asked(house, federation, "tide").notes
    assert note.startswith("far did not answer before, and is asked again in ")
    assert len(queries(server)) == sent == FAILURES
    server.answers["/rss"] = Said(200, RSS)
    (endpoint,) = federation._endpoints.values()
    monkeypatch.setattr(endpoint.breaker, "_until", 0.0)
    assert asked(house, federation, "tide").federated[0].hits == 3
    assert asked(house, federation, "tide").notes == ()


def test_an_edit_is_followed_at_once(house: Installation, federation: Federation, server: SearchServer) -> None:
    server.answers["/rss"] = Said(503)
    for _ in range(FAILURES):
        asked(house, federation, "tide")
    server.answers["/new"] = Said(200, RSS)
    server.answers["/os.xml"] = Said(200, description(server.origin, "/new?q={searchTerms}"))
    sources.edit(house, "far", {"most": 1})
    assert asked(house, federation, "tide").federated[0].hits == 1
    sources.delete(house, "far")
    assert asked(house, federation, "tide").federated == ()


def test_a_bug_in_a_source_costs_no_hit(
    house: Installation, federation: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("cormorant.sources.federated.source.parse_answer_of_feed", broken)
    found = asked(house, federation, "tide")
    assert (found.notes, found.own) == (("far could not be searched.",), 10)


def test_a_broken_index_is_told_and_nothing_is_waited_for(
    house: Installation, federation: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = search.library(house)

    def damaged(*_: object) -> Answer:
        raise IndexDamaged("It is damaged.")

    monkeypatch.setattr(type(shelf), "find", damaged)
    with pytest.raises(IndexDamaged):
        search.search(house, Question("tide"), shelf=shelf, federation=federation)


def test_no_secret_reaches_the_log(
    house: Installation, federation: Federation, server: SearchServer, caplog: pytest.LogCaptureFixture
) -> None:
    secrets.add(house, "far", "s3cret-of-far")
    sources.edit(house, "far", {"token": "secret:far"})
    server.answers["/rss"] = Said(401)
    found = asked(house, federation, "tide")
    assert server.asked[-1].fields["authorization"] == "Bearer s3cret-of-far"
    assert found.notes == ("far could not be searched.",)
    told = [vars(record) for record in caplog.records if record.message == "federated_failed"]
    assert [(each["source"], each["status"], each["reason"]) for each in told] == [
        ("far", 401, "The server refuses the token.")
    ]
    assert "s3cret" not in str(told) + caplog.text


def test_an_address_that_both_have_is_one_own_hit() -> None:
    own = [
        Hit(number, f"http://a.example/{number}", "", "", (), 1.0, "web", "", "", 0, None, cached=True, duplicates=0)
        for number in (1, 2, 3)
    ]
    twin = replace(own[2], id=9)
    far = [replace(own[2], id=-2, federated=True), replace(own[0], id=-3, url="http://b.example/", federated=True)]
    answer = Answer(4, 4, 1.0, parse("x").understood, (*own, twin))
    assert [hit.id for hit in module._fused(answer, [far]).hits] == [3, 1, 2, -3, 9]
    assert module._fused(answer, [[]]) is answer


def test_an_item_is_what_the_tests_take_it_for() -> None:
    assert ITEM.format(0) in RSS
