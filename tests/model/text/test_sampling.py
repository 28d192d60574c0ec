"""Whose turn it is to be looked at."""

from __future__ import annotations

from cormorant.model.text.sampling import DAY_S, is_chosen

ADDRESSES = [f"file:///srv/docs/{number}" for number in range(20_000)]


def test_a_share_of_all_and_other_ones_each_day() -> None:
    days = [{each for each in ADDRESSES if is_chosen(each, day * DAY_S + 5.0, 0.01)} for day in range(3)]
    assert all(150 < len(each) < 250 for each in days)
    assert len(days[0] & days[1]) < 20
    assert all(is_chosen(each, DAY_S - 1.0, 0.01) for each in days[0])


def test_none_and_all() -> None:
    assert not any(is_chosen(each, 0.0, 0.0) for each in ADDRESSES)
    assert all(is_chosen(each, 0.0, 1.0) for each in ADDRESSES)
