"""May one more document be asked for, whoever else fetches for the same run?"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, strategies as st

from cormorant.crawl.commit.batch import Batch
from cormorant.crawl.commit.quota import IDLE_S, Allowance
from cormorant.model.run import Counters
from cormorant.store.journal.quota_claims import QuotaClaim


@dataclass
class Process:
    """One of several that fetch for a run, with what is under way here (sizes)."""

    documents: int | None
    received: int | None
    allowance: Allowance = field(default_factory=Allowance)
    under_way: list[int] = field(default_factory=list)
    fetched: int = 0
    size: int = 0

    def has_room(self) -> bool:
        self.reckon()
        return self.allowance.ask_room(len(self.under_way), 0.0)

    def reckon(self) -> None:
        self.allowance.reckon(Counters(fetched=self.fetched, bytes=self.size), Batch(), len(self.under_way))

    def end(self, *, there: bool = True) -> None:
        """The oldest visit ends; nothing is fetched by one to what is not there."""
        size = self.under_way.pop(0)
        self.fetched += there
        self.size += size
        self.allowance.note(size)

    def claimed(self) -> QuotaClaim:
        said = self.allowance.claimed
        return QuotaClaim(max(said.documents, self.fetched), max(said.received, self.size))

    def look(self, now: float, others: list[Process]) -> None:
        """The periodic work of the process."""
        self.reckon()
        self.allowance.documents.set(self.documents)
        self.allowance.received.set(self.received)
        low, idle = self.allowance.is_low(), self.allowance.take_idleness(now)
        if low or idle:
            claims = [each.claimed() for each in others]
            together = QuotaClaim(sum(each.documents for each in claims), sum(each.received for each in claims))
            self.allowance.share(together, 1 + len(others), more=low)


def test_nothing_is_limited_by_default() -> None:
    allowance = Allowance()
    allowance.reckon(Counters(fetched=10**9, bytes=10**15), Batch(), 64)
    assert allowance.ask_room(64, 1e9)


def test_what_is_under_way_counts() -> None:
    process = Process(10, None)
    process.look(1.0, [])
    process.fetched = 7
    process.under_way = [1, 1]
    assert process.has_room()
    process.under_way.append(1)
    assert not process.has_room()


def test_of_bytes_the_first_document_goes_alone() -> None:
    """Nobody knows how big documents are before one is there."""
    process = Process(None, 1_000)
    process.look(1.0, [])
    assert process.has_room()
    process.under_way.append(300)
    assert not process.has_room()
    process.end()

    def room(under_way: int) -> bool:
        process.under_way = [300] * under_way
        return process.has_room()

    assert list(map(room, range(4))) == [True, True, True, False]


def test_what_another_claimed_cannot_be_had_until_it_gives_it_back() -> None:
    busy, idle = Process(100, None), Process(100, None)
    idle.look(1.0, [busy])
    busy.look(1.0, [idle])
    assert (idle.allowance.claimed.documents, busy.allowance.claimed.documents) == (50, 25)
    busy.fetched = 49
    assert not busy.has_room()
    busy.look(2.0, [idle])
    busy.fetched = 50
    assert not busy.has_room()
    busy.look(2.5, [idle])
    assert not busy.has_room(), "all is claimed"
    idle.look(2.5 + IDLE_S, [busy])
    busy.look(2.6 + IDLE_S, [idle])
    assert busy.has_room()


def test_an_idle_process_keeps_its_claim_while_there_is_enough_for_others() -> None:
    busy, idle = Process(100_000, None), Process(100_000, None)
    idle.look(1.0, [busy])
    idle.look(2.0 + IDLE_S, [busy])
    assert idle.allowance.claimed.documents == 50_000


STEPS = st.lists(st.tuples(st.sampled_from("benla"), st.integers(0, 2)), max_size=400)


@given(STEPS, st.integers(0, 60), st.lists(st.integers(1, 5_000), min_size=1, max_size=30))
def test_all_together_keep_a_limit_and_come_to_it(steps: list[tuple[str, int]], most: int, sizes: list[int]) -> None:
    """Processes begin, end and refresh the limits in any order; then one of them goes on alone."""
    every, now, begun = [Process(most, None) for _ in range(3)], 1.0, 0
    for process in every:
        process.look(now, [each for each in every if each is not process])
    for what, number in steps:
        process = every[number]
        others = [each for each in every if each is not process]
        now += 0.1
        if what == "b" and process.has_room():
            process.under_way.append(sizes[begun % len(sizes)])
            begun += 1
        elif what in "en" and process.under_way:
            process.end(there=what == "e")
        elif what in "la":
            process.look(now, others)
        assert sum(each.fetched + len(each.under_way) for each in every) <= most
    for _ in range(200):
        now += 1.5 * IDLE_S
        while every[0].has_room():
            every[0].under_way.append(1)
        for process in every:
            while process.under_way:
                process.end()
            process.look(now, [each for each in every if each is not process])
    assert sum(each.fetched for each in every) == most


@given(st.lists(st.integers(1, 5_000), min_size=60, max_size=60), st.integers(1, 20_000), st.integers(1, 8))
def test_one_process_receives_about_what_it_may(sizes: list[int], most: int, width: int) -> None:
    """More than the limit by those under way at the most, and never less when there was enough."""
    process, left = Process(None, most), list(sizes)
    process.look(1.0, [])
    while left or process.under_way:
        while left and len(process.under_way) < width and process.has_room():
            process.under_way.append(left.pop())
        if not process.under_way:
            break
        process.end()
    assert process.size >= min(most, sum(sizes))
    assert process.size < most + width * max(sizes)
