from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import CacheDamaged
from cormorant.cache import compact as module
from cormorant.cache.check import check, entries
from cormorant.cache.compact import Compaction, Moves
from cormorant.cache.frame import encode
from cormorant.cache.packs import pack_numbers
from cormorant.cache.protocol import Place
from cormorant.cache.reader import PackReader
from cormorant.cache.writer import PackWriter
from tests.cache.pages import StillClock, page
from tests.cache.test_check import spoil

Rows = dict[int, Place]


@pytest.fixture
def clock(tmp_path: Path) -> StillClock:
    return StillClock(tmp_path.stat().st_mtime + 10_000)


@pytest.fixture
def writer(tmp_path: Path, clock: StillClock) -> Iterator[PackWriter]:
    writer = PackWriter(tmp_path, clock)
    yield writer
    writer.close()


@pytest.fixture
def compaction(tmp_path: Path, clock: StillClock, writer: PackWriter) -> Compaction:
    return Compaction(tmp_path, clock, writer)


def kept(folder: Path, numbers: range) -> Rows:
    writer = PackWriter(folder, StillClock())
    places = writer.append([(n, encode(page(n))) for n in numbers])
    writer.close()
    return dict(zip(numbers, places, strict=True))


def commit(rows: Rows, moves: Moves) -> None:
    for resource, old, new in moves.moved:
        if rows[resource] == old:
            rows[resource] = new
    for resource, _ in moves.lost:
        del rows[resource]


def assert_whole(folder: Path, rows: Rows) -> None:
    reader = PackReader(folder)
    assert all(reader.read(place) == page(number) for number, place in rows.items())
    reader.close()
    assert list(check(folder, sorted(rows.items(), key=lambda row: row[1]))) == []


def test_a_sparse_pack_is_rewritten_and_a_dense_one_is_not(tmp_path: Path, compaction: Compaction) -> None:
    sparse, dense = kept(tmp_path, range(10)), kept(tmp_path, range(10, 20))
    rows = {n: sparse[n] for n in range(4)} | {n: dense[n] for n in range(10, 16)}
    (moves,) = compaction.run(rows.items)
    assert moves.pack == sparse[0].pack
    assert {resource for resource, _, _ in moves.moved} == set(range(4))
    assert_whole(tmp_path, rows)
    commit(rows, moves)
    compaction.discard(moves.pack)
    compaction.discard(moves.pack)
    assert_whole(tmp_path, rows)
    assert sparse[0].pack not in set(pack_numbers(tmp_path))
    assert list(compaction.run(rows.items)) == []


def test_moved_entries_keep_their_time(tmp_path: Path, compaction: Compaction) -> None:
    rows = {0: kept(tmp_path, range(10))[0]}
    before = next(iter(entries(tmp_path))).kept_at
    (moves,) = compaction.run(rows.items)
    compaction.discard(moves.pack)
    assert [entry.kept_at for entry in entries(tmp_path)] == [before]


def test_a_pack_nobody_names_goes(tmp_path: Path, compaction: Compaction) -> None:
    dead = kept(tmp_path, range(3))
    assert list(compaction.run(Rows().items)) == [Moves(dead[0].pack, [], [])]


def test_young_packs_and_packs_being_written_stay(tmp_path: Path, clock: StillClock, writer: PackWriter) -> None:
    kept(tmp_path, range(3))
    writer.append([(9, b"x")])
    clock.moment -= 8_000
    assert list(Compaction(tmp_path, clock, writer).run(Rows().items)) == []
    clock.moment += 8_000
    assert len(list(Compaction(tmp_path, clock, writer).run(Rows().items))) == 1


def test_rows_may_come_in_any_order(tmp_path: Path, compaction: Compaction) -> None:
    one, other = kept(tmp_path, range(10)), kept(tmp_path, range(10, 20))
    rows = {number: place for n in range(4) for number, place in ((n, one[n]), (n + 10, other[n + 10]))}
    for moves in compaction.run(lambda: list(rows.items())):
        commit(rows, moves)
        compaction.discard(moves.pack)
    assert len(rows) == 8
    assert_whole(tmp_path, rows)


def test_many_small_packs_are_merged(tmp_path: Path, compaction: Compaction) -> None:
    rows: Rows = {}
    for n in range(module.SMALL_PACKS):
        rows |= kept(tmp_path, range(n * 3, n * 3 + 3))
    for moves in compaction.run(lambda: list(rows.items())):
        commit(rows, moves)
        compaction.discard(moves.pack)
    assert len(list(pack_numbers(tmp_path))) == 1
    assert_whole(tmp_path, rows)


def test_what_cannot_be_read_is_told(tmp_path: Path, compaction: Compaction) -> None:
    every = kept(tmp_path, range(10))
    rows = {n: every[n] for n in range(3)}
    spoil(tmp_path, rows[1], 60)
    (moves,) = compaction.run(rows.items)
    assert moves.lost == [(1, rows[1])]
    commit(rows, moves)
    compaction.discard(moves.pack)
    assert_whole(tmp_path, rows)


def test_large_packs_are_copied_in_batches(
    tmp_path: Path, compaction: Compaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH_BYTES", 5_000)
    every = kept(tmp_path, range(30))
    rows = {n: every[n] for n in range(12)}
    (moves,) = compaction.run(rows.items)
    commit(rows, moves)
    compaction.discard(moves.pack)
    assert_whole(tmp_path, rows)


def test_an_old_place_is_damage_once_its_pack_is_gone(tmp_path: Path, compaction: Compaction) -> None:
    old = kept(tmp_path, range(3))[0]
    compaction.discard(old.pack)
    reader = PackReader(tmp_path)
    with pytest.raises(CacheDamaged, match="its pack is gone"):
        reader.read(old)
