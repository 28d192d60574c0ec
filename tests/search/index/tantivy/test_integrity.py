"""What lies on the disk is what was written, or it is said that it is not."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import IndexDamaged
from cormorant.model.acl import ANYONE
from cormorant.search.index.document import UpdateLinks, Upsert
from cormorant.search.index.query import Everything, Search, Sort
from cormorant.search.index.tantivy import reader, reader as index_reader, schema
from cormorant.search.index.tantivy.facet_counts import Columns
from cormorant.search.index.tantivy.folder import open_reader, open_writer
from cormorant.search.index.tantivy.integrity import Readable, Sound, check
from cormorant.search.index.tantivy.reader import EmbeddedReader
from tests.search.index import applier
from tests.search.index.shelves import entry


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    writer = open_writer(folder)
    applier.advance(writer, 60)
    applier.advance(writer, 30)
    writer.close()
    return folder


@pytest.fixture
def whole(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "whole"))


def spoil(path: Path, chance: random.Random) -> str:
    """Flip a bit, cut the end off, or delete."""
    data = bytearray(path.read_bytes())
    how = chance.choice(("flip", "cut", "delete"))
    if how == "delete":
        path.unlink()
    elif how == "cut":
        path.write_bytes(data[: chance.randrange(len(data))])
    else:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
    return f"{how} {path.name}"


def turn(generation: Path, part: str) -> None:
    """Flip a bit in the midst of a file."""
    file = next(generation.glob(f"*.{part}"))
    data = bytearray(file.read_bytes())
    data[(len(data) - 100) // 2] ^= 1
    file.write_bytes(data)


def flip(file: Path, chance: random.Random) -> None:
    """Flip a bit somewhere in what is open already."""
    with file.open("r+b") as opened:
        at = chance.randrange(file.stat().st_size)
        opened.seek(at)
        other = bytes((opened.read(1)[0] ^ 1 << chance.randrange(8),))
        opened.seek(at)
        opened.write(other)


def answer(folder: Path) -> dict[int, str]:
    """Return all documents by the way of readers."""
    return held(open_reader(folder))


def held(reader: EmbeddedReader, sort: Sort = Sort.RELEVANCE) -> dict[int, str]:
    """Return the same of a reader that is open already."""
    hits = reader.search(Search(Everything(), ANYONE, limit=1_000, sort=sort)).hits
    return {match.id: match.entry.text for match in hits}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_damage_is_noticed_when_the_writer_opens(built: Path, whole: Path, seed: int) -> None:
    chance = random.Random(seed)
    files = sorted(path for path in (whole / "1").iterdir() if path.suffix and path.name[0] != ".")
    what = spoil(chance.choice(files), chance)
    try:
        writer = open_writer(whole)
    except IndexDamaged:
        return
    writer.close()
    assert answer(whole) == answer(built), what


def test_a_reader_notices_what_is_missing(whole: Path) -> None:
    next((whole / "1").glob("*.store")).unlink()
    with pytest.raises(IndexDamaged, match="index rebuild"):
        open_reader(whole)


def test_a_generation_that_is_not_there(whole: Path) -> None:
    shutil.rmtree(whole / "1")
    for opening in (open_writer, open_reader):
        with pytest.raises(IndexDamaged):
            opening(whole)


def test_only_the_ends_are_read_of_a_large_index(whole: Path) -> None:
    store = next((whole / "1").glob("*.store"))
    data = bytearray(store.read_bytes())
    data[0] ^= 1
    store.write_bytes(data)
    check(whole / "1", 0)
    with pytest.raises(IndexDamaged, match=store.name):
        check(whole / "1", 1 << 30)


@pytest.mark.parametrize("part", ["idx", "pos", "term", "store", "fast", "fieldnorm"])
def test_a_reader_of_a_small_index_reads_every_byte(whole: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    turn(whole / "1", part)
    with pytest.raises(IndexDamaged, match="A file of the index is damaged"):
        open_reader(whole)
    monkeypatch.setattr(reader, "CHECKED_BYTES", 0)
    open_reader(whole)


@pytest.mark.parametrize("part", ["store", "fast"])
@pytest.mark.parametrize("seed", range(20))
def test_what_is_damaged_while_it_is_open_is_shown_to_nobody(built: Path, whole: Path, part: str, seed: int) -> None:
    chance, texts = random.Random(seed), answer(built)
    reader = open_reader(whole)
    flip(chance.choice(sorted((whole / "1").glob(f"*.{part}"))), chance)
    for sort in Sort:
        with suppress(IndexDamaged):
            assert held(reader, sort) == texts


@pytest.mark.parametrize("sort", Sort)
def test_a_document_without_its_number_is_damage(whole: Path, sort: Sort, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = Columns.numbers

    def lost(columns: Columns, name: str, addresses: Sequence[Any]) -> list[float | None]:
        return [
            None if name == "id" and at % 2 else number for at, number in enumerate(numbers(columns, name, addresses))
        ]

    reader = open_reader(whole)
    monkeypatch.setattr(Columns, "numbers", lost)
    with pytest.raises(IndexDamaged, match="contains data that Cormorant never wrote"):
        held(reader, sort)


def test_a_document_that_is_another_one_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a bit of what says where documents lie was flipped: what lies there is whole, and not what was asked."""
    writer = open_writer(tmp_path)
    with monkeypatch.context() as patched:
        unsealed = schema._pack
        patched.setattr(schema, "_pack", lambda each, title: unsealed(entry(each.id + 1, each.text), title))
        writer.apply([Upsert(entry(1, "ferry"))])
        writer.commit(1)
    with pytest.raises(IndexDamaged, match="contains data that Cormorant never wrote"):
        held(open_reader(tmp_path))
    with pytest.raises(IndexDamaged, match="contains data that Cormorant never wrote"):
        writer.apply([UpdateLinks(1, ("ferry",), 1.0)])
    writer.close()


