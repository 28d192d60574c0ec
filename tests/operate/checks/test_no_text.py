"""Documents with no text, or almost none: the report of a run counts them and says what can be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.world import InstalledCli
from tests.extract import writers


@pytest.fixture
def home(tmp_path: Path) -> InstalledCli:
    """An installation that does not exist yet."""
    return InstalledCli(tmp_path / "data")


def test_documents_without_text_are_told_with_the_reason(home: InstalledCli, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "words.pdf").write_bytes(writers.pdf("Quiet words."))
    (papers / "locked.pdf").write_bytes(writers.pdf("Hidden words.", password="x"))
    (papers / "scan.pdf").write_bytes(writers.pdf(""))
    for name in ("none.docx", "none.txt"):
        (papers / name).write_bytes(b"")
    home.fine("source", "add", "files", "papers", "--set", f"path={papers}")
    for mode in ((), (), ("--force",)):
        (said,) = [each for each in home.fine("crawl", *mode, "--json").object["problems"] if each["kind"] == "text"]
        assert said["reasons"] == {"protected": 1, "empty": 2, "pictures": 1}
        assert said["sentence"].startswith(
            "4 documents have no text: 1 is protected by a password, 2 are empty, 1 holds only pictures, like a scan. "
        )
        assert "`cormorant document list --source papers --no-text` lists them" in said["sentence"]
    listed = home.fine("document", "list", "--source", "papers", "--no-text", "--json").objects
    assert {each["url"].rpartition("/")[2] for each in listed} == {"locked.pdf", "scan.pdf", "none.docx", "none.txt"}
    locked = home.fine("explain", str(papers / "locked.pdf"), "--json").object
    assert locked["because"].endswith(
        "It has no text: it is protected by a password; only its name and address can be found."
    )
    assert (locked["verdict"], locked["conversion"]["no_text"]) == ("indexed", "it is protected by a password")
    assert locked["advice"] in home.fine("explain", str(papers / "locked.pdf")).out
    assert "no text" not in home.fine("explain", str(papers / "words.pdf")).out


SHELL = (
    "<html><title>{}</title><body><div id=root></div><noscript>Please enable JavaScript.</noscript>"
    "<script src=m.js></script>"
)


def test_applications_that_a_script_fills_are_told_apart(home: InstalledCli, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "words.html").write_text("<title>Words</title><p>Quiet words.")
    for name in ("shop.html", "desk.html"):
        (papers / name).write_text(SHELL.format(name))
    (papers / "none.txt").write_bytes(b"")
    home.fine("source", "add", "files", "papers", "--set", f"path={papers}")
    for mode in ((), (), ("--force",)):
        told = {each["kind"]: each for each in home.fine("crawl", *mode, "--json").object["problems"]}
        assert told["text"]["reasons"] == {"empty": 1}
        assert told["text"]["sentence"].startswith("1 document has no text: 1 is empty.")
        assert told["text"]["address"].endswith("none.txt")
        assert (told["script"]["addresses"], len(told["script"]["examples"])) == (2, 2)
        assert told["script"]["sentence"].startswith(
            "2 pages hold almost no text and look like applications that a script fills, for example "
        )
        assert "`cormorant document list --source papers --no-text` lists them" in told["script"]["sentence"]
    listed = home.fine("document", "list", "--source", "papers", "--no-text", "--json").objects
    assert {each["url"].rpartition("/")[2] for each in listed} == {"shop.html", "desk.html", "none.txt"}
    shop = home.fine("explain", str(papers / "shop.html"), "--json").object
    assert shop["verdict"] == "indexed"
    assert shop["because"].endswith(
        " It holds almost no text (3 words) and looks like an application that a script fills."
    )
    assert shop["conversion"]["no_text"] == "it looks like an application that a script fills"
    assert shop["advice"].startswith("Cormorant runs no scripts: ")
    assert shop["advice"] in home.fine("explain", str(papers / "shop.html")).out
    (papers / "shop.html").write_text("<title>Shop</title><p>It sells things now.")
    (papers / "desk.html").unlink()
    report = home.fine("crawl", "--json").object
    assert [each["kind"] for each in report["problems"]].count("script") == 0
