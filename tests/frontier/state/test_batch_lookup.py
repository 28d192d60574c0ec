from __future__ import annotations

from hypothesis import given, strategies as st

from cormorant.frontier.state import batch_lookup


@given(st.dictionaries(st.integers(0, 5_000), st.integers(0, 400), max_size=1_500))
def test_every_pair_is_asked_for_once_and_few_that_are_none(places: dict[int, int]) -> None:
    asked: dict[int, int] = {}
    for chunk in batch_lookup.chunks(places):
        assert len(chunk["sites"]) == len({*chunk["sites"]}) <= batch_lookup.SITES
        assert 0 < len(chunk["keys"]) <= batch_lookup.KEYS
        assert {places[key] for key in chunk["keys"]} == {*chunk["sites"]}
        assert asked.keys().isdisjoint(chunk["keys"])
        asked |= {key: places[key] for key in chunk["keys"]}
    assert asked == places


def test_a_sitemap_of_fifty_thousand_hosts_costs_as_much_as_it_has_entries() -> None:
    looked_up = sum(
        len(each["sites"]) * len(each["keys"]) for each in batch_lookup.chunks({n: n for n in range(50_000)})
    )
    assert looked_up <= 50_000 * batch_lookup.SITES
    assert len(list(batch_lookup.chunks(dict.fromkeys(range(50_000), 1)))) == 50_000 // batch_lookup.KEYS
