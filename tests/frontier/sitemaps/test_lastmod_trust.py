"""What a sitemap claims, and how it is found to be true."""

from __future__ import annotations

import pytest

from cormorant.frontier.sitemaps.lastmod_trust import MEMORY, SAMPLE, ClaimVerdict, Trust, priority, verdict_on
from cormorant.model.content import FeedEntry

DAY, NOW = 86_400.0, 1_700_000_000.0


def entry(since: float | None = None, until: float | None = None, weight: float | None = None) -> FeedEntry:
    return FeedEntry("https://a.example/", False, since, until if until is not None else since, 0, weight)


@pytest.mark.parametrize(
    ("given", "visited", "expected"),
    [
        (entry(NOW - 10), NOW - 20, ClaimVerdict.NEWER),
        (entry(NOW - 30), NOW - 20, ClaimVerdict.SAME),
        (entry(NOW - 30), None, ClaimVerdict.NOTHING),
        (entry(), NOW - 20, ClaimVerdict.NOTHING),
        (entry(NOW + 2 * DAY), NOW - 20, ClaimVerdict.NOTHING),
        (entry(NOW - DAY, NOW - 1), NOW - 20, ClaimVerdict.NOTHING),
        (entry(NOW - DAY, NOW - 30), NOW - 20, ClaimVerdict.SAME),
        (entry(NOW - 10, NOW + DAY), NOW - 20, ClaimVerdict.NEWER),
    ],
)
def test_what_a_date_claims_at_a_visit(given: FeedEntry, visited: float | None, expected: ClaimVerdict) -> None:
    assert verdict_on(given, visited, NOW) is expected


def test_dates_are_believed_until_enough_of_them_were_wrong() -> None:
    assert Trust().is_believed
    assert Trust(0, SAMPLE - 1).is_believed
    assert not Trust(SAMPLE // 2 - 1, SAMPLE).is_believed
    assert Trust(SAMPLE // 2, SAMPLE).is_believed
    learned = Trust(0, MEMORY, 1)
    for run in range(2, 8):
        learned = learned.after(MEMORY // 2, MEMORY // 2, run)
    assert learned.is_believed, "what was wrong long ago is forgiven"
    assert learned.run == 7


def test_the_place_of_a_page_in_the_order() -> None:
    first = [entry(weight=each) for each in (1.0, 0.5, 0.0)]
    assert [priority(each) for each in first] == [117, 128, 139]
    assert priority(entry()) == 128, "what says nothing stands where a link does"
    assert max(priority(each, newer=True) for each in first) < min(priority(each) for each in first)
