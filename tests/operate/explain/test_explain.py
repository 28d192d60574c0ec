"""Why is this file not found? Whatever form its address is given in, and also when no listing names it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from cormorant.sources.files.unlisted import not_there
from tests.cli.world import Answer, InstalledCli, serving, small_site
from tests.sources.git.repositories import Repository


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of which a listing leaves out the most, and an installation that has crawled it."""
    base = tmp_path_factory.mktemp("explain")
    for name in (
        "papers/note.txt", "papers/one two.txt", "papers/.secret.txt", "papers/drafts/a.txt", "papers/a/b/deep.txt",
        "else/linked.txt",
    ):  # fmt: skip
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(f"This is {name}.")
    (base / "papers" / "link.txt").symlink_to(base / "else" / "linked.txt")
    (base / "papers" / "old").mkdir()
    (base / "papers" / "old" / "b.txt").write_text("No listing looks at it.")
    given = [f"path={base / 'papers'}", "exclude=drafts", "exclude=*two*", "exclude=old/**", "depth=1"]
    home = InstalledCli(base / "data")
    home.fine("source", "add", "files", "papers", *(word for each in given for word in ("--set", each)))
    home.fine("crawl")
    (base / "papers" / "late.txt").write_text("Came after the listing.")
    return base


@pytest.mark.parametrize(
    ("name", "verdict", "says"),
    [
        ("papers/note.txt", "indexed", "may be found"),
        ("papers/one two.txt", "excluded", "exclude *two*"),
        ("papers/.secret.txt", "excluded", "hidden = false"),
        ("papers/drafts/a.txt", "excluded", "exclude drafts"),
        ("papers/a/b/deep.txt", "excluded", "depth = 1"),
        ("papers/link.txt", "excluded", "symlinks = false"),
        ("papers/late.txt", "unknown", "was added after the last crawl"),
        ("papers/none.txt", "unknown", "There is no such file."),
        ("papers/drafts", "excluded", "exclude drafts"),
        ("papers/old", "excluded", "exclude old/**. No file below this folder is read."),
        ("papers/old/b.txt", "excluded", "exclude old/**"),
        ("papers/a", "unknown", "It is a folder"),
        ("papers/a/b", "excluded", "depth = 1. No file below this folder is read."),
        ("papers", "unknown", "It is a folder"),
        ("else/linked.txt", "unknown", "No source knows this address"),
    ],
)
def test_a_path(name: str, verdict: str, says: str, folder: Path) -> None:
    home = InstalledCli(folder / "data")
    for form in (str(folder / name), (folder / name).as_uri()):
        record = home.fine("explain", form, "--json").object
        assert (record["address"], record["verdict"]) == ((folder / name).as_uri(), verdict)
        assert says in record["because"], record


def test_what_a_rule_excludes_is_discovered_once(tmp_path: Path) -> None:
    for name in ("a.txt", "b.tmp"):
        (tmp_path / "papers").mkdir(exist_ok=True)
        (tmp_path / "papers" / name).write_text("Words")
    home = InstalledCli(tmp_path / "data")
    given = ("--set", f"path={tmp_path / 'papers'}", "--set", "exclude=*.tmp")
    home.fine("source", "add", "files", "papers", *given)
    reports = [home.fine("crawl", "--json").object]
    (tmp_path / "papers" / "c.tmp").write_text("Words")
    reports += [home.fine("crawl", "--json").object for _ in range(2)]
    assert [(each["discovered"], each["excluded"], each["rejected"]) for each in reports] == [
        (2, 1, 1), (1, 2, 2), (0, 2, 2),
    ]  # fmt: skip
    record = home.fine("explain", str(tmp_path / "papers" / "b.tmp"), "--json").object
    assert record["paths"] == [{"how": "listing", "from": None, "text": ""}]


def test_a_path_from_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "papers")
    home = InstalledCli(folder / "data")
    assert home.fine("explain", "note.txt", "--json").object["verdict"] == "indexed"
    assert home.fine("document", "show", "note.txt", "--json").object["title"]
    assert home.fine("explain", "../papers/note.txt", "--json").object["verdict"] == "indexed"
    assert home.fine("explain", "none.txt", "--json").object["because"].endswith("There is no such file.")


