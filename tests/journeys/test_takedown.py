"""A document is taken down: hidden at once, through recrawls, rebuilds and restores, until it is lifted; or erased."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from cormorant.app.commands.restore import restore
from cormorant.base.errors import BadRule, ConflictError, NotFoundError, UsageError
from cormorant.operate.documents import erasure, recrawl, takedowns
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.documents.takedowns import TakedownOrder
from cormorant.operate.search import reindex
from cormorant.operate.storage import backups, check
from cormorant.store.catalog import takedowns as takedown_rows
from cormorant.store.journal import query_log
from cormorant.store.journal.query_log import QueryRow
from tests.clocks import until
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite

PAGES = 12
SENTENCE = "a passage of Quillfeather about zanzibaritis in the lantern room that nobody else has written"


def down(home: Home, what: str, **more: Any) -> Mapping[str, Any]:
    with home.house() as house:
        return takedowns.take_down(house, TakedownOrder(what, "Names a patient", "ada", **more))


def lifted(home: Home, number: int) -> Mapping[str, Any]:
    with home.house() as house:
        return takedowns.lift(house, number, "ada")


def wrong(home: Home) -> list[check.Finding]:
    with home.house() as house:
        return [each for each in check.store(house) if each.ok is not True]


@pytest.fixture
def site(serve: Serve, home: Home, crawls: Crawler) -> WebSite:
    """A crawled site of which page 5 says something that no other page says."""
    made = serve(SiteSettings(pages=PAGES))
    made.edit(5, text=SENTENCE)
    home.add_source("web", "site", made.source)
    crawls.crawl(home, "site")
    return made


def test_hidden_through_recrawl_and_rebuild_until_lifted(home: Home, crawls: Crawler, site: WebSite) -> None:
    path = home.add_receiver("lines", "site")
    record = down(home, site.url(5))
    assert (record["documents"], record["state"], record["hidden"]) == (1, "in_force", 1)
    assert home.found("quillfeather", site.word(5)) == [[], []], "before anything was crawled or delivered"
    before = len(site.log())
    report = crawls.crawl(home, "site", force=True)
    assert (report["gone"], report["new"]) == (0, 0)
    assert (home.shown(site.url(5))["outcome"], home.shown(site.url(5))["status"]) == ("excluded", 986)
    assert not [each for each in site.log()[before:] if site.url(5).endswith(each.path)], "nothing asks for it"
    assert home.found("quillfeather") == [[]]
    with home.house() as house:
        reindex.rebuild(house)
    assert home.found("quillfeather") == [[]]
    said = home.explained(site.url(5))
    assert (said["verdict"], said["status"], said["takedown"]["reason"]) == ("excluded", 986, "Names a patient")
    assert [each["event"] for each in received(path) if each["url"] == site.url(5)] == ["deleted"]
    assert lifted(home, record["id"])["documents"] == 1
    crawls.crawl(home, "site")
    assert home.found("quillfeather") == [[site.url(5)]]
    assert not wrong(home)


def test_a_rule_holds_for_pages_that_are_met_later(home: Home, crawls: Crawler, site: WebSite) -> None:
    record = down(home, f"prefix:{site.url(6)}", source="site")
    assert record["documents"] == 1
    down(home, site.url(7).upper().replace("HTTP", "http"))
    assert home.found(site.word(7)) == [[site.url(7)]], "an address tells capitals from small letters"
    with home.house() as house:
        recrawl.recrawl(house, recrawl.RecrawlSelection((site.url(6),), DocumentFilter()))
    crawls.crawl(home, "site")
    assert home.found(site.word(6)) == [[]]


def test_it_ends_by_itself(home: Home, crawls: Crawler, site: WebSite) -> None:
    number = down(home, site.url(5), until="2999-12-31")["id"]
    with home.house() as house, house.store.begin() as tx:
        tx.driver(f"UPDATE takedown SET expires_at = 1 WHERE id = {number}")
    crawls.crawl(home, "site")
    assert home.found("quillfeather") == [[site.url(5)]]
    with home.house() as house:
        assert takedowns.list_(house) == []
        (over,) = takedowns.list_(house, ended=True)
    assert (over["state"], over["ended_by"]) == ("expired", "expired")


def test_one_that_comes_during_a_visit(home: Home, crawls: Crawler, serve: Serve) -> None:
    slow = serve(SiteSettings(pages=PAGES, delay_s=0.2))
    home.add_source("web", "slow", slow.source)
    crawls.begin(home, "slow")
    until(lambda: len(slow.log()) > 2)
    down(home, f"prefix:{slow.url(0).rpartition('/')[0]}/")
    crawls.end()
    assert home.value("SELECT count(*) FROM content WHERE indexed") == 0
    assert home.found(*(slow.word(n) for n in range(PAGES))) == [[]] * PAGES


def test_erased_from_the_disk(home: Home, crawls: Crawler, site: WebSite, tmp_path: Path) -> None:
    site.edit(5, text=f"{SENTENCE} once more")
    crawls.crawl(home, "site")
    number = down(home, site.url(5), erase=True)["id"]
    with home.house() as house:
        page = home.explained(site.url(5))["id"]
        copies = len(house.packs.versions(page))
        record = erasure.erase(house, number, lent=False)
        assert (record["erased"], record["left_in"], record["copies"]) == (True, [], copies)
        assert copies == 2, "the version before is erased as well"
        assert record["passages"] > 0
        assert not house.packs.versions(page)
        assert takedowns.show(house, number)["state"] == "erased"
    assert not [each for each in home.folder.rglob("*") if each.is_file() and b"zanzibaritis" in each.read_bytes()]
    assert not wrong(home)
    crawls.crawl(home, "site")
    assert home.found("quillfeather", site.word(4)) == [[], [site.url(4)]]
    lifted(home, number)
    crawls.crawl(home, "site")
    assert home.found("quillfeather") == [[site.url(5)]], "fetched from the site again"


def test_a_passage_left_elsewhere_is_found_again_until_it_is_gone(
    file_home: Home, crawls: Crawler, tmp_path: Path
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("Patient Jane Doe\nWard seven\nKowalczyk family\n")
    (papers / "b.txt").write_text("Kowalczuk family")
    file_home.add_source("files", "docs", {"path": str(papers)})
    crawls.crawl(file_home, "docs")
    number = down(file_home, str(papers / "a.txt"), erase=True)["id"]
    stray = file_home.folder / "notes.txt"
    stray.write_text("copied: Patient Jane Doe")
    with file_home.house() as house:
        for _ in range(2):
            record = erasure.erase(house, number, lent=False)
            assert (record["erased"], record["left_in"], record["copies"]) == (False, [str(stray)], 0)
            assert takedowns.show(house, number)["state"] == "to_erase"
        stray.unlink()
        record = erasure.erase(house, number, lent=False)
        assert (record["erased"], record["left_in"], record["copies"]) == (True, [], 1)


def test_searches_that_only_it_answered_go_from_the_log(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("The patient Kowalczyk was in the lantern room")
    (papers / "b.txt").write_text("The patient Kowalczuk was in the engine room")
    file_home.add_source("files", "docs", {"path": str(papers)})
    crawls.crawl(file_home, "docs")
    asked = ("patient kowalczyk", "kowalczyk", "patient engine")
    with file_home.house() as house, house.store.begin() as tx:
        rows = [QueryRow(1.0, each, each, each, each, 1, 1.0, 1, "anonymous", "[]", "page") for each in asked]
        query_log.write(tx, rows, [])
    number = down(file_home, str(papers / "a.txt"), erase=True)["id"]
    with file_home.house() as house:
        erasure.erase(house, number, lent=False)
    with file_home.rows() as tx:
        assert query_log.wordings(tx) == ["patient engine"]


def test_a_lift_finds_nothing_that_was_not_found_before(home: Home, crawls: Crawler, site: WebSite) -> None:
    """A document that left search, with its copy kept, stays out; one that is gone by then is visited first."""
    site.edit(6, status=404)
    crawls.crawl(home, "site")
    record = down(home, f"prefix:{site.url(5).rpartition('/')[0]}/")
    assert record["documents"] == PAGES - 1
    lifted(home, record["id"])
    with home.house() as house:
        reindex.rebuild(house)
    assert home.found(site.word(6), site.word(5)) == [[], [site.url(5)]]


def test_a_redirect_hides_nothing(home: Home, crawls: Crawler, serve: Serve) -> None:
    """A document is hidden by the address that answered for it, and found again by the address it is known by."""
    site = serve(SiteSettings(pages=PAGES))
    site.edit(7, status=302, location=urlsplit(site.url(8)).path)
    home.add_source("web", "site", site.source | {"exclude": [f"address:{site.url(8)}"]})
    crawls.crawl(home, "site")
    assert home.found(site.word(8)) == [[site.url(7)]]
    record = down(home, site.url(8))
    assert (record["documents"], home.found(site.word(8))) == (1, [[]])
    crawls.crawl(home, "site")
    assert home.found(site.word(8)) == [[]]
    lifted(home, record["id"])
    crawls.crawl(home, "site")
    assert home.found(site.word(8)) == [[site.url(7)]]


def test_a_command_that_was_killed_is_finished_by_the_next_crawl(home: Home, crawls: Crawler, site: WebSite) -> None:
    with home.house() as house, house.store.begin() as tx:
        wish = takedown_rows.NewTakedownRow(f"address:{site.url(5)}", None, "x", "ada", None, erase=False)
        row = takedown_rows.add(tx, wish)
    crawls.crawl(home, "site", refresh="due")
    assert home.found("quillfeather") == [[]]
    with home.house() as house, house.store.begin() as tx:
        takedown_rows.end(tx, row.id, "ada")
    crawls.crawl(home, "site", refresh="due")
    assert home.found("quillfeather") == [[site.url(5)]]


def test_a_backup_brings_nothing_back(home: Home, crawls: Crawler, site: WebSite, tmp_path: Path) -> None:
    file = tmp_path / "before.tar"
    with home.house() as house:
        backups.backup(house, file)
    number = down(home, site.url(5), erase=True)["id"]
    with home.house() as house:
        erasure.erase(house, number, lent=False)
    restore(home.plan, file, yes=True)
    assert home.found("quillfeather", site.word(4)) == [[], [site.url(4)]]
    with home.house() as house:
        assert takedowns.show(house, number)["erased_at"], "erased again from what the backup brought"
        assert not house.packs.versions(home.explained(site.url(5))["id"])


@pytest.mark.parametrize(
    ("what", "more", "error"),
    [
        ("regex:(", {}, BadRule),
        ("mime:text/html", {}, BadRule),
        ("  ", {}, UsageError),
        ("http://x.test/", {"source": "none"}, NotFoundError),
        ("http://x.test/", {"until": "tomorrow"}, UsageError),
        ("http://x.test/", {"until": "2001-01-01"}, UsageError),
    ],
)
def test_what_is_refused(file_home: Home, tmp_path: Path, what: str, more: dict[str, str], error: type) -> None:
    file_home.add_source("files", "docs", {"path": str(tmp_path)})
    with pytest.raises(error):
        down(file_home, what, **more)
    assert file_home.value("SELECT count(*) FROM takedown") == 0


def test_it_needs_a_reason_and_is_lifted_once(file_home: Home, tmp_path: Path) -> None:
    file_home.add_source("files", "docs", {"path": str(tmp_path)})
    with file_home.house() as house, pytest.raises(UsageError, match="needs a reason"):
        takedowns.take_down(house, TakedownOrder("http://x.test/", " ", "ada"))
    number = down(file_home, "http://x.test/")["id"]
    with pytest.raises(ConflictError, match="hides this already"):
        down(file_home, "http://x.test/")
    assert down(file_home, "http://x.test/", erase=True)["id"] == number
    lifted(file_home, number)
    with pytest.raises(ConflictError):
        lifted(file_home, number)
