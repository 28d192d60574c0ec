"""Each excluded address counts once, however it was found, and all places show the same number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cormorant.operate.documents import listing
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.runs import start
from cormorant.operate.system import metrics
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said

BINARY = {"Content-Type": "application/octet-stream"}


def test_the_report_counts_what_the_list_names(home: Home, crawls: Crawler, host: Callable[[], Host]) -> None:
    town, far = host(), host()
    both = "<a rel=nofollow href=/both>x</a><a href=/both>y</a>"
    refused = "<a rel=nofollow href=/unfollowed>x</a><a href=/left?out>x</a>" + f"<a href='{far.origin}/'>far</a>"
    paths = ("/private", "/noindex", "/rules", "/copy", "/kind", "/big", "/1")
    leads = "".join(f"<a href='{each}'>x</a>" for each in paths)
    town.says = {
        "/robots.txt": Said(body="User-agent: *\nDisallow: /private"),
        "/": Said(body=f"<p>words {both}{refused}{leads}<a rel=nofollow href=/late>x</a>"),
        "/1": Said(body="<p>one <a href=/2>x</a><a rel=nofollow href=/unfollowed>x</a><a href=/late>x</a>"),
        "/2": Said(body="<p>two <a href=/deep>too deep</a>"),
        "/both": town.page(), "/late": town.page(),
        "/noindex": Said(body="<meta name=robots content=noindex><p>x"),
        "/rules": Said(body="<p>left out"),
        "/copy": Said(body="<link rel=canonical href=/2><p>copied"),
        "/kind": Said(body=b"\0\1\2\3" * 9, headers=BINARY),
        "/big": Said(body="<p>" + "much " * 30_000),
    }  # fmt: skip
    home.add_source("web", "town", {
        "start": [town.origin + "/"], "network": ["loopback"], "patience_s": 0, "depth": 2, "exclude": ["path:/left*"],
        "index_exclude": ["path:/rules"], "max_size_bytes": "100000",
    })  # fmt: skip
    report = crawls.crawl(home, "town")
    with home.house() as house:
        listed = [each["url"] for each in listing.listed(house, DocumentFilter(excluded=True))]
        again = list(listing.listed(house, DocumentFilter(excluded=True, run=report["run"])))
        gauges = [each for each in metrics.samples(house) if "excluded" in each.labels]
        shown = next(each for each in start.listed(house) if each["run"] == report["run"])
    numbers = Counter(each["status"] for each in again)
    assert numbers.keys() >= {970, 971, 972, 964, 973, 910, 983, 960}, numbers
    assert len(set(listed)) == len(listed) == len(again) == report["excluded"] == shown["excluded"], numbers
    assert [each.value for each in gauges] == [len(listed)]
    assert report["excluded"] <= report["rejected"] + report["non_indexable"]
    assert town.origin + "/both" not in listed, "another link may be followed"
    assert town.origin + "/late" not in listed
    second = crawls.crawl(home, "town", force=True)
    with home.house() as house:
        again = list(listing.listed(house, DocumentFilter(excluded=True, run=second["run"])))
    assert second["excluded"] == len(again) == len(listed)
    third = crawls.crawl(home, "town")
    with home.house() as house:
        again = list(listing.listed(house, DocumentFilter(excluded=True, run=third["run"])))
    assert third["excluded"] == len(again) < len(listed), "links of pages that have not changed are not looked at"
