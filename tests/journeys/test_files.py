"""A folder that changes between crawls, and one that is not there: what is absent only because of a fault stays."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.frontier.staging import pending_deletes
from cormorant.model.run import Refresh
from cormorant.operate.documents import listing
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.explain import explain
from cormorant.operate.runs import start
from tests.extract.writers import docx
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home

NAMES = [f"{folder}{name}.txt" for folder in ("", "sub/", "sub/deep/") for name in ("one", "two", "three", "four")]
WROTE_NOTHING = {"fetched": 0, "index_writes": 0, "index_deletes": 0, "cache_writes": 0, "new": 0, "changed": 0}
WITHOUT_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Root, but kept out by permissions like anybody else."""


def word(name: str) -> str:
    """The word only this file has."""
    return name.replace("/", "").replace(".", "") + "word"


def write(folder: Path, name: str, text: str = "") -> None:
    """Make a file with its word."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{word(name)} is what {name} says. {text}\n")


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """A folder of twelve files."""
    folder = tmp_path / "share"
    for name in NAMES:
        write(folder, name)
    return folder


def found(home: Home, *names: str) -> list[bool]:
    """Which of these files are found, each by its own word and at its own address."""
    said = home.found(*(word(name) for name in names))
    assert all(len(each) <= 1 for each in said)
    assert all(each[0].endswith(name) for each, name in zip(said, names, strict=True) if each)
    return [bool(each) for each in said]


def test_every_change(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    first = crawls.crawl(home, "share")
    assert (first["new"], first["index_writes"], first["exit"]) == (12, 12, 0)
    again = crawls.crawl(home, "share")
    assert again.items() >= WROTE_NOTHING.items()
    assert again["unchanged"] == 12

    write(share, "sub/five.txt")
    write(share, "two.txt", "and something else")
    (share / "sub/deep/one.txt").unlink()
    (share / "sub/four.txt").rename(share / "sub/six.txt")
    third = crawls.crawl(home, "share")
    assert (third["new"], third["changed"], third["unchanged"]) == (1, 1, 9)
    assert (third["moved"], third["gone"]) == (1, 1)
    assert (third["index_deletes"], third["fetched"]) == (1, 3)
    assert found(home, "sub/five.txt", "two.txt", "sub/deep/one.txt", "sub/deep/two.txt") == [True, True, False, True]
    assert home.found(word("sub/four.txt")) == [[f"file://{share}/sub/six.txt"]]
    assert home.value("SELECT count(*) FROM resource") == 13, "one is known to be gone"
    assert crawls.crawl(home, "share").items() >= (WROTE_NOTHING | {"gone": 0}).items()
    assert home.value("SELECT count(*) FROM resource") == 12


MOVED = 200


def test_a_folder_that_is_renamed_is_moved(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    share = tmp_path / "share"
    names = [f"a/{number % 5}/{number}.{'md' if number % 2 else 'txt'}" for number in range(MOVED)]
    for name in names:
        write(share, name)
    (share / "a/report.docx").write_bytes(docx("Report on herons"))
    home.add_source("files", "share", {"path": str(share)})
    lines = home.add_receiver("lines", "share")
    first = crawls.crawl(home, "share")
    assert (first["new"], first["conversions"]) == (MOVED + 1, 1)
    before = home.value("SELECT min(id) * 1000000 + max(id) FROM content")

    (share / "a").rename(share / "b")
    report = crawls.crawl(home, "share")
    assert (report["state"], report["held"], report["exit"]) == ("finished", 0, 0)
    nothing = {"conversions": 0, "gone": 0, "fetched": 0, "new": 0, "changed": 0, "cache_writes": 0, "index_deletes": 0}
    assert report.items() >= (nothing | {"moved": MOVED + 1, "index_writes": MOVED + 1}).items()
    assert home.value("SELECT min(id) * 1000000 + max(id) FROM content") == before
    asked = [word(names[0]), word(names[-1]), "herons"]
    assert home.found(*asked) == [[f"file://{share}/b{each[1:]}"] for each in (names[0], names[-1], "a/report.docx")]
    verdict, _, kept, _ = said(home, str(share / "b/report.docx"))
    assert (verdict, kept) == ("indexed", [("unchanged", 200, f"It was moved here from file://{share}/a/report.docx.")])
    assert said(home, str(share / "a/report.docx"))[0] == "not_indexed"
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    events = {(each["event"], each["url"]) for each in records if "report.docx" in each["url"]}
    assert events == {(event, f"file://{share}/{folder}/report.docx") for event, folder in (
        ("new", "a"), ("deleted", "a"), ("new", "b"),
    )}  # fmt: skip
    assert crawls.crawl(home, "share").items() >= (WROTE_NOTHING | {"moved": 0, "unchanged": MOVED + 1}).items()


def test_a_change_that_no_listing_shows_is_found_by_reading(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    path = share / "sub/two.txt"
    before = path.stat()
    text = path.read_text()
    path.write_text(text.replace("is what", "an ibex"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_ino, after.st_mtime_ns) == (before.st_size, before.st_ino, before.st_mtime_ns)

    report = crawls.crawl(home, "share")
    assert (report["unchanged"], report["requests_audit"], home.found("ibex")) == (12, 0, [[]])
    home.edit_source("share", {"hash_audit": 1.0})
    audited = crawls.crawl(home, "share")
    assert (audited["requests_audit"], audited["changed"], audited["unchanged"]) == (12, 1, 11)
    assert (audited["index_writes"], audited["cache_writes"]) == (1, 1)
    assert home.found("ibex") == [[f"file://{path}"]]


def test_an_empty_file_is_no_failure_and_found_by_its_name(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    names = [f"heron{number}.{ending}" for number, ending in enumerate(("txt", "html", "md", "csv", "json", "pdf"))]
    for number, name in enumerate(names):
        (share / name).write_text(" \n" * (number % 2))
    home.add_source("files", "share", {"path": str(share)})
    first = crawls.crawl(home, "share")
    assert (first["new"], first["failed"], first["exit"]) == (6, 0, 0)
    assert home.found(*names) == [[f"file://{share}/{name}"] for name in names]
    assert crawls.crawl(home, "share").items() >= WROTE_NOTHING.items()


def test_a_file_that_is_emptied_keeps_its_text_until_the_next_crawl(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    (share / "one.txt").write_text("")
    report = crawls.crawl(home, "share")
    assert (report["failed"], report["index_writes"], report["exit"]) == (1, 0, 3)
    assert found(home, "one.txt") == [True]
    report = crawls.crawl(home, "share")
    assert (report["failed"], report["changed"], report["exit"]) == (0, 1, 0)
    assert found(home, "one.txt") == [False]
    assert crawls.crawl(home, "share").items() >= WROTE_NOTHING.items()


def said(home: Home, address: str) -> Any:
    """The records of `explain` and `document list` for an address."""
    with home.house() as house:
        (record,) = explain.explain(house, address)
        every = list(listing.listed(house, DocumentFilter()))
    states = [each["state"] for each in every if each["access_url"] == record["address"]]
    kept = [(each["outcome"], each["status"], each["reason"]) for each in record["visits"]]
    return record["verdict"], record["because"], kept[1:], states


GONE_VISIT = ("gone", 404, pending_deletes.ABSENT)


def test_a_file_that_goes_is_known_to_be_gone_and_may_come_back(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    (share / "one.txt").unlink()
    report = crawls.crawl(home, "share")
    assert (report["gone"], report["index_deletes"], report["exit"]) == (1, 1, 0)
    verdict, because, kept, states = said(home, str(share / "one.txt"))
    assert (verdict, kept, states) == ("gone", [GONE_VISIT], ["old"])
    assert pending_deletes.ABSENT in because

    for refresh in ("all", "append"):  # back before its row is purged
        write(share, "one.txt")
        report = crawls.crawl(home, "share", refresh=refresh)
        assert (report["new"], report["gone"], report["index_writes"]) == (1, 0, 1), refresh
        assert found(home, "one.txt") == [True]
        assert said(home, str(share / "one.txt"))[0] == "indexed"
        (share / "one.txt").unlink()
        assert crawls.crawl(home, "share", refresh=refresh)["gone"] == 1, refresh

    report = crawls.crawl(home, "share")
    assert (report["gone"], report["index_deletes"]) == (0, 0)
    assert said(home, str(share / "one.txt"))[0] == "gone", "two complete listings did not name it"
    write(share, "one.txt")
    assert crawls.crawl(home, "share")["new"] == 1
    assert found(home, "one.txt") == [True]


def test_a_file_without_a_document_is_gone_when_the_listing_omits_it(home: Home, crawls: Crawler, share: Path) -> None:
    """One was damaged, and one too large: neither stays among the failures of a source after it was deleted."""
    home.add_source("files", "share", {"path": str(share), "max_size_bytes": 10_000})
    (share / "damaged.pdf").write_bytes(bytes(range(256)))
    write(share, "large.txt", "x" * 20_000)
    assert crawls.crawl(home, "share")["excluded"] == 1
    assert [said(home, str(share / name))[0] for name in ("damaged.pdf", "large.txt")] == ["failed", "excluded"]
    for name in ("damaged.pdf", "large.txt"):
        (share / name).unlink()
    report = crawls.crawl(home, "share")
    assert (report["gone"], report["index_deletes"], report["failed_as_before"]) == (2, 0, 0)
    for name in ("damaged.pdf", "large.txt"):
        verdict, because, kept, _ = said(home, str(share / name))
        assert (verdict, kept[0]) == ("gone", GONE_VISIT), name
        assert pending_deletes.ABSENT in because
    assert crawls.crawl(home, "share")["gone"] == 0
    assert home.value("SELECT count(*) FROM resource WHERE address LIKE '%damaged%' OR address LIKE '%large%'") == 0


def test_a_folder_that_is_left_out_from_now_on_says_by_which_rule(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    home.edit_source("share", {"exclude": ["deep"]})
    for row_is_kept in (True, False):
        assert crawls.crawl(home, "share")["index_deletes"] == 4 * row_is_kept
        verdict, because, _, states = said(home, str(share / "sub/deep/one.txt"))
        assert (verdict, bool(states)) == ("excluded", row_is_kept)
        assert "exclude deep" in because


def test_files_that_the_brake_holds_are_gone_when_a_person_accepts(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    for name in NAMES[1:]:
        (share / name).unlink()
    for accept in (False, True):
        held = crawls.crawl(home, "share")
        assert (held["state"], held["gone"], held["index_deletes"]) == ("held", 0, 0)
        with home.house() as house:
            start.answer(house, held["run"], accept=accept)
        crawls.begin(home, runs=(held["run"],))
        report = crawls.end()["reports"][0]
        assert (report["gone"], report["index_deletes"]) == ((11, 11) if accept else (0, 0))
        assert found(home, *NAMES) == [True] + [not accept] * 11
    verdict, _, kept, _ = said(home, str(share / "two.txt"))
    assert verdict == "gone"
    assert kept[0] == GONE_VISIT
    assert crawls.crawl(home, "share")["gone"] == 0
    assert home.value("SELECT count(*) FROM resource") == 1


def test_absent_root_deletes_nothing(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    aside = share.with_name("aside")
    share.rename(aside)
    sentences = {"missing": "share", "exchanged": "another one than before", "emptied": "is empty, and was not"}
    for case, sentence in sentences.items():
        if case == "exchanged":
            share.mkdir()
        elif case == "emptied":
            share.rmdir()
            aside.rename(share)
            shutil.copytree(share, aside)
            for each in share.iterdir():
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        report = crawls.crawl(home, "share")
        assert (report["state"], report["error"], report["index_deletes"]) == ("failed", "unreachable", 0), case
        assert sentence in report["reason"], report["reason"]
        assert report["exit"] == 6
        assert all(found(home, *NAMES)), case

    shutil.copytree(aside, share, dirs_exist_ok=True)
    report = crawls.crawl(home, "share")
    assert (report["state"], report["index_deletes"]) == ("finished", 0)
    assert all(found(home, *NAMES))


@pytest.fixture
def ordinary() -> Iterator[Crawler]:
    """A process that crawls and is kept out by permissions."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root is kept out by nothing, and there is no setpriv to change that")
    with crawler(*(WITHOUT_OVERRIDE if os.geteuid() == 0 else ())) as process:
        yield process


