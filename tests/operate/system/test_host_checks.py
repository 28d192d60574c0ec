"""What the doctor makes of a machine: told by files and figures of machines that this one is not."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cormorant.operate.storage.check import Finding
from cormorant.operate.system import host_checks
from tests.clocks import Hands

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 27 0:44 / /srv/share rw,relatime - nfs4 files.example:/export rw,vers=4.2
32 31 0:45 / /srv/share/local rw,relatime - xfs /dev/vdb rw
33 27 0:46 / /srv/old rw - ext4 /dev/vdc rw
34 27 0:47 / /srv/old rw master:2 - cifs //win/old rw
35 27 0:48 / /srv/with\\040blank\\134slash rw - fuse.sshfs ada@far: rw
a line that is none
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/srv", "ext4"), ("/srv/share", "nfs4"), ("/srv/share/deep/down", "nfs4"), ("/srv/sharepoint", "ext4"),
        ("/srv/share/local/x", "xfs"), ("/srv/old/x", "cifs"), ("/srv/with blank\\slash/x", "fuse.sshfs"),
    ],
)  # fmt: skip
def test_the_file_system_of_a_place(place: str, kind: str) -> None:
    found = host_checks.mount_of(Path(place), host_checks.mounts(MOUNTS))
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(("kind", "alone", "beside"), [
    ("ext4", True, True), ("btrfs", True, True), ("overlay", True, True), ("tmpfs", True, True), ("nfs4", False, None),
    ("cifs", False, None), ("smb3", False, None), ("fuse.sshfs", False, None), ("ceph", False, None),
])  # fmt: skip
def test_a_database_belongs_on_a_disk_of_this_machine(
    kind: str, alone: bool, beside: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "mountinfo"
    said.write_text(f"27 1 254:0 / / rw,relatime - {kind} somewhere rw\n")
    monkeypatch.setattr(host_checks, "_MOUNTS", said)
    for file_store, expected in ((True, alone), (False, beside)):
        found = host_checks._kind("file system", tmp_path, file_store=file_store)
        assert (found.ok, kind in found.said) == (expected, True)
        assert bool(found.mend) is (expected is not True)


def test_a_machine_that_tells_nothing_of_its_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_checks, "_MOUNTS", tmp_path / "none")
    assert host_checks._kind("file system", tmp_path, file_store=True).ok is None


def group(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(
    ("groups", "files", "limit"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "1000\n"}, 1000),
        ("0::/a/b\n", {"a/b/memory.max": "500\n", "a/memory.max": "1000\n"}, 500),
        ("0::/a\n", {"a/memory.max": "max\n", "other/memory.max": "5\n"}, None),
        ("0::/\n", {}, None),
        ("4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "700\n"}, 700),
        ("4:memory:/a\n", {"memory/a/memory.limit_in_bytes": "9223372036854771712\n"}, None),
        ("4:memory:/gone\n", {"memory/memory.limit_in_bytes": "800\n"}, 800),
        ("no group\n", {"memory.max": "5\n"}, None),
    ],
)
def test_the_least_of_the_limits_counts(groups: str, files: dict[str, str], limit: int | None, tmp_path: Path) -> None:
    group(tmp_path / "fs", files)
    (tmp_path / "cgroup").write_text(groups)
    assert host_checks.memory_limit(tmp_path / "cgroup", tmp_path / "fs") == limit


@pytest.mark.parametrize(
    ("limit", "installed", "ok", "said"),
    [
        (None, 8 << 30, True, "8.6 GB"), (2 << 30, 8 << 30, True, "2.1 GB, which a control group allows of 8.6 GB"),
        (256 << 20, 8 << 30, None, "0.3 GB, which"), (None, 512 << 20, None, "0.5 GB"),
        (9 << 30, 8 << 30, True, "8.6 GB"),
    ],
)  # fmt: skip
def test_memory(limit: int | None, installed: int, ok: bool | None, said: str) -> None:
    found = host_checks._memory(limit, installed)
    assert found.ok is ok
    assert found.said.startswith(said)
    assert ("CORMORANT_RETRIEVERS=1" in found.mend) is (ok is None)


@pytest.mark.parametrize(("year", "ok"), [(1970, False), (2025, False), (2026, True), (2060, True), (2100, False)])
def test_the_clock(year: int, ok: bool) -> None:
    found = host_checks._time(Hands(datetime(year, 6, 1, tzinfo=UTC).timestamp()))
    assert (found.ok, str(year) in found.said, bool(found.mend)) == (ok, True, not ok)


@pytest.mark.parametrize(
    ("named", "ok", "said"), [("Europe/Berlin", True, "Europe/Berlin"), ("Europe/Berln", False, "shown in UTC: TZ is")]
)
def test_the_zone_of_this_machine(monkeypatch: pytest.MonkeyPatch, named: str, ok: bool, said: str) -> None:
    monkeypatch.setenv("TZ", named)
    found = host_checks._zone()
    assert (found.ok, said in found.said, "TZ=Europe/Berlin" in found.mend) == (ok, True, not ok)


def test_a_clock_beyond_all_years() -> None:
    assert host_checks._time(Hands(1e15)).ok is False


@pytest.mark.parametrize(("version", "ok"), [((3, 51, 3), True), ((3, 53, 0), True), ((3, 46, 1), False)])
def test_an_old_sqlite_is_told_of(version: tuple[int, ...], ok: bool) -> None:
    found = host_checks._sqlite(version)
    assert (found.ok, "3.51.3" in found.mend) == (ok, not ok)


def test_writing_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert host_checks._writable("writable", tmp_path, tmp_path) == Finding("writable", ok=True, said=str(tmp_path))
    new = tmp_path / "new"
    assert host_checks._writable("writable", new, tmp_path).said == f"{new} can be made in {tmp_path}"
    found = host_checks._writable("writable", Path("/proc/self/fdinfo"), Path("/proc/self/fdinfo"))
    assert (found.ok, "findmnt -T /proc/self/fdinfo" in found.mend) == (False, True)
    assert not list(tmp_path.iterdir())

    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left" in host_checks._writable("writable", tmp_path, tmp_path).said
