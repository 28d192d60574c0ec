"""Why is this member of an archive not found? By every form in which people write its address."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

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