def test_folder_without_permission_keeps_its_documents(file_home: Home, ordinary: Crawler, share: Path) -> None:
    file_home.add_source("files", "share", {"path": str(share)})
    ordinary.crawl(file_home, "share")
    (share / "sub/one.txt").unlink()
    (share / "one.txt").unlink()
    (share / "sub").chmod(0)
    report = ordinary.crawl(file_home, "share")
    assert (report["state"], report["index_deletes"], report["gone"]) == ("finished", 1, 1)
    names = ["one.txt", "two.txt", "sub/one.txt", "sub/two.txt", "sub/deep/two.txt"]
    assert found(file_home, *names) == [False, True, True, True, True]
    (share / "sub").chmod(0o700)
    report = ordinary.crawl(file_home, "share")
    assert (report["index_deletes"], report["gone"]) == (1, 1)
    assert found(file_home, *names) == [False, True, False, True, True]


def test_a_link_that_cannot_be_followed_keeps_itself_alone(file_home: Home, ordinary: Crawler, share: Path) -> None:
    for name in ("closed/a", "alpha.txt", "a.txt"):
        write(share, name)
    (share / "a").symlink_to("closed/a")
    file_home.add_source("files", "share", {"path": str(share), "symlinks": True})
    ordinary.crawl(file_home, "share")
    (share / "closed").chmod(0)
    for name in ("alpha.txt", "a.txt"):
        (share / name).unlink()
    report = ordinary.crawl(file_home, "share")
    assert (report["index_deletes"], report["exit"]) == (2, 3), "a folder could not be listed"
    (share / "closed").chmod(0o700)
    assert file_home.found(word("alpha.txt"), word("a.txt")) == [[], []]
    assert len(file_home.found(word("closed/a"))[0]) == 2, "the file, and the link to it"


