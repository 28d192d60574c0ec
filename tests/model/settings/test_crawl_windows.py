from __future__ import annotations

import re
from datetime import UTC, datetime
from math import inf
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from cormorant.model.settings.crawl_windows import DAYS, Calendar, read_hours, read_windows

MONDAY = datetime(2026, 11, 16, tzinfo=UTC).timestamp()
HOUR = 3600.0


def utc(*lines: str) -> Calendar:
    return Calendar(read_windows(lines), UTC)


def at(day: int, hour: float) -> float:
    return MONDAY + day * 24 * HOUR + hour * HOUR


def test_a_stretch_covers_the_nights_between_its_ends() -> None:
    calendar = utc("Mon:08-Fri:18 10")
    for day, hour in ((0, 8), (2, 3), (4, 17.9)):
        assert calendar.at(at(day, hour)).window is not None
    for day, hour in ((0, 7.9), (4, 18), (6, 12)):
        assert calendar.at(at(day, hour)).window is None


def test_hours_of_days_leave_the_nights_out() -> None:
    calendar = utc("Mon-Fri 08-18 10")
    assert calendar.at(at(2, 12)).window is not None
    assert calendar.at(at(2, 3)).window is None
    assert calendar.at(at(5, 12)).window is None


def test_hours_may_run_over_midnight_and_days_over_the_end_of_the_week() -> None:
    calendar = utc("Sat-Mon 22:30-06 0.5")
    for day, hour in ((5, 23), (6, 5.9), (6, 22.5), (7, 1), (7, 23), (8, 5)):
        assert calendar.at(at(day, hour)).window is not None
    for day, hour in ((5, 22.4), (6, 6), (8, 6), (8, 23)):
        assert calendar.at(at(day, hour)).window is None


def test_the_slowest_of_overlapping_windows_holds() -> None:
    calendar = utc("Mon:00-Sun:24 2", "Tue 09-10 suspend", "Tue 09-11 30")
    assert calendar.at(at(1, 8)).window.delay_s == 2  # type: ignore[union-attr]
    assert calendar.at(at(1, 9.5)).window.delay_s == inf  # type: ignore[union-attr]
    assert calendar.at(at(1, 10.5)).window.delay_s == 30  # type: ignore[union-attr]


def test_it_says_until_when_and_when_a_suspension_ends() -> None:
    calendar = utc("Mon-Fri 08-12 suspend", "Mon-Fri 12-13 suspend", "Mon-Fri 13-18 5")
    assert calendar.at(at(0, 9)).until == at(0, 12)
    assert calendar.opens_at(at(0, 9)) == at(0, 13)
    assert calendar.opens_at(at(0, 14)) == at(0, 14)
    assert calendar.at(at(5, 0)).until == at(7, 8)
    assert utc("Mon:00-Sun:24 suspend").opens_at(at(3, 3)) == inf
    assert Calendar(()).at(MONDAY) == (None, inf)


def test_the_wall_clock_of_its_zone_counts_through_summer_time() -> None:
    berlin = Calendar(read_windows(["Mon:08-Mon:09 1"]), ZoneInfo("Europe/Berlin"))
    winter, summer = datetime(2026, 1, 5, 7, 30, tzinfo=UTC), datetime(2026, 7, 6, 6, 30, tzinfo=UTC)
    assert berlin.at(winter.timestamp()).window is not None
    assert berlin.at(summer.timestamp()).window is not None
    over_the_change = berlin.at(datetime(2026, 3, 23, 8, 0, tzinfo=UTC).timestamp())  # clocks change on the 29th
    assert over_the_change.until == datetime(2026, 3, 30, 6, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Mon-Fri 8 to 18 10", "no window of the week"),
        ("Moonday 08-18 10", "'Moonday' is no day"),
        ("Mon 08-25 10", "25 is no time"),
        ("Mon 08:70-09 10", "08:70 is no time"),
        ("Mon 08-18 never", "'never' should be seconds"),
        ("Mon 08-18 -1", "'-1' should be seconds"),
        ("Mon 08-18 nan", "'nan' should be seconds"),
        ("", "no window of the week"),
    ],
)
def test_what_is_no_window_is_named(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_windows([line])


_days, _minutes = st.sampled_from(DAYS), st.integers(0, 24 * 60)


@given(
    st.lists(
        st.tuples(_days, _minutes, _days, _minutes, st.sampled_from(("suspend", "3", "0"))), min_size=1, max_size=4
    ),
    st.integers(0, 14 * 24 * 60),
)
def test_nothing_changes_before_it_is_said_to(lines: list[tuple[str, int, str, int, str]], minute: int) -> None:
    said = [f"{a}:{m // 60:02}:{m % 60:02}-{b}:{n // 60:02}:{n % 60:02} {value}" for a, m, b, n, value in lines]
    calendar, now = utc(*said), MONDAY + minute * 60
    hour = calendar.at(now)
    assert hour.until > now
    for each in range(minute, int((hour.until - MONDAY) // 60), 7):
        assert calendar.at(MONDAY + each * 60).window == hour.window
    delay = hour.window.delay_s if hour.window else None
    holding = [w.delay_s for w in read_windows(said) if any(w.start <= minute % 10080 + k < w.end for k in (0, 10080))]
    assert delay == max(holding, default=None)


def test_whole_days_and_weeks_are_hours() -> None:
    for line in ("Mon-Sun 00-24", "Mon:00-Sun:24"):
        calendar = Calendar(read_hours([line]), UTC)
        assert all(calendar.at(at(day, 20)).window is not None for day in range(7))


def test_hours_are_windows_without_a_delay() -> None:
    calendar = Calendar(read_hours(["Mon-Fri 20-06", " Sat:00-Sun:24 "]), UTC)
    for day, hour in ((0, 20), (1, 5.9), (4, 23), (5, 12), (6, 23.9)):
        assert calendar.at(at(day, hour)).window is not None
    for day, hour in ((0, 12), (0, 5), (1, 6), (4, 19.9)):
        assert calendar.at(at(day, hour)).window is None
    assert calendar.at(at(0, 12)).until == at(0, 20)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Mon",
        "Mon-Fri 08-18 10",
        "Mon-Fri 08-18 suspend",
        "Mon-Fri 25-26",
        "Moo 08-18",
        "Sat 20-20",
        "Fri:18-Fri:18",
    ],
)
def test_what_is_no_hours_is_shown_as_it_was_written(line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(line))) as raised:
        read_hours([line])
    assert "suspend'" not in str(raised.value).removeprefix(repr(line))
