from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cormorant.base.errors import CacheDamaged, DataFolderError
from cormorant.store.blobs.pack_format import pack_path
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.blobs.reader import PackReader
from cormorant.store.blobs.record import encode
from cormorant.store.blobs.writer import PackWriter
from tests.clocks import Hands
from tests.store.blobs.pages import MOMENT, page

COUNT = 20


@pytest.fixture
def places(tmp_path: Path) -> list[BlobPlace]:
    writer = PackWriter(tmp_path, Hands(MOMENT))
    places = writer.append([(n, encode(page(n))) for n in range(COUNT)])
    writer.close()
    return places


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PackReader]:
    reader = PackReader(tmp_path)
    yield reader
    reader.close()


def test_what_was_kept_is_read(places: list[BlobPlace], reader: PackReader) -> None:
    assert [reader.read(place) for place in places] == [page(n) for n in range(COUNT)]


def damage(data: bytes, chance: random.Random) -> bytes:
    """Flip one to eight bits, or cut the end off, or both."""
    changed = bytearray(data)
    if chance.random() < 0.75:
        for _ in range(chance.choice((1, 1, 2, 8))):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    if changed == data or chance.random() < 0.1:
        del changed[chance.randrange(len(changed)) :]
    return bytes(changed)


def test_a_thousand_damages_and_never_a_wrong_frame(tmp_path: Path, places: list[BlobPlace]) -> None:
    path = pack_path(tmp_path, places[0].pack)
    sound = path.read_bytes()
    chance = random.Random(20)
    noticed = 0
    for _ in range(1000):
        changed = damage(sound, chance)
        path.write_bytes(changed)
        reader = PackReader(tmp_path)
        for number, place in enumerate(places):
            part = slice(place.offset, place.offset + place.length)
            try:
                assert reader.read(place) == page(number)
                assert changed[part] == sound[part]
            except CacheDamaged:
                assert changed[part] != sound[part]
                noticed += 1
        reader.close()
    assert noticed > 1000


@pytest.mark.parametrize("pack", [-(1 << 63), -1, 1, 1 << 63])
def test_a_pack_that_is_not_there_is_damage(places: list[BlobPlace], reader: PackReader, pack: int) -> None:
    with pytest.raises(CacheDamaged):
        reader.read(places[4]._replace(pack=places[4].pack + pack))


@pytest.mark.parametrize(
    ("offset", "length"), [(1, 0), (-1, 0), (1 << 62, 0), (1 << 63, 0), (0, 1), (0, -1), (0, -1_000_000), (0, 1 << 62)]
)
def test_a_wrong_place_is_damage(places: list[BlobPlace], reader: PackReader, offset: int, length: int) -> None:
    place = places[4]
    with pytest.raises(CacheDamaged):
        reader.read(BlobPlace(place.pack, place.offset + offset, place.length + length))


def test_a_pack_that_may_not_be_opened_is_no_damage(
    tmp_path: Path, places: list[BlobPlace], reader: PackReader
) -> None:
    path = pack_path(tmp_path, places[0].pack)
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(DataFolderError, match="cannot be opened"):
        reader.read(places[0])


def test_a_disk_that_does_not_read_is_damage(places: list[BlobPlace], tmp_path: Path, reader: PackReader) -> None:
    path = pack_path(tmp_path, places[0].pack)
    path.unlink()
    path.mkdir()
    with pytest.raises(CacheDamaged):
        reader.read(places[0])


def test_few_packs_are_open_at_once(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path, Hands(MOMENT), rotate_bytes=1)
    places = [writer.append([(n, encode(page(n)))])[0] for n in range(10)]
    writer.close()
    descriptors = Path("/dev/fd")
    before = len(list(descriptors.iterdir()))
    reader = PackReader(tmp_path, open_packs=3)
    for number in (*range(10), 9, 8, 0):
        assert reader.read(places[number]) == page(number)
    assert len(list(descriptors.iterdir())) == before + 3
    reader.close()
    assert len(list(descriptors.iterdir())) == before


def test_threads_may_share_it(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path, Hands(MOMENT), rotate_bytes=1)
    places = [writer.append([(n, encode(page(n)))])[0] for n in range(12)]
    writer.close()
    reader = PackReader(tmp_path, open_packs=2)
    with ThreadPoolExecutor(4) as pool:
        frames = list(pool.map(lambda n: reader.read(places[n % 12]) == page(n % 12), range(400)))
    reader.close()
    assert all(frames)
