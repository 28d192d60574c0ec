"""Deletions that were confirmed at an edit are not questioned again, and no others pass with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.world import Answer, InstalledCli, Site

LEAVING = 9
EXCLUDE = ("source", "edit", "docs", "--set", "exclude=path:/d/*", "--yes")


@pytest.fixture
def crawled(bare: InstalledCli, site: Site) -> InstalledCli:
    """Nine documents that a rule can take out, five others and the start page."""
    names = [*(f"/d/{number}" for number in range(LEAVING)), *(f"/e/{number}" for number in range(5))]
    for name in names:
        site.page(name, f"Document {name}", f"unique{name.replace('/', '')}")
    site.page("/", "Start", "", tuple(names))
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "delay_s=0")
    bare.fine("crawl")
    return bare


def test_what_was_agreed_to_goes_without_another_question(crawled: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", tuple(f"/e/{number}" for number in range(5)))
    effect = crawled.fine(*EXCLUDE[:-1], "--preview", "--json").object
    assert (effect["leave"], effect["documents"]) == (LEAVING, LEAVING + 6)
    crawled.fine("source", "edit", "docs", "--set", "exclude=path:/d/*", "--set", "exclude=path:/e/*", "--yes")
    report = crawled.fine("crawl", "--json").object
    assert (report["state"], report["reason"]) == ("finished", None)
    assert [each["url"] for each in crawled.fine("document", "list", "--json").objects if each["indexed"]] == [
        site.address
    ]


def test_more_than_was_agreed_to_is_held(crawled: InstalledCli, site: Site) -> None:
    crawled.fine(*EXCLUDE)
    for number in range(5):
        site.answers[f"/e/{number}"] = Answer("gone", 410)
    done = crawled.run("crawl", "--json")
    report = done.object
    assert (done.code, report["state"], report["held"]) == (3, "held", LEAVING + 5)
    assert "14 of 15 documents would leave the index, 9 of them as was agreed to" in report["reason"]
    assert crawled.fine("search", "uniqued3", "--json").objects


@pytest.mark.long
def test_it_holds_for_one_run(crawled: InstalledCli, site: Site) -> None:
    """A document that came back by itself needs consent again when the same rule removes it once more."""

    def say(length: int) -> None:
        for number in range(LEAVING):
            site.page(f"/d/{number}", f"Document {number}", f"unique{number} " * length)
        site.page("/", "Start", "", tuple(f"/d/{number}" for number in range(LEAVING)))

    say(1000)
    assert crawled.fine("crawl", "--json").object["changed"] >= LEAVING
    rules = ("--set", "index_exclude=size:>2kB", "--set", "exclude=path:/e/*")
    crawled.fine("source", "edit", "docs", *rules, "--yes")
    assert crawled.fine("crawl", "--json").object["state"] == "finished"
    say(1)
    assert crawled.fine("crawl", "--json").object["new"] == LEAVING
    say(1000)
    assert crawled.run("crawl", "--json").object["state"] == "held"


def test_an_edit_that_nobody_was_asked_about_ends_it(crawled: InstalledCli) -> None:
    crawled.fine("source", "edit", "docs", "--set", "exclude=path:/d/*", "--set", "exclude=path:/e/*", "--yes")
    change_without_asking(crawled, delay_s=0)
    assert crawled.run("crawl", "--json").object["state"] == "held"


def change_without_asking(home: InstalledCli, **given: object) -> None:
    """As a program does that sees no preview."""
    from cormorant import Cormorant

    with Cormorant.open(home.folder) as opened:
        opened.sources.edit("docs", **given)


def test_files_go_without_another_question(bare: InstalledCli, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    for number in range(LEAVING):
        (share / f"old-{number}.txt").write_text(f"An old note {number}.")
    (share / "new.txt").write_text("A new note.")
    bare.fine("source", "add", "files", "share", "--set", f"path={share}")
    bare.fine("crawl")
    bare.fine("source", "edit", "share", "--set", "exclude=old-*", "--yes")
    assert bare.fine("crawl", "--json").object["state"] == "finished"
