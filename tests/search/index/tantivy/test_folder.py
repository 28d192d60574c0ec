"""One writer, any number of readers, in any process, killed at any moment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
import tantivy

from cormorant.base.clock import SystemClock
from cormorant.base.errors import ConflictError, DataFolderError, IndexDamaged
from cormorant.cli.find import search
from cormorant.model.acl import ANYONE
from cormorant.search.index.document import Change, Delete, UpdateLinks, Upsert
from cormorant.search.index.query import Everything, Search
from cormorant.search.index.tantivy import (
    folder as index_folder,
    generations,
    reader as index_reader,
    writer as index_writer,
)
from cormorant.search.index.tantivy.folder import open_reader, open_writer, rebuild
from cormorant.search.index.tantivy.reader import EmbeddedReader
from cormorant.search.index.tantivy.schema import LAYOUT, MARK, register
from cormorant.search.index.tantivy.writer import HEAP_BYTES
from cormorant.search.reader import Library, Question
from tests.clocks import until
from tests.search.index import applier
from tests.search.index.shelves import entry, shelf

ROOT = Path(__file__).parents[4]


@contextmanager
def provider(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start another process that writes into an index, and end it."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    with subprocess.Popen(
        (sys.executable, "-m", "tests.search.index.applier", str(folder)),
        cwd=ROOT,
        env=environment,
        stdout=-1,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def places(process: subprocess.Popen[str], count: int) -> int:
    """Wait for so many commits; return the place of the last."""
    assert process.stdout
    return int([process.stdout.readline() for _ in range(count)][-1])


def held(reader: EmbeddedReader) -> dict[int, int]:
    """Return which document was put by which change, as the reader sees it."""
    hits = reader.search(Search(Everything(), ANYONE, limit=1_000)).hits
    return {match.id: int(match.entry.text.split()[0].removeprefix("change")) for match in hits}


def test_what_can_be_reached_is_what_is_left_of_the_best_when_they_are_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_reader, "MOST_RANKED", 5)
    with shelf("embedded", tmp_path) as index:
        index.put(*(entry(n, "ferry", content_hash=bytes([n if n > 3 else 0]) * 32) for n in range(1, 9)))
        found = index.ask("ferry")
        assert (found.reachable, len(found.hits)) == (3, 3), "three of the best five are equal"
        assert found.total == 6
        assert index.ask("ferry", fold=False).reachable == 5
    with shelf("embedded", tmp_path) as index:
        library = Library(index.reader, SystemClock())
        answer = library.find(Question("ferry", offset=3), ANYONE)
        assert "the best 3 can be shown; --offset is beyond them" in search._none(answer, 3)


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    reader = open_reader(tmp_path)
    for kill in range(6):
        with provider(tmp_path) as process:
            acknowledged = places(process, 2 + kill)
        reader.refresh()
        assert reader.place >= acknowledged
        assert held(reader) == applier.expected(reader.place)
        assert reader.count() == len(applier.expected(reader.place))
    writer = open_writer(tmp_path)
    applier.advance(writer)
    writer.close()
    assert reader.refresh()
    assert held(reader) == applier.expected(writer.place)


@pytest.mark.slow
def test_every_answer_is_of_one_state_while_another_process_writes(tmp_path: Path) -> None:
    reader, seen = open_reader(tmp_path), set[int]()
    with provider(tmp_path) as process:
        while len(seen) < 25:
            if reader.refresh():
                seen.add(reader.place)
                assert held(reader) == applier.expected(reader.place)
            assert process.poll() is None
    assert all(place % applier.BATCH == 0 for place in seen)


def test_changes_applied_again_after_a_crash(tmp_path: Path) -> None:
    changes: list[Change] = [Upsert(entry(1, "change1")), UpdateLinks(1, ("b",), 1.0), Upsert(entry(2, "change2"))]
    killed = open_writer(tmp_path / "killed")
    killed.apply(changes)  # links are written over what is committed: the first change is durable, the place is not
    shutil.copytree(tmp_path / "killed", tmp_path / "left", ignore=shutil.ignore_patterns(".tmp*"))
    killed.close()
    reader = open_reader(tmp_path / "left")
    assert (reader.place, held(reader)) == (0, {1: 1})
    writer = open_writer(tmp_path / "left")
    writer.apply(changes)
    writer.commit(3)
    writer.close()
    reader.refresh()
    assert (reader.place, reader.count(), held(reader)) == (3, 2, {1: 1, 2: 2})


def test_a_commit_is_told_of_once_its_name_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine renames its table of contents and does not sync the folder: a power cut would take the commit back."""
    synced: list[tuple[Path, bytes]] = []
    monkeypatch.setattr(index_writer, "sync_folder", lambda folder: synced.append((folder, contents(folder))))
    writer = open_writer(tmp_path)
    (made,) = synced
    assert made[0].name == "1.building"
    writer.apply([Upsert(entry(1, "one"))])
    writer.commit(1)
    assert synced[1:] == [(tmp_path / "1", contents(tmp_path / "1"))]
    writer.close()


