"""Looking after what is kept, from a terminal: damage that is found and mended, backups, room that is given back."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cormorant.app import data_dir
from cormorant.operate.search import reindex
from cormorant.search.index.document import Delete
from cormorant.search.index.tantivy import reader
from cormorant.search.index.tantivy.folder import open_writer
from tests.cli.admin.test_index_and_cache import checks, spoil
from tests.cli.conftest import World
from tests.cli.world import InstalledCli, Site
from tests.store.older import BEFORE_0013

Plant = Callable[[InstalledCli], None]
LATER, REPORTED = 3, 1
"""How a repair ends that leaves something to the next crawl, or to a person."""


def rows(home: InstalledCli, *statements: str) -> None:
    """Change rows behind our back."""
    with closing(sqlite3.connect(home.folder / "cormorant.db")) as database, database:
        for sql in statements:
            database.execute(sql)


def sql(*statements: str) -> Plant:
    return lambda home: rows(home, *statements)


def packs(home: InstalledCli) -> list[Path]:
    return sorted((home.folder / "cache").rglob("*.pack"), key=lambda each: -each.stat().st_size)


def turn_a_bit(home: InstalledCli) -> None:
    spoil(packs(home)[0])


def overwrite_a_head(home: InstalledCli) -> None:
    with packs(home)[0].open("r+b") as file:
        file.write(b"\0" * 8)


def cut_a_pack(home: InstalledCli) -> None:
    os.truncate(packs(home)[0], packs(home)[0].stat().st_size - 100)


def delete_a_pack(home: InstalledCli) -> None:
    packs(home)[0].unlink()


def rename_a_pack(home: InstalledCli) -> None:
    pack = packs(home)[0]
    pack.rename(pack.with_name(f"{int(pack.stem, 16) + 1:016x}.pack"))


def empty_files_of_the_index(home: InstalledCli) -> None:
    for file in (home.folder / "index").rglob("*.store"):
        file.write_bytes(b"")


def turn_bytes_of_the_index(home: InstalledCli) -> None:
    largest = max((home.folder / "index").rglob("*.term"), key=lambda each: each.stat().st_size)
    with largest.open("r+b") as file:
        file.seek(largest.stat().st_size // 2 - 32)
        bytes_ = file.read(64)
        file.seek(-len(bytes_), os.SEEK_CUR)
        file.write(bytes(each ^ 0xFF for each in bytes_))


def delete_the_index(home: InstalledCli) -> None:
    shutil.rmtree(home.folder / "index")


def leave_a_pack_half_restored(home: InstalledCli) -> None:
    packs(home)[0].with_suffix(".part").write_bytes(b"CmPk half")


def lose_one_from_the_index(home: InstalledCli) -> None:
    with closing(sqlite3.connect(home.folder / "cormorant.db")) as database:
        (number,) = database.execute("SELECT min(id) FROM content").fetchone()
    with closing(open_writer(home.folder / "index")) as writer:
        writer.apply([Delete(number)])
        writer.commit(writer.place)


def lose_what_an_index_knows(home: InstalledCli) -> None:
    with closing(sqlite3.connect(home.folder / "cormorant.db")) as database:
        database.execute("PRAGMA writable_schema=ON")
        known = database.execute("SELECT * FROM sqlite_master WHERE name = 'ix_content_hash'").fetchone()
        database.execute("DELETE FROM sqlite_master WHERE name = 'ix_content_hash'")
        database.commit()
    with closing(sqlite3.connect(home.folder / "cormorant.db")) as database:
        database.execute("UPDATE content SET content_hash = X'00' || content_hash")
        database.execute("PRAGMA writable_schema=ON")
        database.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", known)
        database.commit()


PLANTS: list[tuple[str, Plant, str, int]] = [
    ("a bit of a copy turned", turn_a_bit, "kept copies", LATER),
    ("the head of a copy overwritten", overwrite_a_head, "kept copies", LATER),
    ("a pack cut short", cut_a_pack, "kept copies", LATER),
    ("a pack deleted", delete_a_pack, "kept copies", LATER),
    ("a pack under the number of another", rename_a_pack, "kept copies", LATER),
    ("a row that names the wrong place", sql("UPDATE content SET pack_offset = pack_offset + 1"), "kept copies", 0),
    ("a pack half restored", leave_a_pack_half_restored, "other files among copies", 0),
    ("files of the index emptied", empty_files_of_the_index, "index", 0),
    ("bytes turned within a file of the index", turn_bytes_of_the_index, "index", 0),
    ("the index deleted", delete_the_index, "index", 0),
    ("a document lost from the index", lose_one_from_the_index, "index", 0),
    ("a row deleted of what is indexed", sql("DELETE FROM content WHERE url LIKE '%tides'"), "index", 0),
    ("the index of a later moment", sql("UPDATE stream_head SET seq = 1", "UPDATE receiver SET place = 1"), "index", 0),
    (
        "an address deleted", sql("DELETE FROM resource WHERE id = (SELECT min(id) FROM content)"),
        "documents without an address", 0,
    ),
    ("a source deleted", sql("DELETE FROM source WHERE name = 'papers'"), "documents without a source", 0),
    ("rights deleted", sql("DELETE FROM acl"), "documents without rights", LATER),
    ("a host deleted", sql("DELETE FROM site WHERE key NOT LIKE 'file%'"), "addresses without a host", 0),
    ("the host of a folder deleted", sql("DELETE FROM site WHERE key LIKE 'file%'"),
     "addresses without a host", REPORTED),
    ("hidden, and not there", sql("INSERT INTO hidden (id, source_id, run) VALUES (999999, 1, 1)"),
     "hidden documents that do not exist", 0),
    ("links of nothing", sql("INSERT INTO outlinks (id, run, inverted, links) VALUES (999999, 1, 1, X'00')"),
     "links of no document", 0),
    ("links to nothing", sql("INSERT INTO inlinks (id, count, links, stale) VALUES (999999, 1, X'00', 0)"),
     "links to no document", 0),
    ("a visit of nothing", sql("UPDATE visit SET resource_id = 999999 WHERE id = (SELECT min(id) FROM visit)"),
     "visits of no address", 0),
    ("counts of no run", sql("UPDATE run_count SET run_id = 999999 WHERE run_id = 1"), "counts of no run", 0),
    ("a lease until next year", sql("UPDATE site SET owner = 'x', lease_until = lease_until + 4e9"),
     "leases that last too long", 0),
    ("the head of the stream deleted", sql("DELETE FROM stream_head"), "receivers", 0),
    ("a receiver ahead of the stream", sql("UPDATE receiver SET place = 999"), "receivers", 0),
    ("a receiver of no source", sql("INSERT INTO receiver (name, kind, source_id, settings, place, created_at) "
     "VALUES ('lost', 'jsonlines', 99, '{}', 0, 0)"), "receivers of no source", REPORTED),
    ("an index of the database lacks rows", lose_what_an_index_knows, "database", 0),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "found", "ends"), [row[1:] for row in PLANTS], ids=[row[0] for row in PLANTS])
def test_damage_is_found_and_mended_or_reported(plant: Plant, found: str, ends: int, home: InstalledCli) -> None:
    plant(home)
    before = home.run("store", "check", "--json")
    bad = {each["check"]: each for each in before.objects if each["ok"] is False}
    assert before.code == 1, before
    assert found in bad, before
    assert all(each["mend"] for each in bad.values())
    done = home.run("store", "check", "--repair", "--json")
    assert done.code == ends, done
    left = [each for each in done.objects if "ok" in each and each["ok"] is False]
    assert [each["check"] for each in left] == ([found] if ends == REPORTED else []), done
    again = home.run("store", "check", "--repair", "--json")
    assert again.code == (REPORTED if ends == REPORTED else 0), "there is nothing more to do"
    assert not [each for each in again.objects if each.get("mended")], again


@pytest.mark.parametrize("plant", [turn_a_bit, delete_a_pack, delete_the_index, sql("DELETE FROM acl")])
def test_the_next_crawl_brings_what_a_repair_could_not(
    plant: Plant, bare: InstalledCli, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "minutes.txt").write_text("Minutes of the harbour board")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    bare.fine("crawl")
    before = sorted(each["url"] for each in bare.fine("search", "harbour", "--json").objects)
    plant(bare)
    assert bare.run("store", "check", "--repair").code in (0, LATER)
    bare.fine("crawl")
    assert not wrong(bare)
    assert sorted(each["url"] for each in bare.fine("search", "harbour", "--json").objects) == before


def test_only_damaged_copies_are_refetched(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    nothing = {"check": "kept copies", "number": 0, "said": "No kept copy is damaged.", "later": False}
    assert bare.fine("cache", "repair", "--json").object == nothing
    assert bare.fine("cache", "repair").err == "No kept copy is damaged.\n"
    turn_a_bit(bare)
    done = bare.run("cache", "repair", "--json")
    assert (done.code, done.object["number"], done.object["later"]) == (LATER, 1, True), done
    assert done.object.keys() == nothing.keys()
    waits = "No kept copy is damaged, but 1 that the next crawl fetches again."
    assert bare.fine("cache", "repair", "--json").object == nothing | {"said": waits}
    assert bare.fine("cache", "repair").err == f"{waits}\n"
    figures = bare.fine("cache", "check", "--json").object
    assert (figures["damaged"], figures["awaited"]) == (1, 1)
    report = bare.fine("crawl", "--json").object
    assert (report["cache_writes"], report["changed"], report["unchanged"]) == (1, 0, 3)
    assert bare.fine("cache", "check", "--json").object["damaged"] == 0


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_receivers_get_a_refetched_copy_only_if_it_changed(
    force: tuple[str, ...], bare: InstalledCli, site: Site, tmp_path: Path
) -> None:
    lines = tmp_path / "lines.jsonl"
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("receiver", "add", "jsonlines", "out", "--source", "docs", "--set", f"path={lines}")
    bare.fine("crawl")
    assert lines.read_text().count("\n") == 3
    for pack in packs(bare):
        pack.unlink()
    lose_one_from_the_index(bare)
    assert bare.run("store", "check", "--repair").code, "the next crawl has something to do"
    site.page("/tides", "Tide tables", "High water in the harbour at one.")
    report = bare.fine("crawl", "--json", *force).object
    assert (report["cache_writes"], report["changed"], report["unchanged"]) == (3, 1, 2)
    said = [json.loads(line) for line in lines.read_text().splitlines()[3:]]
    changed = [each["url"] for each in said if each["event"] == "changed"]
    assert len(said) == len(changed)
    assert (f"{site.address}tides" in changed, len(changed)) == (True, 3 if force else 1)
    assert len(found(bare)) == 2
    assert not wrong(bare)
    again = bare.fine("crawl", "--json").object
    assert (again["cache_writes"], again["unchanged"]) == (0, 3)


def test_a_damaged_database_is_reported_and_restored(home: InstalledCli, tmp_path: Path) -> None:
    home.fine("store", "backup", str(tmp_path / "backup.tar"))
    database = home.folder / "cormorant.db"
    for log in home.folder.glob("cormorant.db-*"):
        log.unlink()
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 40_000)
    for words in (("store", "check"), ("store", "check", "--repair")):
        done = home.run(*words)
        assert (done.code, "estore" in done.out + done.err) == (1, True), done
    done = home.run("store", "restore", str(tmp_path / "backup.tar"))
    assert done.code == 1, done
    record = home.fine("store", "restore", str(tmp_path / "backup.tar"), "--yes", "--json").object
    assert record["set_aside"] is None or Path(record["set_aside"]).exists()
    assert not wrong(home)
    assert home.fine("search", "harbour", "--json").objects


def test_nothing_is_mended_while_a_process_is_at_work(home: InstalledCli, tmp_path: Path) -> None:
    home.fine("store", "backup", str(tmp_path / "backup.tar"))
    lock = data_dir.take_lock(home.folder)
    assert lock is not None
    try:
        for words in (
            ("store", "check", "--repair"), ("store", "compact"), ("cache", "repair"),
            ("store", "restore", str(tmp_path / "backup.tar"), "--yes"),
            ("store", "import", str(tmp_path / "backup.tar"), "--yes"),
        ):  # fmt: skip
            done = home.run(*words, "--json")
            assert (done.code, done.problem["code"]) == (1, "conflict"), done
        home.fine("store", "backup", str(tmp_path / "another.tar"))
        home.fine("store", "check")
    finally:
        os.close(lock)


def wrong(home: InstalledCli) -> list[dict[str, object]]:
    return [each for each in checks(home, "store", "check").values() if each["ok"] is not True]


def found(home: InstalledCli, words: str = "harbour") -> list[tuple[str, str]]:
    return [(each["url"], each["title"]) for each in home.fine("search", words, "--json").objects]


def test_a_backup_comes_back_elsewhere(world: World, home: InstalledCli, tmp_path: Path) -> None:
    file, there = tmp_path / "backup.tar", InstalledCli(tmp_path / "there")
    record = home.fine("store", "backup", str(file), "--json").object
    assert (record["copies"], record["documents"]) == (True, 5)
    asked = len(world.site.asked)
    again = there.fine("store", "restore", str(file), "--json").object
    assert (again["documents"], again["indexed"], again["fetched_anew"]) == (5, 5, 0)
    assert found(there) == found(home)
    assert not wrong(there)
    assert [each["run"] for each in there.fine("run", "list", "--json").objects] == [2, 1]
    assert len(world.site.asked) == asked
    report = {each["source"]: each for each in there.fine("crawl", "--json").objects}
    assert {
        (each["new"], each["changed"], each["index_writes"], each["index_deletes"]) for each in report.values()
    } == {(0, 0, 0, 0)}


def test_a_restore_replaces_only_on_request(home: InstalledCli, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    home.fine("store", "backup", str(file))
    home.fine("source", "delete", "papers", "--yes")
    done = home.run("store", "restore", str(file))
    assert (done.code, "--yes" in done.err) == (1, True), done
    assert len(home.fine("source", "list", "--json").objects) == 1
    home.fine("store", "restore", str(file), "--yes")
    assert len(home.fine("source", "list", "--json").objects) == 2
    assert ("minutes.txt") in " ".join(url for url, _ in found(home, "zephyr"))
    assert not wrong(home)


def everything(home: InstalledCli) -> dict[Path, bytes]:
    """The content of a data folder, without files that commands create for reading it."""
    kept = (each for each in home.folder.rglob("*") if each.is_file() and "cormorant.db-" not in each.name)
    return {each: each.read_bytes() for each in kept if each.suffix != ".lock"}


def test_a_damaged_backup_changes_nothing(home: InstalledCli, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    home.fine("store", "backup", str(file))
    home.fine("store", "check")
    whole, before = file.read_bytes(), everything(home)
    turned = bytearray(whole)
    turned[whole.index(b"CmPk") + 60] ^= 1
    newer = tmp_path / "newer.tar"
    for data, said in ((whole[:-11_000], "cut short"), (bytes(turned), "damaged"), (b"text", "damaged")):
        file.write_bytes(data)
        for verb in ("restore", "import"):
            done = home.run("store", verb, str(file), "--yes", "--json")
            assert (done.code, done.problem["code"], said in done.problem["detail"]) == (1, "archive_damaged", True), (
                done
            )
    assert everything(home) == before
    assert home.run("store", "restore", str(newer), "--yes").code == 4
    there = InstalledCli(tmp_path / "there")
    assert there.run("store", "restore", str(file)).code == 1
    assert not there.folder.exists()


def test_an_export_without_its_copies_is_refetched(bare: InstalledCli, site: Site, tmp_path: Path) -> None:
    file, there = tmp_path / "rows.tar", InstalledCli(tmp_path / "there")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    record = bare.fine("store", "export", str(file), "--json").object
    assert (record["copies"], record["packs"]) == (False, 0)
    done = there.run("store", "import", str(file))
    assert (done.code, "3 documents are not here" in done.err) == (LATER, True), done
    report = there.fine("crawl", "--json").object
    assert (report["cache_writes"], report["index_deletes"], report["changed"]) == (3, 0, 0)
    assert found(there) == found(bare)
    assert not wrong(there)


def test_an_import_of_a_backup_says_that_it_leaves_the_copies_and_what_takes_them(
    bare: InstalledCli, site: Site, tmp_path: Path
) -> None:
    file, there = tmp_path / "my backup.tar", InstalledCli(tmp_path / "there")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    bare.fine("store", "backup", str(file))
    done = there.run("store", "import", str(file))
    assert done.code == LATER
    assert "of copies" not in done.err
    assert f"`cormorant store restore '{file}' --yes` restores them, too." in done.err
    done = there.run("store", "restore", str(file), "--yes")
    assert (done.code, "1 file of copies" in done.err) == (0, True), done.err


def test_an_import_beside_its_copies_needs_nothing(home: InstalledCli, tmp_path: Path) -> None:
    before = found(home)
    home.fine("store", "export", str(tmp_path / "rows.tar"))
    record = home.fine("store", "import", str(tmp_path / "rows.tar"), "--yes", "--json").object
    assert (record["indexed"], record["fetched_anew"]) == (5, 0)
    assert found(home) == before


def test_room_is_given_back(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    for hour in ("ten", "eleven"):
        site.page("/tides", "Tide tables", f"High water in the harbour at {hour}.", ("/ferries",))
        bare.fine("crawl", "--force")
    diff = bare.fine("cache", "diff", f"{site.address}tides").out
    assert "-High water in the harbour at ten." in diff
    assert "+High water in the harbour at eleven." in diff
    assert (
        "-High water in the harbour at noon." in bare.fine("cache", "diff", f"{site.address}tides", "--back", "2").out
    )
    before = bare.fine("cache", "show", "--json").object
    record = bare.fine("store", "compact", "--json").object
    after = bare.fine("cache", "show", "--json").object
    assert (before["unused_bytes"] > 0, after["unused_bytes"], after["copies"]) == (True, 0, 3)
    assert (record["unreadable"], record["copies_bytes"] < record["copies_bytes_before"]) == (0, True)
    assert bare.fine("store", "compact", "--json").object["packs_rewritten"] == 0
    assert not wrong(bare)
    assert bare.fine("index", "rebuild", "--json").object["documents"] == 3
    done = bare.run("cache", "diff", f"{site.address}tides", "--json")
    assert (done.code, done.problem["code"]) == (1, "conflict")
    assert "tides 1 version is kept, so there is none 1 before" in done.problem["detail"]
    assert bare.run("cache", "diff", f"{site.address}nowhere").code == 4
    assert bare.fine("crawl", "--json").object["unchanged"] == 3


def test_the_index_is_optimized(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    bare.fine("index", "rebuild")
    assert bare.fine("index", "optimize", "--json").object["rebuilt"] is False
    bare.fine("document", "delete", f"{site.address}tides", "--yes")
    site.answers["/tides"].status = 404
    bare.run("crawl")
    figures = bare.fine("index", "stats", "--json").object
    record = bare.fine("index", "optimize", "--json").object
    assert (record["documents"], record["damaged"]) == (2, 0)
    assert record["rebuilt"] is (figures["deleted"] > 0)
    assert not wrong(bare)


def test_an_index_that_was_just_made_by_several_threads_is_left_as_it_is(
    bare: InstalledCli, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it was committed now and then, as one of many documents is."""
    monkeypatch.setattr(reindex, "COMMIT", 1)
    monkeypatch.setattr(reindex, "PAGE", 1)
    monkeypatch.setenv("CORMORANT_INDEX_THREADS", "3")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    bare.fine("index", "rebuild")
    stats = bare.fine("index", "stats", "--json").object
    assert (stats["documents"], stats["deleted"]) == (3, 0)
    record = bare.fine("index", "optimize", "--json").object
    assert (record["rebuilt"], record["segments"]) == (False, stats["segments"])


