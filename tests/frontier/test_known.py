from __future__ import annotations

import itertools
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cormorant.frontier.known import LARGE, KnownSet, Seen
from cormorant.model.address import fingerprint
from cormorant.model.content import Link

keys = st.integers(-(1 << 63), (1 << 63) - 1)


class AgainstASet(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.known, self.model = KnownSet(), set[int]()

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
    for known in (KnownSet(inside), KnownSet(iter(inside)), KnownSet(array("q", sorted(inside)))):
        assert {key for key in asked | inside if key in known} == inside


@pytest.fixture(scope="module")
def many() -> array[int]:
    """More keys than a set is used for, sorted, as the store gives them."""
    return array("q", sorted(fingerprint(f"https://a.example/{number}", 1) for number in range(LARGE + 1000)))


@pytest.mark.parametrize("form", [array, list])
def test_a_large_site(many: array[int], form: type) -> None:
    known = KnownSet(many if form is array else many.tolist())
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
    known = KnownSet(many)
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


def test_an_address_is_new_once() -> None:
    seen = Seen()
    seen.open("a", [1, 2])
    assert [seen.first_time("a", key) for key in (1, 2, 3, 3)] == [False, False, True, False]
    assert [seen.first_time("elsewhere", key) for key in (1, 1)] == [True, False]


def test_a_site_given_back_is_forgotten() -> None:
    seen = Seen()
    seen.open("a", [1])
    seen.close("a")
    seen.close("a")
    seen.open("a", [])
    assert seen.first_time("a", 1)


def test_what_is_elsewhere_is_forgotten_when_told_to() -> None:
    seen = Seen()
    seen.open("a", [])
    seen.first_time("a", 1)
    seen.first_time("b", 2)
    seen.forget_elsewhere()
    assert not seen.first_time("a", 1)
    assert seen.first_time("b", 2)


def test_what_is_not_to_be_followed_is_no_known_address() -> None:
    seen = Seen()
    seen.open("a", [1])
    assert [seen.first_unfollowed("a", key) for key in (1, 2, 2)] == [False, True, False]
    assert [seen.first_unfollowed("b", key) for key in (3, 3)] == [True, False]
    assert [seen.first_time("a", 2), seen.first_time("b", 3)] == [True, True]
    seen.forget_elsewhere()
    assert [seen.first_unfollowed("a", 2), seen.first_unfollowed("b", 3)] == [False, True]
    for key in range(Seen.ELSEWHERE + 5):
        seen.first_unfollowed("c", key)
    assert len(seen._unfollowed) <= Seen.ELSEWHERE


def test_the_memory_of_elsewhere_is_bounded() -> None:
    seen = Seen()
    for key in range(Seen.ELSEWHERE * 2 + 5):
        assert seen.first_time("b", key)
    assert len(seen._elsewhere) <= Seen.ELSEWHERE
    assert not seen.first_time("b", Seen.ELSEWHERE * 2 + 4)
    assert seen.first_time("b", 0), "asked again, which costs a statement and no page"


A, B = Link("https://a.example/a"), Link("https://b.example/b")


def test_a_link_is_strange_once_to_each_source() -> None:
    seen = Seen()
    assert seen.strange(1, [A, B, A]) == [A, B, A]
    assert seen.strange(1, [B, A]) == []
    assert seen.strange(2, [A]) == [A]
    assert seen.strange(1, [A, Link("https://a.example/c")]) == [Link("https://a.example/c")]


@pytest.mark.parametrize("what", ["open", "close", "forget_elsewhere"])
def test_what_may_be_unknown_again_is_strange_again(what: str) -> None:
    """Of a batch that was not written, or a site that another process had meanwhile."""
    seen = Seen()
    seen.open("a", ())
    seen.strange(1, [A, B])
    arguments: dict[str, tuple[object, ...]] = {"open": ("a", ()), "close": ("a",), "forget_elsewhere": ()}
    getattr(seen, what)(*arguments[what])
    assert seen.strange(1, [A, B]) == [A, B]


def test_what_is_familiar_is_bounded() -> None:
    seen = Seen()
    long = Link("https://a.example/" + "x" * 300)
    assert seen.strange(1, [long]) == seen.strange(1, [long]) == [long]
    for number in range(3 * Seen.FAMILIAR):
        seen.strange(number % 7, [Link(f"https://a.example/{number}")])
        assert sum(map(len, seen._familiar.values())) <= Seen.FAMILIAR
