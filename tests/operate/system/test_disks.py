"""Which disks does a crawl write to?"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.operate.system.disks import disks, places

SHARED = Path("/dev/shm")


def test_what_lies_in_the_data_folder_is_told_of_once(tmp_path: Path) -> None:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as house:
        assert places(house) == [("data", tmp_path / "data"), ("copies", tmp_path / "data" / "cache")]


def test_what_has_a_disk_of_its_own_is_told_of_as_well(tmp_path: Path) -> None:
    if not SHARED.is_dir() or SHARED.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is one disk here")
    with tempfile.TemporaryDirectory(dir=SHARED) as folder:
        (tmp_path / "data").mkdir()
        (Path(folder) / "logs").mkdir()
        (tmp_path / "data" / "logs").symlink_to(Path(folder) / "logs")
        plan = BuildPlan(tmp_path / "data", InstallationSettings(store=f"sqlite:///{folder}/store.db"))
        with opened(plan, new=True) as house:
            found = {each.name: each for each in disks(house)}
    assert list(found) == ["data", "copies", "database", "logs"]
    assert (found["database"].folder, found["database"].total) == (folder, found["logs"].total)
