"""Settings that sources share, from a terminal: which value counts, what an edit changes, what cannot go."""

from __future__ import annotations

import io
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cormorant.operate.installation import Installation
from cormorant.operate.sources import impact_preview, sources
from tests.cli.world import Answer, InstalledCli, Site


def effective(home: InstalledCli, source: str = "docs") -> dict[str, tuple[Any, str]]:
    """Every setting of a source with its value, and where that comes from."""
    (record,) = home.fine("source", "show", source, "--effective", "--json").objects
    return {name: (each["value"], each["from"]) for name, each in record["effective"].items()}


def test_the_nearest_value_counts_and_says_where_it_is_from(home: InstalledCli) -> None:
    assert effective(home)["patience_s"] == (300.0, "built in")
    assert effective(home)["start"][1] == "source"
    home.fine("parameters", "edit", "system", "--set", "patience_s=60", "--set", "max_documents=70")
    home.fine(
        "parameters", "add", "gentle", "--set", "delay_s=3", "--set", "max_documents=50", "--set", "crawl_delay=ignore"
    )
    home.fine("source", "edit", "docs", "--set", "parameters=gentle", "--set", "max_minutes=9")
    found = effective(home)
    assert found["patience_s"] == (60.0, "system")
    assert found["max_documents"] == (50, "set gentle")
    assert (found["delay_s"], found["max_minutes"]) == ((3.0, "set gentle"), (9.0, "source"))
    papers = effective(home, "papers")
    assert papers["max_documents"] == (70, "system")
    assert "crawl_delay" not in papers, "folders have no such setting, and do without"
    home.fine("source", "edit", "docs", "--set", "max_documents=7", "--set", "patience_s=300")
    found = effective(home)
    assert (found["max_documents"], found["patience_s"]) == ((7, "source"), (300.0, "source")), "as built in, but said"
    home.fine("source", "edit", "docs", "--set", "max_documents=")
    assert effective(home)["max_documents"] == (50, "set gentle")


def test_a_crawl_goes_by_what_is_shared(home: InstalledCli) -> None:
    home.fine("parameters", "edit", "system", "--set", "max_documents=1")
    done = home.run("crawl", "papers", "--refresh", "scratch", "--json")
    (report,) = done.objects
    assert (report["fetched"], report["complete"]) == (1, False)
    assert "max_documents is 1" in report["reason"]


def test_an_edit_of_a_set_is_previewed_like_one_of_each_source(home: InstalledCli) -> None:
    home.fine("parameters", "add", "narrow", "--set", "max_minutes=5")
    home.fine("source", "edit", "docs", "--set", "parameters=narrow")
    (preview,) = home.fine("parameters", "edit", "narrow", "--set", "depth=0", "--preview", "--json").objects
    (effect,) = preview["sources"]
    assert (effect["source"], effect["changes"]) == (
        "docs", [{"setting": "depth", "before": "unlimited", "after": 0}]
    )  # fmt: skip
    assert effect["leave"] == effect["documents"] - 1 > 0
    assert effective(home)["depth"] == ("unlimited", "built in"), "a preview changes nothing"
    refused = home.run("parameters", "edit", "narrow", "--set", "depth=0")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    home.fine("parameters", "edit", "narrow", "--set", "depth=0", "--yes")
    assert effective(home)["depth"] == (0, "set narrow")
    (record,) = home.fine("parameters", "show", "narrow", "--json").objects
    assert (record["settings"], record["sources"], record["version"]) == (
        {"depth": 0, "max_minutes": 5.0}, ["docs"], 2
    )  # fmt: skip
    home.fine("parameters", "edit", "narrow", "--set", "depth=", "--yes")
    assert effective(home)["depth"] == ("unlimited", "built in")


