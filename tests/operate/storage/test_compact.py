"""Room is given back without losing anything, whenever it is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, strategies as st

from cormorant.app.build import open_house
from cormorant.base.clock import SystemClock
from cormorant.base.errors import ConflictError
from cormorant.operate.installation import Installation
from cormorant.operate.storage import check, compact
from cormorant.store.blobs.pack_format import pack_path
from cormorant.store.blobs.record import encode
from cormorant.store.schema import content, version
from tests.clocks import HANG_S
from tests.operate.folders import copied, crawled_once
from tests.store.blobs.pages import page

NAMES = [f"{number}.txt" for number in range(8)]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of some documents."""
    return crawled_once(tmp_path_factory.mktemp("crawled"), {name: f"The harbour of {name}" for name in NAMES})


@pytest.fixture
def house(crawled: Path, tmp_path: Path) -> Installation:
    made = open_house(copied(crawled, tmp_path), first=True)
    waste(made, sorted(numbers(made))[:5])
    return made


def numbers(house: Installation) -> set[int]:
    with house.store.read() as tx:
        return {row.id for row in tx.rows(sa.select(content.c.id))}


def waste(house: Installation, some: list[int]) -> None:
    """Keep other copies of some documents, as a crawl does that finds them changed."""
    cache = house.cache()
    places = cache.keep([(number, encode(page(number))) for number in some])
    cache.close()
    with house.store.begin() as tx:
        for number, place in zip(some, places, strict=True):
            new = {"pack": place.pack, "pack_offset": place.offset, "pack_length": place.length}
            tx.execute(sa.update(content).where(content.c.id == number).values(new))


def test_what_rows_name_is_kept_and_nothing_else(house: Installation) -> None:
    assert check.copies_size(house)["unused_bytes"] > 0
    with house.store.begin() as tx:
        before = dict(check.places(tx))
    cache = house.cache()
    frames = {number: cache.read(place) for number, place in before.items()}
    record = compact.compact(house)
    assert (record["packs_rewritten"], record["copies_moved"], record["unreadable"]) == (1, 3, 0)
    assert check.copies_size(house)["unused_bytes"] == 0
    with house.store.read() as tx:
        assert {number: cache.read(place) for number, place in check.places(tx)} == frames
    assert compact.compact(house)["packs_rewritten"] == 0


def test_a_version_that_waits_is_kept_too(house: Installation) -> None:
    """Its row is another's: losing its copy would lose what a person is still to decide on."""
    first = min(numbers(house))
    with house.store.begin() as tx:
        (place,) = [place for number, place in check.places(tx) if number == max(numbers(house))]
        values = {
            column.name: {"TEXT": "", "BLOB": b"", "BOOLEAN": True}.get(str(column.type), 0)
            for column in version.columns
            if not column.nullable
        }
        values |= {"id": first, "pack": place.pack, "pack_offset": place.offset, "pack_length": place.length}
        tx.execute(sa.insert(version).values(values))
        tx.execute(sa.delete(content).where(content.c.id == max(numbers(house))))
    # A row may name a copy that another resource kept only in a test; the place is what counts here.
    compact.compact(house)
    with house.store.read() as tx:
        kept = tx.rows(sa.select(version.c.pack, version.c.pack_offset))
    assert pack_path(house.packs.directory, kept[0].pack).exists()


def test_a_pack_with_a_copy_that_cannot_be_read_stays(house: Installation) -> None:
    with house.store.read() as tx:
        number, place = next(each for each in check.places(tx) if each[0] == max(numbers(house)))
    with pack_path(house.packs.directory, place.pack).open("r+b") as file:
        file.seek(place.offset + 60)
        file.write(b"\0\0\0")
    record = compact.compact(house)
    assert (record["packs_rewritten"], record["unreadable"]) == (0, 1)
    assert [each.resource for each in check.damage(house) if each.resource == number]
    assert check.copies(house)["damaged"] == 1, "and no other"


