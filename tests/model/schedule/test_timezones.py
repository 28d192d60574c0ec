"""Moments as a person reads them, and which zone is the machine's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cormorant.model.schedule import timezones
from cormorant.model.schedule.timezones import (
    is_moment,
    localized,
    localized_record,
    machine_zone,
    wall_time,
    wall_times,
)

AT = "2026-11-28T13:03:27.041Z"
Zone = Callable[[str | None], None]


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Zone]:
    def put(name: str | None) -> None:
        monkeypatch.delenv("TZ", raising=False)
        if name is not None:
            monkeypatch.setenv("TZ", name)
        time.tzset()

    yield put
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        ("Europe/Berlin", "2026-11-28 14:03 CET"),
        (":Europe/Berlin", "2026-11-28 14:03 CET"),
        ("Asia/Kathmandu", "2026-11-28 18:48 +0545"),
        ("UTC", "2026-11-28 13:03 UTC"),
        ("", "2026-11-28 13:03 UTC"),
        ("EST5EDT", "2026-11-28 08:03 EST"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-11-28 14:03 CET"),
        ("<+0330>-3:30", "2026-11-28 16:33 +0330"),
        ("Europe/Berln", "2026-11-28 13:03 UTC"),
        ("../../etc/passwd", "2026-11-28 13:03 UTC"),
    ],
)
def test_a_time_is_on_the_clock_of_the_machine(zone: Zone, named: str, shown: str) -> None:
    zone(named)
    assert str(wall_time(AT)) == shown


def test_a_zone_may_be_a_file(zone: Zone, tmp_path: Path) -> None:
    zone(str(_copied(tmp_path / "there", "America/New_York")))
    assert str(wall_time(AT)) == "2026-11-28 08:03 EST"
    zone(str(tmp_path / "missing"))
    assert (str(wall_time(AT)), machine_zone().known) == ("2026-11-28 13:03 UTC", False)


def _copied(path: Path, name: str) -> Path:
    """The rules of a zone in a file of its own, as containers are given /etc/localtime."""
    from importlib.resources import files

    path.write_bytes(files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes())
    return path


def test_without_tz_the_system_s_file_says_it(zone: Zone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zone(None)
    monkeypatch.setattr(timezones, "LOCALTIME", tmp_path / "localtime")
    assert machine_zone().zone is UTC
    (tmp_path / "zoneinfo" / "Europe").mkdir(parents=True)
    _copied(tmp_path / "zoneinfo" / "Europe" / "Berlin", "Europe/Berlin")
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / "Europe" / "Berlin")
    assert (machine_zone().zone, machine_zone().name) == (ZoneInfo("Europe/Berlin"), "Europe/Berlin")
    (tmp_path / "localtime").unlink()
    _copied(tmp_path / "localtime", "Europe/Berlin")
    assert (str(wall_time(AT)), machine_zone().name) == ("2026-11-28 14:03 CET", "")


def test_a_misspelt_zone_is_known_to_be_none(zone: Zone) -> None:
    for named, known in (("Europe/Berln", False), ("Europe/Berlin", True), ("CET-1", True), ("", True)):
        zone(named)
        assert machine_zone().known is known, named


def test_an_hour_that_comes_twice_is_told_apart() -> None:
    twice = [wall_time(f"2026-10-25T0{hour}:30:00.000Z", "Europe/Berlin") for hour in (0, 1)]
    assert list(map(str, twice)) == ["2026-10-25 02:30 CEST", "2026-10-25 02:30 CET"]


def test_as_precise_as_wanted() -> None:
    assert str(wall_time(AT, "Europe/Berlin", "seconds")) == "2026-11-28 14:03:27 CET"
    assert str(wall_time(AT, "Europe/Berlin", "milliseconds")) == "2026-11-28 14:03:27.041 CET"


def test_a_heading_names_the_zone_that_all_share() -> None:
    winter, summer = ("2026-11-28T13:03:00.000Z", "Europe/Berlin"), ("2026-07-01T13:03:00.000Z", "Europe/Berlin")
    assert wall_times([winter, (None, "")]) == ("CET", ["2026-11-28 14:03", ""])
    assert wall_times([winter, summer]) == ("", ["2026-11-28 14:03 CET", "2026-07-01 15:03 CEST"])
    assert wall_times([]) == ("", [])


@pytest.mark.parametrize("moment", [-62_135_596_800.0, 253_402_300_799.0])
@pytest.mark.parametrize("named", ["Europe/Berlin", "America/New_York"])
def test_the_ends_of_time_are_no_fault(moment: float, named: str) -> None:
    assert wall_time(moment, named).text[:4] in ("0001", "9999")


def test_a_zone_that_is_there_no_more_is_utc() -> None:
    assert str(wall_time(AT, "Europe/Atlantis")) == "2026-11-28 13:03 UTC"


def test_a_sentence_is_localized_and_an_address_in_it_is_not() -> None:
    address = f"http://127.0.0.1/{AT}"
    said = localized(f"It waits until {AT}. See {address} ({AT}).", "Europe/Berlin")
    assert said == f"It waits until 2026-11-28 14:03 CET. See {address} (2026-11-28 14:03 CET)."


def test_a_record_is_localized_in_its_depth() -> None:
    record = {"at": AT, "many": [AT, 1, None], "said": f"at {AT}"}
    shown = "2026-11-28 14:03 CET"
    assert localized_record(record, "Europe/Berlin") == {"at": shown, "many": [shown, 1, None], "said": f"at {AT}"}
    assert not any(map(is_moment, (None, 1.0, "", "2026-11-28", f" {AT}", f"{AT} ")))
