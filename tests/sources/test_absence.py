"""Why no listing names an address, in the words of its kind: rows, entries, files, messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.model.status import Status
from cormorant.plugins import Tools, Unlisted, make_source, source_kind

FEED = "https://news.example.org/feed.xml"
TABLE = {"database": "sqlite:////srv/desk.db", "table": "tickets"}


def absence(kind: str, address: str, **settings: object) -> Unlisted | None:
    return source_kind(kind).unlisted(make_source(kind, 3, settings, Tools(None, SystemClock())), address)


def test_a_row() -> None:
    found = absence("table", "table://3/99", **TABLE)
    assert found is not None
    assert found.ruling.admitted
    assert found.because == "There is no such row, it was added after the last crawl, or settings leave it out."
    assert absence("table", "table://4/99", **TABLE) is None


def test_an_entry_and_its_feed() -> None:
    entry = absence("feed", "feed://3/0123/~7", feeds=[FEED])
    assert entry is not None
    assert entry.because.startswith("There is no such entry, ")
    feed = absence("feed", FEED, feeds=[FEED])
    assert feed is not None
    assert (feed.ruling.admitted, feed.because) == (True, "It is a feed, and its entries are the documents.")
    assert absence("feed", "https://news.example.org/other.xml", feeds=[FEED]) is None


@pytest.mark.parametrize(
    ("path", "rule", "says"),
    [
        ("drafts", "exclude drafts/**", "No file below this folder is read."),
        ("drafts/", "exclude drafts/**", "No file below this folder is read."),
        ("drafts/a.txt", "exclude drafts/**", ""),
        (".github/a.yml", "hidden = false", ""),
        ("docs/none.md", "every file of the folder", "There is no such file, "),
    ],
)
def test_a_file_of_a_repository(path: str, rule: str, says: str, tmp_path: Path) -> None:
    found = absence("git", f"git://3/{path}", url=str(tmp_path), exclude=["drafts/**"])
    assert found is not None
    assert (found.ruling.rule, found.because.startswith(says)) == (rule, True)
    assert bool(found.because) == bool(says)


def test_a_push_is_no_listing() -> None:
    assert absence("push", "push://3/7") is None


@pytest.mark.parametrize(("kind", "noun"), [("table", "row"), ("git", "file")])
def test_what_is_gone_is_named_by_its_kind(kind: str, noun: str) -> None:
    advice = source_kind(kind).advice
    for status in (Status.NOT_FOUND, Status.GONE):
        assert advice[status].startswith(f"Nothing to do if the {noun} was ")


def test_an_entry_that_left_its_feed() -> None:
    advice = source_kind("feed").advice
    assert advice[Status.GONE] == advice[Status.NOT_FOUND]
    assert "keep" in advice[Status.GONE]
