from __future__ import annotations

from pathlib import Path

from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.protocol import Cache
from cormorant.store.blobs.record import encode
from tests.clocks import Hands
from tests.store.blobs.pages import MOMENT, page


def test_a_document_is_kept_and_shown(tmp_path: Path) -> None:
    local = LocalCache(tmp_path, Hands(MOMENT))
    cache: Cache = local
    places = cache.keep([(n, encode(page(n))) for n in range(1, 6)])
    assert cache.read(places[2]) == page(3)
    assert list(cache.check(enumerate(places, 1))) == []
    assert [entry.place for entry in cache.entries()] == places
    assert local.broken is None
    cache.close()
    again = LocalCache(tmp_path, Hands(MOMENT))
    assert again.read(places[4]) == page(5)
    again.close()
