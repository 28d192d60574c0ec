"""Yesterday's backup comes back: what has changed since is asked for, nothing else is read, and nothing is wiped."""

from __future__ import annotations

from pathlib import Path

from cormorant.app.commands.restore import restore
from cormorant.base.clock import SystemClock
from cormorant.operate.storage import backups, check
from tests.clocks import until
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.pages import SiteSettings

PAGES = 60


def wrong(home: Home) -> list[check.Finding]:
    with home.house() as house:
        return [each for each in check.store(house) if each.ok is not True]


def test_yesterday_comes_back(home: Home, crawls: Crawler, serve: Serve, tmp_path: Path) -> None:
    site, file = serve(SiteSettings(pages=PAGES)), tmp_path / "yesterday.tar"
    home.add_source("web", "site", site.source)
    path = home.add_receiver("lines", "site")
    crawls.crawl(home, "site")
    with home.house() as house:
        backups.backup(house, file)
    site.edit(5, text="gannets and terns")
    site.edit(7, status=404)
    site.edit(9, text="a colony of kittiwakes")
    assert crawls.crawl(home, "site")["changed"] == 2
    delivered = [each["seq"] for each in received(path)]

    record = restore(home.plan, file, yes=True)
    assert (record["documents"], record["indexed"], record["fetched_anew"]) == (PAGES, PAGES, 0)
    assert not wrong(home)
    assert home.found("kittiwakes", site.word(7)) == [[], [site.url(7)]], "it is as it was"
    since = SystemClock().now()
    report = crawls.crawl(home, "site")
    asked = site.log(since)
    assert all(each.conditional for each in asked if "robots" not in each.path)
    assert (report["not_modified"], report["changed"], report["gone"], report["new"]) == (PAGES - 3, 2, 1, 0)
    assert (report["index_deletes"], report["cache_writes"], report["state"]) == (1, 2, "finished")
    assert home.found("kittiwakes", "terns", site.word(7)) == [[site.url(9)], [site.url(5)], []]
    assert home.value("SELECT count(*) FROM content WHERE indexed") == PAGES - 1
    assert not wrong(home)
    numbers = [each["seq"] for each in received(path)]
    assert len(numbers) == len(set(numbers)) > len(delivered), "no number is given twice"


def test_a_backup_while_a_crawl_runs(home: Home, crawls: Crawler, serve: Serve, tmp_path: Path) -> None:
    """Taken of either database, it comes back into a file, and the run that was under way goes on there."""
    site, file = serve(SiteSettings(pages=PAGES, delay_s=0.05)), tmp_path / "under-way.tar"
    home.add_source("web", "site", site.source)
    crawls.begin(home, "site")
    until(lambda: len(site.log()) > PAGES // 4)
    with home.house() as house:
        record = backups.backup(house, file)
    assert len(site.log()) < PAGES, "it was under way"
    assert crawls.end()["reports"][0]["new"] == PAGES
    assert not wrong(home)

    there = Home(tmp_path / "there")
    again = restore(there.plan, file, yes=False)
    assert (again["documents"], again["indexed"]) == (record["documents"], record["documents"])
    assert not wrong(there)
    before = len(site.log())
    report = crawls.crawl(there, "site")
    assert (report["state"], report["gone"]) == ("finished", 0)
    assert len(site.log()) - before <= PAGES + 1 - record["documents"], "what was read is not read again"
    assert there.value("SELECT count(*) FROM content WHERE indexed") == PAGES
    assert not wrong(there)
