"""Why is this member of an archive not found? By every form in which people write its address."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cormorant.frontier.staging.member_rows import MOST_DEPTH
from cormorant.model import no_text
from cormorant.model.no_text import NoTextReason
from cormorant.operate.documents.conversion import how_read
from cormorant.operate.explain import missing_member
from tests.cli.world import InstalledCli


def pack(archive: Path, members: Mapping[str, str]) -> None:
    archive.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive, of which one member was removed, and an installation that has crawled it."""
    base = tmp_path_factory.mktemp("members")
    archive = base / "papers" / "old files.zip"
    pack(archive, {"in/one 1.txt": "Gulls", "in/100%.txt": "Terns", "two.txt": "Ferries"})
    (base / "papers" / "c#").mkdir()
    (base / "papers" / "c#" / "a.txt").write_text("A folder with a number sign.")
    home = InstalledCli(base / "data")
    home.fine("source", "add", "files", "papers", "--set", f"path={base / 'papers'}")
    home.fine("crawl")
    pack(archive, {"in/one 1.txt": "Gulls", "in/100%.txt": "Terns"})
    home.fine("crawl")
    return base


@pytest.mark.parametrize(
    ("form", "member", "verdict", "says"),
    [
        ("{path}#/in/one 1.txt", "in/one%201.txt", "indexed", "It was fetched"),
        ("{path}!/in/one 1.txt", "in/one%201.txt", "indexed", "It was fetched"),
        ("{path}/in/one 1.txt", "in/one%201.txt", "indexed", "It was fetched"),
        ("{uri}#/in/one%201.txt", "in/one%201.txt", "indexed", "It was fetched"),
        ("{uri}!/in/one%201.txt", "in/one%201.txt", "indexed", "It was fetched"),
        ("{path}#/in/100%.txt", "in/100%25.txt", "indexed", "It was fetched"),
        ("{path}#/two.txt", "two.txt", "gone", "its container no longer has it"),
        ("{path}/two.txt", "two.txt", "gone", "its container no longer has it"),
        ("{uri}#/two.txt", "two.txt", "gone", "its container no longer has it"),
        ("{path}#/in/none.txt", "in/none.txt", "unknown", " had no 'in/none.txt' when it was last read, on "),
        ("{uri}#/in/none.txt", "in/none.txt", "unknown", " had no 'in/none.txt' when it was last read, on "),
    ],
)
def test_a_member(form: str, member: str, verdict: str, says: str, folder: Path) -> None:
    archive = folder / "papers" / "old files.zip"
    home = InstalledCli(folder / "data")
    record = home.fine("explain", form.format(path=archive, uri=archive.as_uri()), "--json").object
    assert (record["address"], record["verdict"]) == (f"{archive.as_uri()}#/{member}", verdict)
    assert says in record["because"], record
    if verdict == "indexed":
        assert record["next"] == {"when": "when its container changes"}


def test_a_folder_with_a_number_sign_is_no_archive(folder: Path) -> None:
    path = folder / "papers" / "c#" / "a.txt"
    record = InstalledCli(folder / "data").fine("explain", str(path), "--json").object
    assert (record["address"], record["verdict"]) == (path.as_uri(), "indexed")
    none = InstalledCli(folder / "data").fine("explain", str(path.with_name("b.txt")), "--json").object
    assert (none["address"], "There is no such file." in none["because"]) == (path.with_name("b.txt").as_uri(), True)


def test_an_archive_that_is_gone_takes_its_members_along(tmp_path: Path) -> None:
    archive = tmp_path / "papers" / "a.zip"
    pack(archive, {"one.txt": "Gulls"})
    (tmp_path / "papers" / "stays.txt").write_text("Terns")
    home = InstalledCli(tmp_path / "data")
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    home.fine("crawl")
    archive.unlink()
    home.run("crawl")
    home.run("run", "accept", "2")
    record = home.fine("explain", f"{archive}#/one.txt", "--json").object
    assert (record["address"], record["verdict"]) == (f"{archive.as_uri()}#/one.txt", "gone")


@pytest.fixture
def home(tmp_path: Path) -> InstalledCli:
    """An installation with a source whose folder has an archive with an archive in it."""
    inner, papers = tmp_path / "inner.zip", tmp_path / "papers"
    pack(inner, {"deep.txt": "Gulls"})
    papers.mkdir()
    with zipfile.ZipFile(papers / "a & b.zip", "w") as file:
        file.writestr("one.txt", "Terns")
        file.write(inner, "inner.zip")
    home = InstalledCli(tmp_path / "data")
    home.fine("source", "add", "files", "papers", "--set", f"path={papers}")
    return home


def uri_of(archive: Path) -> str:
    """Return the address of an archive; `&` stays as it is."""
    return f"file://{archive}".replace(" ", "%20")