def test_a_commit_that_failed_half_way_does_not_stand_in_the_way_of_the_next(tmp_path: Path) -> None:
    """The disk was full when the table of contents was to be written: files of that commit are there, and no table."""

    def change(words: str, place: int, *others: int) -> None:
        writer = open_writer(tmp_path / "index")
        try:
            writer.apply([Upsert(entry(each, words)) for each in (1, *others)])
            writer.commit(place)
        finally:
            writer.close()

    change("first", 1, 2, 3)
    (table,) = (tmp_path / "index").rglob("meta.json")
    before = table.read_bytes()
    change("second", 2)
    left = {path.name for path in table.parent.glob("*.del")}
    table.write_bytes(before)
    (table.parent / f"{'a' * 32}.store").write_text("half of a segment")
    change("third", 2)
    assert left
    named = {each["segment_id"].replace("-", "") for each in json.loads(table.read_bytes())["segments"]}
    assert {path.name[:32] for path in table.parent.glob("*.store")} == named
    reader = open_reader(tmp_path / "index")
    assert (reader.count(), reader.place) == (3, 2)


def contents(generation: Path) -> bytes:
    """The table of contents of an index."""
    return (generation / "meta.json").read_bytes()


@pytest.mark.parametrize("threads", [1, 3])
def test_so_many_threads_write_and_say_the_same(tmp_path: Path, threads: int) -> None:
    others = writing_threads()
    writer = open_writer(tmp_path, threads)
    until(lambda: len(writing_threads() - others) == threads)
    for round_ in range(3):
        writer.apply([Upsert(entry(number, f"round {round_}")) for number in range(200)])
        writer.apply([Delete(number) for number in range(0, 200, 2)])
        writer.commit(round_ + 1)
    writer.close()
    reader = open_reader(tmp_path)
    assert (reader.count(), reader.place) == (100, 3)


def writing_threads() -> set[str]:
    """The threads of this process that the engine writes with, by the names it gives them a moment after they began."""
    found = set()
    for each in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            if (each / "comm").read_text().startswith("thrd-tantivy-in"):
                found.add(each.name)
    return found


def test_one_writer(tmp_path: Path) -> None:
    writer = open_writer(tmp_path)
    with pytest.raises(ConflictError, match="Another process writes"):
        open_writer(tmp_path)
    with pytest.raises(ConflictError), rebuild(tmp_path):
        pass
    writer.close()
    open_writer(tmp_path).close()


def test_who_makes_it_anew_may_wait_for_who_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = open_writer(tmp_path)
    applier.advance(writer, 3)
    with pytest.raises(ConflictError, match=r"has not let go of it for 0\.1 seconds"), rebuild(tmp_path, 0.1):
        pass
    monkeypatch.setattr(index_folder, "pause", lambda _: writer.close())
    with rebuild(tmp_path, 60.0) as aside:
        aside.commit(7)
    assert open_reader(tmp_path).place == 7


def test_a_closed_writer_writes_nothing(tmp_path: Path) -> None:
    writer = open_writer(tmp_path)
    writer.close()
    with pytest.raises(DataFolderError, match="closed"):
        writer.apply([Upsert(entry(1))])


def test_a_reader_may_be_there_first(tmp_path: Path) -> None:
    reader = open_reader(tmp_path / "later")
    assert reader.search(Search(Everything(), ANYONE)).total == 0
    assert not reader.refresh()
    writer = open_writer(tmp_path / "later")
    applier.advance(writer, 5)
    assert reader.refresh()
    assert (reader.place, reader.count()) == (5, 5)
    writer.close()