def test_an_index_without_seals_is_read_and_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(schema, "_sealed", lambda said, text=b"": said)
        writer = open_writer(tmp_path)
        writer.apply([Upsert(entry(number, f"ferry {number}")) for number in (1, 2)])
        writer.commit(5)
        writer.close()
    writer = open_writer(tmp_path)
    assert writer.place == 5
    assert answer(tmp_path) == {1: "ferry 1", 2: "ferry 2"}
    writer.apply([UpdateLinks(1, ("to it",), 1.0)])
    writer.commit(6)
    writer.close()
    assert answer(tmp_path) == {1: "ferry 1", 2: "ferry 2"}
    assert open_reader(tmp_path).place == 6


def test_what_nothing_can_be_made_of_is_damage() -> None:
    for kind in (TypeError, ValueError, KeyError, IndexError, OverflowError):
        with pytest.raises(IndexDamaged, match="index rebuild"), Sound():
            raise kind("it makes no sense")
    with pytest.raises(ZeroDivisionError), Sound():
        raise ZeroDivisionError


@pytest.mark.parametrize("part", ["idx", "pos", "term", "store", "fast", "fieldnorm"])
def test_a_reader_asked_to_check_reads_every_byte(whole: Path, part: str) -> None:
    reader = open_reader(whole)
    reader.check()
    turn((whole / "1"), part)
    with pytest.raises(IndexDamaged, match=rf"{part}\. Run `cormorant index rebuild`"):
        reader.check()
    with pytest.raises(IndexDamaged):
        open_reader(whole).check()


def test_what_a_writer_replaces_during_a_check_is_no_damage(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, tries = open_reader(whole), []

    def checked(generation: Path, budget_bytes: int | None) -> None:
        tries.append(generation)
        if len(tries) == 1:
            (generation / "meta.json").write_bytes((generation / "meta.json").read_bytes() + b" ")
            raise IndexDamaged("It is gone.")
        check(generation, budget_bytes)

    monkeypatch.setattr(index_reader, "check", checked)
    reader.check()
    assert len(tries) == 2


def test_where_there_is_no_index_nothing_is_damaged(tmp_path: Path) -> None:
    open_reader(tmp_path).check()


def test_panics_of_the_engine_are_damage() -> None:
    class PanicException(BaseException): ...

    with pytest.raises(IndexDamaged, match="out of range"), Readable():
        raise PanicException("index out of range")
    with pytest.raises(ZeroDivisionError), Readable():
        raise ZeroDivisionError
