"""Records of searches, and who may read them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request
from pydantic import TypeAdapter

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.base import secret_masking
from cormorant.base.errors import Unreachable
from cormorant.model.schedule.timezones import wall_time
from cormorant.operate.installation import Installation
from cormorant.operate.records.queries import CountedQueries, Queries, Query
from cormorant.operate.search import query_log, search
from cormorant.operate.search.query_log import Face
from cormorant.search.reader import Question
from cormorant.web import app, query_recorder
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.security.authorization import Audience
from cormorant.web.security.request_guard import RequestGuard
from tests.cli.world import InstalledCli
from tests.clocks import HANG_S, until
from tests.web.visiting import Caller


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a few documents."""
    base = tmp_path_factory.mktemp("asked")
    (base / "birds").mkdir()
    for name, text in {"one": "plover and dunlin", "two": "plover and knot", "three": "a knot alone"}.items():
        (base / "birds" / f"{name}.txt").write_text(text)
    home = InstalledCli(base / "data")
    home.fine("source", "add", "files", "birds", "--set", f"path={base / 'birds'}")
    home.fine("crawl")
    return home.folder


@pytest.fixture
def house(folder: Path) -> Iterator[Installation]:
    with opened(BuildPlan(folder, Settings())) as made:
        with made.store.begin() as tx:
            tx.driver("DELETE FROM query")
            tx.driver("DELETE FROM click")
        yield made


@pytest.fixture
def noted(house: Installation) -> Iterator[QueryRecorder]:
    made = QueryRecorder(house)
    yield made
    made.flush()


@pytest.fixture
def reader(house: Installation, noted: QueryRecorder) -> Caller:
    """A client from another machine."""
    return Caller(app.make(house, (), Audience.PUBLIC, noted))


def recorded(house: Installation, noted: QueryRecorder) -> list[Query]:
    noted.flush()
    return query_log.listed(house)


def pings(body: str) -> list[str]:
    return re.findall(r'<h2><a href="[^"]+" ping="([^"]+)"', body)


