from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CacheDamaged
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.pack_format import pack_path
from cormorant.store.blobs.record import Frame, encode

SECRET = "Quillfeather zanzibaritis"


def frame(text: str) -> bytes:
    return encode(Frame("http://x/", "http://x/", "text/html", "HTTP/1.1 200 OK", b"", text.encode(), text, text))


@pytest.fixture
def cache(tmp_path: Path) -> LocalCache:
    return LocalCache(tmp_path, SystemClock())


def test_nothing_of_an_entry_stays_and_its_neighbours_are_whole(cache: LocalCache, tmp_path: Path) -> None:
    places = cache.keep([(1, frame("before")), (2, frame(SECRET)), (3, frame("behind"))])
    held = pack_path(tmp_path, places[1].pack).read_bytes()[places[1].offset :][: places[1].length]
    cache.erase([places[1]])
    assert held[40:60] not in pack_path(tmp_path, places[1].pack).read_bytes()
    with pytest.raises(CacheDamaged):
        cache.read(places[1])
    assert [cache.read(places[n]).text for n in (0, 2)] == ["before", "behind"]
    assert [each.resource for each in cache.entries()] == [1, 3]
    assert not list(cache.check([(1, places[0]), (3, places[2])])), "the hole is sound"


def test_the_writer_goes_on_behind_it(cache: LocalCache) -> None:
    (first,) = cache.keep([(1, frame(SECRET))])
    cache.erase([first])
    (second,) = cache.keep([(1, frame("another text"))])
    assert second.pack == first.pack
    assert cache.read(second).text == "another text"


def test_a_pack_that_is_gone_has_nothing_to_erase(cache: LocalCache, tmp_path: Path) -> None:
    (place,) = cache.keep([(1, frame(SECRET))])
    cache.close()
    pack_path(tmp_path, place.pack).unlink()
    cache.erase([place])