def test_an_edit_says_when_everything_is_refetched_and_what_that_costs(home: InstalledCli) -> None:
    (effect,) = home.fine("source", "edit", "docs", "--set", "default_language=nl", "--preview", "--json").objects
    assert effect["recrawl"] == {"settings": ["default_language"], "requests": effect["documents"]}
    said = home.fine("source", "edit", "docs", "--set", "default_language=nl")
    assert f"default_language changed, the next crawl downloads all {effect['documents']} documents again" in said.err
    (report,) = home.fine("crawl", "docs", "--json").objects
    assert (report["requests_conditional"], report["fetched"]) == (0, effect["documents"])
    assert report["edited"] == ["default_language"]
    assert (
        "every document was downloaded again, because these settings changed: default_language"
        in home.fine("run", "show").out
    )
    (other,) = home.fine("source", "edit", "docs", "--set", "max_minutes=9", "--preview", "--json").objects
    assert other["recrawl"] is None
    home.fine("source", "edit", "docs", "--set", "max_minutes=9")
    (report,) = home.fine("crawl", "docs", "--json").objects
    assert report["edited"] == []


def languages(home: InstalledCli, site: Site) -> list[str]:
    """Of the pages of a site that says too little of each to be in any."""
    paths = ("", "ferries", "tides")
    shown = [home.fine("document", "show", f"{site.address}{each}", "--json").object for each in paths]
    return [each["language"] for each in shown]


@pytest.fixture
def terse(site: Site) -> Site:
    """Its pages have too few words to tell their language, and confirm what they said."""
    site.confirms = True
    for path, links in (("/", ("/ferries", "/tides")), ("/ferries", ()), ("/tides", ())):
        site.page(path, path[1:] or "x", links=links)
    return site


@pytest.mark.long
def test_a_language_that_only_the_source_gives_changes_with_it(bare: InstalledCli, terse: Site) -> None:
    terse.answers["/tides"] = Answer("<html lang=de><title>Gezeiten</title><p>Wasser")
    bare.fine("source", "add", "web", "docs", "--set", f"start={terse.address}")
    bare.fine("crawl")
    for wanted in ("fr", "nl", ""):
        bare.fine("source", "edit", "docs", "--set", f"default_language={wanted}")
        report = bare.fine("crawl", "--json").object
        assert (report["edited"], report["changed"], report["unchanged"]) == (["default_language"], 2, 1)
        assert languages(bare, terse) == [wanted, wanted, "de"]
        assert bare.fine("crawl", "--json").object["requests_conditional"] == 3