def test_who_finds_what_is_indexed(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Words")
    home = InstalledCli(tmp_path / "data")
    home.fine("source", "add", "files", "mine", "--set", f"path={tmp_path}", "--set", "include=*.txt")
    says = "It was fetched and may be found"
    for grants, more in (("everyone", "."), ("user:ada", ", only by people whom its rights name.")):
        home.fine("source", "edit", "mine", "--set", f"grants={grants}", "--yes")
        home.fine("crawl")
        assert home.fine("explain", str(tmp_path / "note.txt"), "--json").object["because"] == says + more


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_lies_in_a_folder_that_may_not_be_entered(tmp_path: Path) -> None:
    path = tmp_path / "closed" / "a.txt"
    path.parent.mkdir()
    path.write_text("Words")
    path.parent.chmod(0)
    os.seteuid(65534)
    try:
        because, _ = not_there(os.fsencode(path))
    finally:
        os.seteuid(0)
    assert because == "It lies in a folder that Cormorant may not enter."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "You gave no address."),
        ("a.html", "Write it in full"),
        ("127.0.0.1:9471/a.html", "Did you mean http://127.0.0.1:9471/a.html?"),
        ("localhost:8000", "Did you mean http://localhost:8000/?"),
        ("www.example.org/x", "Did you mean https://www.example.org/x?"),
        ("https://", "is not an address"),
    ],
)
def test_what_is_no_address(text: str, says: str, folder: Path) -> None:
    home = InstalledCli(folder / "data")
    for words in (["explain"], ["document", "show"], ["document", "links"]):
        done = home.run(*words, text)
        assert (done.code, says in done.err) == (2, True), done


def test_the_nearest_address_is_below_a_start(folder: Path, tmp_path: Path) -> None:
    home = InstalledCli(tmp_path / "data")
    home.fine("source", "add", "web", "docs", "--set", "start=http://docs.example.org/guide/")
    for text, meant in (
        ("a.html", "http://docs.example.org/guide/a.html"), ("docs.example.org/b", "http://docs.example.org/b"),
    ):  # fmt: skip
        assert f"Did you mean {meant}?" in home.run("explain", text).err
    inside = home.fine("explain", "http://docs.example.org/c", "--json").object
    assert (inside["verdict"], "the rules of 'docs' admit it" in inside["advice"]) == ("unknown", True)
    outside = home.fine("explain", "http://other.example.org/c", "--json").object
    assert "the rules of every source exclude it" in outside["advice"]
    assert outside["advice"] in home.fine("explain", "http://other.example.org/c").out


def test_an_address_known_by_nofollow_links_alone(tmp_path: Path) -> None:
    home = InstalledCli(tmp_path / "data")
    with serving(small_site()) as site:
        site.answers["/"].body += "<a href=/only rel=nofollow>one</a><a href=/tides rel='ugc nofollow'>two</a>"
        site.answers["/ferries"].body += "<meta name=robots content=nofollow><a href=/below>three</a>"
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
        report = home.fine("crawl", "--json").object
        for path, rule in (("only", "rel=nofollow"), ("below", "nofollow, said by the page of all its links")):
            record = home.fine("explain", site.address + path, "--json").object
            assert (record["verdict"], record["status"]) == ("excluded", 983)
            assert record["because"] == f"983 Known only through nofollow links: {rule}"
            assert [each["how"] for each in record["paths"]] == ["link"]
        assert home.fine("explain", f"{site.address}tides", "--json").object["verdict"] == "indexed"
        names = {each["url"] for each in home.fine("document", "list", "--excluded", "--json").objects}
        assert names == {site.address + path for path in ("only", "below", "private/x")}
        assert (report["excluded"], report["discovered"], report["problems"]) == (len(names), 5, [])
        site.page("/only", "Only", "A page about the causeway.")
        site.page("/missing", "Found", "", ("/only",))
        home.fine("crawl")
        assert home.fine("explain", f"{site.address}only", "--json").object["verdict"] == "indexed"
        names = {each["url"] for each in home.fine("document", "list", "--excluded", "--json").objects}
        assert names == {site.address + path for path in ("below", "private/x")}


@pytest.mark.parametrize("status", [200, 500])
def test_a_robots_txt_is_no_document(status: int, tmp_path: Path) -> None:
    home = InstalledCli(tmp_path / "data")
    with serving(small_site()) as site:
        site.answers["/robots.txt"].status = status
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "patience_s=0")
        home.run("crawl")
        record = home.fine("explain", f"{site.address}robots.txt", "--json").object
    assert (record["verdict"], record["status"]) == ("not_indexed", status), record
    assert "is no document" in record["because"]
    if status == 200:
        said = record["next"]
        assert said["when"] == "before a visit of a page of its site, when it holds no longer"
        assert said["holds_until"] > record["visits"][-1]["time"]
        with sqlite3.connect(home.folder / "cormorant.db") as rows:
            rows.execute("UPDATE site_fact SET valid_until = 0")
        record = home.fine("explain", f"{site.address}robots.txt", "--json").object
        assert record["next"] == {"when": "before the next visit of a page of its site"}
    else:
        assert record["next"].keys() == {"not_before", "attempts"}


