from __future__ import annotations

import itertools
from array import array

import pytest
from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from cormorant.frontier.queue import seen_urls as knowing
from cormorant.frontier.queue.seen_urls import LARGE, KnownUrls, SeenUrls, UrlLookup
from cormorant.model.content import PageLink
from cormorant.model.url import fingerprint
from tests.frontier.books import Books, nothing_seen

keys = st.integers(-(1 << 63), (1 << 63) - 1)


class AgainstASet(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.known, self.model = KnownUrls(), set[int]()

    @rule(key=keys)
    def add(self, key: int) -> None:
        if key not in self.model:
            self.known.add(key)
        self.model.add(key)

    @rule(key=keys)
    def ask(self, key: int) -> None:
        assert (key in self.known) == (key in self.model)

    @invariant()
    def counts(self) -> None:
        assert len(self.known) == len(self.model)
        assert all(key in self.known for key in self.model)


TestAgainstASet = AgainstASet.TestCase


@given(st.sets(keys, max_size=50), st.sets(keys, max_size=20))
def test_whatever_it_is_made_of(inside: set[int], asked: set[int]) -> None:
    for known in (KnownUrls(inside), KnownUrls(iter(inside)), KnownUrls(array("q", sorted(inside)))):
        assert {key for key in asked | inside if key in known} == inside


@pytest.fixture(scope="module")
def many() -> array[int]:
    """More keys than a set is used for, sorted, as the store gives them."""
    return array("q", sorted(fingerprint(f"https://a.example/{number}", 1) for number in range(LARGE + 1000)))


@pytest.mark.parametrize("form", [array, list])
def test_a_large_site(many: array[int], form: type) -> None:
    known = KnownUrls(many if form is array else many.tolist())
    assert len(known) == len(many)
    assert len(known._old) == len(many), "eight bytes each"
    assert all(key in known for key in many[::997])
    assert many[0] in known
    assert many[-1] in known
    absent = [fingerprint(f"https://b.example/{number}", 1) for number in range(1000)]
    assert not any(key in known for key in absent)
    for key in absent:
        known.add(key)
    assert all(key in known for key in absent)
    assert len(known) == len(many) + 1000


def test_news_are_merged_into_what_was_there(many: array[int]) -> None:
    known = KnownUrls(many)
    news = {fingerprint(f"https://b.example/{number}", 1) for number in range(LARGE + 1)}
    news |= {-(1 << 63), (1 << 63) - 1}
    for key in news:
        known.add(key)
    assert len(known._news) < LARGE
    assert len(known) == len(many) + len(news)
    assert all(one < two for one, two in itertools.pairwise(known._old))
    assert all(key in known for key in (*sorted(news)[::97], -(1 << 63), (1 << 63) - 1))
    assert all(key in known for key in many[::997])
    assert 0 not in known


class AgainstTheStore(RuleBasedStateMachine):
    """Whatever is asked in which order, and read when: what the store knows, and what was added here."""

    def __init__(self) -> None:
        super().__init__()
        self.books = Books(range(0, 60, 3))
        self.known, self.model = UrlLookup(self.books, 1), set(self.books.keys)

    @rule(keys=st.lists(st.integers(0, 70), max_size=9))
    def meet(self, keys: list[int]) -> None:
        self.known.meet(keys)

    @rule(key=st.integers(0, 70))
    def add(self, key: int) -> None:
        if key not in self.known:
            self.known.add(key)
            self.books.keys.add(key)
        self.model.add(key)

    @rule(key=st.integers(0, 70))
    def ask(self, key: int) -> None:
        assert (key in self.known) == (key in self.model)


@pytest.mark.parametrize("remembered", [1, 12, 200_000])
def test_the_keys_of_a_large_site_are_those_of_the_store_and_what_came(
    remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was added is in the store by the time that it is forgotten."""
    monkeypatch.setattr(knowing, "REMEMBERED", remembered)
    run_state_machine_as_test(AgainstTheStore)


def test_what_is_met_at_once_is_looked_up_at_once_and_never_again() -> None:
    books = Books((1, 2, 3))
    seen = SeenUrls(books)
    seen.open_large("a", 7)
    seen.open("b", [5])
    for _ in range(2):
        seen.meet([("a", 2), ("b", 5), ("a", 9), ("elsewhere", 4), ("a", 8)])
    assert books.asked == [[2, 8, 9]]
    assert [seen.first_unfollowed("a", key) for key in (2, 8)] == [False, True]
    assert [seen.first_time("a", key) for key in (2, 8, 9, 9)] == [False, True, True, False]
    assert [seen.first_time("b", 5), seen.first_time("elsewhere", 4)] == [False, True]
    assert books.asked == [[2, 8, 9]]
    assert not seen.first_time("a", 3)
    assert books.asked == [[2, 8, 9], [3]]
    seen.close("a")
    seen.meet([("a", 4)])
    assert len(books.asked) == 2, "it is not ours any more"
    seen.open_large("a", 7)
    seen.open("a", [1])
    seen.meet([("a", 4)])
    assert len(books.asked) == 2, "it has become small"


def test_as_much_is_remembered_of_a_large_site_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowing, "REMEMBERED", 4)
    books = Books((1, 2, 3))
    known = UrlLookup(books, 1)
    known.meet((1, 7, 8))
    known.add(7)
    known.meet((1, 2))
    assert (len(known._met), len(known._absent)) <= (4, 4)
    assert [key for key in (1, 2, 8) if key in known] == [1, 2]
    assert 7 not in known, "it is looked up once more, and not written yet"
    for key in range(100):
        known.meet((key,))
        assert len(known._met) + len(known._absent) <= 4
    known.meet(range(6))
    assert [key for key in range(6) if key in known] == [1, 2, 3], "more at once than there is room for"


def test_what_a_store_does_not_tell_is_taken_for_new_and_what_is_known_stays() -> None:
    books = Books((1, 2, 3))
    known = UrlLookup(books, 1)
    known.meet((1,))
    books.away = True
    known.meet((2, 3))
    assert [key for key in range(5) if key in known] == [1]
    books.away = False
    assert [key for key in range(5) if key in known] == [1], "it was taken for new already"


def test_an_address_is_new_once() -> None:
    seen = nothing_seen()
    seen.open("a", [1, 2])
    assert [seen.first_time("a", key) for key in (1, 2, 3, 3)] == [False, False, True, False]
    assert [seen.first_time("elsewhere", key) for key in (1, 1)] == [True, False]


def test_a_site_given_back_is_forgotten() -> None:
    seen = nothing_seen()
    seen.open("a", [1])
    seen.close("a")
    seen.close("a")
    seen.open("a", [])
    assert seen.first_time("a", 1)


def test_what_is_elsewhere_is_forgotten_when_told_to() -> None:
    seen = nothing_seen()
    seen.open("a", [])
    seen.first_time("a", 1)
    seen.first_time("b", 2)
    seen.forget_elsewhere()
    assert not seen.first_time("a", 1)
    assert seen.first_time("b", 2)


def test_what_is_not_to_be_followed_is_no_known_address() -> None:
    seen = nothing_seen()
    seen.open("a", [1])
    assert [seen.first_unfollowed("a", key) for key in (1, 2, 2)] == [False, True, False]
    assert [seen.first_unfollowed("b", key) for key in (3, 3)] == [True, False]
    assert [seen.first_time("a", 2), seen.first_time("b", 3)] == [True, True]
    seen.forget_elsewhere()
    assert [seen.first_unfollowed("a", 2), seen.first_unfollowed("b", 3)] == [False, True]
    for key in range(SeenUrls.ELSEWHERE + 5):
        seen.first_unfollowed("c", key)
    assert len(seen._unfollowed) <= SeenUrls.ELSEWHERE


def test_the_memory_of_elsewhere_is_bounded() -> None:
    seen = nothing_seen()
    for key in range(SeenUrls.ELSEWHERE * 2 + 5):
        assert seen.first_time("b", key)
    assert len(seen._elsewhere) <= SeenUrls.ELSEWHERE
    assert not seen.first_time("b", SeenUrls.ELSEWHERE * 2 + 4)
    assert seen.first_time("b", 0), "asked again, which costs a statement and no page"


A, B = PageLink("https://a.example/a"), PageLink("https://b.example/b")


def test_a_link_is_strange_once_to_each_source() -> None:
    seen = nothing_seen()
    assert seen.strange(1, [A, B, A]) == [A, B, A]
    assert seen.strange(1, [B, A]) == []
    assert seen.strange(2, [A]) == [A]
    assert seen.strange(1, [A, PageLink("https://a.example/c")]) == [PageLink("https://a.example/c")]


@pytest.mark.parametrize("what", ["open", "close", "forget_elsewhere"])
def test_what_may_be_unknown_again_is_strange_again(what: str) -> None:
    """Of a batch that was not written, or a site that another process had meanwhile."""
    seen = nothing_seen()
    seen.open("a", ())
    seen.strange(1, [A, B])
    arguments: dict[str, tuple[object, ...]] = {"open": ("a", ()), "close": ("a",), "forget_elsewhere": ()}
    getattr(seen, what)(*arguments[what])
    assert seen.strange(1, [A, B]) == [A, B]


def test_what_is_familiar_is_bounded() -> None:
    seen = nothing_seen()
    long = PageLink("https://a.example/" + "x" * 300)
    assert seen.strange(1, [long]) == seen.strange(1, [long]) == [long]
    for number in range(3 * SeenUrls.FAMILIAR):
        seen.strange(number % 7, [PageLink(f"https://a.example/{number}")])
        assert sum(map(len, seen._familiar.values())) <= SeenUrls.FAMILIAR
