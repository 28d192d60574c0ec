"""Crawls whose findings are not just indexed: looked at first, without links, for a test, from scratch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import ConflictError
from cormorant.frontier.state import refetch
from cormorant.model.run import RunState
from cormorant.operate.documents import listing
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.explain import explain
from cormorant.operate.runs import control, report as run_report, review, start
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.pages import SiteSettings

PAGES, NEW, CHANGED, GONE = 9, 12, 4, 5


def indexed(home: Home) -> int:
    """How many documents search may find, by what is known of each."""
    with home.house() as house:
        return sum(record["indexed"] for record in listing.listed(house, DocumentFilter()))


def test_what_is_examined_is_pruned_then_indexed_without_a_request(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    lines = home.add_receiver("lines", "site")
    report = crawls.crawl(home, "site", mode="examine")
    assert (report["state"], report["mode"], report["to_index"], report["exit"]) == ("pending", "examine", PAGES, 0)
    assert report["new"] == 0, "they are counted when they are delivered"
    assert (report["index_writes"], indexed(home), received(lines)) == (0, 0, [])
    with home.house() as house:
        seen = list(listing.listed(house, DocumentFilter(run=report["run"])))
        assert [each["state"] for each in seen if each["status"] == 200] == ["found"] * PAGES
        assert sorted(each["status"] for each in seen) == [200] * PAGES + [970], "one is forbidden by robots.txt"
        with pytest.raises(ConflictError, match="pending"):
            raise start.unanswered(house, ["site"])[0]
        pruned = review.prune(house, report["run"], ["path:/p/7*", "path:/nowhere"])
        assert (pruned["pruned"], pruned["left"], pruned["idle"]) == (1, PAGES - 1, ["path:/nowhere"])
        since = SystemClock().now()
        number = review.index(house, None).id
        assert review.index(house, number).id == number, "said twice, it is done once"
    crawls.begin(home, runs=(number,))
    done = crawls.end()["reports"][0]
    assert (done["state"], done["indexed"], site.log(since)) == ("finished", PAGES - 1, [])
    assert (done["new"], done["to_index"], done["rejected"]) == (PAGES - 1, 0, report["rejected"] + 1), (
        "the next crawl counts it"
    )
    assert sorted(each["event"] for each in received(lines)) == ["new"] * (PAGES - 1)
    assert home.found(site.word(7), site.word(6)) == [[], [site.url(6)]]
    assert crawls.crawl(home, "site")["new"] == 1, "what was left out is found again"


def test_of_what_is_known_nothing_changes_before_a_person_says_so(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    lines = home.add_receiver("lines", "site")
    before = len(received(lines))
    site.edit(CHANGED, text="auklet auklet")
    site.edit(GONE, status=404)
    site.edit(0, links=[NEW])
    report = crawls.crawl(home, "site", mode="examine")
    assert (report["held"], report["gone"], report["index_writes"]) == (2, 1, 0)
    assert (report["new"], report["changed"], report["to_index"], report["exit"]) == (0, 0, 3, 0)
    with home.house() as house:
        waits = {each["url"] for each in listing.listed(house, DocumentFilter(state="found"))}
        assert waits == {site.url(number) for number in (0, CHANGED, NEW)}
        kinds = [each["kind"] for each in run_report.of_run(house, report["run"])]
    assert kinds == ["run", "held"], "that its start address says something else is no fault"
    assert home.found("auklet", site.word(GONE), site.word(NEW)) == [[], [site.url(GONE)], []]
    assert len([each for each in received(lines)[before:] if each["run"] == report["run"]]) == 0
    with home.house() as house:
        review.index(house, report["run"])
    crawls.begin(home, runs=(report["run"],))
    done = crawls.end()["reports"][0]
    assert (done["held"], done["changed"], done["new"], done["state"]) == (0, 2, 1, "finished")
    assert home.found("auklet", site.word(GONE), site.word(NEW)) == [[site.url(CHANGED)], [], [site.url(NEW)]]
    events = [each["event"] for each in received(lines) if each["run"] == report["run"]]
    assert sorted(events) == ["changed", "changed", "deleted", "new"]


def test_of_a_page_that_is_found_its_new_version_is_pruned(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    site.edit(CHANGED, text="auklet auklet")
    site.edit(0, links=[NEW])
    report = crawls.crawl(file_home, "site", mode="examine")

    def explained(number: int) -> Mapping[str, Any]:
        with file_home.house() as house:
            return explain.explain(house, site.url(number))[0]

    assert explained(CHANGED)["advice"].startswith(f"`cormorant run index {report['run']}` indexes its documents")
    with file_home.house() as house:
        pruned = review.prune(house, report["run"], [f"path:/p/{CHANGED}*", f"path:/p/{NEW}*"])
        assert (pruned["pruned"], pruned["left"]) == (2, 1)
        review.index(house, report["run"])
    crawls.begin(file_home, runs=(report["run"],))
    ended = crawls.end()
    done = ended["reports"][0]
    assert (ended["exit"], done["held"], done["changed"], done["new"]) == (0, 0, 1, 0)
    assert (done["unchanged"], done["excluded"]) == (report["unchanged"] + 1, report["excluded"] + 1)
    assert file_home.found("auklet", site.word(CHANGED), site.word(NEW)) == [[], [site.url(CHANGED)], []]
    changed, new = explained(CHANGED), explained(NEW)
    assert (changed["verdict"], changed["visits"][-1]["outcome"], new["verdict"]) == (
        "indexed",
        "unchanged",
        "excluded",
    )
    says = f"Its new version was left out by path:/p/{CHANGED}*, when it was examined; the next crawl finds it again."
    assert changed["because"].endswith(says)
    assert new["advice"].startswith("The next crawl finds it again")
    with file_home.house() as house:
        assert not list(listing.listed(house, DocumentFilter(status=980)))

    site.edit(CHANGED, text="auklet and razorbill")
    again = crawls.crawl(file_home, "site", mode="examine")
    with file_home.house() as house:
        control.stop(house, again["run"])
    assert explained(CHANGED)["because"].endswith("examined and dropped.")
    after = crawls.crawl(file_home, "site")
    assert (after["changed"], after["new"], after["exit"]) == (1, 1, 0)
    assert file_home.found("auklet", site.word(NEW)) == [[site.url(CHANGED)], [site.url(NEW)]]
    assert explained(CHANGED)["because"] == "It was fetched and may be found."


@pytest.mark.parametrize("how", [{"force": True}, {"refresh": "scratch"}])
def test_what_is_fetched_by_force_and_says_the_same_has_not_changed(
    file_home: Home, crawls: Crawler, serve: Serve, how: dict[str, Any]
) -> None:
    site = serve(SiteSettings(pages=PAGES))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    site.edit(CHANGED, text="auklet auklet")
    fetched = file_home.value("SELECT max(fetched_at) FROM content")
    report = crawls.crawl(file_home, "site", mode="examine", **how)
    assert (report["held"], report["unchanged"], report["changed"], report["exit"]) == (1, PAGES - 1, 0, 0)
    assert (report["to_index"], file_home.value("SELECT max(fetched_at) FROM content")) == (PAGES, fetched)
    with file_home.house() as house:
        assert review.prune(house, report["run"], ["path:/p/7*"])["left"] == PAGES - 1
        review.index(house, report["run"])
    crawls.begin(file_home, runs=(report["run"],))
    done = crawls.end()["reports"][0]
    assert (done["held"], done["unchanged"], done["changed"], done["excluded"]) == (0, PAGES - 1, 1, report["excluded"])
    assert file_home.value(f"SELECT count(*) FROM content WHERE fetched_at > {fetched}") == PAGES - 1, (
        "copies are fresh"
    )
    with file_home.house() as house:
        changed = [each["url"] for each in listing.listed(house, DocumentFilter(changed=report["run"], status=200))]
    assert changed == [site.url(CHANGED)]
    assert file_home.value("SELECT count(*) FROM version") == 0
    assert crawls.crawl(file_home, "site")["unchanged"] == PAGES


def test_a_lost_copy_that_an_examined_run_refetched_is_no_change(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=PAGES))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    lines = file_home.add_receiver("lines", "site")
    lost = file_home.value("SELECT min(id) FROM content")
    with file_home.house() as house, house.store.begin() as tx:
        refetch.renew(tx, [lost])
    for _ in range(2):  # the first is stopped: nothing confirms the copy that is lost
        report = crawls.crawl(file_home, "site", mode="examine")
        assert (report["held"], report["unchanged"], report["to_index"]) == (0, PAGES, 1)
        with file_home.house() as house:
            control.stop(house, report["run"])
    report = crawls.crawl(file_home, "site", mode="examine")
    with file_home.house() as house:
        review.index(house, report["run"])
    crawls.begin(file_home, runs=(report["run"],))
    done = crawls.end()["reports"][0]
    assert (done["changed"], done["index_writes"]) == (0, 1)
    assert not [each for each in received(lines) if each["run"] == report["run"]], "it is for the index alone"
    assert crawls.crawl(file_home, "site", mode="examine")["to_index"] == 0


def test_receivers_get_the_new_address_of_a_file_renamed_before(
    file_home: Home, crawls: Crawler, tmp_path: Path
) -> None:
    """A run finds six documents renamed and reads two of them; the next, which examines, reads the others."""
    folder = tmp_path / "papers"
    (folder / "old").mkdir(parents=True)
    names = {f"{number}.html" for number in range(6)}
    for name in names:
        (folder / "old" / name).write_text(f"<title>Title</title><p>words {name} <a href=other.html>other</a>")
    file_home.add_source("files", "papers", {"path": str(folder)})
    lines = file_home.add_receiver("lines", "papers")
    crawls.crawl(file_home, "papers")
    (folder / "old").rename(folder / "new")
    (folder / "new" / "5.html").write_text("<title>Title</title><p>words 5.html and more <a href=other.html>other</a>")
    file_home.edit_source("papers", {"max_documents": 2})
    assert crawls.crawl(file_home, "papers")["moved"] == 5, "one that says something else is another"
    file_home.edit_source("papers", {"max_documents": 100})
    (folder / "new" / "4.html").write_text("<title>Title</title><p>words 4.html and more <a href=other.html>other</a>")
    examined = crawls.crawl(file_home, "papers", mode="examine")
    assert (examined["state"], examined["held"]) == ("pending", 1)

    def said() -> list[tuple[str, str]]:
        there = [each for each in received(lines) if "/new/" in each["url"]]
        return sorted((each["url"].rpartition("/")[2], each["event"]) for each in there)

    moved = [(name, "new") for name in sorted(names - {"5.html"})]
    assert said() == moved
    with file_home.house() as house:
        review.index(house, examined["run"])
    crawls.begin(file_home, runs=(examined["run"],))
    crawls.end()
    assert said() == sorted([*moved, ("4.html", "changed"), ("5.html", "new")])


def test_what_was_examined_and_not_wanted_is_believed_by_no_later_crawl(
    file_home: Home, crawls: Crawler, tmp_path: Path
) -> None:
    folder = tmp_path / "share"
    folder.mkdir()
    (folder / "old.txt").write_text("oldword\n")
    file_home.add_source("files", "share", {"path": str(folder)})
    crawls.crawl(file_home, "share")
    (folder / "old.txt").write_text("oldword and laterword\n")
    (folder / "new.txt").write_text("newword\n")
    report = crawls.crawl(file_home, "share", mode="examine")
    assert (report["to_index"], report["held"]) == (2, 1)
    with file_home.house() as house:
        assert control.stop(house, report["run"]).state is RunState.STOPPED
        assert start.report(house, report["run"])["new"] == 0, "what is dropped was delivered to nobody"
        assert control.stop(house, report["run"]).state is RunState.STOPPED, "two may say so at once"
    after = crawls.crawl(file_home, "share")
    assert (after["new"], after["changed"], after["complete"]) == (1, 1, True)
    assert [len(each) for each in file_home.found("newword", "laterword")] == [1, 1]


def test_without_links_nothing_new_is_known_and_a_later_crawl_reads_them(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=PAGES))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    site.edit(CHANGED, text="auklet", links=[NEW])
    report = crawls.crawl(file_home, "site", mode="index_only")
    assert (report["changed"], report["new"], report["unlinked"]) == (1, 0, 0)
    assert file_home.found("auklet") == [[site.url(CHANGED)]]
    after = crawls.crawl(file_home, "site")
    assert (after["new"], after["changed"]) == (1, 0), "the page is as it was, and its links are new"
    assert crawls.crawl(file_home, "site")["requests"] == after["requests"]


def test_a_test_leaves_nothing_that_a_later_crawl_goes_by(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    tables = ("resource", "content", "exclusion", "outlinks", "visit")
    counts = {each: file_home.value(f"SELECT count(*) FROM {each}") for each in tables}
    before = crawls.crawl(file_home, "site")
    site.edit(CHANGED, text="auklet")
    site.edit(GONE, status=404)
    lines = file_home.add_receiver("lines", "site")
    heard = len(received(lines))
    report = crawls.crawl(file_home, "site", mode="test")
    assert (report["source"], report["state"], report["mode"]) == ("site/test", "finished", "test")
    assert (report["new"], report["gone"], report["index_writes"]) == (PAGES - 1, 1, 0)
    with file_home.house() as house:
        found = {each["url"]: each["status"] for each in listing.listed(house, DocumentFilter(source="site/test"))}
        assert found[site.url(GONE)] == 404
        assert len(found) == PAGES + 1, "with one that robots.txt forbids"
    assert file_home.found("auklet", site.word(GONE)) == [[], [site.url(GONE)]]
    after = crawls.crawl(file_home, "site")
    assert (after["changed"], after["gone"]) == (1, 1), "as if nobody had been there"
    assert after["requests_conditional"] == before["requests_conditional"]
    assert file_home.value("SELECT count(*) FROM source") == 1
    assert file_home.value("SELECT count(*) FROM resource") == counts["resource"]
    assert len(received(lines)) > heard, "of the crawl, not of the test"


def test_from_scratch_what_nothing_leads_to_any_more_leaves(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    site.edit(0, links=[NEW, 40])
    site.edit(40, status=404)
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    site.edit(0, links=[])
    assert crawls.crawl(file_home, "site")["unlinked"] == 1
    report = crawls.crawl(file_home, "site", refresh="scratch")
    assert (report["requests_conditional"], report["fetched"], report["index_deletes"]) == (0, PAGES + 1, 1)
    assert file_home.found(site.word(NEW), site.word(3)) == [[], [site.url(3)]]
    assert file_home.value("SELECT count(*) FROM resource WHERE role = 0") == PAGES + 1
    assert crawls.crawl(file_home, "site")["fetched"] == PAGES


def test_a_run_that_is_to_go_is_not_listed_and_goes_when_it_is_no_longer_needed(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=3))
    file_home.add_source("web", "site", site.source)
    with file_home.house() as house:
        first = start.order(house, ["site"], start.RunOrder(forget=True))[0].run
    crawls.begin(file_home, runs=(first,))
    crawls.end()
    with file_home.house() as house:
        assert start.listed(house) == []
        assert start.report(house, first)["state"] == "finished", "the next crawl compares itself with it"
    crawls.crawl(file_home, "site")
    with file_home.house() as house:
        assert [each["run"] for each in start.listed(house)] == [first + 1]
        assert file_home.value(f"SELECT count(*) FROM run_count WHERE run_id = {first}") == 0
        assert not control.delete(house, first), "it was deleted before"
