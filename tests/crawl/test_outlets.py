"""When the index commits: each commit is a segment, and many small ones are joined again and again."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.cache.local import LocalCache
from cormorant.catalog.acls import ACLNumbers
from cormorant.crawl.delivery import Found, Shelf
from cormorant.crawl.outlets import COMMIT_DOCUMENTS, COMMIT_S, QUIET_S, IndexOutlet
from cormorant.index.memory import MemoryIndex
from cormorant.receivers.stream import Event, Numbered


class Stream:
    """Events for an outlet, and the place it has confirmed after each."""

    def __init__(self, folder: Path) -> None:
        shelf = Shelf(LocalCache(folder, SystemClock()), ACLNumbers())
        self.outlet = IndexOutlet(MemoryIndex().writer(), shelf)
        self._numbers = count(1)

    def tell(self, events: int, now: float) -> int:
        found = [self._found(next(self._numbers)) for _ in range(events)]
        return self.outlet.receive(found, found[-1].event.seq if found else self.outlet.place, now)

    @staticmethod
    def _found(number: int) -> Found:
        return Found(Numbered(number, 1, number, 1, Event.DELETED, "http://a.test/"), None, None)


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    return Stream(tmp_path)


def test_a_crawl_that_pauses_for_a_moment_after_each_batch_is_not_committed_batch_by_batch(stream: Stream) -> None:
    now = 100.0
    for _ in range(5):
        assert stream.tell(10, now) == 0
        assert stream.tell(0, now + QUIET_S * 0.9) == 0
        now += QUIET_S * 0.9 + 0.01
    assert stream.tell(0, now + QUIET_S) == 50


def test_what_comes_slowly_but_without_end_is_committed_by_time(stream: Stream) -> None:
    moments = [100.0 + 0.4 * each for each in range(20)]
    committed = next(now for now in moments if stream.tell(1, now))
    assert COMMIT_S < committed - moments[0] <= COMMIT_S + 0.4


def test_a_full_segment_is_committed_at_once(stream: Stream) -> None:
    assert stream.tell(COMMIT_DOCUMENTS - 1, 100.0) == 0
    assert stream.tell(1, 100.0) == COMMIT_DOCUMENTS


def test_nothing_is_committed_when_nothing_came(stream: Stream) -> None:
    assert stream.tell(3, 100.0) == 0
    assert stream.tell(0, 101.0) == 3
    assert [stream.tell(0, 101.0 + each) for each in range(1, 20)] == [3] * 19
