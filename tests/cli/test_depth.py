"""How deep a page is, from a terminal: what comes in by a shorter way, and what becomes of it afterwards."""

from __future__ import annotations

import pytest

from tests.cli.world import InstalledCli, Site

CHAIN = {"/": ("/a",), "/a": ("/b",), "/b": ("/c",), "/c": ()}


@pytest.fixture
def chain(site: Site) -> Site:
    """A start that leads on from page to page; what nobody changed is confirmed to be as it was."""
    site.confirms = True
    link(site, CHAIN)
    return site


def link(site: Site, pages: dict[str, tuple[str, ...]]) -> None:
    for path, links in pages.items():
        site.page(path, path, links=links)


def add(home: InstalledCli, site: Site, *pairs: str) -> None:
    given = [word for pair in (f"start={site.address}", "depth=2", *pairs) for word in ("--set", pair)]
    home.fine("source", "add", "web", "docs", *given)


def crawl(home: InstalledCli, *words: str) -> dict[str, object]:
    report: dict[str, object] = home.fine("crawl", "docs", "--json", *words).object
    return report


def depths(home: InstalledCli, site: Site) -> dict[str, int]:
    """Path and depth of what search finds."""
    rows = home.fine("document", "list", "--json").objects
    return {f"/{row['url'].removeprefix(site.address)}": row["depth"] for row in rows if row["indexed"]}


def linking(home: InstalledCli, site: Site, path: str) -> list[str]:
    rows = home.fine("document", "links", site.address + path[1:], "--json").objects
    return sorted(f"/{row['address'].removeprefix(site.address)}" for row in rows if row["direction"] == "in")


def test_what_enters_by_a_shorter_way_is_linked_to_by_pages_as_they_were(bare: InstalledCli, chain: Site) -> None:
    add(bare, chain, "depth_exact=true", "orphans=delete_after:1")
    crawl(bare)
    chain.page("/", "/", links=("/a", "/b"))
    first, second = crawl(bare), crawl(bare)
    assert (first["new"], first["not_modified"], second["new"], second["not_modified"]) == (1, 2, 0, 4)
    for report in (first, second):
        assert (report["unlinked"], report["unvisited"], report["unvisited_deleted"], report["excluded"]) == (0,) * 4
    assert depths(bare, chain) == {"/": 0, "/a": 1, "/b": 1, "/c": 2}
    assert linking(bare, chain, "/c") == ["/b"]


def test_what_lost_the_link_it_came_in_by_is_not_unlinked_while_another_is_there(
    bare: InstalledCli, chain: Site
) -> None:
    add(bare, chain, "orphans=delete_after:1")
    crawl(bare)
    chain.page("/", "/", links=("/a", "/c"))
    assert crawl(bare)["new"] == 1
    assert linking(bare, chain, "/c") == ["/", "/b"]
    chain.page("/", "/", links=("/a",))
    report = crawl(bare)
    assert (report["unlinked"], report["unvisited_deleted"]) == (0, 0)
    assert "/c" in depths(bare, chain)


@pytest.mark.parametrize("words", [(), ("--force",)], ids=["usual", "forced"])
def test_a_shorter_way_counts_in_the_next_crawl_at_the_latest(
    words: tuple[str, ...], bare: InstalledCli, chain: Site
) -> None:
    add(bare, chain)
    crawl(bare)
    chain.page("/", "/", links=("/a", "/b"))
    crawl(bare)
    report = crawl(bare, *words)
    assert (report["new"], report["excluded"], report["unlinked"], report["complete"]) == (1, 0, 0, True)
    assert depths(bare, chain) == {"/": 0, "/a": 1, "/b": 1, "/c": 2}


def test_a_crawl_from_scratch_remembers_no_depth(bare: InstalledCli, chain: Site) -> None:
    add(bare, chain)
    crawl(bare)
    chain.page("/", "/", links=("/a", "/b"))
    report = crawl(bare, "--refresh", "scratch")
    assert (report["new"], report["unlinked"], depths(bare, chain)) == (1, 0, {"/": 0, "/a": 1, "/b": 1, "/c": 2})
    chain.page("/", "/", links=("/a",))
    for _ in range(2):
        crawl(bare)
        assert depths(bare, chain) == {"/": 0, "/a": 1, "/b": 1, "/c": 2}, "a usual one takes nothing away for that"
    report = crawl(bare, "--refresh", "scratch")
    assert (report["index_deletes"], depths(bare, chain)) == (1, {"/": 0, "/a": 1, "/b": 2})
    assert "972" in bare.fine("explain", f"{chain.address}c", "--json").object["because"]