def change(home: InstalledCli, uri: str, row: Mapping[str, object]) -> None:
    """Change columns of a document."""
    with closing(sqlite3.connect(home.folder / "cormorant.db")) as store, store:
        sets = ", ".join(f"{name} = ?" for name in row)
        store.execute(f"UPDATE resource SET {sets} WHERE address = ?", (*row.values(), uri))


def missing(home: InstalledCli, archive: Path, path: str) -> tuple[str, str]:
    """Return the reason and the advice for a document that an archive does not have."""
    record = home.fine("explain", f"{archive}#/{path}", "--json").object
    return record["because"], record["advice"]


def test_settings_that_leave_members_out_are_named(home: InstalledCli, tmp_path: Path) -> None:
    archive = tmp_path / "papers" / "a & b.zip"
    home.fine("source", "edit", "papers", "--set", "unpack=false")
    home.fine("crawl")
    assert missing(home, archive, "one.txt") == (
        f"Source papers does not look for documents in {uri_of(archive)} (unpack=false).",
        "`cormorant source edit papers --set unpack=true` has the next crawl look for them.",
    )
    home.fine("source", "edit", "papers", "--set", "unpack=true", "--set", "unpack_depth=1")
    home.fine("crawl")
    assert missing(home, archive, "inner.zip!/deep.txt") == (
        "It would lie in 2 containers, and source papers reads documents in at most 1 (unpack_depth).",
        "`cormorant source edit papers --set unpack_depth=2` has the next crawl look deeper; at most 16 are possible.",
    )
    because, advice = missing(home, archive, "two.txt")
    assert because.startswith(f"{uri_of(archive)} had no 'two.txt' when it was last read, on ")
    assert advice.endswith(f" show addresses like {uri_of(archive)}#/folder/name.txt.")


@pytest.mark.parametrize(
    ("row", "because", "advice"),
    [
        ({"reason": "It has more than 10,000 files."}, "Not all of {uri} could be", "`cormorant explain {quoted}`"),
        ({"reason": "It needs a password."}, "Not all of {uri} could be read", "`cormorant explain {quoted}` says"),
        (
            {"reason": no_text.sentence(NoTextReason.PROTECTED)},
            "No document in {uri} can be read, because it is protected by a password.", "Save a copy without the",
        ),
        ({"reason": no_text.sentence(NoTextReason.EMPTY)}, "{uri} had no 'x/y.txt' when", "Check its spelling."),
        ({"outcome": 7, "status": 903, "reason": "Bad"}, "The last visit of {uri}, in", "`cormorant explain {quoted}`"),
    ],
)  # fmt: skip
def test_the_reason_of_the_container_is_named(
    row: Mapping[str, object], because: str, advice: str, home: InstalledCli, tmp_path: Path
) -> None:
    archive = tmp_path / "papers" / "a & b.zip"
    home.fine("crawl")
    uri = uri_of(archive)
    change(home, uri, row)
    said, hint = missing(home, archive, "x/y.txt")
    assert said.startswith(because.format(uri=uri)), said
    assert hint.startswith(advice.format(quoted=f"'{uri}'")), hint


def test_a_container_that_tika_read_has_no_members(
    home: InstalledCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_tika(*given: Any) -> Any:
        return {**how_read(*given), "read_by": no_text.TIKA}

    archive = tmp_path / "papers" / "a & b.zip"
    home.fine("crawl")
    monkeypatch.setattr(missing_member, "how_read", by_tika)
    because, advice = missing(home, archive, "x.txt")
    assert because == f"{uri_of(archive)} was read by Apache Tika, so documents in it are none of their own."
    assert advice.startswith("Search for their words")


def test_a_document_of_a_type_without_members_is_named(home: InstalledCli, tmp_path: Path) -> None:
    page = tmp_path / "papers" / "a.txt"
    page.write_text("Gulls")
    home.fine("crawl")
    because, _ = missing(home, page, "b.txt")
    assert because == f"{uri_of(page)} has the type text/plain, in which no documents are looked for."


def test_containers_deeper_than_any_row_are_left_out(home: InstalledCli, tmp_path: Path) -> None:
    outer = uri_of(tmp_path / "papers" / "a & b.zip")
    found = [*missing_member._containers(f"{outer}#/a!/b!/c.txt")]
    assert found == [
        (f"{outer}#/a!/b", f"{outer}#/a!/b!/c.txt"),
        (f"{outer}#/a", f"{outer}#/a!/b"),
        (outer, f"{outer}#/a"),
    ]
    assert len([*missing_member._containers(f"{outer}#/" + "a!/" * 5_000 + "b")]) == MOST_DEPTH + 1
    assert [*missing_member._containers(outer)] == []
    home.fine("crawl")
    because, _ = missing(home, tmp_path / "papers" / "a & b.zip", "none.zip!/" * 100 + "b")
    assert because.startswith(f"{outer} had no 'none.zip' when")
