"""Documents that a person chooses: a list cut short, visited again, taken out of search."""

from __future__ import annotations

import pytest

from tests.cli.conftest import World
from tests.cli.world import InstalledCli, Site

OLD = ("document", "list", "--state", "todo", "--json")


@pytest.fixture
def crawled(bare: InstalledCli, site: Site) -> InstalledCli:
    """An installation that has crawled a site of the test's own, of which nothing was asked since."""
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    site.asked.clear()
    return bare


def pages(site: Site) -> list[str]:
    """The requested paths, without robots.txt."""
    return sorted(path for path in site.asked if path != "/robots.txt")


def test_a_list_may_be_cut_short(world: World) -> None:
    every = world.home.fine("document", "list", "--json").objects
    assert world.home.fine("document", "list", "--limit", "2", "--json").objects == every[:2]
    assert world.home.fine("document", "list", "--limit", "0").out == ""
    assert world.home.run("document", "list", "--limit", "-1").code == 2


def test_what_is_chosen_by_status_is_due_and_nothing_else(crawled: InstalledCli, site: Site) -> None:
    site.page("/missing", "Found again", "A zeugma.")
    due = crawled.fine("document", "recrawl", "--status", "404", "--json").object
    assert due == {"documents": 1, "sources": {"docs": 1}}
    assert [each["url"] for each in crawled.fine(*OLD).objects] == [f"{site.address}missing"]
    crawled.fine("crawl", "docs", "--refresh", "due")
    assert pages(site) == ["/missing"]
    assert [each["title"] for each in crawled.fine("search", "zeugma", "--json").objects] == ["Found again"]
    assert crawled.fine(*OLD).objects == []


def test_an_address_is_fetched_at_once_and_whole(crawled: InstalledCli, site: Site) -> None:
    done = crawled.fine("document", "recrawl", f"{site.address}tides", f"{site.address}tides", "--now", "--json")
    assert pages(site) == ["/tides"]
    assert (done.object["refresh"], done.object["unchanged"], done.object["requests_conditional"]) == ("due", 1, 0)
    assert done.object["index_writes"] == 0


def test_addresses_and_options_together_narrow(crawled: InstalledCli, site: Site) -> None:
    both = (f"{site.address}tides", f"{site.address}missing")
    assert crawled.fine("document", "recrawl", *both, "--status", "404", "--json").object["documents"] == 1
    assert crawled.fine("document", "recrawl", "--source", "docs", "--state", "error", "--json").object == {
        "documents": 0,
        "sources": {},
    }
    assert crawled.fine("document", "recrawl", "--source", "docs", "--json").object["documents"] == 5


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("recrawl", 2),
        ("recrawl --state lost", 2),
        ("recrawl ADDRESS --state lost", 2),
        ("recrawl --source nope", 4),
        ("recrawl ADDRESS --source nope", 4),
        ("recrawl http://localhost:1/nowhere", 4),
        ("recrawl nonsense", 2),
        ("delete", 2),
        ("delete http://localhost:1/nowhere", 4),
        ("delete ADDRESS http://localhost:1/nowhere", 4),
    ],
)
def test_an_invalid_choice_is_reported_and_changes_nothing(words: str, code: int, world: World) -> None:
    done = world.home.run("document", *words.replace("ADDRESS", f"{world.site.address}tides").split(), "--json")
    assert done.code == code
    assert done.problem["detail"]
    assert world.home.fine(*OLD).objects == []


class TestDelete:
    """A document is gone from search at once, and comes back with the next crawl unless a rule keeps it out."""

    def test_it_is_found_no_more(self, crawled: InstalledCli, site: Site) -> None:
        record = crawled.fine("document", "delete", f"{site.address}tides", "--json").object
        assert record == {"deleted": 1, "documents": 1, "sources": ["docs"]}
        assert crawled.fine("search", "noon", "--json").objects == []
        assert crawled.fine("explain", f"{site.address}tides", "--json").object["verdict"] == "pending"
        (row,) = crawled.fine(*OLD).objects
        assert (row["indexed"], row["title"], row["status"]) == (False, None, 0)

    def test_the_next_crawl_refetches_it(self, crawled: InstalledCli, site: Site) -> None:
        crawled.fine("document", "delete", f"{site.address}tides")
        report = crawled.fine("crawl", "docs", "--json").object
        assert (report["new"], report["index_deletes"]) == (1, 0)
        assert [each["url"] for each in crawled.fine("search", "noon", "--json").objects] == [f"{site.address}tides"]
        assert crawled.fine("store", "check", "--json").code == 0

    def test_a_rule_keeps_it_out(self, crawled: InstalledCli, site: Site) -> None:
        crawled.fine("document", "delete", f"{site.address}tides", "--yes")
        crawled.fine("source", "edit", "docs", "--set", "exclude=path:/tides", "--yes")
        crawled.fine("crawl")
        assert "/tides" not in site.asked
        assert crawled.fine("search", "noon", "--json").objects == []

    def test_receivers_get_events(self, crawled: InstalledCli, site: Site) -> None:
        found = crawled.folder / "found.jsonl"
        crawled.fine("receiver", "add", "jsonlines", "out", "--set", f"path={found}")
        crawled.fine("document", "delete", f"{site.address}tides")
        crawled.fine("crawl")
        events = [line.split('"event":"')[1].split('"')[0] for line in found.read_text().splitlines()]
        assert events == ["deleted", "new"]