def test_not_while_a_backup_reads_packs(house: Installation) -> None:
    with house.packs.held(alone=False), pytest.raises(Exception, match="being backed up"):
        compact.compact(house)


@pytest.mark.slow
def test_killed_at_any_step_it_loses_nothing(house: Installation, tmp_path: Path) -> None:
    house.store.close()
    (tmp_path / "work").mkdir()
    command = [sys.executable, "-m", "tests.operate.dying", str(house.folder), str(tmp_path / "work")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) >= 8, "there are as many steps"
    assert [each["killed"] for each in found] == [True] * (len(found) - 1) + [False]
    for each in found:
        assert (each["live"], each["damaged"], each["damaged_after"], each["unused_after"]) == (8, 0, 0, 0), each


def packs(house: Installation) -> int:
    return len(house.packs.sizes())


def many(house: Installation, count: int) -> None:
    """Replace the copy of one document again and again, each time in a pack of its own."""
    for _ in range(count):
        waste(house, [min(numbers(house))])


def test_small_packs_become_one_and_their_copies_are_there(
    house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compact, "MANY", 8)
    many(house, 12)
    with house.store.read() as tx:
        before = dict(check.places(tx))
    cache = house.cache()
    frames = {number: cache.read(place) for number, place in before.items()}
    there, newest = packs(house), sorted(house.packs.sizes())[-4:]
    emptied, moved, _ = compact.thin(house)
    staying = sum(place.pack in newest for place in before.values())
    assert (emptied, moved) == (there - 4, len(NAMES) - staying), "the newest packs stay"
    with house.store.read() as tx:
        after = dict(check.places(tx))
    assert {number: cache.read(place) for number, place in after.items()} == frames
    assert {number: cache.read(place) for number, place in before.items()} == frames, "who has looked before finds it"
    assert packs(house) == there + 1


def test_what_was_emptied_goes_an_hour_later(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "MANY", 2)
    many(house, 5)
    compact.thin(house)
    there, now = packs(house), house.clock.now()

    class Later(SystemClock):
        def now(self) -> float:
            return now + compact.RETIRED_S + 5

    assert compact.thin(house).packs_removed == 0
    assert compact.thin(replace(house, clock=Later())).packs_removed > 0
    assert packs(house) < there
    assert check.damage(house) == []


def test_replaced_copies_stay_while_they_have_room(house: Installation) -> None:
    many(house, 5)
    assert compact.thin(house) == (0, 0, 0)
    small = replace(house, old_copies_bytes=0)
    assert compact.thin(small).packs_emptied > 0
    assert check.damage(house) == []


def test_none_are_moved_while_a_backup_reads_packs(house: Installation) -> None:
    with house.packs.held(alone=False), pytest.raises(ConflictError):
        compact.thin(house)


@given(
    st.dictionaries(st.integers(1, 500), st.tuples(st.integers(0, 1 << 28), st.floats(0, 1)), max_size=200),
    st.integers(0, 1 << 30),
)
def test_as_much_goes_as_is_too_much(packs: dict[int, tuple[int, float]], room: int) -> None:
    sizes = {pack: size for pack, (size, _) in packs.items()}
    named = {pack: int(size * share) for pack, (size, share) in packs.items() if int(size * share)}
    chosen = compact._too_much(sizes, named, room)
    assert len(set(chosen)) == len(chosen)
    assert sum(named.get(pack, 0) for pack in chosen[1:]) <= compact.AT_ONCE_BYTES
    left = sum(sizes[pack] - named.get(pack, 0) for pack in sizes.keys() - set(chosen))
    small = [pack for pack in sizes.keys() - set(chosen) if sizes[pack] < compact.SMALL_BYTES]
    if sum(named.get(pack, 0) for pack in chosen) < compact.AT_ONCE_BYTES // 2:
        assert left <= max(room, sum(named.values()))
        assert len(small) <= compact.MANY
    if not chosen:
        assert left <= max(room, sum(named.values()))
