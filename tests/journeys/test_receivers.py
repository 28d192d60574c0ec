"""Receivers as people use them: a webhook that fails in every way and a provider that is killed beside it, one that
hangs, folders that are kept out, and everything sent again without a question to any source."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.clock import pause
from cormorant.crawl.run.completion import TRIED_AGAIN_S
from tests.cli import kept
from tests.cli.world import InstalledCli, ended, serving, small_site
from tests.clocks import until
from tests.journeys.processes import below, role_of, send
from tests.receivers.archive import records
from tests.receivers.hook import Answer, Hook, Post

ROOT = Path(__file__).resolve().parents[2]
COUNT = 260


@pytest.fixture
def home(tmp_path: Path) -> InstalledCli:
    """A folder of many small files to be crawled; receivers may name what is in `tests`."""
    (tmp_path / "papers").mkdir()
    for number in range(COUNT):
        (tmp_path / "papers" / f"{number}.txt").write_text(f"paper {number} of the harbour")
    home = InstalledCli(tmp_path / "data", {"PYTHONPATH": str(ROOT)})
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    return home


def shown(home: InstalledCli, name: str = "shop") -> dict[str, Any]:
    record: dict[str, Any] = home.fine("receiver", "show", name, "--json").object
    return record


def add_hook(home: InstalledCli, hook: Hook, *more: str) -> None:
    with (home.folder.parent / "value").open("w+") as value:
        value.write("the mole is out")
        value.seek(0)
        assert ended(home.start("secret", "add", "shop", stdin=value)).code == 0
    given = (f"url={hook.url}", "secret=secret:shop", "batch=20", "timeout_s=20", *more)
    home.fine("receiver", "add", "webhook", "shop", *(word for each in given for word in ("--set", each)))


def provider_of(process: kept.Begun) -> Any:
    tree = below(process.pid)
    return next((each for each in tree if role_of(each.pid, frozenset(), tree) == "provider"), None)


def test_a_webhook_that_fails_and_a_provider_that_is_killed_lose_nothing(home: InstalledCli) -> None:
    with Hook() as hook:
        add_hook(home, hook, "runs=true")
        hook.plan += [500, Answer(429, {"Retry-After": "1"}), "reset", "reset"]
        hook.judge = slowly
        crawl = home.start("crawl")
        until(lambda: len(hook.taken) >= 60)
        killed = until(lambda: provider_of(crawl))
        send(killed, signal.SIGKILL)
        done = ended(crawl)
        assert done.code == 0, done.err
        assert all(post.is_signed() for post in hook.posts)
        documents = [each for each in hook.taken.values() if each["document"]]
        assert len({each["url"] for each in documents}) == len(documents) == COUNT
        assert {each["event"] for each in hook.taken.values()} == {"new", "started", "finished"}
        sent = [(each["seq"], each["url"]) for post in hook.posts for each in post.said["records"]]
        assert len(sent) > len(hook.taken), "something came again"
        assert len(set(sent)) == len(hook.taken), "and is known by its number"
        chain = [(each["seq"], each.get("previous_seq", 0)) for _, each in sorted(hook.taken.items())]
        assert [before for _, before in chain] == [0, *(seq for seq, _ in chain[:-1])], "each names the one before"
        before = len(hook.posts)
        home.run("provider", "pause")
        home.run("provider", "resume")
        assert (shown(home)["backlog"], shown(home)["error"], len(hook.posts)) == (0, None, before)
        assert "the mole is out" not in "".join(
            path.read_text() for path in (home.folder / "logs").rglob("*") if path.is_file()
        )
    used = home.fine("secret", "list", "--json").object
    assert used["used_by"] == ["shop"]
    refused = home.run("secret", "delete", "shop")
    assert "cormorant receiver edit shop" in refused.err


def slowly(post: Post) -> Answer:
    """Take it, and take time."""
    pause(0.08)
    return Answer(204)


def test_one_that_hangs_stops_neither_the_index_nor_the_run(home: InstalledCli) -> None:
    with Hook() as hook:
        add_hook(home, hook)
        hook.plan += ["hang"] * 9
        assert home.run("crawl").code == 0
        assert home.fine("search", "harbour", "--json", "--limit", "1").code == 0
        waiting = shown(home)
        assert (waiting["backlog"], hook.taken) == (COUNT, {})
        assert waiting["oldest_undelivered_at"]
        hook.go.set()
        hook.plan.clear()
        hook.judge = lambda post: Answer(200, {}, {"refused": [{"seq": post.seqs[0], "reason": "no price"}]})
        assert home.run("receiver", "resend", "shop", "--faulty").code == 3, "some of what waited was refused"
        assert shown(home)["backlog"] == 0
        refused = home.fine("receiver", "faulty", "shop", "--json").objects
        assert {each["reason"] for each in refused} == {"no price"}
        assert 0 < len(refused) == shown(home)["faulty"] <= shown(home)["refused"]
        errors = home.fine("document", "list", "--state", "error", "--json").objects
        assert sorted(each["url"] for each in errors) == sorted(each["url"] for each in refused)
        assert {each["reason"] for each in errors} == {"the receiver 'shop' rejected it: no price"}
        assert "refused   file" in home.fine("document", "list", "--state", "error").out
        (record,) = home.fine("document", "show", refused[0]["url"], "--json").objects
        assert [(each["receiver"], each["reason"]) for each in record["refusals"]] == [("shop", "no price")]
        said = home.fine("explain", refused[0]["url"])
        assert "The receiver 'shop' rejected it: no price" in said.out
        assert "`cormorant receiver resend shop --faulty` sends it again." in said.out
        again = home.fine("document", "recrawl", "--state", "error", "--json").object
        assert again["documents"] == len(refused)
        home.fine("document", "recrawl", refused[0]["url"])
        hook.judge = lambda _: Answer(204)
        home.fine("receiver", "resend", "shop", "--faulty")
        assert {each["url"] for each in hook.taken.values()} >= {each["url"] for each in refused}
        assert home.fine("receiver", "faulty", "shop", "--json").objects == []
        home.run("crawl")
        assert home.fine("document", "list", "--state", "error", "--json").objects == []


def test_everything_is_sent_again_without_a_question_to_a_source(home: InstalledCli, tmp_path: Path) -> None:
    with serving(small_site()) as site:
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
        assert home.run("crawl").code in (0, 3)
        asked = list(site.asked)
        (tmp_path / "archive").mkdir()
        home.fine("receiver", "add", "warc", "archive", "--set", f"folder={tmp_path / 'archive'}")
        home.fine("receiver", "add", "jsonlines", "lines", "--set", f"path={tmp_path / 'lines'}")
        home.fine("receiver", "resend", "archive", "--source", "docs")
        home.fine("receiver", "resend", "lines")
        assert site.asked == asked
    (path,) = (tmp_path / "archive").glob("*.warc.gz")
    pages = {each.fields["WARC-Target-URI"]: each for each in records(path)[1:]}
    assert sorted(each.removeprefix(site.address) for each in pages) == ["", "ferries", "tides"]
    assert b"The quixotic ferry" in pages[f"{site.address}ferries"].body
    lines = [json.loads(line) for line in (tmp_path / "lines").read_text().splitlines()]
    assert len({each["url"] for each in lines}) == len(lines) == COUNT + 3
    assert {each["event"] for each in lines} == {"found"}
    assert "index rebuild" in home.run("receiver", "resend", "index").err
    assert home.run("receiver", "resend", "lines", "--source", "none").code == 4


def test_a_plug_in_keeps_a_folder_out_and_its_faults_to_itself(home: InstalledCli, tmp_path: Path) -> None:
    for name in ("drafts", "raise"):
        (tmp_path / "papers" / name).mkdir()
        (tmp_path / "papers" / name / "a.txt").write_text(f"zephyr {name}")
    wanted = ("call=tests.receivers.taking:Shop", "data=drafts", "veto=true")
    home.fine("receiver", "add", "python", "shop", *(word for each in wanted for word in ("--set", each)))
    home.fine("receiver", "add", "python", "bad", "--set", "call=tests.receivers.taking:ends", "--set", "tries=1")
    crawled = home.run("crawl")
    assert crawled.code == 3
    assert "papers/raise/ could not be listed, so no document below it was deleted." in crawled.err
    assert _found(home, "zephyr") == [], "nobody has said that the other may be entered"
    (excluded,) = home.fine("document", "list", "--excluded", "--json").objects
    assert (excluded["status"], excluded["url"].endswith("/papers/drafts/")) == (982, True)
    below = home.fine("explain", str(tmp_path / "papers" / "drafts" / "a.txt"), "--json").object
    assert (below["verdict"], below["status"]) == ("excluded", 982)
    assert f"the receiver 'shop' said that {excluded['url']} may not be entered" in below["because"]
    beside = home.fine("explain", str(tmp_path / "papers" / "raise" / "a.txt"), "--json").object
    assert (beside["verdict"], "could not be listed" in beside["because"]) == ("unknown", True)
    bad = shown(home, "bad")
    assert (bad["refused"], bad["backlog"]) == (COUNT, 0)
    assert "SystemExit: over" in bad["refusal"]
    for veto in ("false", "true"):
        home.fine("receiver", "edit", "shop", "--set", "data=", "--set", f"veto={veto}")
        home.run("crawl")
        assert _found(home, "zephyr") == ["drafts/a.txt", "raise/a.txt"], "what is known stays where nobody can say"
    gone = home.run("receiver", "add", "python", "none", "--set", "call=no.such:thing")
    assert "ModuleNotFoundError" in gone.err


def test_one_that_ends_its_process_ends_no_crawl_and_holds_up_nobody(home: InstalledCli, tmp_path: Path) -> None:
    """The provider, the index and others go on; the report names the fault, and the mended receiver gets the rest."""
    lines = tmp_path / "lines"
    given = ("call=tests.receivers.taking:Poisoned", f"data=/17.txt {lines}", "tries=1")
    home.fine("receiver", "add", "python", "shop", *(word for each in given for word in ("--set", each)))
    home.fine("receiver", "add", "python", "broken", "--set", "call=tests.receivers.taking:dies")
    crawl = home.start("crawl")
    provider = until(lambda: provider_of(crawl)).pid
    until(lambda: shown(home, "broken")["failures"] > 1)
    assert provider_of(crawl).pid == provider, "it was not taken along"
    crawled = ended(crawl)
    assert crawled.code == 0
    assert "The receiver broken did not get all documents: It ended its own process with exit code 3." in (crawled.err)
    assert "Repair tests.receivers.taking:dies" in crawled.err
    assert len(home.fine("search", "harbour", "--json", "--limit", "1000").objects) == COUNT
    assert len(set(lines.read_text().split())) == COUNT - 1
    (faulty,) = home.fine("receiver", "faulty", "shop", "--json").objects
    assert (faulty["url"].endswith("/17.txt"), "exit code 3" in faulty["reason"]) == (True, True)
    listed = {each["receiver"]: each for each in home.fine("receiver", "list", "--json").objects}
    assert [listed[name]["backlog"] for name in ("index", "shop", "broken")] == [0, 0, COUNT]
    assert listed["broken"]["next_try_at"]
    assert "exit code 3" in home.fine("status").out
    home.fine("provider", "resume")
    assert shown(home, "broken")["next_try_at"] is None, "it is tried at once on request"
    home.fine("receiver", "edit", "broken", "--set", "call=tests.receivers.taking:take")
    home.fine("receiver", "edit", "shop", "--set", f"data=none {lines}")
    for name in ("shop", "broken"):
        home.fine("receiver", "resend", name, "--faulty")
    assert shown(home, "broken")["backlog"] == 0
    assert len(set(lines.read_text().split())) == COUNT


def test_a_run_waits_for_a_receiver_whose_code_is_gone_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    """The crawling process was restarted after the receiver was added, so it has to create the receiver again."""
    code, away, output = (tmp_path / name for name in ("mine.py", "away.py", "output"))
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "1.txt").write_text("the harbour")
    code.write_text(f"def take(batch):\n    open({str(output)!r}, 'a').write(''.join(each.url for each in batch))\n")
    home = InstalledCli(tmp_path / "data", {"PYTHONPATH": str(tmp_path)})
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    assert ended(home.start("receiver", "add", "python", "shop", "--set", "call=mine:take")).code == 0
    code.rename(away)
    crawl = home.start("crawl")

    def waits() -> str:
        if [each["state"] for each in home.fine("run", "list", "--json").objects] != ["delivering"]:
            return ""
        return next((each["sentence"] for each in _problems(home) if each["kind"] == "receiver"), "")

    said = until(waits)
    assert (
        "The run waits for the receiver shop, which cannot be created: mine:take cannot be had: ModuleNotFound" in said
    )
    pause(TRIED_AGAIN_S)  # so long any receiver is waited for
    assert crawl.poll() is None
    assert len(home.fine("search", "harbour", "--json").objects) == 1, "the index is not kept waiting"
    away.rename(code)
    crawled = ended(crawl)
    assert (crawled.code, output.read_text()) == (0, (tmp_path / "papers" / "1.txt").as_uri())
    assert "wait for the receiver 'shop', which cannot be created" in crawled.err
    assert _problems(home) == []


def _problems(home: InstalledCli) -> list[dict[str, Any]]:
    """The reports of the first run."""
    found: list[dict[str, Any]] = home.fine("run", "show", "1", "--json").object["problems"]
    return found


def _found(home: InstalledCli, word: str) -> list[str]:
    """The files below the folder of papers that a word finds."""
    hits = home.fine("search", word, "--json").objects
    return sorted(each["url"].rpartition("papers/")[2] for each in hits)
