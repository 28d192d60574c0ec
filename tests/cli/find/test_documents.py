"""Records of addresses, explanations, and search, from a terminal."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import World
from tests.cli.world import Answer, InstalledCli, Site

DOCUMENT = (
    "source", "url", "access_url", "state", "status", "outcome", "reason", "rule", "title", "mime", "language",
    "size_bytes", "depth", "referrer", "content_hash", "fetched_at", "changed_at",
    "next_visit_at", "indexed", "attempts",
)  # fmt: skip
HIT = (
    "id", "url", "title", "snippet", "highlights", "score", "source", "mime", "language", "size_bytes", "modified_at",
    "cached", "duplicates", "near_duplicates", "attributes",
)  # fmt: skip
EXPLAIN = (
    "address", "verdict", "because", "paths", "gates", "visits", "conversion", "index", "cache", "duplicates", "access",
    "next",
)  # fmt: skip


def test_list(world: World) -> None:
    records = world.home.fine("document", "list", "--json").objects
    assert all(set(DOCUMENT) <= set(each) for each in records)
    of_docs = {each["url"].removeprefix(world.site.address): each for each in records if each["source"] == "docs"}
    assert of_docs["ferries"]["title"] == "Ferry timetable"
    assert of_docs["missing"]["status"] == 404
    assert [each["url"] for each in world.home.fine("document", "list", "--status", "404", "--json").objects] == [
        f"{world.site.address}missing"
    ]
    assert len(world.home.fine("document", "list", "--source", "papers").out.splitlines()) == 2


def test_excluded(world: World) -> None:
    (record,) = world.home.fine("document", "list", "--excluded", "--json").objects
    assert record["url"] == f"{world.site.address}private/x"
    assert record["status"] == 970
    assert "robots.txt" in record["rule"]
    assert record["state"] == "excluded"
    lost = world.home.run("document", "list", "--state", "lost")
    assert (lost.code, lost.err.strip()) == (
        2,
        "There is no state 'lost'. There is: todo, found, finished, old, error, excluded.",
    )
    assert set(DOCUMENT) <= set(record)
    assert record["referrer"] == world.site.address
    for words, count in (("--status 970", 1), ("--status 404", 0), ("--state excluded", 1), ("--state old", 0)):
        listed = world.home.fine("document", "list", "--excluded", *words.split(), "--json").objects
        assert listed == [record] * count, words
    assert world.home.fine("document", "list", "--state", "excluded", "--json").objects == [record]
    every = world.home.fine("document", "list", "--json").objects
    for state in ("todo", "found", "finished", "old", "error"):
        listed = world.home.fine("document", "list", "--state", state, "--json").objects
        assert listed == [each for each in every if each["state"] == state]


@pytest.mark.parametrize(
    ("word", "how"),
    [("gone", "--status 404"), ("moved", "--status 954"), ("failed", "--state error"), ("indexed", "--status 200")],
)
def test_a_word_of_the_list_that_is_no_state(word: str, how: str, world: World) -> None:
    done = world.home.run("document", "list", "--state", word)
    assert done.code == 2
    assert f"`{how}`" in done.err


@pytest.mark.parametrize("option", ["--run", "--changed"])
def test_a_run_that_is_not_there(option: str, world: World) -> None:
    done = world.home.run("document", "list", option, "999")
    assert (done.code, done.err.strip()) == (4, "There is no run 999.")


def test_a_run_that_was_deleted_was_there(home: InstalledCli) -> None:
    home.fine("crawl", "papers")
    home.fine("run", "delete", "2")
    home.fine("document", "list", "--run", "2")


def test_show_and_links(world: World) -> None:
    address = f"{world.site.address}tides"
    assert world.home.fine("document", "show", address, "--json").object["title"] == "Tide tables"
    links = world.home.fine("document", "links", address, "--json").objects
    into = {each["address"] for each in links if each["direction"] == "in"}
    assert into == {world.site.address, f"{world.site.address}ferries"}
    assert [each["address"] for each in links if each["direction"] == "out"] == [f"{world.site.address}ferries"]


@pytest.mark.parametrize(
    ("path", "verdict"),
    [("tides", "indexed"), ("missing", "gone"), ("private/x", "excluded"), ("never-heard-of", "unknown")],
)
def test_explain(path: str, verdict: str, world: World) -> None:
    address = world.site.address + path
    record = world.home.fine("explain", address, "--json").object
    assert set(EXPLAIN) <= set(record)
    assert record["verdict"] == verdict
    assert record["because"]
    said = world.home.fine("explain", address).out
    assert address in said
    assert verdict in said


def test_search(world: World) -> None:
    hits = world.home.fine("search", "quixotic", "ferry", "--json").objects
    assert set(HIT) == set(hits[0])
    assert hits[0]["title"] == "Ferry timetable"
    start, end = hits[0]["highlights"][0]
    assert hits[0]["snippet"][start:end].lower() in ("quixotic", "ferry")
    of_papers = world.home.fine("search", "harbour", "--source", "papers", "--json").objects
    assert [each["source"] for each in of_papers] == ["papers", "papers"]


def test_search_by_pages(world: World) -> None:
    every = [each["id"] for each in world.home.fine("search", "harbour", "--json").objects]
    assert len(every) >= 3
    paged = [
        world.home.fine("search", "harbour", "--limit", "1", "--offset", str(n), "--json").object["id"]
        for n in range(len(every))
    ]
    assert paged == every
    said = world.home.fine("search", "harbour", "--limit", "1")
    assert "--offset 1 shows the next ones" in said.err
    last = world.home.fine("search", "harbour", "--limit", "1", "--offset", str(len(every) - 1)).err
    assert f"{len(every)} to {len(every)} of {len(every)} results." in last
    assert "shows the next ones" not in last
    there_are = f"There are {len(every)} results for 'harbour'; "
    assert f"{there_are}--offset is beyond them." in world.home.fine("search", "harbour", "--offset", "99").err
    assert f"{there_are}--limit 0 shows none of them." in world.home.fine("search", "harbour", "--limit", "0").err
    assert "Nothing found for 'narwhal'." in world.home.fine("search", "narwhal", "--limit", "0").err


@pytest.mark.parametrize("text", ['"', "(", "AND", "a OR", "***", "title:", "\x1b[31m", "🦆", "'", "%s", "-"])
def test_anything_is_a_query(text: str, world: World) -> None:
    done = world.home.run("search", "--", text)
    assert done.code == 0, done
    assert "\x1b" not in done.out + done.err


def test_status(world: World) -> None:
    record = world.home.fine("status", "--json").object
    by_name = {each["source"]: each for each in record["sources"]}
    assert by_name["papers"]["documents"] == 2
    assert by_name["docs"]["last_good_run"] is not None
    assert by_name["docs"]["last_good_at"].endswith("Z")
    (index,) = record["receivers"]
    assert (index["receiver"], index["backlog"]) == ("index", 0)
    assert record["documents"] == sum(each["documents"] for each in record["sources"])
    assert "docs" in world.home.fine("status").out


def test_a_list_says_how_it_is_with_each_address(world: World) -> None:
    """Words that need no glossary; the sets are for programs."""
    out = world.home.fine("document", "list", "--source", "docs").out
    said = {line.split()[-1].removeprefix(world.site.address): line.split()[:2] for line in out.splitlines()}
    assert (said["ferries"], said["missing"]) == (["200", "indexed"], ["404", "gone"])
    assert not any("old" in each for each in said.values())
    listed = world.home.fine("document", "list", "--state", "old", "--json").objects
    assert listed, "programs go on by the sets"


def test_of_an_address_nobody_met_each_line_names_its_source(world: World) -> None:
    out = world.home.fine("explain", f"{world.site.address}never-heard-of").out
    assert re.search(r"Gates +docs: follow admits", out), out
    assert re.search(r"^ +papers: follow excludes", out, re.MULTILINE), out
    known = world.home.fine("explain", f"{world.site.address}ferries").out
    assert "docs: follow" not in known, "it is said above whose it is"


def test_nothing_is_guessed_of_a_host_that_never_answered(bare: InstalledCli) -> None:
    given = ("--set", "start=http://127.0.0.1:9/", "--set", "patience_s=0")
    bare.fine("source", "add", "web", "docs", *given)
    assert bare.run("crawl").code == 6
    record = bare.fine("explain", "http://127.0.0.1:9/never-heard-of", "--json").object
    assert (record["verdict"], record["site"]["status"]) == ("unknown", 906)
    assert record["advice"] == ("The rules of 'docs' admit it; only its site can tell whether it exists.")


def test_what_a_crawl_found_otherwise_is_listed(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.run("crawl", "docs")
    first = {each["url"]: each["change"] for each in bare.fine("document", "list", "--changed", "1", "--json").objects}
    found, not_found = ("", "ferries", "tides"), ("missing", "private/x")
    assert {site.address + each for each in found} == {each for each, what in first.items() if what == "new"}
    assert {site.address + each for each in not_found} == {each for each, what in first.items() if what == "outcome"}
    site.page("/tides", "Tide tables", "High water in the harbour at one.", ("/ferries",))
    del site.answers["/ferries"]
    report = bare.run("crawl", "docs").out
    assert "1 changed" in report
    assert "cormorant document list --changed 2   lists new, changed and gone documents" in report
    listed = bare.fine("document", "list", "--changed", "2").out.splitlines()
    assert [line.split() for line in listed] == [
        ["404", "gone", f"{site.address}ferries"], ["200", "changed", f"{site.address}tides"],
    ]  # fmt: skip
    assert "There is no run 9" in bare.run("document", "list", "--changed", "9").err
    assert "change" not in bare.fine("document", "list", "--json").objects[0]


def test_what_a_page_that_is_gone_linked_to_counts_no_more(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", links=("/hub", "/stays"))
    site.page("/hub", "Hub", links=("/stays", "/lost"))
    site.page("/stays", "Stays")
    site.page("/lost", "Lost")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "purge_after_s=0")
    bare.fine("crawl")
    del site.answers["/hub"], site.answers["/lost"]
    bare.fine("crawl")
    into = bare.fine("document", "links", f"{site.address}stays", "--json").objects
    assert [each["address"] for each in into if each["direction"] == "in"] == [site.address]
    assert bare.fine("document", "links", f"{site.address}hub", "--json").objects[0]["direction"] == "in"
    site.page("/", "Start", links=("/stays",))
    bare.fine("crawl")
    asked = len(site.asked)
    bare.fine("crawl")
    assert site.asked[asked:] == ["/", "/stays"], "what only a page that is gone linked to is forgotten"
    site.page("/hub", "Hub", links=("/stays", "/lost"))
    site.page("/", "Start", links=("/hub", "/stays"))
    bare.fine("crawl")
    into = bare.fine("document", "links", f"{site.address}stays", "--json").objects
    assert {each["address"] for each in into if each["direction"] == "in"} == {site.address, f"{site.address}hub"}


def test_what_was_never_found_links_to_nothing_either_when_it_is_gone(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", links=("/tags",))
    tags = '<meta name="robots" content="noindex"><a href="/tagged">tagged</a>'
    site.answers["/tags"] = Answer(tags)
    site.page("/tagged", "Tagged")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    del site.answers["/tags"]
    assert bare.fine("crawl", "--json").object["unlinked"] == 1
    into = bare.fine("document", "links", f"{site.address}tagged", "--json").objects
    assert not [each for each in into if each["direction"] == "in"]