def test_what_lies_in_a_folder_that_was_closed_is_found_by_nobody(
    file_home: Home, ordinary: Crawler, share: Path
) -> None:
    """Its rights cannot be learned any more, and once they are those that the folder gives."""
    file_home.add_source("files", "share", {"path": str(share), "owner_grants": True})
    ordinary.crawl(file_home, "share")
    names = ["one.txt", "sub/one.txt", "sub/deep/one.txt"]
    for mode, seen in ((0o000, False), (0o000, False), (0o755, True), (0o644, False), (0o311, True), (0o755, True)):
        (share / "sub").chmod(mode)
        report = ordinary.crawl(file_home, "share")
        assert (report["state"], report["index_deletes"]) == ("finished", 0)
        assert found(file_home, *names) == [True, seen, seen], oct(mode)


def test_a_file_that_can_no_longer_be_read_is_found_by_those_who_may(
    file_home: Home, crawls: Crawler, share: Path
) -> None:
    """The previous text stays searchable, except for readers who lost access."""
    (share / "report.docx").write_bytes(docx("reportdocxword is what it says"))
    file_home.add_source("files", "share", {"path": str(share), "owner_grants": True})
    crawls.crawl(file_home, "share")
    assert found(file_home, "report.docx") == [True]
    (share / "report.docx").write_bytes(docx("reportdocxword no more")[:-300])
    assert crawls.crawl(file_home, "share")["failed"] == 1
    assert found(file_home, "report.docx") == [True], "a fault takes nothing away"
    (share / "report.docx").chmod(0o600)
    assert crawls.crawl(file_home, "share")["failed"] == 1
    assert found(file_home, "report.docx") == [False]
    (share / "report.docx").chmod(0o644)
    crawls.crawl(file_home, "share")
    assert found(file_home, "report.docx") == [True]


