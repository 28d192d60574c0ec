"""Which templates are suspected, and what is kept of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cormorant.frontier.novelty import unexplained
from cormorant.frontier.templates import as_rule, templates
from cormorant.frontier.traps import SAMPLE, WINDOW, Watch
from cormorant.model.resource import Resource, Role
from cormorant.sources.rules import compile_rules

HOST = "http://a.example"


def resource(path: str, *, indexed: bool = False) -> Resource:
    return Resource(1, 3, 1, HOST + path, Role.DOCUMENT, 1, 0, 0, 0, "", "", "", b"", b"", 0, indexed=indexed)


def crawled(watch: Watch, pages: int, text: str = "Nothing", *, aside: bool = False) -> int:
    """Walk a chain of months, saying `text` with the number in it; returns how many were visited."""
    visited = 0
    for number in range(pages):
        if watch.ruling(resource(f"/cal/{number}")) is None:
            visited += 1
            found = [f"{HOST}/cal/{number + 1}", *([f"{HOST}/event/of-{number}"] if aside else [])]
            watch.met(
                f"{HOST}/cal/{number}", found, ("", text.format(number, chr(97 + number % 26) * (number // 26 + 1)))
            )
    return visited


@pytest.mark.parametrize(
    ("path", "narrow", "wide"),
    [
        ("/cal/2031/5", "/cal/{n}/{n}", "/cal/{n}/*"), ("/a/page-17.html", "/a/page-{n}.html", "/a/*"),
        ("/p?b=2&a=1", "/p?a&b", "/p?*"), ("/x/3f9c01ab77", "/x/{id}", "/x/*"), ("/docs/intro", "/docs/*", "/docs/*"),
    ],
)  # fmt: skip
def test_numbers_and_ids_are_taken_out(path: str, narrow: str, wide: str) -> None:
    assert templates(HOST + path) == (HOST + narrow, HOST + wide)


PATHS = st.lists(st.sampled_from(["a", "cal", "2031", "7", "3f9c01ab77", "p-1.html", "x.y"]), min_size=1, max_size=4)
QUERIES = st.sampled_from(["", "?a=1", "?a=1&b=2", "?q", "?a[0]=x"])


@given(PATHS, QUERIES)
def test_the_proposed_rule_takes_what_the_template_was_made_of(path: list[str], query: str) -> None:
    address = f"{HOST}/{'/'.join(path)}{query}"
    for each in templates(address):
        assert not compile_rules(["any"], [as_rule(each)], None).ruling(address).admitted
        assert compile_rules(["any"], [as_rule(each)], None).ruling(f"{HOST}/a/b/c/d/e/f/g").admitted


def test_a_chain_that_says_nothing_is_suspected_and_sampled() -> None:
    watch = Watch(throttle=True)
    visited = crawled(watch, 1000)
    assert WINDOW < visited < 2 * WINDOW
    stopped = watch.ruling(resource("/cal/5000"))
    assert stopped is not None
    assert stopped.status == 979
    assert "exclude regex:" in stopped.rule


@pytest.mark.parametrize(
    ("text", "aside"), [("Saint {1} is honoured", False), ("Nothing", True)], ids=["says something", "leads elsewhere"]
)
def test_a_chain_that_bears_fruit_is_not(text: str, *, aside: bool) -> None:
    assert crawled(Watch(throttle=True), 1000, text, aside=aside) == 1000


def test_numbered_pages_in_a_tree_are_not() -> None:
    watch, queue, visited = Watch(throttle=True), [1], 0
    while queue:
        number = queue.pop(0)
        if watch.ruling(resource(f"/p/{number}")) is None:
            visited += 1
            below = [each for each in range(number * 10, number * 10 + 10) if each < 3000]
            watch.met(f"{HOST}/p/{number}", [f"{HOST}/p/{each}" for each in below], ("", f"This is page {number}"))
            queue += below
    assert visited == 1111


def test_a_sample_that_bears_fruit_clears_a_template() -> None:
    watch = Watch(throttle=True)
    crawled(watch, 1000)
    assert watch.suspects()
    while watch.ruling(resource("/cal/5000")) is not None:
        pass
    watch.met(f"{HOST}/cal/5000", [f"{HOST}/event/launch"], ("Launch of the lifeboat", ""))
    assert not watch.suspects()
    assert watch.ruling(resource("/cal/5001")) is None


def test_what_can_be_found_is_never_kept_out() -> None:
    watch = Watch(throttle=True)
    crawled(watch, 1000)
    assert all(watch.ruling(resource("/cal/1", indexed=True)) is None for _ in range(SAMPLE))


def test_samples_grow_rare() -> None:
    watch = Watch(throttle=True)
    crawled(watch, 1000)
    assert sum(watch.ruling(resource(f"/cal/{n}")) is None for n in range(10_000, 110_000)) < 12


def test_what_was_kept_goes_on() -> None:
    watch, other = Watch(throttle=True, most=9), Watch(throttle=True, most=9)
    crawled(watch, 1000)
    other.unpack(watch.pack())
    assert other.suspects().keys() == watch.suspects().keys()
    assert other.documents == watch.documents == 9
    other.begin(other.generation)
    assert other.ruling(resource("/a")) is not None
    other.begin(other.generation + 1)
    assert other.ruling(resource("/a")) is None


def test_an_address_explains_its_numbers_and_those_beside_them() -> None:
    said, figures = unexplained("May 2031\n\nTickets: 4711\n12 of 31", f"{HOST}/cal/2031/5")
    again, others = unexplained("May 2032\n\nTickets: 4712\n12 of 31", f"{HOST}/cal/2032/5")
    assert len(said & again) == 2
    assert len(said - again) == 1
    assert figures != others
