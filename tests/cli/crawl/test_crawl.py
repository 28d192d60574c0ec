"""A crawl from a terminal: its report, its exit code, interruptions, two at once, a held run."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.base.clock import pause
from tests.cli import kept
from tests.cli.begin.test_serve import served
from tests.cli.world import Answer, Done, InstalledCli, Site, ended
from tests.clocks import HANG_S, until

CLASSIC = ("to_fetch", "fetched", "fetch_failures", "rejected", "discovered", "indexed", "non_indexable")


def add(home: InstalledCli, site: Site, *more: str) -> None:
    """Add the site as source `docs`."""
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", *more)


def slow(site: Site, wait_s: float = 0.4, pages: int = 40) -> None:
    """Make the site one that takes a while: a chain of pages, each slow."""
    for number in range(pages):
        site.page(
            f"/{number}", f"Page {number}", f"word{number} here", (f"/{number + 1}",) if number + 1 < pages else ()
        )
        site.answers[f"/{number}"].wait_s = wait_s
    site.page("/", "Start", "", ("/0",))


def test_report_for_a_person_and_for_a_program(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    done = bare.run("crawl")
    assert done.code == 0, done
    assert "Run 1 of 'docs': finished" in done.out
    for name in CLASSIC:
        assert name.replace("_", " ") in done.out
    report = bare.fine("crawl", "docs", "--json").object
    assert report["source"] == "docs"
    assert report["state"] == "finished"
    assert report["requests"] == len(site.asked) - bare.fine("run", "show", "1", "--json").object["requests"]
    assert report["unchanged"] == 3
    assert bare.fine("run", "show", "--json").object["run"] == 2
    assert [each["run"] for each in bare.fine("run", "list", "--json").objects] == [2, 1]


def test_what_the_processes_did_stands_in_their_logs(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    assert replace(bare, environment={"CORMORANT_LOG": "debug"}).run("crawl").code == 0
    said = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in (bare.folder / "logs").glob("*.log")
    }
    assert [each["state"] for each in said["conductor"] if each["event"] == "run"][-1] == "finished"
    assert any(each["event"] == "delivered" for each in said["provider"])
    visited = [each["address"] for name, lines in said.items() for each in lines if each["event"] == "visited"]
    assert site.address in visited
    assert replace(bare, environment={"CORMORANT_LOG": "loud"}).run("crawl").code == 2


def test_documents_that_fail_end_it_with_three(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/broken",))
    site.answers["/broken"] = Answer("%PDF-1.7 nothing of a PDF", mime="application/pdf")
    add(bare, site)
    done = bare.run("crawl", "--json")
    assert done.code == 3
    (problem,) = done.object["problems"]
    assert (problem["kind"], problem["status"]) == ("document", 903)
    assert problem["advice"]
    again = bare.run("crawl")
    assert (again.code, problem["sentence"] in again.err, "fails as before" in again.out) == (0, False, True), again
    bare.fine("source", "edit", "docs", "--set", "known_failures=report")
    again = bare.run("crawl")
    assert (again.code, problem["sentence"] in again.err, "Problems of" in again.out) == (3, True, False), again
    assert "Problems of run 3 of 'docs':" in again.err, "of several runs each has its own"
    assert problem["sentence"] in bare.fine("run", "show").out, "there it is what was asked for"


def interrupted(home: InstalledCli, site: Site, number: int) -> Done:
    """Begin a crawl and send it a signal once it has fetched something."""
    process = home.start("crawl", "docs")
    until(lambda: "/3" in site.asked)
    process.send_signal(number)
    return ended(process)


def test_it_ends_with_six_only_where_nothing_answered_at_all(bare: InstalledCli, tmp_path: Path) -> None:
    for name in ("good", "dead"):
        place = tmp_path / name
        place.mkdir()
        (place / "note.txt").write_text("Of terns and gulls.")
        bare.fine("source", "add", "files", name, "--set", f"path={place}")
    shutil.rmtree(tmp_path / "dead")
    assert bare.run("crawl", "good", "dead").code == 3
    assert bare.run("crawl", "dead").code == 6


def test_a_source_that_is_named_twice_is_crawled_once(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    assert bare.run("crawl", "docs", "docs", "--restart").code == 0
    assert [each["run"] for each in bare.fine("run", "list", "--json").objects] == [1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_keeps_the_state_and_the_next_crawl_goes_on(
    number: int, bare: InstalledCli, site: Site
) -> None:
    slow(site, 0.2, 12)
    add(bare, site)
    done = interrupted(bare, site, number)
    assert done.code == 130, done
    assert f"`cormorant --data {bare.folder} crawl docs` continues it" in done.err
    assert "Traceback" not in done.err
    again = bare.run("crawl", "--force")
    assert again.code == 0, again
    assert "which was interrupted" in again.err
    assert "It keeps its own options; the options of this command apply to the next run." in again.err
    assert bare.fine("run", "list", "--json").object["fetched"] >= 13
    assert bare.fine("search", "word11", "--json").object["title"] == "Page 11"


def stays(count: Callable[[], int], looks: int = 8) -> bool:
    """Whether nothing is counted for as long as many visits would take."""
    before = count()
    for _ in range(looks):
        pause(0.25)
    return count() <= before + 1  # what was on the wire


def test_an_interruption_stops_what_a_serving_process_carries_out(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.2, 30)
    add(bare, site)
    with served(bare):
        done = interrupted(bare, site, signal.SIGINT)
        assert done.code == 130, done
        assert done.err.splitlines()[-1] == (
            f"Interrupted. The work so far is kept; `cormorant --data {bare.folder} crawl docs` continues it."
        )
        assert stays(lambda: len(site.asked)), "it goes on in the serving process"
        report = bare.fine("run", "show", "--json").object
        assert (report["state"], 3 <= report["fetched"] < 31) == ("suspended", True), report
        assert "`cormorant crawl docs` continues it." in bare.fine("run", "show").out
        again = bare.run("crawl", "docs")
    assert again.code == 0, again
    again_by = f"`cormorant --data {bare.folder} crawl docs --restart` starts again."
    assert f"Continuing run 1 of 'docs', which was suspended. {again_by}" in again.err
    assert "Run 1 of 'docs': finished" in again.out
    assert len(site.asked) < 31 + 1 + 3, "it started over instead of going on"
    assert bare.fine("search", "word29", "--json").objects


def following(home: InstalledCli, site: Site) -> tuple[kept.Begun, kept.Begun]:
    """Two crawls of one source while another command serves: the one that ordered the run, and one that follows it."""
    first = home.start("crawl", "docs")
    until(lambda: "/3" in site.asked)
    second = home.start("crawl", "docs")
    assert second.stderr is not None
    assert second.stderr.readline() == "Following run 1 of 'docs', which is under way.\n"
    assert "is already running here and will do this crawl" in second.stderr.readline()
    return first, second


def test_who_only_follows_stops_watching(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.0, 6)
    site.answers["/3"].held = going_on = threading.Event()
    add(bare, site)
    with served(bare):
        first, second = following(bare, site)
        second.send_signal(signal.SIGINT)
        done = ended(second)
        going_on.set()
        assert ended(first).code == 0
    watches = "Interrupted. The running command continues: this command stops watching run 1 of 'docs'."
    assert (done.code, done.err.splitlines()[-1]) == (130, watches)
    assert bare.fine("search", "word5", "--json").objects


def test_an_interrupted_run_is_reported_to_the_command_that_follows_it(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.0, 6)
    site.answers["/3"].held = going_on = threading.Event()
    add(bare, site)
    with served(bare):
        first, second = following(bare, site)
        first.send_signal(signal.SIGINT)
        assert ended(first).code == 130
        done = ended(second)
        going_on.set()
    assert (done.code, "Run 1 of 'docs': suspended" in done.out) == (3, True), done
    assert "`cormorant crawl docs` continues it." in done.out


def test_restart_starts_over(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.2, 8)
    add(bare, site)
    interrupted(bare, site, signal.SIGINT)
    assert bare.fine("crawl", "--restart", "--json").object["run"] == 2
    assert [each["state"] for each in bare.fine("run", "list", "--json").objects] == ["finished", "stopped"]


def test_a_second_crawl_follows_the_first(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    slow(site, 0.2, 12)
    add(bare, site)
    (tmp_path / "note.txt").write_text("A note about quokkas.")
    bare.fine("source", "add", "files", "notes", "--set", f"path={tmp_path}", "--set", "include=*.txt")
    first = bare.start("crawl", "docs")
    until(lambda: "/1" in site.asked)
    second = bare.run("crawl", "notes")
    assert second.code == 0, second
    assert "is already running here and will do this crawl" in second.err
    assert "'notes': finished" in second.out
    assert ended(first).code == 0
    assert bare.fine("search", "quokkas", "--json").objects


@pytest.mark.long
def test_who_follows_takes_over_when_the_first_ends(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    slow(site, 0.5, 24)
    add(bare, site)
    first, said = bare.start("crawl", "docs"), tmp_path / "said"
    until(lambda: "/1" in site.asked)
    with said.open("w") as file:
        second = bare.start("crawl", "docs", stderr=file)
    until(lambda: "Following run 1 of 'docs', which is under way." in said.read_text())
    first.send_signal(signal.SIGINT)
    assert ended(first).code == 130
    done = ended(second)
    assert done.code == 0, done
    assert "interrupted" not in said.read_text()
    assert bare.fine("search", "word13", "--json").objects


def test_processes_that_die_are_not_waited_for(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.3, 14)
    add(bare, site)
    crawl = bare.start("crawl")
    until(lambda: "/1" in site.asked)
    (supervisor,) = children(crawl.pid)
    os.kill(supervisor, signal.SIGKILL)
    done = ended(crawl)
    assert done.code == 1, done
    assert "ended unexpectedly" in done.err
    assert str(bare.folder / "logs") in done.err
    assert (bare.folder / "logs" / "conductor.log").exists()
    assert bare.run("crawl").code == 0


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_line_now_and_then_without_a_terminal(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.5, 16)
    add(bare, site)
    done = bare.run("crawl")
    assert "docs: retrieving," in done.err
    assert "a second" in done.err
    assert "docs: retrieving" not in bare.run("crawl", "-q", "--force").err


def test_a_live_display_on_a_terminal(bare: InstalledCli, site: Site) -> None:
    drawn = ("retrieving", "to fetch", "discovered", "a second", "127.0.0.1")
    slow(site, 0.0, 6)
    site.answers["/5"].held = held = threading.Event()
    add(bare, site)

    def look(shown: str) -> None:
        if all(word in shown for word in drawn):
            held.set()

    shown, code = on_a_terminal(bare, look, "crawl")
    assert code == 0
    for word in drawn:
        assert word in shown, word
    assert "Run 1 of 'docs': finished" in shown


def on_a_terminal(home: InstalledCli, look: Callable[[str], None], *words: str) -> tuple[str, int]:
    """Run a command whose output is a terminal; what it wrote there, and its exit code.

    `look` is shown what has been written so far, whenever there is more.
    """
    outside, inside = pty.openpty()
    process = home.start(*words, stdout=inside, stderr=inside, stdin=inside)
    os.close(inside)
    seen = b""
    while True:
        try:
            seen += os.read(outside, 65536)
        except OSError:
            break
        look(seen.decode(errors="replace"))
    os.close(outside)
    return seen.decode(errors="replace"), process.wait(HANG_S)


def test_a_closed_pipe_is_no_error(home: InstalledCli) -> None:
    process = home.start_fresh("document", "list", "--json")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    assert process.stderr is not None
    with process.stderr as error:
        assert error.read() == ""
    assert process.wait(HANG_S) == 141


GOING = 12


class TestHeld:
    """More than four fifths of a source would go: nothing does before a person has answered."""

    @pytest.fixture
    def held(self, bare: InstalledCli, site: Site) -> InstalledCli:
        """An installation whose newest run is held."""
        names = [f"/d{number}" for number in range(GOING)]
        for name in names:
            site.page(name, f"Document {name[1:]}", f"unique{name[2:]}")
        site.page("/", "Start", "", tuple(names))
        add(bare, site)
        bare.fine("crawl")
        for name in names:
            site.answers[name] = Answer("gone", 410)
        done = bare.run("crawl")
        assert done.code == 3, done
        assert "held" in done.out
        listed = [f"    410  {site.address}{name[1:]}\n" in done.out for name in sorted(names)]
        assert listed == [True] * 10 + [False] * (GOING - 10), done
        assert f"    and {GOING - 10} more\n" in done.out
        assert "cormorant run accept 2" in done.out
        return bare

    def test_until_then_everything_is_found(self, held: InstalledCli) -> None:
        assert held.fine("search", "unique3", "--json").objects
        shown = held.fine("run", "show").out
        assert shown.count("    410  ") == GOING
        assert "more\n" not in shown
        assert held.fine("status", "--json").object["held_runs"] == [2]
        alone = held.run("crawl", "docs")
        assert (alone.code, "Run 2 of 'docs' is held" in alone.err) == (3, True), alone

    def test_programs_get_the_documents_that_would_leave(self, held: InstalledCli, site: Site) -> None:
        going = sorted(f"{site.address}d{number}" for number in range(GOING))
        refused = held.run("crawl", "docs", "--json")
        assert refused.problem["leaving"] == going
        again = held.run("crawl", "docs", "--restart", "--json")
        assert again.object["leaving"] == [{"url": url, "status": 410} for url in going]
        held.fine("run", "accept", "--json")
        assert "leaving" not in held.fine("run", "show", "--json").object

    def test_only_a_held_source_is_left_out(self, held: InstalledCli, tmp_path: Path) -> None:
        (tmp_path / "z").mkdir()
        (tmp_path / "z" / "note.txt").write_text("A note about quokkas.")
        held.fine("source", "add", "files", "z", "--set", f"path={tmp_path / 'z'}")
        done = held.run("crawl", "--json")
        assert done.code == 3, done
        assert [(each["source"], each["state"]) for each in done.objects] == [("z", "finished")]
        assert (done.problem["code"], "`cormorant run accept 2`" in done.problem["detail"]) == ("conflict", True)
        said = held.run("crawl").err
        assert said.count("Run 2 of 'docs' is held") == 1
        assert held.fine("search", "quokkas", "--json").objects
        named = held.run("crawl", "docs", "z", "--json")
        assert (named.code, named.problem["code"]) == (3, "conflict"), named
        assert [(each["source"], each["state"]) for each in named.objects] == [("z", "finished")]
        assert held.run("crawl", "z", "nowhere").code == 4

    def test_a_first_look_goes_on_without_what_is_held(self, held: InstalledCli, site: Site, tmp_path: Path) -> None:
        (tmp_path / "z").mkdir()
        (tmp_path / "z" / "note.txt").write_text("A note about quokkas.")
        done = held.run("quickstart", "--no-serve", site.address, str(tmp_path / "z"))
        assert (done.code, done.err.count("Run 2 of 'docs' is held")) == (3, 1), done
        assert "'z': finished" in done.out

    def test_what_is_held_is_seen(self, held: InstalledCli, site: Site) -> None:
        assert "Run 2 of 'docs' waits for your answer." in held.run("status").out
        report = held.fine("run", "show", "--json").object
        assert report["held"] == GOING
        (problem,) = [each for each in report["problems"] if each["kind"] == "run"]
        assert "`cormorant run accept 2`" in problem["sentence"]
        assert held.fine("run", "show").out.count("cormorant run accept 2") == 1
        listed = held.fine("document", "list", "--status", "980", "--json").objects
        assert {each["url"] for each in listed} == {f"{site.address}d{number}" for number in range(GOING)}
        assert {(each["outcome"], each["state"], each["indexed"]) for each in listed} == {("held", "error", True)}
        assert not held.fine("document", "list", "--status", "410", "--json").objects
        assert len(held.fine("document", "list", "--status", "200", "--json").objects) == 1
        shown = held.fine("document", "show", f"{site.address}d1", "--json").object
        assert (shown["status"], shown["reason"].startswith("run 2 is held")) == (980, True)
        why = held.fine("explain", f"{site.address}d1", "--json").object
        assert (why["verdict"], why["status"]) == ("held", 980)
        assert "410. Answer with `cormorant run accept 2` or `cormorant run refuse 2`." in why["because"]
        assert held.fine("explain", site.address, "--json").object["verdict"] == "indexed"

    @pytest.mark.parametrize(("answer", "verdict"), [("accept", "gone"), ("refuse", "indexed")])
    def test_after_an_answer_nothing_is_held(self, held: InstalledCli, site: Site, answer: str, verdict: str) -> None:
        report = held.run("run", answer, "--json").object
        assert (report["held"], report["problems"]) == (0, [])
        assert not held.fine("document", "list", "--status", "980", "--json").objects
        assert held.fine("explain", f"{site.address}d1", "--json").object["verdict"] in (verdict, "unknown")
        (source,) = (each for each in held.run("status", "--json").object["sources"] if each["source"] == "docs")
        assert source["last_good_run"] == (2 if answer == "accept" else 1)

    def test_an_answer_may_be_given_twice_and_not_taken_back(self, held: InstalledCli) -> None:
        """Two people give the same answer: both see the run to its end. The other answer says what became of it."""
        twice = [held.start("run", "accept", "2", "--json") for _ in range(2)]
        assert [json.loads(ended(each).out)["state"] for each in twice] == ["finished", "finished"]
        assert held.run("run", "accept", "--json").object["state"] == "finished"
        refused = held.run("run", "refuse", "2")
        assert (refused.code, refused.err.strip()) == (
            1, "Run 2 was accepted before; it is finished. The next crawl checks again.",
        )  # fmt: skip
        assert "is not held" in held.run("run", "accept", "1").err

    def test_accepted(self, held: InstalledCli) -> None:
        done = held.run("run", "accept", "--json")
        assert (done.object["state"], done.object["reason"]) == ("finished", "the deletion was accepted"), done
        assert not held.fine("search", "unique3", "--json").objects

    def test_refused(self, held: InstalledCli) -> None:
        done = held.run("run", "refuse", "2", "--json")
        assert done.object["state"] == "finished", done
        assert held.fine("search", "unique3", "--json").objects
        assert "was refused before" in held.run("run", "accept", "2").err


def test_refresh_is_one_of_four(home: InstalledCli) -> None:
    done = home.run("crawl", "--refresh", "everything")
    assert done.code == 2
    assert "append" in done.err


def test_json_lines_are_json(home: InstalledCli) -> None:
    for words in (
        ["document", "list"],
        ["run", "list"],
        ["source", "list"],
        ["receiver", "list"],
        ["search", "harbour"],
    ):
        done = home.fine(*words, "--json")
        assert all(isinstance(json.loads(line), dict) for line in done.out.splitlines())
        assert done.out.count("\n") == len(done.objects)


def test_quiet_says_nothing_but_what_was_asked_for(home: InstalledCli) -> None:
    assert home.run("source", "edit", "docs", "--set", "depth=9", "--yes", "-q") == Done(0, "", "")


def test_a_traceback_is_shown_with_vv_only(home: InstalledCli) -> None:
    assert "Traceback" not in home.run("source", "show", "nope").err
    assert "Traceback" in home.run("source", "show", "nope", "-vv").err
