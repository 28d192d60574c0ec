"""A folder that has been in use, without its database: nobody takes it for a new one, and what is there stays."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cormorant.app import data_dir
from cormorant.operate.storage import backups
from tests.cli.admin.test_store import everything, found, wrong
from tests.cli.world import InstalledCli, Site


def take_away(file: Path) -> None:
    file.unlink()


def cut_to_nothing(file: Path) -> None:
    file.write_bytes(b"")


def leave_no_table(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("VACUUM")


LOSSES = [take_away, cut_to_nothing, leave_no_table]
COMMANDS = [
    ("status",), ("crawl",), ("source", "list"), ("source", "add", "files", "a", "--set", "path=/srv"), ("serve",),
    ("search", "harbour"), ("index", "rebuild"), ("store", "compact"), ("store", "check", "--repair"),
]  # fmt: skip


@pytest.fixture
def database(home: InstalledCli) -> Path:
    """The database of a crawled installation, with all that was written to it."""
    file = home.folder / "cormorant.db"
    with closing(sqlite3.connect(file)) as rows:
        rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for beside in home.folder.glob("cormorant.db-*"):
        beside.unlink()
    return file


def unmark(home: InstalledCli) -> None:
    """Have the folder as an older version left it, which did not note with which database it was in use."""
    mark = home.folder / "cormorant.json"
    assert json.loads(mark.read_text())["store"] == "cormorant.db"
    mark.write_text('{"format": 1}\n')


@pytest.mark.parametrize("marked", [True, False], ids=["noted", "as an older version left it"])
@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_database_is_reported_and_nothing_else_is_lost(
    lose: Callable[[Path], None], marked: bool, home: InstalledCli, database: Path
) -> None:
    if not marked:
        unmark(home)
    whole = database.read_bytes()
    lose(database)
    before = everything(home)
    for words in COMMANDS:
        done = home.run(*words, "--json")
        assert (done.code, done.problem["code"]) == (1, "data_folder"), done
        assert "has been in use" in done.problem["detail"]
        assert "store restore FILE" in done.problem["detail"]
        assert "rebuild" not in done.problem["detail"]
    assert everything(home) == before
    assert "has been in use" in home.run("doctor").out
    database.write_bytes(whole)
    assert home.fine("search", "harbour", "--json").objects
    assert not wrong(home)


def test_a_source_is_enough_to_have_been_in_use(bare: InstalledCli) -> None:
    bare.fine("source", "add", "files", "docs", "--set", "path=/srv")
    take_away(bare.folder / "cormorant.db")
    assert "has been in use" in bare.run("source", "list").err


@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_database_is_restored(
    lose: Callable[[Path], None], home: InstalledCli, database: Path, tmp_path: Path
) -> None:
    file, before = tmp_path / "backup.tar", found(home)
    home.fine("store", "backup", str(file))
    lose(database)
    home.fine("store", "restore", str(file))
    assert found(home) == before
    assert not wrong(home)


def test_a_lost_database_is_as_lost_when_a_restore_was_killed(
    home: InstalledCli, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.tar"
    home.fine("store", "backup", str(file))
    take_away(database)

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(backups, "_bring_rows", end)
        assert home.run("store", "restore", str(file)).code == 130
    assert "has been in use" in home.run("status").err
    home.fine("store", "restore", str(file))
    assert not wrong(home)


def test_a_database_elsewhere_of_which_the_disk_is_away(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    there = InstalledCli(bare.folder, {"CORMORANT_STORE": f"sqlite:///{disk}/rows.db"})
    there.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    there.fine("crawl")
    mounted = disk.rename(tmp_path / "away")
    disk.mkdir()
    for words in COMMANDS:
        assert f"{disk}/rows.db is missing or empty" in there.run(*words).err
    assert not list(disk.iterdir())
    disk.rmdir()
    mounted.rename(disk)
    assert len(found(there)) == 2

    done = bare.run("status")
    assert (done.code, f"in use with the database sqlite:///{disk}/rows.db" in done.err) == (1, True), done
    assert "Set CORMORANT_STORE" in done.err
    assert not (bare.folder / "cormorant.db").exists()
    elsewhere = InstalledCli(bare.folder, {"CORMORANT_STORE": f"sqlite:///{tmp_path}/other.db"})
    assert elsewhere.run("crawl").code == 1
    assert not (tmp_path / "other.db").exists()


def test_another_database_is_filled_by_an_import(home: InstalledCli, tmp_path: Path) -> None:
    file, before = tmp_path / "rows.tar", found(home)
    there = InstalledCli(home.folder, {"CORMORANT_STORE": f"sqlite:///{tmp_path}/other.db"})
    assert "Unset CORMORANT_STORE" in there.run("status").err
    home.fine("store", "export", str(file))
    there.fine("store", "import", str(file))
    assert found(there) == before
    assert not wrong(there)


def test_a_new_folder_joins_a_database_in_use(home: InstalledCli, tmp_path: Path) -> None:
    node = InstalledCli(tmp_path / "node", {"CORMORANT_STORE": f"sqlite:///{home.folder}/cormorant.db"})
    (tmp_path / "node" / "cache" / "packs").mkdir(parents=True)
    node.fine("source", "add", "files", "more", "--set", "path=/srv")
    assert len(node.fine("source", "list", "--json").objects) == 3


def test_no_password_is_noted_of_a_database(home: InstalledCli) -> None:
    data_dir.note_store(home.folder, "postgresql://crawler:tr0ub4dor@db.example/cormorant?sslpassword=staple")
    noted = (home.folder / "cormorant.json").read_text()
    assert "crawler" in noted
    assert not {word for word in ("tr0ub4dor", "staple") if word in noted}
