"""Which templates are suspected, and what is kept of them."""

from __future__ import annotations

import json
import zlib

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.traps.detector import MOST_LINES, MOST_TEXT, SAMPLE, WINDOW, TrapDetector, unexplained
from cormorant.frontier.traps.url_templates import as_rule, templates
from cormorant.model.resource import Resource, Role
from cormorant.model.settings.budget import SiteBudget
from cormorant.sources.rules import compile_rules

HOST = "http://a.example"
NOW = 1_000_000.0


def resource(path: str, *, indexed: bool = False) -> Resource:
    return Resource(1, 3, 1, HOST + path, Role.DOCUMENT, 1, 0, 0, 0, "", "", "", b"", b"", 0, indexed=indexed)


def crawled(watch: TrapDetector, pages: int, text: str = "Nothing", *, aside: bool = False) -> int:
    """Walk a chain of months, saying `text` with the number in it; returns how many were visited."""
    visited = 0
    for number in range(pages):
        if watch.ruling(resource(f"/cal/{number}"), NOW) is None:
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
QUERIES = st.sampled_from(
    ["", "?a=1", "?a=1&b=2", "?b=2&a=1", "?f=1&f=2", "?a&f=1&a=2&f", "?a=1&&b=2", "?", "?q", "?a[0]=x"]
)


@given(PATHS, QUERIES)
def test_the_proposed_rule_takes_what_the_template_was_made_of(path: list[str], query: str) -> None:
    address = f"{HOST}/{'/'.join(path)}{query}"
    for each in templates(address):
        assert not compile_rules(["any"], [as_rule(each)], None).ruling(address).admitted
        assert compile_rules(["any"], [as_rule(each)], None).ruling(f"{HOST}/a/b/c/d/e/f/g").admitted


@pytest.mark.parametrize(
    ("query", "taken"),
    [("a=1&b=2", True), ("b&a=", True), ("a=1&b=2&a=3", True), ("a=1", False), ("b=2", False), ("", False),
     ("a=1&b=2&c=3", False), ("ab=1&b=2", False)],
)  # fmt: skip
def test_the_proposed_rule_leaves_other_queries_of_the_path(query: str, *, taken: bool) -> None:
    rules = compile_rules(["any"], [as_rule(f"{HOST}/p?a&b")], None)
    assert rules.ruling(f"{HOST}/p?{query}").admitted != taken


def test_a_rule_can_be_proposed_for_any_number_of_parameters() -> None:
    query = "&".join(f"name{number}=1" for number in range(80))
    rule = as_rule(templates(f"{HOST}/p?{query}").narrow)
    assert not compile_rules(["any"], [rule], None).ruling(f"{HOST}/p?{query}").admitted
    assert compile_rules(["any"], [rule], None).ruling(f"{HOST}/p?name1=1").admitted


def test_no_more_is_looked_at_than_a_page_has_at_its_beginning() -> None:
    line = "word " * (MOST_TEXT // 5)
    assert unexplained(line + "more", HOST) == unexplained(line + "else 4711", HOST)
    many = "line\n" * MOST_LINES
    assert unexplained(many + "more", HOST) == unexplained(many, HOST)


def test_a_chain_that_says_nothing_is_suspected_and_sampled() -> None:
    watch = TrapDetector(throttle=True)
    visited = crawled(watch, 1000)
    assert WINDOW < visited < 2 * WINDOW
    stopped = watch.ruling(resource("/cal/5000"), NOW)
    assert stopped is not None
    assert stopped.status == 979
    assert "exclude regex:" in stopped.rule


@pytest.mark.parametrize(
    ("text", "aside"), [("Saint {1} is honoured", False), ("Nothing", True)], ids=["says something", "leads elsewhere"]
)
def test_a_chain_that_bears_fruit_is_not(text: str, *, aside: bool) -> None:
    assert crawled(TrapDetector(throttle=True), 1000, text, aside=aside) == 1000


def test_numbered_pages_in_a_tree_are_not() -> None:
    watch, queue, visited = TrapDetector(throttle=True), [1], 0
    while queue:
        number = queue.pop(0)
        if watch.ruling(resource(f"/p/{number}"), NOW) is None:
            visited += 1
            below = [each for each in range(number * 10, number * 10 + 10) if each < 3000]
            watch.met(f"{HOST}/p/{number}", [f"{HOST}/p/{each}" for each in below], ("", f"This is page {number}"))
            queue += below
    assert visited == 1111


def test_a_sample_that_bears_fruit_clears_a_template() -> None:
    watch = TrapDetector(throttle=True)
    crawled(watch, 1000)
    assert watch.suspects()
    while watch.ruling(resource("/cal/5000"), NOW) is not None:
        pass
    watch.met(f"{HOST}/cal/5000", [f"{HOST}/event/launch"], ("Launch of the lifeboat", ""))
    assert not watch.suspects()
    assert watch.ruling(resource("/cal/5001"), NOW) is None


def test_what_can_be_found_is_never_kept_out() -> None:
    watch = TrapDetector(throttle=True)
    crawled(watch, 1000)
    assert all(watch.ruling(resource("/cal/1", indexed=True), NOW) is None for _ in range(SAMPLE))


def test_samples_grow_rare() -> None:
    watch = TrapDetector(throttle=True)
    crawled(watch, 1000)
    assert sum(watch.ruling(resource(f"/cal/{n}"), NOW) is None for n in range(10_000, 110_000)) < 12


def test_what_was_kept_goes_on() -> None:
    watch, other = (TrapDetector(throttle=True, most=SiteBudget(documents=WINDOW + 9)) for _ in range(2))
    crawled(watch, 1000)
    other.unpack(watch.pack())
    assert other.suspects().keys() == watch.suspects().keys()
    assert other.spent == watch.spent
    assert other.spent.documents == WINDOW + 9
    other.begin(other.spent.run)
    assert other.ruling(resource("/a"), NOW) is not None
    other.begin(other.spent.run + 1)
    assert other.ruling(resource("/a"), NOW) is None


def test_what_was_kept_before_there_were_limits_but_for_documents_goes_on() -> None:
    watch = TrapDetector(throttle=True, most=SiteBudget(documents=3))
    watch.unpack(zlib.compress(json.dumps([7, 2, []]).encode()))
    watch.begin(7)
    assert [watch.ruling(resource(path), NOW) is None for path in ("/a", "/b")] == [True, False]


def test_an_address_explains_its_numbers_and_those_beside_them() -> None:
    said, figures = unexplained("May 2031\n\nTickets: 4711\n12 of 31", f"{HOST}/cal/2031/5")
    again, others = unexplained("May 2032\n\nTickets: 4712\n12 of 31", f"{HOST}/cal/2032/5")
    assert len(said & again) == 2
    assert len(said - again) == 1
    assert figures != others


def test_who_ignores_traps_is_kept_from_nothing_that_was_suspected_before() -> None:
    watch = TrapDetector(throttle=True)
    crawled(watch, 200)
    assert watch.suspects()
    again = TrapDetector(throttle=False, most=SiteBudget(documents=1_000))
    again.unpack(watch.pack())
    assert all(again.ruling(resource(f"/cal/{number}"), NOW) is None for number in range(300, 330))
