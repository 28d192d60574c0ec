"""Crawls that are not just indexed, from a terminal."""

from __future__ import annotations

import pytest

from tests.cli.world import InstalledCli, Site
from tests.clocks import until


def test_what_is_examined_is_looked_at_pruned_and_indexed(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    (report,) = bare.fine("crawl", "docs", "--examine", "--json").objects
    assert (report["state"], report["mode"], report["index_writes"]) == ("pending", "examine", 0)
    shown = bare.fine("run", "show").out
    assert ("3 documents of it can be indexed" in shown, "cormorant run index 1" in shown) == (True, True)
    waits = bare.run("crawl", "docs")
    assert (waits.code, "is examined and not indexed yet" in waits.err, "run index 1" in waits.err) == (3, True, True)
    listed = [each["url"] for each in bare.fine("document", "list", "--run", "1", "--json").objects]
    assert len(listed) >= report["to_index"] > report["new"] == 0
    assert bare.run("document", "list", "--run", "2").code == 4
    path = next(each for each in listed if each != site.address).removeprefix(site.address.rstrip("/"))
    pruned = bare.fine("run", "prune", "1", f"path:{path}", "name:nothing-*", "path:/missing")
    assert "Left out: 1 document" in pruned.err
    assert "'name:nothing-*' matches no document that this run has visited. Check its spelling." in pruned.err
    assert "No document that the rule 'path:/missing' matches waits to be indexed: it is gone" in pruned.err
    record = bare.fine("run", "prune", "1", f"path:{path}", "name:nothing-*", "--json").object
    assert (record["settled"], record["idle"]) == ([f"path:{path}"], ["name:nothing-*"])
    (done,) = bare.fine("run", "index", "1", "--json").objects
    assert (done["state"], done["requests"], done["new"]) == ("finished", report["requests"], report["to_index"] - 1)
    assert done["indexed"] == done["new"]
    again = bare.run("run", "prune", "1", "path:/x")
    assert (again.code, "is not pending; it is finished" in again.err) == (1, True)


def test_what_is_examined_and_stopped_is_dropped(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl", "docs", "--examine")
    for _ in range(2):
        said = bare.fine("run", "stop", "1").err
        assert "3 documents that waited to be indexed are dropped; the next crawl fetches them again." in said
    bare.fine("crawl", "docs")
    assert "Its documents are kept" in bare.fine("run", "stop", "1").err, "another has found them again"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("crawl", "docs", "--examine", "--test"), 2, "Choose one of --examine"),
        (("run", "index", "1"), 1, "crawl --examine"),
        (("run", "prune", "1", "path:/x"), 1, "is not pending"),
        (("run", "delete", "99"), 4, "There is no run 99"),
        (("crawl", "docs/test"), 4, "There is no source"),
        (("document", "list", "--run", "soon"), 2, "--run"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...], code: int, says: str, home: InstalledCli) -> None:
    done = home.run(*words)
    assert (done.code, says in done.err) == (code, True), done.err


def test_what_a_test_found_is_looked_at_and_let_go(home: InstalledCli) -> None:
    before = home.fine("status", "--json").objects[0]["documents"]
    (report,) = home.fine("crawl", "papers", "--test", "--json").objects
    assert (report["source"], report["new"], report["indexed"], report["mode"]) == ("papers/test", 2, 0, "test")
    found = home.fine("document", "list", "--source", "papers/test", "--json").objects
    assert {each["indexed"] for each in found} == {False}
    names = [each["source"] for each in home.fine("source", "list", "--json").objects]
    assert names == ["docs", "papers"]
    refused = home.run("crawl", "papers/test")
    assert (refused.code, "--test` makes another" in refused.err) == (1, True)
    for more in (("--preview",), ("--yes",), ("--json",)):
        edited = home.run("source", "edit", "papers/test", "--set", "depth=1", *more)
        assert (edited.code, "`cormorant source edit papers --set ...`" in edited.err) == (1, True)
    home.fine("run", "delete", str(report["run"]))
    assert "deleted before" in home.fine("run", "delete", str(report["run"])).err
    assert home.run("document", "list", "--source", "papers/test").code == 4
    assert home.fine("status", "--json").objects[0]["documents"] == before


def test_what_is_detached_goes_on_by_itself(home: InstalledCli) -> None:
    (ordered,) = home.fine("crawl", "papers", "--detach", "--json").objects

    def finished() -> bool:
        return bool(home.fine("run", "show", str(ordered["run"]), "--json").objects[0]["state"] == "finished")

    until(finished)
    assert (home.folder / "logs" / "detached.log").exists()


def test_from_scratch_what_a_page_leads_to_that_says_what_it_said_is_there(bare: InstalledCli, site: Site) -> None:
    """An address without a document is purged with its links, and comes back by a known link."""
    bare.run("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.run("crawl", "docs")
    site.page("/missing", "Found again", "The missing page is back.")
    for words, new in ((("--refresh", "scratch"), 1), ((), 0)):
        (report,) = bare.fine("crawl", "docs", *words, "--json").objects
        assert (report["new"], report["unlinked"], report["index_deletes"]) == (new, 0, 0)
    assert [hit["title"] for hit in bare.fine("search", '"missing page"', "--json").objects] == ["Found again"]


def test_from_scratch_links_count_that_a_stopped_run_has_read(bare: InstalledCli, site: Site) -> None:
    bare.run("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.run("crawl", "docs")
    site.page("/missing", "Found again", "The missing page is back.")
    bare.run("crawl", "docs", "--examine", "--force")
    bare.fine("run", "stop")
    (report,) = bare.fine("crawl", "docs", "--refresh", "scratch", "--json").objects
    assert (report["new"], report["index_deletes"]) == (1, 0)


def test_a_source_whose_every_crawl_forgets_first(bare: InstalledCli, site: Site) -> None:
    site.confirms = True
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    edited = bare.fine("source", "edit", "docs", "--set", "refresh=scratch", "--set", "max_documents=50", "--yes")
    assert "refresh: all -> scratch" in edited.err
    assert "documents that it does not find leave" in edited.err
    assert "With refresh=scratch and max_documents each crawl begins at the start again" in edited.err
    site.page("/", "Harbour office", "All about the harbour.", ("/ferries",))
    site.page("/ferries", "Ferry timetable", "The quixotic ferry leaves at eight.")
    report = bare.fine("crawl", "--json").object
    assert (report["refresh"], report["requests_conditional"], report["not_modified"]) == ("scratch", 0, 0)
    assert [each["url"] for each in bare.fine("document", "list", "--json").objects if each["indexed"]] == [
        site.address, f"{site.address}ferries",
    ]  # fmt: skip
    site.page("/", "Harbour office", "All about the harbour.", ("/tides",))
    assert bare.fine("crawl", "--refresh", "all", "--json").object["refresh"] == "all"
    assert len([each for each in bare.fine("document", "list", "--json").objects if each["indexed"]]) == 3


def test_too_much_that_a_forgetful_source_would_lose_is_held(bare: InstalledCli, site: Site) -> None:
    names = [f"/d{number}" for number in range(8)]
    site.page("/", "Start", "", tuple(names))
    for name in names:
        site.page(name, name, f"Page {name}.")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "refresh=scratch")
    bare.fine("crawl")
    site.page("/", "Start", "We are being maintained.")
    done = bare.run("crawl", "--json")
    assert (done.code, done.object["state"], done.object["refresh"]) == (3, "held", "scratch")
    assert len([each for each in bare.fine("document", "list", "--json").objects if each["indexed"]]) == 9
