"""When is a disk too full to go on?"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from cormorant.base.exhaustion import Shortage
from cormorant.crawl.resource_guard import LOOK_S, MOST_ALONE, REST_S, DiskGuard, least

GIB = 1 << 30


@pytest.mark.parametrize(("total", "wanted"), [(20 * GIB, GIB), (40 * GIB, 2 * GIB), (4000 * GIB, 2 * GIB), (0, 0)])
def test_five_percent_or_two_gib_whichever_is_smaller(total: int, wanted: int) -> None:
    assert least(total) == wanted


def test_every_disk_is_looked_at_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, asked, now = {"data": 2 * GIB, "cache": 2 * GIB}, [], [0.0]

    def usage(folder: Path) -> SimpleNamespace:
        asked.append(folder.name)
        return SimpleNamespace(total=20 * GIB, free=free[folder.name])

    monkeypatch.setattr(shutil, "disk_usage", usage)
    disks = DiskGuard((tmp_path / "data", tmp_path / "cache"), lambda: now[0])
    assert [disks.lack() for _ in range(1000)] == [""] * 1000
    assert asked == ["data", "cache"]
    free["cache"] = GIB - 1
    assert disks.lack() == ""
    now[0] = LOOK_S
    said = disks.lack()
    assert str(tmp_path / "cache") in said
    assert "1,074 MB" in said
    free["cache"], now[0] = GIB // 2, 2 * LOOK_S
    assert disks.lack() == said, "it stays the same meanwhile"
    free["cache"], now[0] = GIB, 3 * LOOK_S
    assert disks.lack() == ""


def test_a_disk_that_cannot_be_looked_at_stops_nothing(tmp_path: Path) -> None:
    assert DiskGuard((tmp_path / "away",), lambda: 0.0).lack() == ""
    assert DiskGuard((), lambda: 0.0).lack() == ""


def test_nothing_is_begun_for_a_while_after_this_process_was_short_of_something(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = [5.0]
    room = DiskGuard((), lambda: now[0])
    assert room.shortage() is None
    for _ in range(3):
        assert room.fall_short(Shortage.FILES, 1)
        now[0] += REST_S / 2
    assert (room.shortage(), room.lack()) == (Shortage.FILES, Shortage.FILES.said)
    assert caplog.messages == ["short"], "said once"
    now[0] += REST_S / 2
    assert (room.shortage(), room.lack()) == (None, "")


def test_one_visit_that_alone_falls_short_time_and_again_is_not_believed_for_ever() -> None:
    room = DiskGuard((), lambda: 5.0)
    assert all(room.fall_short(Shortage.MEMORY, 1) for _ in range(MOST_ALONE))
    assert room.fall_short(Shortage.MEMORY, 2), "another one too: it is the machine"
    assert all(room.fall_short(Shortage.MEMORY, 1) for _ in range(MOST_ALONE))
    assert not room.fall_short(Shortage.MEMORY, 1)
