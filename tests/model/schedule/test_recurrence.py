"""When a schedule fires, beside somebody who watches the clock on the wall minute by minute."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings, strategies as st

from cormorant.model.schedule.recurrence import Rhythm, read

ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Asia/Gaza",
    "Africa/Casablanca", "Pacific/Chatham", "America/Santiago", "UTC",
)  # fmt: skip
MINUTE = timedelta(minutes=1)
DAY_S = 86_400.0
SOMEDAY = datetime.combine(date(2028, 1, 1), datetime.min.time())
Matches = Callable[[datetime], bool]


def at(text: str, zone: str = "UTC", fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def told(moment: float | None, zone: str = "UTC") -> str:
    assert moment is not None
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M %Z")


def fires(rhythm: Rhythm, begin: float, end: float) -> list[float]:
    """Every time between two moments."""
    found: list[float] = []
    moment = rhythm.after(begin)
    while moment is not None and moment <= end:
        found.append(moment)
        moment = rhythm.after(moment)
    return found


def watched(matches: Matches, zone: str, begin: float, end: float) -> list[float]:
    """The same, by looking at the clock each minute: what it shows for the first time, and what it has passed over."""
    clock, found = ZoneInfo(zone), []
    moment = datetime.fromtimestamp(begin, clock)
    shown = moment.replace(tzinfo=None, fold=0)
    while begin < end:
        begin += 60.0
        wall = datetime.fromtimestamp(begin, clock).replace(tzinfo=None, fold=0)
        new = []
        while shown < wall:
            shown += MINUTE
            new.append(shown)
        if any(matches(each) for each in new):
            found.append(begin)
    return found


@lru_cache
def turns(zone: str) -> list[float]:
    """The days from 2025 to 2039 on which the clock of a zone is changed, or the first of each year."""
    clock = ZoneInfo(zone)
    noons = [datetime(2025, 1, 1, 12, tzinfo=UTC).timestamp() + n * DAY_S for n in range(15 * 365)]
    offsets = [datetime.fromtimestamp(each, clock).utcoffset() for each in noons]
    changes = [noons[n] for n in range(1, len(noons)) if offsets[n] != offsets[n - 1]]
    return changes or noons[::365]


@st.composite
def spans(draw: st.DrawFn) -> tuple[str, float, float]:
    """A zone, and two days there in which its clock may be changed."""
    zone = draw(st.sampled_from(ZONES))
    turn = draw(st.sampled_from(turns(zone)))
    begin = turn - 1.5 * DAY_S + draw(st.integers(-120, 120)) * 60.0
    return zone, begin, begin + 2.2 * DAY_S


@st.composite
def expressions(draw: st.DrawFn) -> tuple[str, Matches]:
    """A cron expression, and what it means."""
    minutes = draw(st.sets(st.integers(0, 59), min_size=1, max_size=4))
    hours = draw(st.one_of(st.just({*range(24)}), st.sets(st.integers(0, 4), min_size=1, max_size=3)))
    days = draw(st.one_of(st.none(), st.sets(st.integers(1, 31), min_size=1, max_size=9)))
    week = draw(st.one_of(st.none(), st.sets(st.integers(0, 6), min_size=1, max_size=3)))
    fields = [minutes, hours if len(hours) < 24 else None, days, None, week]
    text = " ".join("*" if each is None else ",".join(map(str, sorted(each))) for each in fields)

    def matches(shown: datetime) -> bool:
        in_month = days is not None and shown.day in days
        in_week = week is not None and shown.isoweekday() % 7 in week
        return (
            shown.minute in minutes and shown.hour in hours and ((days is None and week is None) or in_month or in_week)
        )

    return text, matches


@settings(max_examples=150)
@given(spans(), expressions())
def test_cron_is_what_somebody_sees_who_watches_the_clock(
    span: tuple[str, float, float], cron: tuple[str, Matches]
) -> None:
    (zone, begin, end), (text, matches) = span, cron
    try:
        rhythm = read(text, zone, begin)
    except ValueError:
        assert "never" in text or not any(matches(SOMEDAY + n * MINUTE) for n in range(0, 1440 * 60, 1))
        return
    # The first hours are left out: whoever begins to watch in a doubled hour does not know what was seen before.
    seen = [each for each in watched(matches, zone, begin, end) if each > begin + 7200]
    assert fires(rhythm, begin + 7200, end) == seen


def walls(unit: str, count: int, since: datetime, of_day: int, on: int) -> Iterator[datetime]:
    """The times of `every count units`, one after another, as one would count them in a diary."""
    first = since.replace(hour=of_day // 60, minute=of_day % 60, second=0)
    if first <= since:
        first += timedelta(days=1)
    if unit == "week":
        while first.weekday() != on:
            first += timedelta(days=1)
    if unit == "month":
        months = first.year * 12 + first.month - 1
        while True:
            year, month = divmod(months, 12)
            day = min(on, monthrange(year, month + 1)[1])
            if datetime.combine(date(year, month + 1, day), first.time()) > since:
                break
            months += 1
        for turn in range(200):
            year, month = divmod(months + turn * count, 12)
            yield datetime.combine(date(year, month + 1, min(on, monthrange(year, month + 1)[1])), first.time())
        return
    for turn in range(200):
        yield first + turn * count * timedelta(days=7 if unit == "week" else 1)


@settings(max_examples=200)
@given(
    st.sampled_from(["day", "week", "month"]), st.integers(1, 7), st.integers(0, 1439), st.integers(0, 6),
    st.integers(1, 31), st.datetimes(SOMEDAY, SOMEDAY + timedelta(days=4000)),
)  # fmt: skip
def test_days_weeks_and_months_are_counted_as_in_a_diary(
    unit: str, count: int, of_day: int, weekday: int, day: int, since: datetime
) -> None:
    since = since.replace(second=0, microsecond=0)
    names = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    on = {"day": "", "week": f" on {names[weekday]}", "month": f" on {day}"}[unit]
    begin = since.replace(tzinfo=UTC).timestamp()
    rhythm = read(f"every {count} {unit}s{on} at {of_day // 60:02}:{of_day % 60:02}", "UTC", begin)
    wanted = [
        each
        for _, each in zip(
            range(12), walls(unit, count, since, of_day, weekday if unit == "week" else day), strict=False
        )
    ]
    moment, found = begin, []
    for _ in wanted:
        moment = rhythm.after(moment) or 0.0
        found.append(datetime.fromtimestamp(moment, UTC).replace(tzinfo=None))
    assert found == wanted


@settings(max_examples=60)
@given(spans(), st.sampled_from([("minutes", 1), ("minutes", 7), ("minutes", 45), ("hours", 1), ("hours", 5)]))
def test_minutes_and_hours_are_counted_from_midnight(span: tuple[str, float, float], step: tuple[str, int]) -> None:
    (zone, begin, end), (unit, count) = span, step
    midnight = datetime.combine(datetime.fromtimestamp(begin, ZoneInfo(zone)).date(), datetime.min.time())
    width = count * (60 if unit == "hours" else 1)
    seen = watched(lambda shown: (shown - midnight) // MINUTE % width == 0, zone, begin, end)
    assert fires(read(f"every {count} {unit}", zone, begin), begin + 7200, end) == [
        each for each in seen if each > begin + 7200
    ]


@pytest.mark.parametrize(
    ("when", "zone", "begin", "fires_at"),
    [
        ("30 2 * * *", "Europe/Berlin", "2026-03-28 12:00", ["2026-03-29 03:00 CEST", "2026-03-30 02:30 CEST"]),
        ("*/20 2 * * *", "Europe/Berlin", "2026-03-28 12:00", ["2026-03-29 03:00 CEST", "2026-03-30 02:00 CEST"]),
        ("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00", ["2026-10-25 02:30 CEST", "2026-10-26 02:30 CET"]),
        ("0 * * * *", "Europe/Berlin", "2026-10-25 01:30", ["2026-10-25 02:00 CEST", "2026-10-25 03:00 CET"]),
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00", ["2026-10-04 02:30 +11", "2026-10-05 02:15 +11"]),
        ("30 2 * * *", "America/New_York", "2038-03-13 12:00", ["2038-03-14 03:00 EDT", "2038-03-15 02:30 EDT"]),
        ("14 3 19 1 *", "UTC", "2038-01-01 00:00", ["2038-01-19 03:14 UTC", "2039-01-19 03:14 UTC"]),
        ("0 0 29 2 *", "UTC", "2026-01-01 00:00", ["2028-02-29 00:00 UTC", "2032-02-29 00:00 UTC"]),
        ("0 0 29 2 *", "UTC", "2096-03-01 00:00", ["2104-02-29 00:00 UTC", "2108-02-29 00:00 UTC"]),
        ("0 0 30 12 *", "Pacific/Apia", "2011-12-01 00:00", ["2011-12-31 00:00 +14", "2012-12-30 00:00 +14"]),
        ("every month on 31 at 04:00", "UTC", "2026-01-31 05:00", ["2026-02-28 04:00 UTC", "2026-03-31 04:00 UTC"]),
        (
            "every 2 weeks on Monday,thu at 3:00",
            "UTC",
            "2026-11-18 12:00",
            ["2026-11-19 03:00 UTC", "2026-11-23 03:00 UTC", "2026-12-03 03:00 UTC"],
        ),
        ("Every  6 Hours at :30", "UTC", "2026-11-18 07:00", ["2026-11-18 12:30 UTC", "2026-11-18 18:30 UTC"]),
        ("every week", "UTC", "2026-11-18 07:00", ["2026-11-23 00:00 UTC", "2026-11-30 00:00 UTC"]),
    ],
)
def test_what_is_promised(when: str, zone: str, begin: str, fires_at: list[str]) -> None:
    moment = at(begin, zone)
    rhythm, found = read(when, zone, moment), []
    for _ in fires_at:
        moment = rhythm.after(moment) or 0.0
        found.append(told(moment, zone))
    assert found == fires_at


def test_in_the_second_of_two_hours_nothing_comes_that_came_in_the_first() -> None:
    rhythm = read("*/30 * * * *", "Europe/Berlin")
    assert (
        told(rhythm.after(at("2026-10-25 02:10", "Europe/Berlin", fold=1)), "Europe/Berlin") == "2026-10-25 03:00 CET"
    )


def test_manual_is_never_by_itself() -> None:
    assert read("manual").after(0.0) is None


@pytest.mark.parametrize(
    "text", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *"]
)  # fmt: skip
def test_what_never_comes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"would never fire: .* Name a day that there is"):
        read(text, "UTC", at("2026-11-18 07:00"))


def test_what_comes_once_in_forty_years_is_not() -> None:
    assert (
        told(read("0 0 29 2 */7", "UTC", at("2088-03-01 00:00")).after(at("2088-03-01 00:00")))
        == "2128-02-29 00:00 UTC"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("every fortnight", "says no time"),
        ("every", "says no time"),
        ("every day at 24:00", "is no time"),
        ("every day at 02:60", "is no time"),
        ("every day at :30", "a time of the day"),
        ("every hour at 02:30", "the minute"),
        ("every 5 minutes at :30", "leave `at` out"),
        ("every 0 days", "never"),
        ("every day on mon", "days are named for weeks"),
        ("every week on monster", "days of the week"),
        ("every week on 3", "days of the week"),
        ("every month on 32", "1 to 31"),
        ("every month on mon", "1 to 31"),
        ("every month on 1,2", "1 to 31"),
        ("every 12345 days", "says no time"),
        ("tomorrow", "five fields"),
    ],
)
def test_what_says_no_time_is_told_what_does(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text, "UTC", 0.0)


@pytest.mark.parametrize("zone", ["Berlin", "../../etc/passwd", "Europe", "\0", "\ud800"])
def test_an_unknown_zone(zone: str) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        read("@daily", zone)


def test_without_a_zone_it_is_the_machine_s(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        for begin in ("2026-03-28 12:00", "2026-10-24 12:00"):
            moment = at(begin, "Europe/Berlin")
            here, there = read("*/15 * * * *"), read("*/15 * * * *", "Europe/Berlin")
            assert fires(here, moment, moment + 2 * DAY_S) == fires(there, moment, moment + 2 * DAY_S)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_end_of_time_is_no_fault() -> None:
    assert read("0 0 1 1 *", "UTC").after(datetime(9999, 6, 1, tzinfo=UTC).timestamp()) is None
    assert date.max.year == 9999
