"""Sources from a terminal: what an edit would do, what a test saw, what a deletion takes away."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cormorant.plugins import SOURCES
from tests.cli.conftest import World
from tests.cli.world import Answer, InstalledCli, Site

DESK = Path(__file__).parents[2] / "sources" / "program" / "desk.py"


def test_show_says_where_each_value_comes_from(world: World) -> None:
    effective = world.home.fine("source", "show", "docs", "--effective", "--json").object["effective"]
    assert effective["start"] == {"value": [world.site.address], "from": "source"}
    assert effective["robots"] == {"value": "obey", "from": "built in"}
    assert "robots" in world.home.fine("source", "show", "docs", "--effective").out


def test_kinds_list_their_settings(world: World) -> None:
    assert [each["kind"] for each in world.home.fine("source", "kinds", "--json").objects] == list(SOURCES)
    rows = {each["setting"]: each for each in world.home.fine("source", "kinds", "web", "--json").objects}
    assert rows["robots"]["default"] == "obey"
    assert all(each["about"] for each in rows.values())
    assert rows["start"]["needed"] is False
    assert world.home.run("source", "kinds", "gopher").code == 4


def test_parameters_that_a_program_declares_are_listed(bare: InstalledCli) -> None:
    given = ("--set", f"command={sys.executable}", "--set", f"command={DESK}")
    rows = {each["setting"]: each for each in bare.fine("source", "kinds", "program", *given, "--json").objects}
    assert rows["parameter=folder"]["needed"]
    assert rows["parameter=limit"]["default"] == 1000
    assert "secret=password" in rows
    assert "of its own" in bare.fine("source", "kinds", "web", "--set", "start=http://a.example/").err
    done = bare.run("source", "kinds", "program", "--set", "command=/nowhere/program")
    assert (done.code, "no program that can be started" in done.err) == (2, True)


def test_a_setting_that_repeats_is_a_list(bare: InstalledCli) -> None:
    given = ("--set", "start=http://a.example/", "--set", "start=http://b.example/", "--set", "depth=2")
    record = bare.fine("source", "add", "web", "two", *given, "--json").object
    assert record["settings"]["start"] == ["http://a.example/", "http://b.example/"]
    assert record["settings"]["depth"] == 2


def test_a_missing_folder_is_reported_at_once(bare: InstalledCli, tmp_path: Path) -> None:
    later = tmp_path / "later"
    done = bare.fine("source", "add", "files", "papers", "--set", f"path={later}")
    assert done.err.splitlines()[1:] == [
        f"The folder {later} is not there. Mount it, or correct the source's path. "
        "Until then a crawl of 'papers' fails. `cormorant source edit papers --set ...` changes it."
    ]
    done = bare.fine("source", "edit", "papers", "--set", f"path={later}-than-that", "--json")
    assert (done.object["source"], done.problem["code"]) == ("papers", "unreachable")
    later.mkdir()
    done = bare.fine("source", "edit", "papers", "--set", f"path={later}", "--quiet")
    assert not done.err


def test_a_file_is_no_folder(bare: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_text("x")
    done = bare.run("source", "add", "files", "papers", "--set", f"path={tmp_path / 'paper.txt'}")
    assert (done.code, f"is a file. Name the folder it is in: {tmp_path}" in done.err) == (2, True), done
    assert not bare.fine("source", "list", "--json").objects
    bare.fine("source", "add", "files", "papers", "--set", f"path={tmp_path}")
    assert bare.run("source", "edit", "papers", "--set", f"path={tmp_path / 'paper.txt'}").code == 2
    assert bare.fine("source", "show", "papers", "--json").object["settings"] == {"path": str(tmp_path)}


def test_an_edit_shows_what_would_leave_and_asks(home: InstalledCli) -> None:
    exclude = ("--set", "exclude=path:/tides")
    effect = home.fine("source", "edit", "docs", *exclude, "--preview", "--json").object
    assert effect["leave"] == 1
    assert effect["leaving"][0].endswith("/tides")
    assert effect["changes"] == [{"setting": "exclude", "before": [], "after": ["path:/tides"]}]
    done = home.run("source", "edit", "docs", *exclude)
    assert (done.code, "--yes" in done.err) == (2, True)
    assert "exclude" not in home.fine("source", "show", "docs", "--json").object["settings"]
    home.fine("source", "edit", "docs", *exclude, "--yes")
    assert home.fine("source", "show", "docs", "--json").object["settings"]["exclude"] == ["path:/tides"]


def test_an_edit_shows_what_would_enter(home: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/elsewhere/a", "/here"))
    site.page("/here", "Here")
    excluded = ("--set", f"start={site.address}", "--set", "exclude=path:/elsewhere/*")
    home.fine("source", "add", "web", "more", *excluded)
    home.run("crawl", "more")
    effect = home.fine("source", "edit", "more", "--set", "exclude=", "--preview", "--json").object
    rule, url = "boundary: exclude path:/elsewhere/*", f"{site.address}elsewhere/a"
    assert (effect["enter"], effect["entering"]) == (1, [{"url": url, "rule": rule}])
    assert (effect["enter_rules"], effect["unjudged"]) == ([{"rule": rule, "addresses": 1}], [])


def test_an_edit_shows_what_would_come_back(home: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/a", "/b", "/private/x", "/never/c"))
    for path in ("/a", "/b"):
        site.page(path, path)
    site.answers["/"].body += "<a href=/n rel=nofollow>n</a>"
    home.fine("source", "add", "web", "more", "--set", f"start={site.address}", "--set", "exclude=path:/never/*")
    home.fine("crawl", "more")
    home.fine("source", "edit", "more", "--set", "exclude=path:/never/*", "--set", "exclude=path:/a", "--yes")
    home.fine("crawl", "more")
    back = ("source", "edit", "more", "--set", "exclude=", "--set", "types=text/*", "--set", "robots=ignore")
    effect = home.fine(*back, "--preview", "--json").object
    assert {each["url"].removeprefix(site.address): each["rule"] for each in effect["entering"]} == {
        "a": "boundary: exclude path:/a", "never/c": "boundary: exclude path:/never/*",
    }  # fmt: skip
    assert (effect["enter"], effect["leave"], effect["unjudged"]) == (2, 0, ["robots"])
    said = home.fine(*back, "--preview").err
    assert "2 addresses that are excluded now would be visited" in said
    assert "1 by boundary: exclude path:/a" in said
    assert "The effect of the change of robots is known only after the next crawl." in said
    home.fine("source", "edit", "more", "--set", "exclude=", "--yes")
    unrelated = home.fine("source", "edit", "more", "--set", "delay_s=0", "--preview", "--json").object
    assert (unrelated["enter"], unrelated["unjudged"]) == (0, []), "they enter without this edit"


def test_a_file_that_not_everyone_may_read_is_reported(bare: InstalledCli, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (share / "pay.txt").write_text("Wages of the harbour.")
    (share / "pay.txt").chmod(0o600)
    bare.fine("source", "add", "files", "share", "--set", f"path={share}")
    said = bare.fine("source", "test", "share", "--json").object["rights"]
    assert "mode 600" in said
    assert "owner_grants=true" in said
    assert "mode 600" in bare.fine("source", "test", "share").out
    (share / "pay.txt").chmod(0o644)
    assert bare.fine("source", "test", "share", "--json").object["rights"] is None
    (share / "pay.txt").chmod(0o600)
    bare.fine("source", "edit", "share", "--set", "owner_grants=true")
    assert bare.fine("source", "test", "share", "--json").object["rights"] is None


def test_an_edit_needs_something_to_change(home: InstalledCli) -> None:
    assert home.run("source", "edit", "docs").code == 2
    assert home.run("source", "edit", "docs", "--set", "dpeth=2").code == 2


class TestTest:
    """`source test` fetches one thing, through the source itself, and keeps nothing."""

    def test_a_page(self, home: InstalledCli, world: World) -> None:
        before = home.fine("document", "list", "--json").out
        record = home.fine("source", "test", "docs", "--json").object
        assert (record["outcome"], record["status"], record["title"]) == ("ok", 200, "Harbour office")
        assert record["mime"] == "text/html"
        assert (record["links"], record["links_to_follow"]) == (4, 4)
        assert record["rule"] == "boundary: hosts of the start addresses"
        assert (record["prerequisites"], record["requests"]) == ([], 1), "its robots.txt is known from the crawl"
        assert home.fine("document", "list", "--json").out == before

    @pytest.mark.parametrize(
        ("path", "code", "status", "rule"),
        [("private/x", 3, 970, "robots"), ("nowhere", 3, 404, "boundary"), ("tides", 0, 200, "boundary")],
    )
    def test_another_address(
        self, path: str, code: int, status: int, rule: str, home: InstalledCli, world: World
    ) -> None:
        done = home.run("source", "test", "docs", "--address", world.site.address + path, "--json")
        assert (done.code, done.object["status"]) == (code, status)
        assert done.object["rule"].startswith(rule)

    def test_outside(self, home: InstalledCli) -> None:
        done = home.run("source", "test", "docs", "--address", "http://elsewhere.example/", "--json")
        assert (done.code, done.object["status"], done.object["requests"]) == (3, 964, 0)

    def test_it_keeps_what_was_consented_to(self, bare: InstalledCli, site: Site) -> None:
        site.page("/", "Start")
        bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
        bare.fine("source", "test", "docs")
        (kept,) = bare.fine("source", "show", "docs", "--json").object["consent"]
        assert kept["address_class"] == "loopback"
        bare.fine("source", "edit", "docs", "--set", "network=public", "--yes")
        assert bare.fine("source", "show", "docs", "--json").object["consent"] == []

    def test_a_redirect(self, bare: InstalledCli, site: Site) -> None:
        site.answers["/old"] = Answer("", 301, location="/new")
        bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}old")
        record = bare.fine("source", "test", "docs", "--json").object
        assert (record["outcome"], record["target"]) == ("moved", f"{site.address}new")

    def test_a_file(self, home: InstalledCli, world: World) -> None:
        record = home.fine("source", "test", "papers", "--address", str(world.papers / "minutes.txt"), "--json").object
        assert (record["mime"], record["requests"]) == ("text/plain", 0)
        assert record["text_length"] > 10
        assert home.fine("source", "test", "papers").code == 0

    def test_no_server(self, bare: InstalledCli) -> None:
        bare.fine("source", "add", "web", "docs", "--set", "start=http://127.0.0.1:9/")
        done = bare.run("source", "test", "docs", "--json")
        assert (done.code, done.object["status"]) == (6, 906), done


def test_a_deleted_source_leaves_with_its_documents(home: InstalledCli) -> None:
    assert home.run("source", "delete", "docs").code == 2
    home.fine("source", "delete", "docs", "--yes")
    assert not home.fine("search", "quixotic", "--json").objects
    assert [each["source"] for each in home.fine("source", "list", "--json").objects] == ["papers"]
    assert not home.fine("document", "list", "--source", "papers", "--status", "404", "--json").objects
    home.fine("crawl", "papers")
    assert home.fine("store", "check", "--json").code == 0


def test_whoever_crawls_with_a_login_hears_who_finds_it(bare: InstalledCli, site: Site) -> None:
    warning = "anyone who opens the search page can find everything that this source reads with its login (headers)"
    given = ("--set", f"start={site.address}", "--set", "headers=X-Tenant: blue")
    assert warning in bare.fine("source", "add", "web", "docs", *given).err
    assert warning in bare.fine("source", "edit", "docs", "--set", "depth=3", "--yes").err
    assert warning in bare.fine("source", "test", "docs").err
    assert warning in bare.fine("source", "test", "docs", "--json").object["doubts"][0]
    assert warning in bare.fine("source", "show", "docs", "--json").object["doubts"][0]
    assert warning not in bare.fine("source", "edit", "docs", "--set", "grants=group:staff", "--yes").err
    again = bare.fine("source", "edit", "docs", "--set", "grants=", "--set", "headers=", "--yes").err
    assert warning not in again
