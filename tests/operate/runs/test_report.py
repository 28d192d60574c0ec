"""What a report and the status page say is so: no rule, no start and no host is blamed wrongly."""

from __future__ import annotations

import re
import socket
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.operate.documents import lookup
from cormorant.operate.runs import report as run_report
from cormorant.store.journal import visits
from tests.cli.world import Answer, InstalledCli, Site, serving, small_site
from tests.extract import writers


@pytest.fixture
def home(tmp_path: Path) -> InstalledCli:
    """An installation that does not exist yet."""
    return InstalledCli(tmp_path / "data")


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(small_site()) as made:
        yield made


@contextmanager
def nobody() -> Iterator[str]:
    """A host and port of this machine where nobody answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def sentences(report: dict[str, Any], kind: str = "") -> list[str]:
    return [each["sentence"] for each in report["problems"] if kind in ("", each["kind"])]


def source(report: dict[str, Any], name: str = "docs") -> dict[str, Any]:
    """What the status page says of a source."""
    return next(each for each in report["sources"] if each["source"] == name)


def test_a_rule_that_only_made_known_pages_leave_is_not_idle(home: InstalledCli, site: Site) -> None:
    site.page("/far", "Far", "Only a redirect leads here.")
    site.answers["/ferries"] = Answer("", 301, location="/far")
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}ferries")
    home.fine("crawl", "docs")
    home.fine("source", "edit", "docs", "--set", "exclude=path:/far", "--set", "exclude=path:/nowhere", "--yes")
    report = home.run("crawl", "docs", "--json").object
    said = "".join(sentences(report, "rule"))
    assert "/nowhere" in said
    assert "/far" not in said


def test_an_excluded_file_is_no_start_address(home: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for name in ("a.txt", "b.log"):
        (tmp_path / "papers" / name).write_text("A quiet note.")
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}", "--set", "exclude=*.log")
    assert not sentences(home.fine("crawl", "--json").object)
    excluded = home.fine("document", "list", "--excluded", "--json").objects
    assert [each["url"].rpartition("/")[2] for each in excluded] == ["b.log"]


def test_documents_left_out_for_their_size_are_counted_and_one_is_named(home: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for name, size in (("a.txt", 10), ("b.txt", 3000), ("c.txt", 4000)):
        (tmp_path / "papers" / name).write_text("quiet " * (size // 6))
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}", "--set", "max_size_bytes=2kB")
    report = home.fine("crawl", "--json").object
    (said,) = [each for each in report["problems"] if each["kind"] == "size"]
    assert (said["addresses"], said["status"], report["indexed"]) == (2, 960, 1)
    assert said["sentence"].startswith("2 documents are larger than max_size_bytes and left out, the first ")
    assert home.fine("document", "list", "--status", "960", "--json").objects[0]["url"] == said["address"]


def test_an_empty_start_page_is_told_though_nothing_failed(home: InstalledCli, site: Site) -> None:
    site.answers["/"] = Answer("")
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    for _ in range(2):
        report = home.fine("crawl", "docs", "--json").object
        assert (report["failed"], report["complete"]) == (0, True)
        (said,) = sentences(report, "start")
        assert said.startswith(f"The start address {site.address} is empty")


def test_an_address_is_excluded_once_though_known_twice(home: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for name in ("a.txt", "b.log"):
        (tmp_path / "papers" / name).write_text(f"A quiet note called {name}.")
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    home.fine("crawl")
    home.fine("source", "edit", "papers", "--set", "exclude=*.log", "--yes")
    home.fine("crawl", "--force")
    with opened(BuildPlan(home.folder, Settings())) as house:
        with house.store.read() as tx:
            (row,) = lookup.at(tx, (tmp_path / "papers" / "b.log").as_uri())
            kept = visits.exclusions(tx, row.source_id)
        if not kept:
            twice = visits.Exclusion(row.source_id, row.hash, row.address, "boundary", "exclude *.log", 964, 2, 0, None)
            with house.store.begin() as tx:
                visits.exclude(tx, [twice])
    (record,) = home.fine("document", "list", "--excluded", "--json").objects
    assert (record["status"], record["reason"]) == (964, "boundary: exclude *.log")


def test_an_excluded_start_address_is_told(home: InstalledCli, site: Site) -> None:
    given = [f"start={site.address}", f"start={site.address}tides", "exclude=path:/tides"]
    home.fine("source", "add", "web", "docs", *(word for each in given for word in ("--set", each)))
    (said,) = sentences(home.run("crawl", "--json").object, "start")
    assert said == f"The start address {site.address}tides is excluded by boundary: exclude path:/tides."


def test_a_host_that_is_down_is_told_once(home: InstalledCli, site: Site) -> None:
    with nobody() as away:
        pages = tuple(f"http://{away}/{number}" for number in range(12))
        site.page("/", "Start", "", (*pages, "/broken"))
        site.answers["/broken"] = Answer("%PDF-1.7 nothing of a PDF", mime="application/pdf")
        settings = ["--set", f"include=host:{away}", "--set", f"include=prefix:{site.address}", "--set", "patience_s=0"]
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", *settings)
        report = home.run("crawl", "--json").object
    host = [each for each in report["problems"] if each.get("addresses") and each["kind"] == "document"]
    assert [(each["site"], each["address"]) for each in host] == [(away, pages[0])]
    assert f"{away} did not answer for " in host[0]["sentence"]
    assert "/broken: 903" in "".join(sentences(report, "document"))
    assert len(sentences(report, "document")) == 2


def test_what_waits_is_told(home: InstalledCli, site: Site) -> None:
    for name in ("/ferries", "/tides"):
        site.answers[name] = Answer("busy", 500)
    settings = ["--set", f"start={site.address}", "--set", "patience_s=0"]
    home.fine("source", "add", "web", "docs", *settings)
    report = home.run("crawl", "--json").object
    (waiting,) = [each for each in report["problems"] if each["kind"] == "waiting"]
    assert waiting["addresses"] == 2
    assert waiting["not_before"] > report["finished_at"]
    assert f"2 addresses wait to be visited until {waiting['not_before']}" in waiting["sentence"]
    assert source(home.fine("status", "--json").object)["last_good_run"] is None, "it left something over"


def test_a_server_that_is_dead_is_named_with_advice(home: InstalledCli) -> None:
    with nobody() as away:
        pages = [f"http://{away}/{number}" for number in range(20)]
        starts = [word for page in pages for word in ("--set", f"start={page}")]
        home.fine("source", "add", "web", "docs", *starts, "--set", "patience_s=0")
        done = home.run("crawl", "--json")
        report, told = done.object, home.run("run", "show").out
        shown, said = home.fine("status", "--json").object, home.fine("status").out
        record = home.fine("explain", pages[-1], "--json").object
        explained = home.fine("explain", pages[-1]).out
    assert done.code == 6, "no start address was answered, those among them that the run never came to"
    silent = f"{away} does not answer (connection refused)"
    assert report["reason"].startswith(silent)
    (start,) = [each for each in report["problems"] if each["kind"] == "start"]
    assert (start["site"], start["addresses"], start["status"]) == (away, report["failed"], 906)
    assert f"{away} did not answer for {report['failed']} start addresses, the first http" in start["sentence"]
    assert "Check that the server runs" in start["sentence"]
    (waiting,) = sentences(report, "waiting")
    assert waiting == (
        f"{report['deferred']} addresses were not visited, because {silent}. `cormorant crawl docs` tries again."
    )
    assert waiting in told
    (trouble,) = source(shown)["troubles"]
    lately = f"{away} did not answer when it was last asked (connection refused)"
    assert (trouble["site"], trouble["status"], trouble["said"], trouble["not_before"]) == (away, 906, lately, None)
    assert f"docs: {lately}. Check that the server runs" in said
    assert "`cormorant crawl docs` tries it again." in said
    assert not source(shown)["last_answered"]
    assert (record["verdict"], record["site"]["said"], record["site"]["status"]) == ("pending", lately, 906)
    assert f"{lately}. Check that the server runs" in explained


def test_a_server_that_asked_to_be_left_alone_is_told_so(home: InstalledCli, site: Site) -> None:
    for name in ("/ferries", "/tides"):
        site.answers[name] = Answer("busy", 503)
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "patience_s=0")
    report = home.run("crawl", "--json").object
    host = site.address.split("/")[2]
    assert report["reason"].startswith(f"{host} asked to be left alone for a while (503); what is left must wait ")
    (waiting,) = [each for each in report["problems"] if each["kind"] == "waiting"]
    assert f"wait to be visited until {waiting['not_before']}" in waiting["sentence"]
    (trouble,) = source(home.fine("status", "--json").object)["troubles"]
    assert trouble["said"] == f"{host} asked to be left alone (503) until {trouble['not_before']}"
    assert "tries it again" not in home.fine("status").out


def test_a_run_that_nobody_answered_was_not_good(home: InstalledCli, site: Site) -> None:
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    home.fine("crawl")
    home.fine("source", "add", "web", "away", "--set", "start=http://no-such-host.invalid/")
    away = home.run("crawl", "away", "--json")
    assert away.code == 6
    assert "did not answer" in sentences(away.object, "start")[0]
    told = home.fine("status", "--json").object
    assert (source(told, "docs")["last_good_run"], source(told, "away")["last_good_run"]) == (1, None)
    assert (source(told, "docs")["last_answered"], source(told, "away")["last_answered"]) == (True, False)
    assert "finished, but no start address answered" in home.fine("status").out
    home.run("crawl", "away")
    assert source(home.fine("status", "--json").object, "away")["last_good_run"] is None, "nor was the one before"


def test_a_start_address_that_leads_outside_is_told(home: InstalledCli, site: Site) -> None:
    outside = "http://elsewhere.invalid/new"
    site.answers["/old"] = Answer("", 301, location="/older")
    site.answers["/older"] = Answer("", 308, location=outside)
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}old")
    for _ in range(2):
        done = home.run("crawl", "--json")
        assert done.code == 3, done
        (problem,) = [each for each in done.object["problems"] if each["kind"] == "start"]
        assert (problem["address"], problem["to"], problem["status"]) == (f"{site.address}old", outside, 964)
        assert "hosts of the start addresses" in problem["sentence"]
        assert "include=host:elsewhere.invalid" in problem["advice"]


def test_a_start_address_that_leads_to_nothing_is_told(home: InstalledCli, site: Site) -> None:
    site.answers["/old"] = Answer("", 301, location="/missing")
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}old")
    done = home.run("crawl", "--json")
    assert done.code == 3, done
    (said,) = sentences(done.object, "start")
    assert f"{site.address}old leads to {site.address}missing, which ended 404" in said


def test_a_start_address_that_leads_to_a_document_is_well(home: InstalledCli, site: Site) -> None:
    site.answers["/old"] = Answer("", 301, location="/tides")
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}old")
    assert not home.fine("crawl", "--json").object["problems"]


def test_a_robots_txt_is_no_document_that_waits(home: InstalledCli, site: Site) -> None:
    site.answers["/robots.txt"] = Answer("busy", 503)
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "patience_s=0")
    report = home.run("crawl", "--json").object
    (waiting,) = [each for each in report["problems"] if each["kind"] == "waiting"]
    assert (waiting["addresses"], report["deferred"]) == (1, 1)
    assert "1 address waits" in waiting["sentence"]


def test_a_server_that_is_dead_is_tried_in_every_run(home: InstalledCli) -> None:
    made = small_site()
    names = tuple(f"/{number}" for number in range(6))
    for name in names:
        made.page(name, f"Page {name}", f"words{name[1:]}")
    made.page("/", "Start", "", names)
    with serving(made) as site:
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "patience_s=25")
        home.fine("crawl")
    for status in (1020, 1021, 1022, 1023, 1024):
        done = home.run("crawl", "docs", "--json")
        assert done.code == 6, (status, done)
        start = next(each for each in done.object["problems"] if each["kind"] == "start")
        assert (start["status"], "did not answer" in start["sentence"]) == (status, True)
        shown = status if status < 1024 else 980
        assert len(home.fine("document", "list", "--status", str(shown), "--json").objects) == 7
    assert home.fine("status", "--json").object["held_runs"] == [6], "all of a source would go"


def test_what_a_source_no_longer_starts_from_is_no_start_address(home: InstalledCli, site: Site) -> None:
    site.answers["/away"] = Answer("", 500)
    given = [f"start={site.address}", f"start={site.address}away"]
    home.fine("source", "add", "web", "docs", *(word for each in given for word in ("--set", each)))
    home.fine("source", "edit", "docs", "--set", "patience_s=1")
    assert sentences(home.run("crawl", "docs", "--json").object, "start")
    home.fine("source", "edit", "docs", "--set", f"start={site.address}", "--yes")
    report = home.run("crawl", "docs", "--json").object
    assert not sentences(report, "start")


def test_a_run_that_failed_before_it_asked_anybody_blames_no_start_address(
    home: InstalledCli, site: Site, tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    starts.write_text(f"{site.address}\n{site.address}nowhere\n")
    home.fine("source", "add", "web", "docs", "--set", f"start_file={starts}", "--set", "network=loopback")
    assert sentences(home.run("crawl", "docs", "--json").object, "start")
    starts.unlink()
    report = home.run("crawl", "docs", "--json").object
    assert (report["state"], sentences(report, "start")) == ("failed", [])


def test_a_sitemap_that_is_away_is_told_of_in_every_run(home: InstalledCli, site: Site) -> None:
    site.answers["/robots.txt"] = Answer(f"Sitemap: {site.address}away.xml\n", mime="text/plain")
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    for _ in range(4):
        (said,) = sentences(home.run("crawl", "docs", "--json").object, "sitemap")
        assert "away.xml could not be used: 404" in said


def test_status_says_what_a_limit_left_over(home: InstalledCli, site: Site) -> None:
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "max_documents=1")
    report = home.run("crawl", "docs", "--json").object
    assert report["to_fetch"] > 0
    assert source(home.fine("status", "--json").object)["to_fetch"] == report["to_fetch"]


def test_a_page_that_a_redirect_answered_for_names_it(home: InstalledCli, site: Site) -> None:
    site.answers["/ferries"] = Answer("", 302, location="/login")
    site.page("/login", "Login", "Who are you?")
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}ferries")
    home.fine("crawl", "docs")
    said = home.fine("explain", f"{site.address}ferries").out
    assert f"{site.address}login, where a redirect led" in said
    assert "Answered by" not in home.fine("explain", f"{site.address}login").out


def test_a_page_known_by_another_address_is_as_deep_as_its_links_say(home: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/shop?ref=abc1",))
    site.page("/shop?ref=abc1", "Shop", "Plums and quinces.", ())
    site.page("/shop", "Shop", "Plums and quinces.", ())
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "depth=1")
    home.fine("crawl", "docs")
    home.fine("source", "edit", "docs", "--set", "strip_parameters=ref", "--yes")
    home.fine("crawl", "docs")
    assert [each["url"] for each in home.fine("search", "quinces", "--json").objects] == [f"{site.address}shop"]
    links = home.fine("document", "links", f"{site.address}shop", "--json").objects
    assert [each["address"] for each in links if each["direction"] == "in"] == [site.address]


def test_where_a_start_address_has_moved_to_is_no_deeper(home: InstalledCli, site: Site) -> None:
    site.answers["/old"] = Answer("", 301, location="/new")
    site.page("/new", "New", "Plums and quinces.", ("/ferries",))
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}old", "--set", "depth=0")
    home.fine("crawl", "docs")
    assert [each["url"] for each in home.fine("search", "quinces", "--json").objects] == [f"{site.address}new"]
    assert "/ferries" not in site.asked


def test_rights_that_leave_nobody_are_told_of(home: InstalledCli, site: Site) -> None:
    given = ("--set", f"start={site.address}", "--set", "grants=user:anna")
    alone = "Its documents are only for user:anna: the search page, where no reader signs in, shows none of them."
    assert alone in home.fine("source", "add", "web", "docs", *given).err
    assert alone not in home.fine("source", "edit", "docs", "--set", "grants=").err
    assert alone in home.fine("source", "edit", "docs", "--set", "grants=user:anna", "--preview").err


def test_documents_that_their_files_keep_from_everyone_are_told_with_what_to_do(
    home: InstalledCli, tmp_path: Path
) -> None:
    papers = tmp_path / "pa pers"
    papers.mkdir()
    papers.chmod(0o755)
    for name, mode in (("a.txt", 0o644), ("b.txt", 0o600), ("c.txt", 0o640)):
        (papers / name).write_text("A quiet kelp note.")
        (papers / name).chmod(mode)
    given = ("--set", f"path={papers}", "--set", "owner_grants=true")
    home.fine("source", "add", "files", "papers", *given)
    assert not home.fine("source", "show", "papers", "--json").object["doubts"]
    (said,) = (each for each in home.fine("crawl", "--json").object["problems"] if each["kind"] == "rights")
    assert (said["documents"], said["addresses"]) == (3, 2)
    assert said["sentence"].startswith("1 of 3 documents of papers is for everyone.")
    assert f"`chmod -R o+rX '{papers}'`" in said["sentence"]
    assert home.fine("source", "show", "papers", "--json").object["doubts"] == [said["sentence"]]
    assert said["sentence"] in home.fine("run", "show", "1").out
    assert len(home.fine("search", "kelp", "--all", "--json").objects) == 1

    home.fine("source", "edit", "papers", "--set", "owner_grants=false", "--yes")
    assert not sentences(home.fine("crawl", "--json").object, "rights")
    assert len(home.fine("search", "kelp", "--all", "--json").objects) == 3
    home.fine("source", "edit", "papers", "--set", "owner_grants=true", "--yes")
    assert sentences(home.fine("crawl", "--json").object, "rights") == [said["sentence"]]
    assert not sentences(home.fine("run", "show", "1", "--json").object, "rights"), "only the newest run tells of today"
    for each in papers.iterdir():
        each.chmod(0o604)
    assert not sentences(home.fine("crawl", "--json").object, "rights")


def test_that_a_folder_is_away_is_said_once_and_nothing_of_what_was_not_looked_at(
    home: InstalledCli, tmp_path: Path
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "none.txt").write_bytes(b"")
    home.fine("source", "add", "files", "papers", "--set", f"path={papers}")
    assert "1 document has no text" in home.fine("crawl").err
    papers.rename(tmp_path / "away")
    report = home.run("crawl")
    assert (report.out + report.err).count(f"The folder {papers} is not there.") == 1
    assert f"The folder {papers} is not there." in report.err
    assert "no text" not in report.err
    assert home.fine("run", "show").out.count("is not there.") == 1


def test_a_damaged_file_is_a_problem_in_plain_words(home: InstalledCli, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    good = {"a.pdf": writers.pdf("x"), "b.docx": writers.docx("x"), "c.xlsx": writers.xlsx(["x"]), "d.pptx": b"x"}
    for name, body in good.items():
        (papers / name).write_bytes(b"\0\1\2\3" * 400 + body[1600:])
    with zipfile.ZipFile(papers / "e.docx", "w") as archive:
        for part in ("[Content_Types].xml", "word/document.xml"):
            archive.writestr(part, "<w:document")
    (papers / "data.bin").write_bytes(b"\0\1\2\3" * 400)
    home.fine("source", "add", "files", "papers", "--set", f"path={papers}")
    done = home.run("crawl", "--json")
    assert done.code == 3
    said = {each["address"].rpartition("/")[2]: each for each in done.object["problems"] if each["kind"] == "document"}
    assert {name: each["status"] for name, each in said.items()} == dict.fromkeys((*good, "e.docx"), 903)
    assert said["a.pdf"]["reason"] == (
        "Its name says PDF, but its bytes are none: the file is damaged, or of another format."
    )
    assert said["e.docx"]["reason"].startswith("The document cannot be read: its main part is damaged")
    assert not any("Error" in each["sentence"] or "server" in each["sentence"] for each in said.values())
    why = home.fine("document", "show", str(papers / "e.docx"), "--json").object["reason"]
    assert re.fullmatch(r"The document cannot be read: .+\. The converter said: .+", why), why
    assert why in home.fine("explain", str(papers / "e.docx")).out
    assert "4 documents failed" not in home.fine("status").out
    assert "papers: 5 documents failed in run 1. `cormorant run show 1` gives the reasons" in home.fine("status").out
    assert home.fine("status", "--json").object["sources"][0]["last_failed"] == 5
    unread = home.fine("explain", str(papers / "data.bin"), "--json").object
    assert (unread["status"], "server" in unread["advice"]) == (1001, False)


def test_a_report_looks_at_no_resource_that_has_nothing_to_be_told(home: InstalledCli, site: Site) -> None:
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    number = home.run("crawl", "docs", "--json").object["run"]
    plans: list[str] = []

    def explain(_c: object, cursor: Any, sql: str, bound: Any, _x: object, _m: object) -> None:
        if sql.startswith("SELECT"):
            plans.extend(row[3] for row in cursor.connection.execute(f"EXPLAIN QUERY PLAN {sql}", bound))

    with opened(BuildPlan(home.folder, Settings())) as house:
        with house.store.read() as tx:
            engine = tx.connection.engine
        sa.event.listen(engine, "before_cursor_execute", explain)
        run_report.of_run(house, number)
    assert any("ix_resource_troubled" in plan for plan in plans)
    assert not [plan for plan in plans if plan.startswith("SCAN resource")]


def test_problems_of_an_older_run_are_kept(home: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("quiet " * 10)
    (tmp_path / "papers" / "b.txt").write_text("quiet " * 1000)
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}", "--set", "max_size_bytes=2kB")
    first = home.fine("crawl", "--json").object
    (told,) = sentences(first, "size")
    (tmp_path / "papers" / "b.txt").unlink()
    assert not sentences(home.fine("crawl", "--json").object, "size")
    assert home.fine("run", "show", str(first["run"]), "--json").object["problems"] == first["problems"]
    assert told in home.fine("run", "show", str(first["run"])).out
