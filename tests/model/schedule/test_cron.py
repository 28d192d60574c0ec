from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, strategies as st

from cormorant.model.schedule import cron

SUNDAY = date(2026, 11, 22)
"""Sunday is 0, so the day of the week is how many days this one is behind."""


def days(text: str, month: int = 11) -> list[int]:
    """On which days of a month of 2026 it falls."""
    read = cron.read(text)
    first = date(2026, month, 1)
    return [day.day for day in (first + timedelta(n) for n in range(31)) if day.month == month and read.times(day)]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("0 2 * * *", [120]),
        ("*/20 0,23 * * *", [0, 20, 40, 1380, 1400, 1420]),
        ("5-9/2 12 * * *", [725, 727, 729]),
        ("@hourly", list(range(0, 1440, 60))),
        ("@daily", [0]),
        (" 0\t2 *  * * ", [120]),
    ],
)
def test_minutes_of_a_day(text: str, minutes: list[int]) -> None:
    assert list(cron.read(text).times(SUNDAY)) == minutes


@pytest.mark.parametrize(
    ("text", "falls"),
    [
        ("0 0 * * sun", [1, 8, 15, 22, 29]),
        ("0 0 * * 7", [1, 8, 15, 22, 29]),
        ("0 0 * * sat-sun", [1, 7, 8, 14, 15, 21, 22, 28, 29]),
        ("0 0 * * Mon-WED/2", [2, 4, 9, 11, 16, 18, 23, 25, 30]),
        ("0 0 3,30 * *", [3, 30]),
        ("0 0 3 * mon", [2, 3, 9, 16, 23, 30]),
        ("0 0 */10 * mon", []),
        ("0 0 */15 * mon", [16]),
        ("0 0 16 * */7", []),
        ("0 0 15 * */7", [15]),
        ("0 0 * oct *", []),
        ("0 0 * jan,nov sun", [1, 8, 15, 22, 29]),
        ("@monthly", [1]),
        ("@weekly", [1, 8, 15, 22, 29]),
        ("@yearly", []),
    ],
)
def test_days_of_a_month(text: str, falls: list[int]) -> None:
    assert days(text) == falls


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "five fields"),
        ("* * * *", "five fields"),
        ("* * * * * *", "five fields"),
        ("60 * * * *", "'60' cannot be the minute of a cron expression: it takes 0 to 59"),
        ("* 24 * * *", "'24' cannot be the hour"),
        ("* * 0 * *", "day of the month"),
        ("* * * 13 *", "it takes 1 to 12 or jan to dec"),
        ("* * * * 8", "it takes 0 to 7 or sun to sat"),
        ("* * * * moon", "day of the week"),
        ("30-10 * * * *", "upwards"),
        ("*/0 * * * *", "how far a step goes"),
        ("*/ * * * *", "how far a step goes"),
        ("*/x * * * *", "how far a step goes"),
        ("5/10 * * * *", "steps need a range, like 5-59/10"),
        ("1,,2 * * * *", "minute"),
        ("1- * * * *", "minute"),
        ("-1 * * * *", "minute"),
        ("² * * * *", "minute"),
        ("\u0661 * * * *", "minute"),
        ("@reboot", "is none of @hourly"),
        ("1," * 500 + "1 * * * *", "five fields"),
        ("9" * 99 + " * * * *", "minute"),
    ],
)
def test_what_is_no_expression_says_what_it_should_be(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("*", r"\*")):
        cron.read(text)


@given(st.text(max_size=40) | st.lists(st.sampled_from("0159*/-,@monsu "), max_size=30).map("".join))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    try:
        read = cron.read(text)
    except ValueError:
        return
    assert all(0 <= minute < 1440 for minute in read.of_day)
    assert list(read.of_day) == sorted({*read.of_day})
