"""What lies on the disk is what was written, or it is said that it is not."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from cormorant.base.errors import IndexDamaged
from cormorant.index import reading
from cormorant.index.damage import Readable, check
from cormorant.index.embedded import open_reader, open_writer
from cormorant.index.query import Everything, Search
from cormorant.model.acl import ANYONE
from tests.index import applier


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


def answer(folder: Path) -> dict[int, str]:
    """Return all documents by the way of readers."""
    hits = open_reader(folder).search(Search(Everything(), ANYONE, limit=1_000)).hits
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

    monkeypatch.setattr(reading, "check", checked)
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
