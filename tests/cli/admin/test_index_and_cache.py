"""Derived data from a terminal: the index is rebuilt without requests to sources, and damage is noticed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan
from cormorant.app.commands import open as opening
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.operate.search import reindex_lock
from tests.cli.conftest import World
from tests.cli.crawl.test_crawl import add, slow
from tests.cli.world import InstalledCli, Site
from tests.clocks import until


def checks(home: InstalledCli, *words: str) -> dict[str, dict[str, object]]:
    """Findings by what was checked."""
    return {each["check"]: each for each in home.run(*words, "--json").objects}


def test_everything_is_well(world: World) -> None:
    assert all(each["ok"] for each in checks(world.home, "store", "check").values())
    assert world.home.fine("store", "check").code == 0
    figures = world.home.fine("cache", "show", "--json").object
    assert figures["copies"] == world.home.fine("index", "stats", "--json").object["documents"]
    assert world.home.fine("cache", "check", "--json").object["damaged"] == 0


def test_the_index_is_rebuilt_without_requests_to_sources(home: InstalledCli, world: World) -> None:
    before = home.fine("search", "harbour", "--json").objects
    asked = len(world.site.asked)
    shutil.rmtree(home.folder / "index")
    assert home.run("search", "harbour", "--json").problem["code"] == "index_damaged"
    assert checks(home, "store", "check")["index"]["ok"] is False
    record = home.fine("index", "rebuild", "--json").object
    assert record["documents"] == len(
        {each["url"] for each in home.fine("document", "list", "--json").objects if each["indexed"]}
    )
    after = home.fine("search", "harbour", "--json").objects
    assert [(each["url"], each["title"]) for each in after] == [(each["url"], each["title"]) for each in before]
    assert len(world.site.asked) == asked
    assert checks(home, "store", "check")["index"]["ok"] is True
    home.fine("crawl", "papers")
    assert home.fine("search", "harbour", "--json").objects


def test_a_damaged_index_is_rebuilt(home: InstalledCli) -> None:
    for file in (home.folder / "index").rglob("*.store"):
        file.write_bytes(b"")
    assert home.run("search", "harbour").code == 1
    assert checks(home, "store", "check")["index"]["ok"] is False
    assert checks(home, "doctor")["index"]["ok"] is False
    assert home.run("doctor").code == 1
    home.fine("index", "rebuild")
    assert home.fine("search", "harbour", "--json").objects


def test_the_index_is_rebuilt_also_while_a_process_delivers(bare: InstalledCli, site: Site) -> None:
    slow(site, 0.2, 20)
    add(bare, site)
    crawl = bare.start("crawl")
    until(lambda: "/1" in site.asked)
    for what in ("rebuild", "optimize"):
        assert bare.run("index", what).code == 0
    assert crawl.wait() == 0
    crawl.communicate()
    assert [len(bare.fine("search", f"word{each}", "--json").objects) for each in range(20)] == [1] * 20


def test_not_while_another_command_has_to_be_alone(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    bare.run("crawl")
    with opening.owned(BuildPlan(bare.folder, Settings())):
        done = bare.run("index", "rebuild")
    assert (done.code, "Another command needs" in done.err) == (1, True), done
    assert bare.run("index", "rebuild").code == 0


def test_two_at_once(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    bare.run("crawl")
    lock = data_dir.take_lock(bare.folder)
    assert lock is not None
    with opening.opened(BuildPlan(bare.folder, Settings())) as house, reindex_lock.lent(house):
        done = bare.run("index", "rebuild")
        assert (done.code, "is rebuilding the index" in done.err, len(done.err.splitlines())) == (1, True, 1), done
        for words in (("receiver", "list"), ("status",)):
            said = bare.fine(*words)
            assert "is being rebuilt" in said.out + said.err
        assert bare.fine("receiver", "show", "index", "--json").object["made_anew"] is True
    assert "being rebuilt" not in bare.fine("receiver", "list").err
    assert bare.run("index", "rebuild").code == 0
    os.close(lock)


def test_kept_copies_in_another_folder(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    elsewhere = tmp_path / "big disk" / "copies"
    home = InstalledCli(bare.folder, {"CORMORANT_CACHE": str(elsewhere)})
    add(home, site)
    home.run("crawl")
    assert list(elsewhere.rglob("*.pack"))
    assert not list(home.folder.rglob("*.pack"))
    figures = home.fine("cache", "show", "--json").object
    assert (figures["copies"], figures["size_bytes"] > 0) == (3, True)
    assert home.fine("index", "rebuild", "--json").object["documents"] == 3


def test_kept_copies_are_not_forgotten(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    home, moved = (InstalledCli(bare.folder, {"CORMORANT_CACHE": str(each)}) for each in (first, second))
    add(home, site)
    home.run("crawl")
    for away in (bare, moved):
        done = away.run("index", "rebuild")
        assert (done.code, f"CORMORANT_CACHE={first}" in done.err) == (1, True), done
        assert checks(away, "doctor")["data folder"]["ok"] is False
    assert home.fine("search", "harbour", "--json").objects
    shutil.copytree(first, second)
    shutil.rmtree(first)
    assert moved.fine("index", "rebuild", "--json").object["documents"] == 3
    done = home.run("index", "rebuild")
    assert (done.code, f"CORMORANT_CACHE={second}" in done.err) == (1, True), done
    shutil.copytree(second, bare.folder / "cache", dirs_exist_ok=True)
    assert bare.fine("index", "rebuild", "--json").object["documents"] == 3
    done = moved.run("search", "harbour")
    assert done.code == 0, "they are there too"


def test_kept_copies_that_are_partly_moved(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    moved = InstalledCli(bare.folder, {"CORMORANT_CACHE": str(tmp_path / "copies")})
    add(bare, site)
    bare.run("crawl")
    bare.run("crawl", "--force")
    site.page("/tides", "Tide tables", "High water in the harbour at ten.", ("/ferries",))
    bare.run("crawl")
    (pack, *_), cache = sorted((bare.folder / "cache").rglob("*.pack")), bare.folder / "cache"
    target = tmp_path / "copies" / pack.relative_to(cache)
    target.parent.mkdir(parents=True)
    shutil.copy(pack, target)
    done = moved.run("search", "harbour")
    assert (done.code, "Unset CORMORANT_CACHE" in done.err) == (1, True), done


def test_kept_copies_go_nowhere_else_while_something_is_at_work(bare: InstalledCli, tmp_path: Path) -> None:
    bare.fine("source", "add", "files", "papers", "--set", f"path={tmp_path}")
    other = InstalledCli(bare.folder, {"CORMORANT_CACHE": str(tmp_path / "copies")})
    lock = data_dir.take_lock(bare.folder)
    assert lock is not None
    done = other.run("crawl", "--json")
    assert (done.code, done.problem["code"]) == (1, "conflict"), done
    assert "Unset CORMORANT_CACHE, or stop it first" in done.problem["detail"]
    assert bare.fine("cache", "show").code == 0
    os.close(lock)
    assert other.fine("cache", "show").code == 0
    assert data_dir.copies_at(bare.folder) == tmp_path / "copies"


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "older than the note"])
def test_kept_copies_of_which_the_disk_is_away(noted: bool, bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    disk = tmp_path / "big disk"
    home = InstalledCli(bare.folder, {"CORMORANT_CACHE": str(disk / "copies")})
    add(home, site)
    home.run("crawl")
    disk.rename(tmp_path / "away")
    if not noted:
        (bare.folder / "cormorant.json").write_text('{"format": 1}')
        home = bare
    for words in (("serve", "--port", "0"), ("crawl",), ("index", "rebuild"), ("store", "check")):
        done = home.run(*words)
        assert (done.code, "Is its disk mounted" in done.err) == (1, True), done
    assert checks(home, "doctor")["data folder"]["ok"] is False
    assert not list(tmp_path.rglob("big disk"))
    (tmp_path / "away").rename(disk)
    home = InstalledCli(bare.folder, {"CORMORANT_CACHE": str(disk / "copies")})
    assert home.fine("index", "rebuild", "--json").object["documents"] == 3


def test_kept_copies_that_are_lost_can_be_refetched(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    bare.run("crawl")
    shutil.rmtree(bare.folder / "cache")
    said = bare.run("store", "check").err
    packs = bare.folder / "cache" / "packs"
    assert f"make the folder {packs}, and" in said, said
    packs.mkdir(parents=True)
    assert bare.run("cache", "check", "--json").object["damaged"] == 3
    bare.run("crawl", "--force")
    assert bare.fine("cache", "check", "--json").object["damaged"] == 0
    assert bare.fine("index", "rebuild", "--json").object["documents"] == 3


@pytest.mark.parametrize(
    ("said", "code", "words"), [("s3://bucket/copies", 2, "not a folder"), ("file", 1, "no folder")]
)
def test_kept_copies_where_they_cannot_go(said: str, code: int, words: str, bare: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = InstalledCli(bare.folder, {"CORMORANT_CACHE": said if "://" in said else str(tmp_path / said)})
    done = home.run("source", "add", "files", "papers", "--set", f"path={tmp_path}")
    assert (done.code, words in done.err, "CORMORANT_CACHE" in done.err) == (code, True, True), done


def test_a_damaged_copy_is_noticed(home: InstalledCli) -> None:
    (pack, *_) = sorted((home.folder / "cache").rglob("*.pack"), key=lambda each: -each.stat().st_size)
    spoil(pack)
    done = home.run("cache", "check", "--json")
    assert done.code == 1
    assert done.object["damaged"] == 1
    assert done.object["damaged_documents"][0]["url"]
    assert (done.problem["code"], "--force" in done.problem["detail"]) == ("cache_damaged", True)
    assert checks(home, "store", "check")["kept copies"]["ok"] is False
    assert home.run("index", "rebuild").code == 3
    done = home.run("index", "rebuild", "--json")
    assert (done.code, done.object["damaged"], done.problem["code"]) == (3, 1, "cache_damaged")


def test_an_index_is_not_exchanged_for_an_empty_one(home: InstalledCli) -> None:
    before = home.fine("index", "stats", "--json").object["documents"]
    for pack in (home.folder / "cache").rglob("*.pack"):
        pack.write_bytes(b"")
    done = home.run("index", "rebuild", "--json")
    assert (done.code, done.problem["code"]) == (1, "cache_damaged"), done
    assert home.fine("index", "stats", "--json").object["documents"] == before
    assert home.fine("search", "harbour", "--json").objects


def test_a_forced_crawl_mends_a_damaged_copy_and_counts_nothing_as_changed(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    spoil(next((bare.folder / "cache").rglob("*.pack")))
    assert bare.run("cache", "check", "--json").object["damaged"] == 1
    site.page("/tides", "Tide tables", "High water in the harbour at ten.", ("/ferries",))
    report = bare.fine("crawl", "--force", "--json").object
    figures = {name: report[name] for name in ("new", "changed", "unchanged", "fetched", "cache_writes")}
    assert figures == {"new": 0, "changed": 1, "unchanged": 2, "fetched": 3, "cache_writes": 3}
    assert bare.fine("cache", "check", "--json").object["damaged"] == 0


def test_a_document_whose_copy_is_damaged_at_its_delivery_stays_found_and_is_fetched_by_the_next_run(
    bare: InstalledCli, site: Site
) -> None:
    add(bare, site)
    bare.fine("crawl")
    bare.fine("provider", "pause")
    site.page("/tides", "Tide tables", "High water in the harbour at ten.", ("/ferries",))
    bare.fine("crawl")
    for pack in (bare.folder / "cache").rglob("*.pack"):
        spoil(pack)
    bare.fine("provider", "resume")
    report = bare.run("crawl", "--json").object
    assert bare.fine("index", "stats", "--json").object["documents"] == 3
    assert [each["url"] for each in bare.fine("search", "noon", "--json").objects] == [f"{site.address}tides"]
    assert "tides" in bare.fine("receiver", "show", "index", "--json").object["refusal"]
    damaged = {each["run"]: each["index_damaged"] for each in bare.fine("run", "list", "--json").objects}
    assert damaged == {1: 0, 2: 1, 3: 0}, report
    (said,) = [each for each in bare.fine("run", "show", "2", "--json").object["problems"] if each["kind"] == "copy"]
    assert "The next crawl fetches them again" in said["sentence"]
    bare.fine("crawl")
    assert [each["url"] for each in bare.fine("search", "ten", "--json").objects] == [f"{site.address}tides"]
    assert bare.fine("cache", "check", "--json").object["damaged"] == 0
    assert bare.fine("receiver", "faulty", "index", "--json").objects == []


def rebuilt(home: InstalledCli, damaged: int) -> list[str]:
    """Rebuild the index from copies of which some are damaged; return the addresses that it reports as missing."""
    assert home.run("index", "rebuild", "--json").object["damaged"] == damaged
    return [each["url"] for each in home.fine("receiver", "faulty", "index", "--json").objects]


def test_a_damaged_copy_that_a_rebuild_meets_is_fetched_whole_by_the_next_run_and_is_no_change(
    bare: InstalledCli, site: Site
) -> None:
    add(bare, site)
    bare.fine("crawl")
    spoil(next((bare.folder / "cache").rglob("*.pack")))
    (lost,) = rebuilt(bare, 1)
    assert bare.fine("document", "show", lost, "--json").object["indexed"] is True
    rebuilt(bare, 1)
    assert bare.fine("receiver", "show", "index", "--json").object["refused"] == 1, "it is counted once"
    examined = bare.run("crawl", "--examine", "--json").object
    assert examined["cache_writes"] == 0, "it would have to be fetched once more"
    bare.run("run", "stop", str(examined["run"]))
    report = bare.fine("crawl", "--json").object
    assert (report["changed"], report["cache_writes"], report["index_writes"]) == (0, 1, 1)
    assert bare.fine("cache", "check", "--json").object["damaged"] == 0
    assert bare.fine("receiver", "faulty", "index", "--json").objects == []
    assert bare.fine("crawl", "--json").object["cache_writes"] == 0


def test_a_later_change_of_what_was_damaged_is_not_missed(bare: InstalledCli, tmp_path: Path) -> None:
    tides = tmp_path / "shelf" / "tides.txt"
    tides.parent.mkdir()
    tides.write_text("High water at noon.")
    bare.fine("source", "add", "files", "shelf", "--set", f"path={tides.parent}")
    bare.fine("crawl")
    (tides.parent / "ferries.txt").write_text("The ferry leaves at eight.")
    bare.fine("crawl")
    for pack in (bare.folder / "cache").rglob("*.pack"):
        spoil(pack)
    assert bare.run("index", "rebuild").code != 0
    for refresh, kept in ("append", 0), ("due", 2):
        report = bare.fine("crawl", "--refresh", refresh, "--json").object
        assert (report["cache_writes"], report["changed"]) == (kept, 0)
    for text in ("High water at ten.", "High water at eleven."):
        tides.write_text(text)
        bare.fine("crawl", "--refresh", "due")
        (found,) = bare.fine("search", "water", "--json").objects
        assert text.split()[-1].rstrip(".") in str(found)


def test_copies_that_are_out_of_sight_or_can_be_read_again_are_not_refetched(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    bare.fine("crawl")
    (pack,) = (bare.folder / "cache").rglob("*.pack")
    site.page("/tides", "Tide tables", "High water in the harbour at ten.", ("/ferries",))
    bare.fine("crawl")
    whole = pack.read_bytes()
    away = pack.rename(bare.folder / "away")
    assert len(rebuilt(bare, 2)) == 2
    assert bare.fine("crawl", "--json").object["cache_writes"] == 0
    away.rename(pack)
    pack.write_bytes(whole[:200] + b"?" + whole[201:])
    rebuilt(bare, 1)
    pack.write_bytes(whole)
    assert bare.fine("crawl", "--json").object["cache_writes"] == 0
    assert rebuilt(bare, 0) == [], "the index has all documents"


def spoil(pack: Path) -> None:
    """Turn a bit of the last document in a pack."""
    data = bytearray(pack.read_bytes())
    data[-10] ^= 1
    pack.write_bytes(data)


def test_rows_that_belong_to_nothing_are_noticed(home: InstalledCli) -> None:
    with sqlite3.connect(home.folder / "cormorant.db") as rows:
        rows.execute("DELETE FROM resource WHERE id = (SELECT min(id) FROM content)")
    rows.close()
    found = checks(home, "store", "check")
    assert found["documents without an address"]["ok"] is False


def test_doctor_without_an_installation(bare: InstalledCli) -> None:
    found = checks(bare, "doctor")
    assert found["python"]["ok"] is True
    assert found["data folder"]["ok"] is None
    assert any(name.startswith("converters: ") for name in found)
    assert not bare.folder.exists()


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("words", [("status",), ("crawl",), ("source", "add", "files", "a", "--set", "path=/srv")])
def test_a_file_that_is_no_database_is_reported(bare: InstalledCli, words: tuple[str, ...], marked: bool) -> None:
    bare.folder.mkdir()
    (bare.folder / "cormorant.db").write_bytes(b"This is no database. " * 500)
    if marked:
        (bare.folder / "cormorant.json").write_text('{"format": 1}')
    done = bare.run(*words, "--json")
    assert (done.code, done.problem["code"]) == (1, "data_folder")
    assert "cormorant.db is damaged or not a database of cormorant" in done.problem["detail"]
    if marked:
        assert "`cormorant store restore FILE`" in done.problem["detail"]


def test_a_database_without_its_mark_is_not_nothing(home: InstalledCli) -> None:
    (home.folder / "cormorant.json").unlink()
    done = home.run("status", "--json")
    assert (done.code, "cormorant.json is missing" in done.problem["detail"]) == (1, True)


def test_version(bare: InstalledCli) -> None:
    assert set(bare.fine("version", "--json").object) == {"cormorant", "python"}
    assert bare.fine("--version").out == bare.fine("version").out
