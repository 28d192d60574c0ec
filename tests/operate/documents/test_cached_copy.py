"""Kept copies: what is shown of them, to whom, and when none is there."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.base.errors import NoRoom, NotFoundError, NotShown
from cormorant.frontier.staging import pending_deletes
from cormorant.model.acl import Reader
from cormorant.operate.documents import cached_copy
from cormorant.operate.documents.cached_copy import CachedCopy, CopyOptions
from cormorant.operate.installation import Installation
from cormorant.operate.search import search
from cormorant.receivers.protocol import DAMAGED
from cormorant.store.catalog import receivers, rejected_deliveries
from cormorant.store.schema import content
from cormorant.web import app
from cormorant.web.query_recorder import QueryRecorder
from tests.operate.folders import copied, crawled_once, number_of
from tests.web.asking import ask_of
from tests.web.visiting import Caller

PAGE = """<html lang=en><head><title>Ferries</title><script>x</script></head><body><h1>Ferries</h1>
<p>The ferry leaves at eight. <a href=tides.html>Tides</a></p></body></html>"""
NOARCHIVE = PAGE.replace("<head>", "<head><meta name=robots content=noarchive>").replace("ferry", "barge")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"ferries.html": PAGE, "barges.html": NOARCHIVE, "list.csv": "name,count\nferry,2\n"}
    return crawled_once(tmp_path_factory.mktemp("copies"), files)


@pytest.fixture
def plan(crawled: Path, tmp_path: Path) -> BuildPlan:
    return copied(crawled, tmp_path)


def copy(
    house: Installation, name: str, wish: CopyOptions = cached_copy.AS_IT_WAS, reader: Reader | None = None
) -> CachedCopy:
    given = (reader,) if reader else ()
    return cached_copy.copy(house, search.library(house), number_of(house, name), wish, *given)


def test_a_page_is_shown_as_a_page_with_its_words_marked(plan: BuildPlan) -> None:
    with opened(plan) as house:
        found = copy(house, "ferries.html", CopyOptions("ferry tides nothing"))
        assert (found.is_kept, found.is_page, found.as_text, found.cut) == (True, True, False, False)
        assert '<h1><mark id="place-1">Ferries</mark></h1>' in found.markup
        assert "<script" not in found.markup
        assert [(each.text, each.place, each.times) for each in found.words] == [("ferry", 1, 2), ("tides", 3, 1)]
        with house.store.read() as tx:
            row = tx.rows(sa.select(content.c.fetched_at).where(content.c.id == found.hit.id))[0]
        assert found.fetched_at == row.fetched_at


def test_its_text_alone(plan: BuildPlan) -> None:
    with opened(plan) as house:
        found = copy(house, "ferries.html", CopyOptions("ferry", as_text=True))
        assert (found.is_page, found.as_text) == (True, True)
        assert found.markup.startswith('<p dir="auto">')
        assert "<h1" not in found.markup


def test_what_is_no_page_is_text(plan: BuildPlan) -> None:
    with opened(plan) as house:
        found = copy(house, "list.csv", CopyOptions("ferry"))
        assert (found.is_page, found.as_text) == (False, True)
        assert '<mark id="place-1">ferry</mark>, 2' in found.markup


def test_a_wish_not_to_be_archived_holds(plan: BuildPlan) -> None:
    with opened(plan) as house, pytest.raises(NotShown, match="noarchive"):
        copy(house, "barges.html")


def test_a_reader_is_told_why_there_is_no_copy_and_is_led_to_none(plan: BuildPlan) -> None:
    with opened(plan) as house:
        barges, ferries = (number_of(house, f"{name}.html") for name in ("barges", "ferries"))
        reader = Caller(app.make(house))
        got = reader.get(f"/cached/{barges}")
        assert (got.status, "noarchive" in got.body, "Page not found" in got.body) == (404, True, False)
        assert "Page not found" in reader.get("/cached/999999").body
        found = reader.get("/search?q=barge").body
        assert '<bdi lang="en">Ferries</bdi></h2>' in found
        assert f"/cached/{barges}" not in found
        assert f'href="/cached/{ferries}"' in reader.get("/search?q=ferry").body
        pages = app.make(house)
        told = {name: ask_of(pages, f"/explain?address={quote(url(house, name))}") for name in ("barges", "ferries")}
        assert {name: "Cached copy</a>" in page.body for name, page in told.items()} == {
            "barges": False, "ferries": True,
        }  # fmt: skip


def url(house: Installation, name: str) -> str:
    with house.store.read() as tx:
        rows = tx.rows(sa.select(content.c.url).where(content.c.url.like(f"%/{name}.html")))
    return str(rows[0].url)


def test_a_wish_that_only_the_copy_knows_of_holds(plan: BuildPlan) -> None:
    """The page has changed since the index was told of it."""
    with opened(plan) as house:
        with house.store.begin() as tx:
            places = ("pack", "pack_offset", "pack_length")
            rows = tx.rows(sa.select(*(content.c[name] for name in places)).where(
                content.c.id == number_of(house, "barges.html")
            ))  # fmt: skip
            newer = dict(zip(places, rows[0], strict=True))
            tx.execute(sa.update(content).where(content.c.url.like("%/ferries.html")).values(**newer))
        with pytest.raises(NotFoundError, match="noarchive"):
            copy(house, "ferries.html")


def test_who_may_not_read_it_is_told_what_everybody_is_told_of_none(plan: BuildPlan) -> None:
    with opened(plan) as house:
        shelf = search.library(house)
        with pytest.raises(NotFoundError) as unknown:
            cached_copy.copy(house, shelf, 999_999)
        with pytest.raises(NotFoundError) as forbidden:
            copy(house, "ferries.html", reader=Reader("nobody", frozenset(("group:x",))))
        assert str(forbidden.value) == str(unknown.value)


def test_hidden_at_once(plan: BuildPlan) -> None:
    with opened(plan) as house:
        with house.store.begin() as tx:
            pending_deletes.hide(tx, [(number_of(house, "ferries.html"), 1, 1)])
        with pytest.raises(NotFoundError):
            copy(house, "ferries.html")


def spoil(plan: BuildPlan) -> None:
    for pack in (plan.folder / "cache").rglob("*.pack"):
        pack.write_bytes(b"\0" * pack.stat().st_size)


def test_of_a_copy_that_is_damaged_is_told_what_is_still_known(plan: BuildPlan) -> None:
    spoil(plan)
    with opened(plan) as house:
        found = copy(house, "ferries.html", CopyOptions("ferry"))
        assert (found.is_kept, found.is_damaged, found.markup, found.words) == (False, True, "", ())
        assert (found.hit.title, found.hit.mime) == ("Ferries", "text/html")
    for pack in (plan.folder / "cache").rglob("*.pack"):
        pack.unlink()
    with opened(plan) as house:
        found = copy(house, "ferries.html", CopyOptions("ferry"))
        assert (found.is_kept, found.is_damaged) == (False, False), "it may be out of sight"


def test_a_damaged_copy_that_somebody_asks_for_is_noted_once_for_the_next_run(plan: BuildPlan) -> None:
    spoil(plan)
    with opened(plan) as house:
        noted = QueryRecorder(house)
        reader, number = Caller(app.make(house, asked=noted)), number_of(house, "ferries.html")
        assert {reader.get(f"/cached/{number}{frame}").status for frame in ("", "/content", "")} == {404}
        noted.flush()
        with house.store.read() as tx:
            ((listed, _),) = rejected_deliveries.of(tx, receivers.index(tx), 10)
            assert receivers.named(tx, "index").refused == 1
        assert (listed.resource, listed.reason) == (number, DAMAGED)
        number_of_a_stranger = 999_999
        cached_copy.note_damaged(house, [number_of_a_stranger])


def test_what_cannot_be_noted_of_a_copy_is_no_fault_of_a_reader(
    plan: BuildPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise NoRoom("The disk is full.")

    spoil(plan)
    monkeypatch.setattr(cached_copy, "note_damaged", full)
    with opened(plan) as house:
        noted = QueryRecorder(house)
        assert Caller(app.make(house, asked=noted)).get(f"/cached/{number_of(house, 'ferries.html')}").status == 404
        noted.flush()
