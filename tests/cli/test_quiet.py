"""With -q a command says nothing but what was asked for, and problems on standard error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.world import Answer, InstalledCli, Site

NOBODY = "http://127.0.0.1:1/"


@pytest.mark.parametrize(
    "words", [("-q", "crawl"), ("crawl", "-q"), ("crawl", "docs", "--quiet"), ("--quiet", "crawl")]
)
def test_a_crawl_that_goes_well_says_nothing(bare: InstalledCli, site: Site, words: tuple[str, ...]) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "-q")
    done = bare.fine(*words)
    assert (done.out, done.err) == ("", "")
    assert bare.fine("run", "show", "--json").object["indexed"] == 3


def test_a_crawl_that_does_not_says_why_on_standard_error(bare: InstalledCli, site: Site) -> None:
    site.answers["/tides"] = Answer("", 500)
    given = ("--set", f"start={site.address}", "--set", "patience_s=0")
    bare.fine("source", "add", "web", "docs", *given, "-q")
    done = bare.run("crawl", "-q")
    assert (done.code, done.out) == (3, "")
    assert "/tides: 500" in done.err
    bare.fine("source", "edit", "docs", "--set", f"start={NOBODY}", "--yes", "-q")
    done = bare.run("-q", "crawl")
    assert (done.code, done.out) == (6, "")
    assert "did not answer" in done.err


def test_a_held_run_says_so(bare: InstalledCli, site: Site) -> None:
    names = [f"/d{number}" for number in range(8)]
    site.page("/", "Start", "", tuple(names))
    for name in names:
        site.page(name, name, f"Page {name}.")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "-q")
    bare.fine("crawl", "-q")
    for name in names:
        site.answers[name] = Answer("", 410)
    done = bare.run("crawl", "-q")
    assert (done.code, done.out, "run accept" in done.err) == (3, "", True), done
    assert bare.run("run", "refuse", "-q").out == ""


def test_a_program_gets_the_report_all_the_same(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "-q")
    assert bare.fine("crawl", "-q", "--json").object["indexed"] == 3
    assert "fetched" in bare.fine("run", "watch", "-q").out, "the report is what was asked for"


def test_other_commands_that_show_how_they_go(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "-q")
    bare.fine("receiver", "add", "jsonlines", "lines", "--set", f"path={tmp_path / 'lines'}", "-q")
    bare.fine("crawl", "--examine", "-q")
    for words in (
        ("run", "index"), ("index", "rebuild"), ("index", "optimize"), ("receiver", "resend", "lines"),
        ("document", "recrawl", "--source", "docs", "--now"), ("store", "backup", str(tmp_path / "kept.tar")),
    ):  # fmt: skip
        for said in ((*words, "-q"), ("-q", *words)):
            done = bare.run(*said)
            assert (done.code, done.out, done.err) == (0, "", ""), (said, done)
            if words[:2] in (("run", "index"), ("store", "backup")):
                break
