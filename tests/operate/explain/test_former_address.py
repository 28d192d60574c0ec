"""Where is the document that was here? An old address leads to the new one, and a deletion is remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import InstalledCli


class Papers:
    """A folder with two files, and the installation that crawls it."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "papers"
        self.folder.mkdir()
        self.cli = InstalledCli(base / "data")
        (self.folder / "log.txt").write_text("Forty gulls were counted.")
        (self.folder / "rota.txt").write_text("Ada rings on Monday.")
        self.cli.fine("source", "add", "files", "papers", "--set", f"path={self.folder}")
        self.crawl()

    def crawl(self, times: int = 1) -> dict[str, Any]:
        """Crawl it so often; returns the last report."""
        reports = [self.cli.fine("crawl", "--json").object for _ in range(times)]
        return dict(reports[-1])

    def explain(self, name: str) -> dict[str, Any]:
        """Explain a file by its path."""
        return dict(self.cli.fine("explain", str(self.folder / name), "--json").object)

    def at(self, name: str) -> str:
        """The address of a file."""
        return (self.folder / name).as_uri()


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    return Papers(tmp_path)


def test_a_file_that_was_renamed_twice(papers: Papers) -> None:
    for run, (old, new) in enumerate((("log.txt", "july.txt"), ("july.txt", "archive.txt")), 2):
        (papers.folder / old).rename(papers.folder / new)
        assert papers.crawl()["moved"] == 1
        said = papers.explain(old)
        assert (said["verdict"], said["source"], said["status"]) == ("not_indexed", "papers", 954)
        assert said["moved_to"] == {"address": papers.at(new), "at": said["visits"][0]["time"], "run": run}
        assert f"(run {run}) and is now at {papers.at(new)}." in said["because"]
    first = papers.explain("log.txt")
    assert (first["moved_to"]["address"], first["moved_to"]["run"]) == (papers.at("archive.txt"), 2)
    assert "is now at" in papers.cli.fine("explain", str(papers.folder / "log.txt")).out
    assert "Answered by" not in papers.cli.fine("explain", str(papers.folder / "archive.txt")).out, "it was no redirect"


def test_a_file_that_was_deleted(papers: Papers) -> None:
    (papers.folder / "log.txt").unlink()
    papers.crawl()
    row = papers.explain("log.txt")
    assert (row["verdict"], row["status"]) == ("gone", 404)
    assert row["because"].startswith("404 Not found: it is no longer listed. It has been gone since 20")
    assert row["because"].endswith("(run 2).")
    papers.crawl(2)
    said = papers.explain("log.txt")
    assert (said["verdict"], said["id"], said["status"]) == ("gone", None, 404)
    assert said["visits"] == [
        {"time": row["visits"][-1]["time"], "run": 2, "outcome": "gone", "status": 404, "bytes": 0, "hash": None,
         "changed": "outcome", "reason": "it is no longer listed"},
    ]  # fmt: skip
    assert said["because"] == (
        f"The document was deleted on {row['visits'][-1]['time']} (run 2): it is no longer listed."
    )
    (papers.folder / "log.txt").write_text("Fifty gulls were counted.")
    papers.crawl()
    assert papers.explain("log.txt")["verdict"] == "indexed"


def test_a_file_that_was_moved_and_then_deleted(papers: Papers) -> None:
    (papers.folder / "log.txt").rename(papers.folder / "july.txt")
    papers.crawl()
    (papers.folder / "july.txt").unlink()
    for times, ended in ((1, "It has been gone since"), (2, "It was deleted on")):
        papers.crawl(times)
        said = papers.explain("log.txt")
        assert (said["verdict"], said["moved_to"]["address"]) == ("gone", papers.at("july.txt"))
        assert f"it was at {papers.at('july.txt')} last. {ended}" in said["because"]
        assert "(run 3)" in said["because"]


def test_a_rule_that_excludes_it_today_says_more_than_its_deletion(papers: Papers) -> None:
    (papers.folder / "log.txt").unlink()
    papers.crawl(3)
    papers.cli.fine("source", "edit", "papers", "--set", "exclude=log.*", "--yes")
    said = papers.explain("log.txt")
    assert (said["verdict"], said["because"]) == (
        "excluded", "No listing of 'papers' names it: boundary: exclude log.*",
    )  # fmt: skip


def test_what_was_erased_leaves_no_trace_of_its_move(papers: Papers) -> None:
    (papers.folder / "log.txt").rename(papers.folder / "july.txt")
    papers.crawl()
    papers.cli.fine("document", "takedown", papers.at("july.txt"), "--reason", "private", "--erase", "--yes")
    assert papers.explain("log.txt")["verdict"] == "unknown"