@pytest.mark.long
def test_an_edit_holds_for_a_source_of_which_a_page_never_answers(bare: InstalledCli, terse: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={terse.address}", "--set", "patience_s=1")
    bare.fine("crawl")
    whole = terse.answers["/tides"]
    terse.answers["/tides"] = Answer("Try again.", 500)
    figures = []
    for wanted in (None, "fr", None, "nl", None):
        if wanted:
            bare.fine("source", "edit", "docs", "--set", f"default_language={wanted}")
        report = bare.run("crawl", "--json").object
        figures.append((bool(report["edited"]), report["not_modified"], report["complete"]))
    assert figures == [(False, 2, False), (True, 0, False), (False, 2, False), (True, 0, False), (False, 2, False)]
    terse.answers["/tides"] = whole
    with closing(sqlite3.connect(bare.folder / "cormorant.db")) as rows, rows:
        rows.execute("UPDATE resource SET not_before = 0")
    report = bare.fine("crawl", "--json").object
    assert (report["not_modified"], report["changed"], report["complete"]) == (2, 1, True)
    assert languages(bare, terse) == ["nl", "nl", "nl"]
    assert bare.fine("crawl", "--json").object["not_modified"] == 3


def test_an_edit_that_was_taken_back_before_its_crawl_ended_holds_for_all(bare: InstalledCli, terse: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={terse.address}")
    bare.fine("crawl")
    bare.fine("source", "edit", "docs", "--set", "default_language=fr", "--set", "max_documents=1")
    assert bare.run("crawl", "--json").object["complete"] is False
    assert sorted(languages(bare, terse)) == ["", "", "fr"]
    bare.fine("source", "edit", "docs", "--set", "default_language=", "--set", "max_documents=")
    report = bare.fine("crawl", "--json").object
    assert (report["edited"], report["not_modified"]) == (["default_language"], 0)
    assert languages(bare, terse) == ["", "", ""]


def test_an_edit_holds_once_for_a_source_of_which_only_what_is_due_is_visited(
    bare: InstalledCli, tmp_path: Path
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(str(number))
    path = ("--set", f"path={tmp_path}", "--set", "include=path:/**.txt", "--set", "refresh=due")
    bare.fine("source", "add", "files", "shelf", *path)
    bare.fine("crawl")
    figures = []
    for wanted in ("fr", None, "nl", None):
        if wanted:
            bare.fine("source", "edit", "shelf", "--set", f"default_language={wanted}")
        report = bare.fine("crawl", "--json").object
        figures.append((bool(report["edited"]), report["fetched"], report["changed"]))
    assert figures == [(True, 4, 4), (False, 0, 0), (True, 4, 4), (False, 0, 0)]


def test_a_run_is_not_deleted_under_whose_settings_documents_were_kept(bare: InstalledCli, terse: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={terse.address}")
    bare.fine("crawl")
    with closing(sqlite3.connect(bare.folder / "cormorant.db")) as rows, rows:
        columns = [row[1] for row in rows.execute("PRAGMA table_info(run)") if row[1] != "id"]
        names = ", ".join(columns)
        for state, language in (("stopped", "de"), ("stopped", "")):
            rows.execute(f"INSERT INTO run ({names}) SELECT {names} FROM run WHERE id = 1")
            said = f'{{"start": ["{terse.address}"], "default_language": "{language}"}}'
            rows.execute("UPDATE run SET state = ?, settings = ? WHERE id = (SELECT max(id) FROM run)", (state, said))
    assert "compares itself with it" in bare.run("run", "delete", "2").err
    assert bare.fine("crawl", "--json").object["edited"] == ["default_language"]


def test_what_leaves_is_not_fetched_once_more(home: InstalledCli) -> None:
    exclude = ("source", "edit", "docs", "--set", "exclude=path:/tides", "--yes")
    (effect,) = home.fine(*exclude[:-1], "--preview", "--json").objects
    assert effect["recrawl"]["requests"] == effect["documents"] - 1 > 0
    assert f"downloads all {effect['documents'] - 1} remaining documents again" in home.fine(*exclude).err
    (report,) = home.fine("crawl", "docs", "--json").objects
    assert (report["fetched"], report["edited"]) == (effect["documents"] - 1, ["exclude"])


def test_a_set_in_use_is_not_deleted_without_a_word(home: InstalledCli) -> None:
    home.fine("parameters", "add", "gentle", "--set", "delay_s=3")
    home.fine("source", "edit", "docs", "--set", "parameters=gentle")
    kept = home.run("parameters", "delete", "gentle")
    assert (kept.code, "is used by docs" in kept.err) == (1, True)
    (record,) = home.fine("parameters", "delete", "gentle", "--yes", "--json").objects
    assert record == {"parameters": "gentle", "deleted": True, "sources": ["docs"]}
    assert effective(home)["parameters"] == ("", "built in")
    assert [each["parameters"] for each in home.fine("parameters", "list", "--json").objects] == ["system"]


def test_a_set_in_use_is_deleted_once_it_was_shown_what_leaves(
    home: InstalledCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.fine("parameters", "add", "typed", "--set", "exclude=contains:tides")
    home.fine("source", "edit", "docs", "--set", "parameters=typed", "--yes")
    home.run("crawl", "docs")
    home.fine("parameters", "edit", "system", "--set", "exclude=contains:ferries", "--yes")
    refused = home.run("parameters", "delete", "typed")
    assert (refused.code, "1 document would leave the index." in refused.err) == (1, True), refused.err
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    kept = home.run("parameters", "delete", "typed")
    assert (kept.code, "Delete it, and let 1 document leave at the next crawl?" in kept.err) == (1, True), kept.err
    assert "docs:" in kept.err
    assert effective(home)["parameters"] == ("typed", "source")
    monkeypatch.setattr(sys, "stdin", Typed("y\n"))
    done = home.fine("parameters", "delete", "typed")
    assert "Deleted the set 'typed'. docs does without it from the next crawl on." in done.err
    assert effective(home)["exclude"] == (["contains:ferries"], "system")


class Typed(io.StringIO):
    """A terminal at which this was typed."""

    def isatty(self) -> bool:
        return True


def test_values_are_shown_as_what_they_are_whoever_wrote_them(home: InstalledCli) -> None:
    given = ("delay_s=3", "max_documents=50", "max_size_bytes=2MB", "hash_audit=0.5", "exclude=contains:tides")
    home.fine("parameters", "add", "gentle", *(word for each in given for word in ("--set", each)))
    shown = home.fine("parameters", "show", "gentle", "--json").object["settings"]
    assert shown == {
        "delay_s": 3.0, "max_documents": 50, "max_size_bytes": 2_000_000, "hash_audit": 0.5,
        "exclude": ["contains:tides"],
    }  # fmt: skip
    with sqlite3.connect(home.folder / "cormorant.db") as database:  # as it was once kept
        database.execute("UPDATE parameters SET settings = replace(settings, '3.0', '\"3\"')")
    assert home.fine("parameters", "show", "gentle", "--json").object["settings"] == shown
    home.fine("source", "edit", "docs", "--set", "parameters=gentle", "--yes")
    assert effective(home)["delay_s"] == (3.0, "set gentle")


def test_the_systems_set_is_not_deleted_without_a_word_where_a_value_of_it_counts(home: InstalledCli) -> None:
    home.fine("parameters", "edit", "system", "--set", "max_minutes=5", "--set", "depth=0", "--yes")
    home.fine("source", "edit", "papers", "--set", "max_minutes=6", "--set", "depth=unlimited")
    kept = home.run("parameters", "delete", "system")
    assert (kept.code, "is used by docs." in kept.err) == (1, True)
    assert effective(home)["depth"] == (0, "system")
    (record,) = home.fine("parameters", "delete", "system", "--yes", "--json").objects
    assert record == {"parameters": "system", "deleted": True, "sources": ["docs"]}
    assert effective(home)["depth"] == ("unlimited", "built in")
    assert home.fine("parameters", "delete", "system", "--json").objects[0]["sources"] == []


def test_an_edit_of_another_administrator_meanwhile_is_kept(
    home: InstalledCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that would leave are counted first, which takes minutes if there are many."""
    home.fine("parameters", "edit", "system", "--set", "depth=3", "--yes")
    counted = impact_preview.of_whole

    def slowly(house: Installation, name: str, whole: Mapping[str, Any]) -> Mapping[str, Any]:
        sources.edit(house, "docs", {"delay_s": "7"})
        return counted(house, name, whole)

    monkeypatch.setattr(impact_preview, "of_whole", slowly)
    refused = home.run("parameters", "delete", "system", "--yes")
    assert (refused.code, "changed the source 'docs' at the same moment" in refused.err) == (1, True), refused.err
    assert effective(home)["delay_s"] == (7.0, "source")
    assert effective(home)["depth"] == (3, "system")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("add", "a", "--set", "dealy_s=1"), 2, "Did you mean 'delay_s'?"),
        (("add", "a", "--set", "delay_s=soon"), 2, "delay_s"),
        (("add", "a", "--set", "start=http://localhost/"), 2, "Every source has its own"),
        (("add", "a", "--set", "parameters=b"), 2, "Every source has its own"),
        (("add", "a/b"), 2, "cannot be the name"),
        (("add", "system"), 1, "always exists"),
        (("edit", "none", "--set", "depth=1"), 4, "There is no set of parameters 'none'"),
        (("show", "none"), 4, "There is no set of parameters"),
        (("delete", "none"), 4, "There is no set of parameters"),
        (("edit", "system"), 2, "Name a change"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    words: tuple[str, ...], code: int, says: str, home: InstalledCli
) -> None:
    done = home.run("parameters", *words)
    assert (done.code, says in done.err) == (code, True), done.err
    assert [each["settings"] for each in home.fine("parameters", "list", "--json").objects] == [{}]


def test_a_source_uses_no_set_that_there_is_not(home: InstalledCli) -> None:
    done = home.run("source", "edit", "docs", "--set", "parameters=none")
    assert (done.code, "There is no set of parameters 'none'" in done.err) == (4, True)