def test_how_reading_ended(tmp_path: Path) -> None:
    home = InstalledCli(tmp_path / "data")
    with serving(small_site()) as site:
        site.answers["/tides"] = Answer("%PDF-1.7 nothing of a PDF", mime="application/pdf")
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
        home.run("crawl")
        unread = home.fine("explain", f"{site.address}tides", "--json").object
        assert (unread["status"], unread["cache"]) == (903, None)
        assert (unread["conversion"]["mime"], unread["conversion"]["status"]) == (None, 903)
        assert unread["conversion"]["reason"]
        read = home.fine("explain", f"{site.address}ferries", "--json").object
        assert read["conversion"] == {
            "mime": "text/html", "status": 200, "reason": None, "language": "en", "charset": "utf-8",
            "charset_from": "header", "language_from": "text", "truncated": False, "links_dropped": 0,
            "answered_from": f"{site.address}ferries", "read_by": None, "no_text": None,
            "services": [], "withheld": False,
        }  # fmt: skip


def test_when_it_is_visited_again(folder: Path, tmp_path: Path) -> None:
    settled = InstalledCli(folder / "data").fine("explain", str(folder / "papers/note.txt"), "--json").object
    assert settled["next"] == {"when": "when a listing shows a change"}
    home = InstalledCli(tmp_path / "data")
    with serving(small_site()) as site:
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "max_documents=1")
        home.run("crawl")
        for path in ("", "ferries"):
            record = home.fine("explain", site.address + path, "--json").object
            assert record["next"] == {"when": "in the next run"}, path


def test_a_source_whose_start_file_is_away_is_told_of(folder: Path, tmp_path: Path) -> None:
    home, starts = InstalledCli(tmp_path / "data"), tmp_path / "starts"
    with serving(small_site()) as site:
        starts.write_text(f"{site.address}ferries\n")
        home.fine("source", "add", "web", "docs", "--set", f"start_file={starts}", "--set", "network=loopback")
        home.run("crawl")
        starts.unlink()
        record = home.fine("explain", f"{site.address}ferries", "--json").object
        assert record["verdict"] == "indexed"
        assert [(each["gate"], str(starts) in each["rule"]) for each in record["gates"]] == [("settings", True)]
        assert home.fine("explain", str(folder / "papers/note.txt"), "--json").object["verdict"] == "unknown"
        report = home.fine("run", "show", "--json").object
        assert str(starts) in "".join(each["sentence"] for each in report["problems"])


def test_a_file_of_a_repository_by_its_path(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.put("docs/a b.md", "# Gulls\n\nForty were counted.\n")
    repository.commit()
    home = InstalledCli(tmp_path / "data")
    mirror = f"mirror_folder={tmp_path / 'mirror'}"
    home.fine("source", "add", "git", "repo", "--set", f"url={repository.path}", "--set", mirror)
    home.fine("crawl")
    for form in ("docs/a b.md", "./docs/a b.md", str(repository.path / "docs" / "a b.md")):
        record = home.fine("explain", form, "--json").object
        assert (record["address"], record["verdict"]) == ("git://1/docs/a%20b.md", "indexed"), form
    assert home.fine("document", "show", "docs/a b.md", "--json").object["title"] == "Gulls"
    (repository.path / "docs" / "a b.md").rename(repository.path / "docs" / "new.md")
    repository.put("docs/gone.md", "# Terns")
    repository.commit()
    home.fine("crawl")
    (repository.path / "docs" / "gone.md").unlink()
    repository.commit()
    home.fine("crawl")
    moved = home.fine("explain", "docs/a b.md", "--json").object
    assert (moved["verdict"], moved["moved_to"]["address"]) == ("not_indexed", "git://1/docs/new.md")
    assert home.fine("explain", "docs/new.md", "--json").object["verdict"] == "indexed"
    gone = home.fine("explain", "docs/gone.md", "--json").object
    assert (gone["address"], gone["verdict"]) == ("git://1/docs/gone.md", "gone")
    wrong = home.run("explain", "docs/none.md")
    assert (wrong.code, "Write it in full, like git://1/docs/new.md." in wrong.err) == (2, True)