def test_a_damaged_index_is_not_called_tidy(bare: InstalledCli, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ends alone are looked at when it opens: each is whole."""
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    monkeypatch.setattr(reader, "CHECKED_BYTES", 0)
    file = next((bare.folder / "index").rglob("*.pos"))
    data = file.read_bytes()
    file.write_bytes(bytes((data[0] ^ 1, *data[1:])))
    done = bare.run("index", "optimize")
    assert done.code == 1
    assert f"A file of the index is damaged: {file.name}. Run `cormorant index rebuild`" in done.err
    bare.fine("index", "rebuild")
    bare.fine("index", "optimize")


def test_where_there_is_no_index_it_is_said_what_makes_one(bare: InstalledCli) -> None:
    bare.fine("source", "add", "files", "papers", "--set", f"path={bare.folder.parent}")
    done = bare.run("index", "stats")
    assert (done.code, done.out) == (4, "")
    assert "There is no index. The next `cormorant crawl` builds one" in done.err


def test_an_upgrade_is_seen(home: InstalledCli) -> None:
    record: dict[str, Any] = home.fine("store", "upgrade", "--json").object
    assert (record["before"], record["backup"]) == (record["now"], None)
    rows(home, *BEFORE_0013)
    done = home.fine("store", "upgrade")
    backup = home.folder / f"cormorant.before-{record['now']}.db"
    assert (f"was upgraded from version 0012 to {record['now']}" in done.err, str(backup) in done.err) == (True,) * 2
    assert backup.exists()
    assert not wrong(home)
