from __future__ import annotations

import random
from pathlib import Path

import pytest

from cormorant.store.blobs.pack_format import HEAD_BYTES, MAGIC, EntryHeader, head_bytes, pack_path
from cormorant.store.blobs.protocol import BlobEntry, BlobPlace, Harm
from cormorant.store.blobs.record import encode
from cormorant.store.blobs.verify import check, entries, scan
from cormorant.store.blobs.writer import PackWriter
from tests.clocks import Hands
from tests.store.blobs.pages import MOMENT, page

COUNT = 12


def kept(folder: Path, count: int = COUNT) -> list[tuple[int, BlobPlace]]:
    writer = PackWriter(folder, Hands(MOMENT))
    places = writer.append([(n, encode(page(n))) for n in range(1, count + 1)])
    writer.close()
    return list(enumerate(places, 1))


def spoil(folder: Path, place: BlobPlace, at: int, data: bytes = b"\0\0\0") -> None:
    """Write over some bytes of an entry."""
    with pack_path(folder, place.pack).open("r+b") as file:
        file.seek(place.offset + at)
        file.write(data)


def test_a_sound_cache_has_nothing_to_tell(tmp_path: Path) -> None:
    rows = kept(tmp_path) + kept(tmp_path)
    assert list(check(tmp_path, rows)) == []
    assert list(check(tmp_path, [])) == []
    assert list(check(tmp_path / "nowhere", [])) == []


def test_entries_give_rows_back(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    assert list(entries(tmp_path)) == [BlobEntry(number, place, MOMENT) for number, place in rows]


@pytest.mark.parametrize("at", [0, 9, 20, HEAD_BYTES, HEAD_BYTES + 50])
def test_damage_in_the_middle_costs_one_entry(tmp_path: Path, at: int) -> None:
    rows = kept(tmp_path)
    spoil(tmp_path, rows[5][1], at, b"\x7f\x80\x81")
    found = list(check(tmp_path, rows))
    assert [(each.harm, each.resource, each.place) for each in found] == [(Harm.LIVE, *rows[5])]
    assert [entry.resource for entry in entries(tmp_path)] == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]


def test_damage_no_row_names_is_dead(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    spoil(tmp_path, rows[5][1], 60)
    (found,) = check(tmp_path, rows[:5] + rows[6:])
    assert (found.harm, found.resource, found.place) == (Harm.DEAD, *rows[5])


def test_the_end_of_a_pack_may_be_torn(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    last = rows[-1][1]
    path = pack_path(tmp_path, last.pack)
    sound = path.read_bytes()
    for length in range(last.offset + 1, last.offset + last.length, 37):
        path.write_bytes(sound[:length])
        (found,) = check(tmp_path, rows[:-1])
        assert (found.harm, found.place.offset) == (Harm.TAIL, last.offset)
        (found,) = check(tmp_path, rows)
        assert (found.harm, found.resource) == (Harm.LIVE, COUNT)


def test_zeros_behind_the_last_entry_are_a_torn_tail(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    with pack_path(tmp_path, rows[0][1].pack).open("ab") as file:
        file.write(bytes(3_000_000))
    (found,) = check(tmp_path, rows)
    assert (found.harm, found.place.length) == (Harm.TAIL, 3_000_000)


def test_the_end_of_a_pack_being_written_is_no_damage(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path, Hands(MOMENT))
    (place,) = writer.append([(1, encode(page(1)))])
    with pack_path(tmp_path, place.pack).open("ab") as file:
        file.write(b"CmPk under way")
    assert list(check(tmp_path, [(1, place)])) == []
    writer.close()
    assert [each.harm for each in check(tmp_path, [(1, place)])] == [Harm.TAIL]


def test_rows_that_point_nowhere(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    number, place = rows[3]
    wrong = [(99, place), (number, place._replace(offset=place.offset + 1)), (7, BlobPlace(place.pack + 1, 0, 50))]
    reasons = [(each.harm, each.resource, each.reason) for each in check(tmp_path, wrong)]
    nothing = "there is no entry of this resource at this place"
    assert reasons == [
        (Harm.LIVE, 4, nothing),
        (Harm.LIVE, 99, nothing),
        (Harm.LIVE, 7, "its pack is gone"),
    ]


def test_rows_have_to_come_by_pack(tmp_path: Path) -> None:
    one, other = kept(tmp_path), kept(tmp_path)
    with pytest.raises(ValueError, match="one after another"):
        list(check(tmp_path, [one[0], other[0], one[1]]))


def test_no_document_can_hold_an_entry(tmp_path: Path) -> None:
    """Damage makes the reader look for the next entry inside a document that was made to look like one."""
    forged = encode(page(666))
    bait = b"".join(head_bytes(666, forged, MOMENT + 1, (1, n)) + forged + MAGIC * 100 for n in range(20))
    writer = PackWriter(tmp_path, Hands(MOMENT))
    rows = list(enumerate(writer.append([(1, b"a"), (2, bait), (3, b"c")]), 1))
    writer.close()
    spoil(tmp_path, rows[1][1], 0)
    assert [entry.resource for entry in entries(tmp_path)] == [1, 3]


def test_random_damage_is_all_told_and_nothing_else_is_lost(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    path = pack_path(tmp_path, rows[0][1].pack)
    sound = path.read_bytes()
    chance = random.Random(4)
    for _ in range(200):
        changed = bytearray(sound)
        for _ in range(chance.choice((1, 3))):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        hurt = [
            number
            for number, place in rows
            if changed[place.offset : place.offset + place.length] != sound[place.offset : place.offset + place.length]
        ]
        assert [each.resource for each in check(tmp_path, rows) if each.harm is Harm.LIVE] == hurt
        assert len(
            [piece for piece in scan(tmp_path, rows[0][1].pack) if isinstance(piece, EntryHeader)]
        ) == COUNT - len(hurt)