@pytest.mark.parametrize("accept", [False, True])
def test_what_the_brake_holds_is_found_by_those_who_may_read_it(
    file_home: Home, crawls: Crawler, share: Path, accept: bool
) -> None:
    file_home.add_source("files", "share", {"path": str(share), "owner_grants": True, "max_size_bytes": 1000})
    crawls.crawl(file_home, "share")
    for name in NAMES:
        (share / name).write_bytes(b"\x7fELF" + bytes(2000 if name.startswith("sub") else 20))
        (share / name).chmod(0o644 if name == "one.txt" else 0o600)
    held = crawls.crawl(file_home, "share")
    assert held["state"] == "held"
    assert found(file_home, *NAMES) == [True] + [False] * 11
    with file_home.house() as house:
        start.answer(house, held["run"], accept=accept)
    crawls.begin(file_home, runs=(held["run"],))
    assert crawls.end()["reports"][0]["index_deletes"] == (12 if accept else 0)
    assert found(file_home, *NAMES) == [not accept] + [False] * 11
    assert file_home.value("SELECT count(*) FROM content WHERE indexed") == (0 if accept else 12)


@pytest.mark.parametrize("refresh", list(Refresh))
def test_another_folder_is_taken_for_the_same_whatever_is_visited(
    file_home: Home, crawls: Crawler, tmp_path: Path, refresh: Refresh
) -> None:
    """Three documents are fewer than the brake asks about."""
    share, aside = tmp_path / "share", tmp_path / "aside"
    for name in NAMES[:3]:
        write(share, name)
    file_home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(file_home, "share")
    share.rename(aside)
    share.mkdir()
    report = crawls.crawl(file_home, "share", refresh=refresh)
    assert (report["state"], report["error"], report["index_deletes"]) == ("failed", "unreachable", 0)
    share.rmdir()
    aside.rename(share)
    assert crawls.crawl(file_home, "share")["state"] == "finished"
    assert all(found(file_home, *NAMES[:3]))


@pytest.mark.parametrize("accept", [False, True])
def test_another_folder_is_the_right_one_once_a_person_has_accepted_it(
    file_home: Home, crawls: Crawler, share: Path, accept: bool
) -> None:
    aside, other = share.with_name("aside"), share.with_name("other")
    file_home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(file_home, "share")
    share.rename(aside)
    write(share, "one.txt")
    held = crawls.crawl(file_home, "share", force=True)
    assert held["state"] == "held"
    with file_home.house() as house:
        start.answer(house, held["run"], accept=accept)
    crawls.begin(file_home, runs=(held["run"],))
    crawls.end()
    for mounted in (True, False):
        if not mounted:
            share.rename(other)
            aside.rename(share)
        state = crawls.crawl(file_home, "share")["state"]
        assert (state == "failed") is (mounted is not accept)
