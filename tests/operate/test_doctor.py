"""Does the doctor look at every disk that an installation writes to?"""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.operate.doctor import examine

OTHER_DISK = Path("/dev/shm")


def disks(folder: Path, cache: Path) -> list[str]:
    return [each.check for each in examine(folder, cache, None, None) if each.check.startswith("disk")]


def test_one_disk_is_looked_at_once(tmp_path: Path) -> None:
    assert disks(tmp_path, tmp_path / "not" / "yet" / "there") == ["disk"]


def test_the_disk_of_the_kept_copies_is_looked_at(tmp_path: Path) -> None:
    if not OTHER_DISK.exists() or OTHER_DISK.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("this machine has no other disk")
    assert disks(tmp_path, OTHER_DISK / "copies") == ["disk", "disk of kept copies"]
