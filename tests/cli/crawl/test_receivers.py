"""Receivers from a terminal: they get documents that are found from then on; deliveries can be paused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.base.clock import rfc3339
from cormorant.operate.delivery import receivers
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.journal import runs
from cormorant.store.schema import content
from tests.cli.admin.test_index_and_cache import checks, spoil
from tests.cli.conftest import World
from tests.cli.crawl.test_crawl import add
from tests.cli.world import Answer, InstalledCli, Site
from tests.receivers.hook import Answer as Said, Hook


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines that a receiver has written."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_receiver_gets_the_documents_that_are_found(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    record = bare.fine(
        "receiver", "add", "jsonlines", "out", "--source", "docs", "--set", f"path={tmp_path / 'out'}", "--json"
    )
    assert record.object["source"] == "docs"
    bare.run("crawl")
    found = lines(tmp_path / "out")
    assert sorted(each["url"].removeprefix(site.address) for each in found) == ["", "ferries", "tides"]
    delivered = {each["url"]: each["document"] for each in found}
    listed = {each["url"]: each for each in bare.fine("document", "list", "--status", "200", "--json").objects}
    for name in ("referrer", "depth", "title", "content_hash", "fetched_at"):
        assert {url: each[name] for url, each in delivered.items()} == {url: each[name] for url, each in listed.items()}
    numbers = [int(str(each["seq"])) for each in found]
    assert numbers == sorted(numbers)
    shown = bare.fine("receiver", "show", "out", "--json").object
    assert (shown["backlog"], shown["error"]) == (0, None)
    bare.fine("receiver", "delete", "out")
    assert [each["receiver"] for each in bare.fine("receiver", "list", "--json").objects] == ["index"]
    assert len(lines(tmp_path / "out")) == 3


class TestEdit:
    """Another file, another size: what is not named stays, and so does the place."""

    def test_it_goes_on_in_another_file(self, bare: InstalledCli, site: Site, tmp_path: Path) -> None:
        bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
        bare.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'a'}", "--source", "docs")
        bare.run("crawl")
        before = bare.fine("receiver", "show", "out", "--json").object
        record = bare.fine("receiver", "edit", "out", "--set", f"path={tmp_path / 'b'}", "--json").object
        assert record == {**before, "settings": {"path": str(tmp_path / "b")}}
        site.page("/tides", "Tide tables", "Changed: high water at eleven.")
        bare.run("crawl")
        assert [each["url"] for each in lines(tmp_path / "b")] == [f"{site.address}tides"]
        assert len(lines(tmp_path / "a")) == 3

    def test_settings_that_are_not_named_stay(self, home: InstalledCli, tmp_path: Path) -> None:
        home.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'a'}")
        sized = home.fine("receiver", "edit", "out", "--set", "rotate_bytes=1MB", "--json").object["settings"]
        assert sized == {"path": str(tmp_path / "a"), "rotate_bytes": 1_000_000}
        back = home.fine("receiver", "edit", "out", "--set", "rotate_bytes=", "--json").object["settings"]
        assert back == {"path": str(tmp_path / "a")}

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            ("nobody --set path=/tmp/x", 4),
            ("out", 2),
            ("out --set nonsense=1", 2),
            ("out --set path=", 2),
            ("out --set path=/nowhere/at/all", 2),
            ("index --set path=/tmp/x", 1),
        ],
    )
    def test_what_cannot_be_changes_nothing(self, words: str, code: int, home: InstalledCli, tmp_path: Path) -> None:
        home.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'a'}")
        before = home.fine("receiver", "list", "--json").objects
        done = home.run("receiver", "edit", *words.split(), "--json")
        assert (done.code, bool(done.problem["detail"])) == (code, True)
        assert home.fine("receiver", "list", "--json").objects == before


def test_after_a_backup_is_put_back_nothing_is_lost(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'out'}")
    bare.run("crawl")
    shutil.copytree(bare.folder, tmp_path / "backup")
    for path in ("/tides", "/ferries"):
        site.page(path, "Changed", f"Another text of {path}.", ("/ferries", "/tides"))
    bare.run("crawl")
    shutil.rmtree(bare.folder)
    (tmp_path / "backup").rename(bare.folder)
    site.page("/", "Changed", "A third text.", ("/ferries", "/tides"))
    bare.run("crawl")
    paths = [each["url"].removeprefix(site.address) for each in lines(tmp_path / "out")][5:]
    assert sorted(paths) == ["", "ferries", "tides"]
    assert bare.fine("receiver", "show", "out", "--json").object["backlog"] == 0


def test_the_index_stays(home: InstalledCli) -> None:
    assert home.run("receiver", "delete", "index").code == 1


def test_names_are_taken_once(home: InstalledCli, tmp_path: Path) -> None:
    home.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'a'}")
    assert home.run("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'b'}").code == 1
    assert not (tmp_path / "b").exists()
    assert (
        home.run("receiver", "add", "jsonlines", "x", "--source", "nope", "--set", f"path={tmp_path / 'b'}").code == 4
    )


@pytest.mark.parametrize(
    ("kind", "given", "same", "other"),
    [("jsonlines", "path={}/a/x", "path={}/b/x", "path={}/a/y"),
     ("warc", "folder={}/a", "folder={}/b", "folder={}/b prefix=second")],
)  # fmt: skip
def test_no_two_write_the_same_files(
    kind: str, given: str, same: str, other: str, home: InstalledCli, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to(tmp_path / "a")

    def setting(said: str) -> list[str]:
        return [word for each in said.format(tmp_path).split() for word in ("--set", each)]

    home.fine("receiver", "add", kind, "first", *setting(given))
    refused = home.run("receiver", "add", kind, "second", *setting(same))
    assert (refused.code, "The receiver 'first' already writes " in refused.err) == (1, True), refused.err
    home.fine("receiver", "add", kind, "second", *setting(other))
    moved = home.run("receiver", "edit", "second", *setting(same), *(("--set", "prefix=") if kind == "warc" else ()))
    assert (moved.code, "The receiver 'first' already writes " in moved.err) == (1, True), moved.err
    home.fine("receiver", "edit", "first", *setting(same), "--set", "runs=true")


def test_kinds(world: World) -> None:
    assert [
        each["setting"]
        for each in world.home.fine("receiver", "kinds", "jsonlines", "--json").objects
        if each["needed"]
    ] == ["path"]
    assert world.home.run("receiver", "kinds", "fax").code == 4


def test_what_only_sources_have_is_no_setting_of_a_receiver(home: InstalledCli, tmp_path: Path) -> None:
    refused = home.run(
        "receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'a'}", "--set", "patience_s=3"
    )
    assert (refused.code, "no setting 'patience_s'" in refused.err) == (2, True), refused


def test_a_path_from_here_is_kept_in_full(bare: InstalledCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bare.fine("receiver", "add", "jsonlines", "out", "--set", "path=found.jsonl")
    assert bare.fine("receiver", "show", "out", "--json").object["settings"]["path"] == str(tmp_path / "found.jsonl")


def test_an_index_that_is_switched_on_later_has_what_was_found_before(
    bare: InstalledCli, site: Site, tmp_path: Path
) -> None:
    without = InstalledCli(bare.folder, {"CORMORANT_INDEX": "none"})
    without.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    without.fine("receiver", "add", "jsonlines", "feed", "--set", f"path={tmp_path / 'feed.jsonl'}")
    without.run("crawl")
    assert "index rebuild" in without.run("search", "harbour").err
    site.page("/tides", "Tide tables", "Low water in the harbour at ten.")
    report = bare.run("crawl", "--json").object
    assert report["changed"] == 1
    assert not [each for each in report["problems"] if each["kind"] == "receiver"]
    assert len(bare.fine("search", "harbour", "--json").objects) == 2
    assert bare.fine("search", "low", "--json").objects
    assert bare.fine("index", "stats", "--json").object["documents"] == 3


@pytest.mark.parametrize("switched_on_by", [("crawl",), ("index", "rebuild")])
def test_an_index_that_is_switched_on_later_knows_what_links_call_a_page(
    switched_on_by: tuple[str, ...], bare: InstalledCli, site: Site
) -> None:
    without = InstalledCli(bare.folder, {"CORMORANT_INDEX": "none"})
    site.answers["/"] = Answer('<title>Harbour office</title><p>See the <a href="/tides">ebbing hours</a>.')
    without.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    without.run("crawl")
    bare.fine(*switched_on_by)
    found = bare.fine("search", "ebbing", "--json").objects
    assert {each["url"] for each in found} == {site.address, f"{site.address}tides"}


@pytest.mark.long
def test_an_index_is_not_filled_when_no_copy_can_be_read(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    without = InstalledCli(bare.folder, {"CORMORANT_INDEX": "none"})
    without.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    without.fine("receiver", "add", "jsonlines", "feed", "--set", f"path={tmp_path / 'feed.jsonl'}")
    without.run("crawl")
    for pack in (bare.folder / "cache").rglob("*.pack"):
        pack.write_bytes(b"")
    (said,) = [each for each in bare.run("crawl", "--json").object["problems"] if each["kind"] == "receiver"]
    assert said["receiver"] == "index"
    assert "None of 3 kept copies can be read" in said["reason"]
    assert checks(bare, "doctor")["receiver index"]["ok"] is False


def test_a_receiver_that_takes_nothing_is_reported_at_the_end(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}tides")
    bare.fine("receiver", "add", "webhook", "feed", "--set", "url=http://127.0.0.1:1/")  # nobody listens there
    report = bare.run("crawl", "--json").object
    (said,) = [each for each in report["problems"] if each["kind"] == "receiver"]
    assert said["receiver"] == "feed"
    assert said["sentence"].startswith("The receiver feed did not get all documents: ")


def test_deliveries_wait_while_paused(home: InstalledCli, site: Site) -> None:
    home.fine("provider", "pause")
    home.fine("receiver", "add", "jsonlines", "late", "--set", f"path={home.folder / 'late.jsonl'}")
    assert home.fine("receiver", "show", "late", "--json").object["paused"] is True
    home.fine("source", "add", "web", "more", "--set", f"start={site.address}tides")
    crawled = home.run("crawl", "more")
    status = home.fine("status", "--json").object
    wait = f"{status['backlog']} changes wait to be delivered"
    they_do = "the next crawl, or `cormorant serve`, delivers them."
    paused = f"{wait}. Deliveries are paused: after `cormorant provider resume` {they_do}"
    assert (paused in crawled.err, paused in home.fine("status").out) == (True, True), crawled.err
    assert status["paused"] is True
    assert status["backlog"] > 0
    assert status["oldest_undelivered_at"] is not None
    home.fine("crawl", "papers", "--examine")
    assert "The next crawl" in home.fine("provider", "resume").err, "nothing is at work"
    assert f"{wait}: {they_do}" in home.fine("run", "stop").err
    assert f"{wait}: {they_do}" in home.fine("status").out
    assert "wait for delivery" not in home.run("crawl", "papers").err
    assert "wait for delivery" not in home.fine("status").out
    assert home.fine("status", "--json").object["backlog"] == 0
    assert home.fine("search", "noon", "--source", "more", "--json").objects


@pytest.mark.parametrize("event", [Event.CHANGED, Event.DELETED, Event.UNVISITED_DELETED, Event.ACCESS])
def test_since_when_an_event_waits_of_which_an_older_version_noted_nothing(home: InstalledCli, event: Event) -> None:
    with opened(BuildPlan(home.folder, Settings())) as house:
        with house.store.begin() as tx:
            kept = tx.rows(sa.select(content.c.id, content.c.source_id).limit(1))[0]
            tx.execute(sa.update(content).values(changed_at=1000.0))
            stream.append(tx, [NewEvent(kept.source_id, kept.id, 1, event)])
            tx.driver("UPDATE stream SET at = NULL")
            began = runs.get(tx, 1).started_at
        waits_since = receivers.shown(house, "index")["oldest_undelivered_at"]
    assert waits_since == rfc3339(1000.0 if event is Event.CHANGED else began)


def test_settings_of_receivers_are_listed_by_the_command_that_help_names(home: InstalledCli) -> None:
    for words in (("add",), ("edit",)):
        said = " ".join(home.fine("receiver", *words, "--help").out.split())
        assert ("`receiver kinds` lists them" in said, "source kinds" in said) == (True, False)


def test_of_a_document_that_left_before_its_delivery_only_the_deletion_is_delivered(
    bare: InstalledCli, site: Site, tmp_path: Path
) -> None:
    site.page("/", "Start", links=("/stays", "/goes"))
    site.page("/stays", "Stays")
    site.page("/goes", "Goes")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'a'}")
    bare.fine("provider", "pause")
    bare.fine("crawl")
    bare.fine("document", "delete", f"{site.address}goes", "--yes")
    bare.fine("provider", "resume")
    del site.answers["/goes"]
    bare.run("crawl")
    events = [json.loads(line) for line in (tmp_path / "a").read_text().splitlines()]
    assert sorted((each["event"], each["url"]) for each in events) == [
        ("deleted", f"{site.address}goes"),
        ("new", site.address),
        ("new", f"{site.address}stays"),
    ]


def test_a_receiver_that_is_away_holds_no_document_back(home: InstalledCli) -> None:
    home.fine("receiver", "add", "webhook", "away", "--source", "docs", "--set", "url=http://127.0.0.1:9/")
    home.fine("crawl", "--force")
    for source in ("docs", "papers"):
        listed = home.fine("document", "list", "--source", source, "--json").objects
        assert {each["state"] for each in listed if each["status"] == 200} == {"old"}, source


def test_what_the_index_has_not_got_yet_is_not_indexed(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("provider", "pause")
    bare.fine("crawl")
    shown = bare.fine("document", "show", site.address, "--json").object
    assert (shown["state"], shown["indexed"]) == ("found", False)
    bare.fine("provider", "resume")
    bare.fine("crawl")
    site.page("/", "Another", "It says something else.")
    bare.fine("provider", "pause")
    bare.fine("crawl")
    shown = bare.fine("document", "show", site.address, "--json").object
    assert (shown["state"], shown["indexed"]) == ("found", True), "search finds what it said before"


def test_a_document_with_a_damaged_copy_is_delivered_once_the_copy_is_repaired(
    bare: InstalledCli, site: Site, tmp_path: Path
) -> None:
    add(bare, site)
    bare.fine("crawl")
    for name in ("a", "b"):
        bare.fine("receiver", "add", "jsonlines", name, "--set", f"path={tmp_path / name}")
    spoil(next((bare.folder / "cache").rglob("*.pack")))
    done = bare.run("receiver", "resend", "a", "-q")
    assert (done.code, "The kept copy of 1 document is damaged" in done.err) == (3, True), done
    delivered = lines(tmp_path / "a")
    assert (len(delivered), all(each["document"] and each["text"] for each in delivered)) == (2, True)
    (lost,) = bare.fine("receiver", "faulty", "a", "--json").objects
    assert (lost["reason"], lost["event"]) == ("Its kept copy is damaged.", "found")
    assert {each["url"] for each in (*delivered, lost)} == {
        site.address,
        f"{site.address}ferries",
        f"{site.address}tides",
    }
    assert bare.fine("crawl", "--json").object["changed"] == 0
    (again,) = lines(tmp_path / "a")[2:]
    assert (again["url"], again["event"], bool(again["text"])) == (lost["url"], "found", True)
    assert bare.fine("receiver", "faulty", "a", "--json").objects == []
    assert lines(tmp_path / "b") == [], "no other receiver gets unchanged documents"


def test_the_age_of_a_waiting_deletion_is_shown(home: InstalledCli) -> None:
    home.fine("provider", "pause")
    some = home.fine("document", "list", "--json").objects[0]["url"]
    home.fine("document", "delete", some, "--yes")
    shown = home.fine("receiver", "show", "index", "--json").object
    assert (shown["backlog"], bool(shown["oldest_undelivered_at"])) == (1, True)
    assert home.fine("status", "--json").object["oldest_undelivered_at"] == shown["oldest_undelivered_at"]


def test_what_is_to_be_sent_again_is_backlog(home: InstalledCli, tmp_path: Path) -> None:
    home.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'out'}")
    said = home.fine("receiver", "resend", "out", "--detach").err
    kept = home.fine("receiver", "show", "out", "--json").object
    assert kept["backlog"] == kept["resending"] > 1
    assert kept["oldest_undelivered_at"]
    assert said == (f"{kept['backlog']} deliveries wait for 'out'. The next crawl, or `cormorant serve`, makes them.\n")
    status = home.fine("status", "--json").object
    assert (status["backlog"], status["oldest_undelivered_at"]) == (kept["backlog"], kept["oldest_undelivered_at"])
    home.fine("receiver", "resend", "out")
    assert home.fine("receiver", "show", "out", "--json").object["oldest_undelivered_at"] is None
    assert len(lines(tmp_path / "out")) == kept["backlog"]


@pytest.mark.parametrize(
    ("given", "says"),
    [("url=https://a.example/ ca={}/none.pem", "/none.pem, which cannot be read: No such file or directory."),
     ("url=https://a.example/ ca={}", "which cannot be read: Is a directory."),
     ("url=https://a.example/ ca={}/text", "/text, and no certificate is in there."),
     ("url=http://169.254.169.254/x", "a metadata address, and nothing ever connects to those. Choose another url."),
     ("url=http://0xA9FEA9FE/", "http://169.254.169.254 can never be reached"),
     ("url=http://[::ffff:169.254.1.2]:9200/", "can never be reached: that is a link-local address"),
     ("url=http://10.0.0.1/ network=public", "private address, and network rules those out.")],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["webhook", "opensearch"])
def test_a_server_that_can_never_be_asked_is_refused(
    kind: str, given: str, says: str, home: InstalledCli, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("no certificate")
    wanted = [word for each in given.format(tmp_path).split() for word in ("--set", each)]
    done = home.run("receiver", "add", kind, "shop", *wanted)
    assert (done.code, says in done.err) == (2, True), done
    home.fine("receiver", "add", kind, "shop", "--set", "url=http://127.0.0.1:1")
    done = home.run("receiver", "edit", "shop", *wanted)
    assert (done.code, says in done.err) == (2, True), done


def test_a_file_of_authorities_is_kept_in_full(
    home: InstalledCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import trustme

    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.chdir(tmp_path)
    record = home.fine(
        "receiver", "add", "webhook", "shop", "--set", "url=https://a.example", "--set", "ca=ca.pem", "--json"
    )
    assert record.object["settings"]["ca"] == str(tmp_path / "ca.pem")


class TestResend:
    """How it ends says whether all was delivered."""

    @pytest.fixture
    def kept(self, bare: InstalledCli, site: Site) -> InstalledCli:
        """An installation that has crawled three pages, and has no receiver."""
        add(bare, site)
        bare.fine("crawl")
        return bare

    @pytest.mark.long
    def test_one_that_is_not_reached(self, kept: InstalledCli) -> None:
        kept.fine("receiver", "add", "webhook", "shop", "--set", "url=http://127.0.0.1:1/")
        done = kept.run("receiver", "resend", "shop", "-q")
        assert (done.code, "http://127.0.0.1:1 was not reached: " in done.err) == (6, True), done
        assert "3 deliveries wait for 'shop', and the next crawl, or `cormorant serve`, tries again." in done.err
        done = kept.run("receiver", "resend", "shop", "--json")
        assert (done.code, done.object["backlog"], done.problem["code"]) == (6, 6, "unreachable")

    @pytest.mark.long
    def test_one_that_takes_nothing_and_then_some_and_then_the_rest(self, kept: InstalledCli) -> None:
        with Hook() as hook:
            kept.fine("receiver", "add", "webhook", "shop", "--set", f"url={hook.url}")
            hook.judge = lambda _: Said(422)
            done = kept.run("receiver", "resend", "shop", "-q")
            assert (done.code, "'shop' rejected 3 documents: " in done.err) == (1, True), done
            hook.judge = lambda post: Said(200, {}, {"refused": [{"seq": post.seqs[0], "reason": "no price"}]})
            done = kept.run("receiver", "resend", "shop", "--faulty", "--json")
            assert (done.code, done.object["faulty"], done.problem["code"]) == (3, 1, "conflict"), done
            hook.judge = lambda _: Said(204)
            assert kept.fine("receiver", "resend", "shop", "--faulty").err == "Sent again to 'shop'.\n"
            asked = len(hook.posts)
            done = kept.fine("receiver", "resend", "shop", "--faulty")
            assert done.err == "There is nothing to send: 'shop' has rejected nothing.\n"
            assert len(hook.posts) == asked
            hook.judge = lambda _: Said(401)
            done = kept.run("receiver", "resend", "shop")
            assert (done.code, " answered 401." in done.err) == (1, True), done

    def test_one_that_is_paused(self, kept: InstalledCli, tmp_path: Path) -> None:
        kept.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'out'}")
        kept.fine("provider", "pause")
        assert "provider resume" in kept.fine("receiver", "resend", "out", "--detach").err
        done = kept.run("receiver", "resend", "out")
        assert (done.code, "Deliveries are paused, so 3 deliveries wait" in done.err) == (1, True), done

    def test_nothing_is_kept(self, bare: InstalledCli, tmp_path: Path) -> None:
        bare.fine("receiver", "add", "jsonlines", "out", "--set", f"path={tmp_path / 'out'}")
        assert "There is nothing to send to 'out'" in bare.fine("receiver", "resend", "out").err