def test_a_search_is_noted_without_who_asked(reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    reader.get("/search?q=Plover++knot&page=1")
    reader.get("/api/v1/search?q=zeppelin&source=birds")
    reader.get("/api/v1/suggest?q=plo")
    newest, oldest = recorded(house, noted)
    TypeAdapter(Query).validate_python(oldest)
    assert (oldest["text"], oldest["understood"], oldest["total"], oldest["page"]) == (
        "Plover  knot",
        "Plover knot",
        3,
        1,
    )
    assert (oldest["who"], oldest["face"], oldest["sources"]) == ("anonymous", "page", [])
    assert (newest["text"], newest["total"], newest["face"], newest["sources"]) == ("zeppelin", 0, "api", ["birds"])
    assert "192.0.2.1" not in str((newest, oldest))


def test_a_search_of_a_signed_in_reader_is_marked(reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    from cormorant.operate.system import tokens

    token = tokens.add(house, "grace")["value"]
    reader.get("/search?q=plover", authorization=f"Bearer {token}")
    (row,) = recorded(house, noted)
    assert row["who"] == "signed in"
    assert "grace" not in str(row)
    tokens.delete(house, "grace")


def test_secrets_are_not_noted(reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    secret_masking.hide("opensesame-4711")
    reader.get("/search?q=plover+opensesame-4711+cormorant_5b0f00aa11bb22cc")
    (row,) = recorded(house, noted)
    assert row["text"] == "plover *** ***"
    assert "opensesame" not in str(row)
    assert "5b0f00aa" not in str(row)


def test_nothing_waits_for_the_disk(reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    reader.get("/search?q=plover")
    assert query_log.listed(house) == []
    assert len(recorded(house, noted)) == 1


def test_many_are_written_at_once(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_recorder, "MANY", 3)
    monkeypatch.setattr(query_recorder, "WAIT_S", 0.05)
    noted = QueryRecorder(house)
    reader = Caller(app.make(house, (), Audience.PUBLIC, noted))
    for number in range(4):
        reader.get(f"/search?q=plover{number}")

    until(lambda: len(query_log.listed(house)) == 4)
    noted.flush()


def test_a_result_that_is_opened_is_noted_once(reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    body = reader.get("/search?q=plover").body
    first, second = pings(body)
    assert first != second
    for _ in range(3):
        assert reader.post(second, sec_fetch_site="same-origin").status == 204
    (row,) = recorded(house, noted)
    assert row["clicks"] == 1
    (counted,) = query_log.counted(house, query_log.QueryReport.TOP)
    assert (counted["query"], counted["times"], counted["clicks"]) == ("plover", 1, 1)


@pytest.mark.parametrize("forged", ["/clicked/{token}/999999", "/clicked/0123456789abcdef/{number}", "/clicked/00/1"])
def test_what_was_not_shown_cannot_be_opened(
    forged: str, reader: Caller, house: Installation, noted: QueryRecorder
) -> None:
    token, number = pings(reader.get("/search?q=plover").body)[0].rsplit("/", 2)[1:]
    assert reader.post(forged.format(token=token, number=number)).status == 204
    (row,) = recorded(house, noted)
    assert row["clicks"] == 0


def test_another_sites_page_cannot_open_a_result(reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    there = pings(reader.get("/search?q=plover").body)[0]
    assert reader.post(there, sec_fetch_site="cross-site").status == 403
    assert recorded(house, noted)[0]["clicks"] == 0


def test_links_of_results_are_what_they_were(reader: Caller) -> None:
    body = reader.get("/search?q=plover").body
    assert all(each.startswith("/cached/") for each in re.findall(r'<h2><a href="([^"]+)"', body)), "files"
    assert "/go/" not in body


def test_nothing_is_kept_where_nobody_wants_it(folder: Path) -> None:
    with opened(BuildPlan(folder, Settings(query_days=0))) as house:
        noted = QueryRecorder(house)
        reader = Caller(app.make(house, (), Audience.PUBLIC, noted))
        assert "ping=" not in reader.get("/search?q=plover").body
        assert recorded(house, noted) == []


def test_a_database_that_takes_nothing_stops_no_search(
    reader: Caller, house: Installation, noted: QueryRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise Unreachable("No server answers.")

    with monkeypatch.context() as broken:
        broken.setattr(query_log, "write", away)
        assert reader.get("/search?q=plover").status == 200
        noted.flush()
    assert [each["text"] for each in recorded(house, noted)] == ["plover"]


@pytest.mark.parametrize("path", ["/queries", "/api/v1/queries", "/api/v1/queries/zero", "/api/v1/queries/top"])
def test_readers_see_none_of_it(path: str, reader: Caller) -> None:
    reader.get("/search?q=plover")
    got = reader.get(path)
    assert got.status == 401
    assert "plover" not in got.body


@pytest.fixture
def pages(house: Installation, noted: QueryRecorder) -> RequestGuard:
    """For who looks after the installation, on its own machine."""
    made = app.make(house, (), Audience.LOCAL, noted)
    assert isinstance(made, RequestGuard)
    return made


def test_the_page_tells_what_was_asked_and_not_found(pages: RequestGuard, house: Installation) -> None:
    from tests.web.asking import ask_of

    for query in ("zeppelin", "Zeppelin", "plover", "%3Cscript%3Ealert(1)%3C/script%3E"):
        ask_of(pages, f"/search?q={query}")
    body = ask_of(pages, "/queries").body
    zero = body.partition('id="zero"')[2].partition('<section class="card"')[0]
    assert re.search(r"<bdi>zeppelin</bdi></a></th><td[^>]*>2</td>", zero)
    assert "plover" not in zero
    unclicked = body.partition('id="unclicked"')[2].partition('<section class="card"')[0]
    assert "plover" in unclicked
    assert "zeppelin" not in unclicked
    assert "<script>alert" not in body
    assert ask_of(pages, "/queries?days=0").status == 422


def test_programs_get_the_same(pages: RequestGuard, house: Installation) -> None:
    from tests.web.asking import ask_of

    for number in range(3):
        ask_of(pages, f"/search?q=plover{number}")
    ask_of(pages, "/api/v1/search?q=plover")
    first = ask_of(pages, "/api/v1/queries?limit=3").json
    TypeAdapter(Queries).validate_python(first)
    assert [each["text"] for each in first["queries"]] == ["plover", "plover2", "plover1"]
    rest = ask_of(pages, f"/api/v1/queries?limit=3&cursor={first['next']}").json
    assert ([each["text"] for each in rest["queries"]], rest["next"]) == (["plover0"], None)
    zero = ask_of(pages, "/api/v1/queries/zero").json
    TypeAdapter(CountedQueries).validate_python(zero)
    assert [each["query"] for each in zero["queries"]] == ["plover0", "plover1", "plover2"]
    assert ask_of(pages, "/api/v1/queries/none").status == 404


def test_commands_tell_the_same(folder: Path, reader: Caller, house: Installation, noted: QueryRecorder) -> None:
    reader.get("/search?q=plover")
    reader.get("/search?q=zeppelin")
    noted.flush()
    home = InstalledCli(folder)
    assert home.fine("query", "list", "--json").objects == query_log.listed(house)
    assert [each["query"] for each in home.fine("query", "zero", "--json").objects] == ["zeppelin"]
    assert [each["query"] for each in home.fine("query", "unclicked", "--json").objects] == ["plover"]
    assert home.fine("query", "top", "--days", "7").out.splitlines()[0].split() == [
        "QUERY",
        "TIMES",
        "TOTAL",
        "CLICKS",
        "LAST",
        f"({wall_time(0.0).zone})",
    ]
    wrong = home.run("query", "top", "--days", "0")
    assert (wrong.code, "1 to 3,650 days" in wrong.err) == (2, True)


def test_one_thread_writes_however_many_rows_wait(
    reader: Caller, house: Installation, noted: QueryRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, write = threading.Event(), query_log.write

    def slow(*given: Any) -> None:
        answers.wait(HANG_S)
        write(*given)

    monkeypatch.setattr(query_recorder, "MANY", 2)
    monkeypatch.setattr(query_log, "write", slow)
    before = threading.active_count()
    question = Question("plover")
    answer = search.search(house, question)
    for _ in range(50):
        noted.note(Request({"type": "http"}), question, answer, Face.API)
    assert threading.active_count() <= before + 1
    answers.set()
    assert len(recorded(house, noted)) == 50