class TestRebuild:
    def test_switched_in_at_the_end(self, tmp_path: Path) -> None:
        writer = open_writer(tmp_path)
        applier.advance(writer, 10)
        writer.close()
        reader = open_reader(tmp_path)
        with rebuild(tmp_path) as aside:
            aside.apply([Upsert(entry(77, "change3"))])
            aside.commit(99)
            assert not reader.refresh()
            assert held(reader) == applier.expected(10)
        assert held(reader) == applier.expected(10)  # still open, though its files are gone
        assert reader.refresh()
        assert (held(reader), reader.place) == ({77: 3}, 99)
        writer = open_writer(tmp_path)
        assert writer.place == 99
        writer.close()
        assert [each.name for each in tmp_path.iterdir() if each.is_dir()] == ["2"]

    def test_broken_off(self, tmp_path: Path) -> None:
        writer = open_writer(tmp_path)
        applier.advance(writer, 10)
        writer.close()
        with pytest.raises(KeyError):
            self._break_off(tmp_path)
        reader = open_reader(tmp_path)
        assert (held(reader), reader.place) == (applier.expected(10), 10)
        with rebuild(tmp_path) as aside:
            aside.commit(4)
        assert (reader.refresh(), reader.place, reader.count()) == (True, 4, 0)
        assert [each.name for each in tmp_path.iterdir() if each.is_dir()] == ["2"]

    @staticmethod
    def _break_off(folder: Path) -> None:
        with rebuild(folder) as aside:
            aside.apply([Upsert(entry(77, "change3"))])
            aside.commit(99)
            raise KeyError

    def test_of_what_is_damaged(self, tmp_path: Path) -> None:
        writer = open_writer(tmp_path)
        applier.advance(writer, 10)
        writer.close()
        (tmp_path / "1" / "meta.json").write_bytes(b"{")
        with pytest.raises(IndexDamaged):
            open_writer(tmp_path)
        with rebuild(tmp_path) as aside:
            applier.advance(aside, 20)
        assert held(open_reader(tmp_path)) == applier.expected(20)

    def test_reader_follows_several(self, tmp_path: Path) -> None:
        reader = open_reader(tmp_path)
        for count in (5, 6, 8):
            with rebuild(tmp_path) as aside:
                applier.advance(aside, count)
            assert reader.refresh()
            assert held(reader) == applier.expected(count)


def marked(folder: Path, *said: int) -> None:
    """Make an index that is marked so."""
    open_writer(folder).close()
    index = tantivy.Index.open(str(folder / "1"))
    register(index)
    writer = index.writer(HEAP_BYTES, 1)
    writer.delete_documents_by_term("id", MARK)
    mark = tantivy.Document()
    mark.add_integer("id", MARK)
    mark.add_bytes("rest", json.dumps(said).encode())
    writer.add_document(mark)
    writer.commit()
    writer.wait_merging_threads()


def test_a_mark_of_before_databases_were_named_is_read(tmp_path: Path) -> None:
    marked(tmp_path, LAYOUT, 7)
    reader = open_reader(tmp_path)
    assert (reader.place, reader.origin) == (7, None)
    with closing(open_writer(tmp_path)) as writer:
        writer.commit(7, "one")
    assert reader.refresh()
    assert (reader.place, reader.origin) == (7, "one")


def test_another_layout_asks_for_a_rebuild(tmp_path: Path) -> None:
    marked(tmp_path, LAYOUT + 1, 0)
    for opening in (open_writer, open_reader, open_writer):
        with pytest.raises(IndexDamaged, match="another version"):
            opening(tmp_path)


def test_what_a_killed_rebuild_left_goes_when_somebody_writes(tmp_path: Path) -> None:
    writer = open_writer(tmp_path)
    writer.apply([Upsert(entry(1, "change1"))])
    writer.commit(1)
    writer.close()
    left = generations.begin(tmp_path)
    (left / "half").write_bytes(b"half a segment")
    open_writer(tmp_path).close()
    assert not left.exists()
    assert held(open_reader(tmp_path)) == {1: 1}
