from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.crawl.link_filter import FilteredLinks, Screened, SiteKeys, screen
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.model.content import PageLink
from cormorant.model.resource import DiscoveredBy
from cormorant.model.url import fingerprint, origin_of
from cormorant.store.journal.visits import Exclusion
from tests.crawl.samples import NEVER_SEEN, RUN, SOURCE, web_source
from tests.frontier.books import Books, nothing_seen

HERE = "https://a.example"


def screened(seen: SeenUrls, *addresses: str, **settings: object) -> Screened:
    links = FilteredLinks([PageLink(address) for address in addresses])
    return screen(web_source(**settings), NEVER_SEEN, links, seen, SiteKeys(), RUN)


def names(found: Screened) -> tuple[list[str], list[str]]:
    return [each.found.address for each in found.arrivals], [each.address for each in found.exclusions]


def test_a_new_link_is_a_resource_one_step_deeper() -> None:
    (arrival,) = screened(nothing_seen(), f"{HERE}/x").arrivals
    assert arrival.key == fingerprint(f"{HERE}/x", SOURCE)
    found = arrival.found
    assert (found.address, found.site, found.depth) == (f"{HERE}/x", "a.example", NEVER_SEEN.depth + 1)
    assert (found.how, found.referrer, found.priority) == (DiscoveredBy.LINK, NEVER_SEEN.id, 128)


def test_what_a_gate_excludes_names_its_rule() -> None:
    (exclusion,) = screened(nothing_seen(), "https://b.example/x").exclusions
    assert exclusion == Exclusion(
        SOURCE, fingerprint("https://b.example/x", SOURCE), "https://b.example/x", "boundary", exclusion.rule, 964, RUN,
        NEVER_SEEN.depth + 1, NEVER_SEEN.id,
    )  # fmt: skip
    assert exclusion.rule


def test_every_address_is_judged_once() -> None:
    seen = nothing_seen()
    seen.open("a.example", [fingerprint(f"{HERE}/known", SOURCE)])
    links = [f"{HERE}/known", f"{HERE}/x", "https://b.example/x", f"{HERE}/x", "https://b.example/x"]
    assert names(screened(seen, *links)) == ([f"{HERE}/x"], ["https://b.example/x"])
    assert names(screened(seen, *links)) == ([], [])


def test_an_excluded_address_of_a_leased_site_is_judged_once_too() -> None:
    seen = nothing_seen()
    seen.open("a.example", [])
    assert names(screened(seen, f"{HERE}/a.zip", exclude=["ends:.zip"])) == ([], [f"{HERE}/a.zip"])
    assert names(screened(seen, f"{HERE}/a.zip", exclude=["ends:.zip"])) == ([], [])


@pytest.mark.parametrize(
    ("address", "settings", "gate"),
    [
        ("ftp://a.example/x", {}, "scheme"),
        (f"{HERE}/{'x' * 5000}", {}, "address"),
        (f"{HERE}/x", {"depth": 2}, "depth"),
        (f"{HERE}/a.zip", {"exclude": ["ends:.zip"]}, "boundary"),
        ("https://b.example/", {}, "boundary"),
    ],
    ids=["scheme", "length", "depth", "exclude", "host"],
)
def test_which_gate_says_no(address: str, settings: dict[str, object], gate: str) -> None:
    assert [each.gate for each in screened(nothing_seen(), address, **settings).exclusions] == [gate]


def unfollowed(seen: SeenUrls, *links: PageLink) -> list[tuple[str, str, str, int]]:
    found = screen(web_source(), NEVER_SEEN, FilteredLinks((), links), seen, SiteKeys(), RUN)
    assert not found.arrivals
    assert {(each.referrer, each.run, each.depth) for each in found.exclusions} <= {(NEVER_SEEN.id, RUN, 3)}
    return [(each.address, each.gate, each.rule, each.status) for each in found.exclusions]


def test_a_link_not_to_be_followed_is_an_exclusion_that_names_it() -> None:
    seen = nothing_seen()
    seen.open("a.example", [])
    links = [
        PageLink(f"{HERE}/x", rel="nofollow noopener"),
        PageLink(f"{HERE}/y"),
        PageLink("https://b.example/z", rel="nofollow"),
    ]
    of_page = "nofollow, said by the page of all its links"
    assert unfollowed(seen, *links) == [
        (f"{HERE}/x", "link", "rel=nofollow", 983), (f"{HERE}/y", "link", of_page, 983),
        ("https://b.example/z", "link", "rel=nofollow", 983),
    ]  # fmt: skip
    assert not unfollowed(seen, *links), "once is enough"


def test_a_link_not_to_be_followed_keeps_no_other_from_being_followed() -> None:
    seen = nothing_seen()
    seen.open("a.example", [])
    link = PageLink(f"{HERE}/x", rel="nofollow")
    assert unfollowed(seen, link)
    assert names(screened(seen, link.address)) == ([link.address], [])
    seen.forget_elsewhere()
    assert not unfollowed(seen, link), "it is a resource by now"


def test_the_links_of_a_page_of_a_large_site_are_looked_up_together() -> None:
    addresses = [f"{HERE}/{number}" for number in range(4)]
    numbers = [fingerprint(each, SOURCE) for each in addresses]
    books = Books(numbers[:2])
    seen = SeenUrls(books)
    seen.open_large(SiteKeys().of(HERE), 1)
    found = screened(seen, *addresses)
    assert [each.found.address for each in found.arrivals] == addresses[2:]
    assert books.asked == [sorted(numbers)]
    unfollowed(seen, *(PageLink(f"{HERE}/not/{number}") for number in range(3)))
    assert [len(each) for each in books.asked] == [4, 3]


def test_nothing_is_nothing() -> None:
    assert screened(nothing_seen()) == Screened([], [])


hosts = st.sampled_from(["a.example", "a.example:8080", "b.example:443", "[::1]", "[::1]:81", "x.y.z"])


@given(st.sampled_from(["http", "https"]), hosts, st.text("abc/.?", max_size=8))
def test_the_site_of_an_address(scheme: str, host: str, rest: str) -> None:
    keys, address = SiteKeys(), f"{scheme}://{host}/{rest}"
    assert keys.of(address) == keys.of(address) == origin_of(address).site


def test_the_memory_of_sites_is_bounded() -> None:
    keys = SiteKeys()
    for number in range(100_050):
        keys.of(f"https://host-{number}.example/")
    assert len(keys._keys) <= 100_001
    assert keys.of("https://host-1.example/x") == "host-1.example"
