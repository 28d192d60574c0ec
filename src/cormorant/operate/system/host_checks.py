"""Host checks: Python and its packages, disks, memory, limits, the clock, the sandbox of converters."""

from __future__ import annotations

import os
import platform
import resource
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from cormorant.base.clock import Clock, date_of, rfc3339
from cormorant.crawl.resource_guard import least
from cormorant.model.schedule.timezones import machine_zone
from cormorant.net.http.curl_version import libcurl
from cormorant.operate.storage.check import Finding
from cormorant.sandbox import supported
from cormorant.store.db import drivers

OLDEST_PYTHON = (3, 11)
FEW_FILES = 1024
LITTLE_MEMORY = 1 << 30
"""Bytes that a crawl with two retrievers and an index takes at its peak, twice over for converters and page cache."""
YEARS = range(2026, 2100)
"""A clock that says another is not set: this was written in the first, and no certificate lasts until the last."""

_PARTS = ("sqlalchemy", "pysqlite3", "pycurl", "tantivy", "turbohtml", "pypdfium2", "xberg", "zstandard", "fastapi")
_EXTRAS = {
    "postgres": ("psycopg", "PostgreSQL as the store"),
    "traces": ("opentelemetry-exporter-otlp-proto-http", "traces to a collector"),
}
_MOUNTS = Path("/proc/self/mountinfo")
_GROUPS = Path("/proc/self/cgroup")
_CGROUP = Path("/sys/fs/cgroup")
_REMOTE = (
    "nfs", "cifs", "smb", "afs", "ceph", "lustre", "beegfs", "gfs", "ocfs", "gpfs", "davfs", "fuse.sshfs",
    "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.davfs",
)  # fmt: skip
"""How types of file systems begin that other machines have as well."""


def versions() -> Iterator[Finding]:
    """Python, ourselves, and the packages that do the work."""
    version = sys.version_info[:3]
    said = f"{platform.python_implementation()} {platform.python_version()} on {platform.platform(terse=True)}"
    mend = "" if version >= OLDEST_PYTHON else "Install Python 3.11 or newer."
    yield Finding("python", version >= OLDEST_PYTHON, said, mend)
    yield Finding("cormorant", ok=True, said=version_of("cormorant") or "?")
    yield _sqlite(drivers.sqlite_version())
    yield Finding("libcurl", ok=True, said=libcurl())
    for name in _PARTS:
        found = version_of(name)
        yield Finding(name, found is not None, found or "missing", "" if found else f"Install it: pip install {name}")
    for extra, (name, what) in _EXTRAS.items():
        found = version_of(name)
        mend = f"Only where it is wanted: pip install 'cormorant[{extra}]'"
        yield Finding(f"extra: {extra}", True if found else None, f"{what}: {found or 'absent'}", "" if found else mend)


def _sqlite(version: tuple[int, ...]) -> Finding:
    fine, said = version >= drivers.OLDEST_SQLITE, ".".join(map(str, version))
    if fine:
        return Finding("sqlite", ok=True, said=said)
    wanted = ".".join(map(str, drivers.OLDEST_SQLITE))
    mend = f"Install a pysqlite3 with SQLite {wanted} or newer: pip install --upgrade pysqlite3"
    return Finding("sqlite", ok=False, said=f"{said}, which can corrupt a database that two processes write", mend=mend)


def version_of(name: str) -> str | None:
    """The version of an installed package, None when there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


# ------------------------------------------------------------------------------------------------------------- folders


def folders(folder: Path, cache: Path, *, file_store: bool) -> Iterator[Finding]:
    """Room, kind of disk and permission, for the data folder and for the kept copies when they lie elsewhere.

    `file_store` says that the database is a file in the data folder.
    """
    place, copies = _there(folder), _there(cache)
    yield _room("disk", place, "move the data folder (--data)")
    yield _kind("file system", place, file_store=file_store)
    yield _writable("writable", folder, place)
    if place.stat().st_dev != copies.stat().st_dev:
        yield _room("disk of kept copies", copies, "move the kept copies (CORMORANT_CACHE)")
        yield _kind("file system of kept copies", copies, file_store=False)
    if not copies.is_relative_to(place):
        yield _writable("kept copies writable", cache, copies)


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that there is already."""
    return next(each for each in (folder, *folder.parents) if os.access(each, os.F_OK))


def _room(name: str, place: Path, way: str) -> Finding:
    usage = shutil.disk_usage(place)
    low = usage.free < least(usage.total)
    said = f"{usage.free / 1e9:.1f} GB of {usage.total / 1e9:.1f} GB are free at {place}"
    return Finding(name, not low, said, f"Crawls pause meanwhile: free some space, or {way}." if low else "")


class Mount(NamedTuple):
    """A file system, and where it is in the tree of folders."""

    at: str
    kind: str


def mounts(text: str) -> list[Mount]:
    """Parse /proc/self/mountinfo (proc(5)); the last mount at a place hides those before."""
    found = []
    for line in text.splitlines():
        before, _, behind = line.partition(" - ")
        words = before.split()
        if len(words) > 4 and behind:
            at = words[4].encode().decode("unicode_escape").encode("latin-1").decode("utf-8", "replace")
            found.append(Mount(at, behind.split()[0]))
    return found


def mount_of(place: Path, every: list[Mount]) -> Mount | None:
    """The file system that a place is on."""
    on = [each for each in every if place.is_relative_to(each.at)]
    return max(reversed(on), key=lambda each: len(Path(each.at).parts), default=None)


def _kind(name: str, place: Path, *, file_store: bool) -> Finding:
    """Check whether a folder is on a local disk or on one shared over a network.

    SQLite's WAL needs memory that only one machine has.
    """
    try:
        on = mount_of(place.resolve(), mounts(_MOUNTS.read_text("utf-8", "replace")))
    except OSError:
        on = None
    if on is None:
        return Finding(name, None, "unknown here", "The data folder has to be on a disk of this machine.")
    if not on.kind.startswith(_REMOTE):
        return Finding(name, ok=True, said=f"{on.kind}, of this machine, at {on.at}")
    said = f"{on.kind}, shared over a network, at {on.at}"
    if file_store:
        mend = (
            "A database on it can be corrupted: use a disk of this machine (--data), or PostgreSQL (CORMORANT_STORE)."
        )
        return Finding(name, ok=False, said=said, mend=mend)
    return Finding(name, None, said, "It works while that server answers; a disk of this machine is faster and safer.")


def _writable(name: str, folder: Path, place: Path) -> Finding:
    """Try it: permissions do not tell of read-only mounts, quotas and full disks."""
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        named = shlex.quote(str(place))
        mend = f"Check who owns it and how it is mounted: ls -ld {named}; findmnt -T {named}"
        return Finding(name, ok=False, said=f"{place} cannot be written: {error.strerror}", mend=mend)
    return Finding(name, ok=True, said=str(folder) if place == folder else f"{folder} can be made in {place}")


# -------------------------------------------------------------------------------------------------------------- limits


def limits(clock: Clock) -> Iterator[Finding]:
    """Memory, open files, the time, and what holds converters of native code to their bounds."""
    yield _memory(memory_limit(), _installed_memory())
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = soft >= FEW_FILES or soft == resource.RLIM_INFINITY
    said = "without limit" if soft == resource.RLIM_INFINITY else f"up to {soft:,}"
    yield Finding("open files", enough, said, "" if enough else f"Raise the limit: ulimit -n {FEW_FILES}")
    yield _time(clock)
    yield _zone()
    for name, works, about in supported().lines():
        lack = "Conversions work without it; a newer Linux kernel, or fewer limits by a container, provides it."
        said = about if works else f"absent: {about}"
        yield Finding(f"converters: {name}", True if works else None, said, "" if works else lack)


def memory_limit(groups: Path = _GROUPS, root: Path = _CGROUP) -> int | None:
    """The least memory that a control group of this process, or one above it, allows; None without any limit."""
    try:
        lines = [line.split(":", 2) for line in groups.read_text("utf-8").splitlines()]
    except OSError:
        return None
    found = []
    for _, controllers, path in (line for line in lines if len(line) == 3):
        if controllers not in ("", "memory"):
            continue
        top, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        own = top / path.lstrip("/")
        found += [_number(each / name) for each in (own, *own.parents) if each.is_relative_to(top)]
    return min((each for each in found if each is not None and each < 1 << 60), default=None)


def _number(file: Path) -> int | None:
    try:
        text = file.read_text("utf-8").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _installed_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _memory(limit: int | None, installed: int) -> Finding:
    usable = min(limit or installed, installed)
    bound = f", which a control group allows of {installed / 1e9:.1f} GB" if limit and limit < installed else ""
    said = f"{usable / 1e9:.1f} GB{bound}"
    if usable >= LITTLE_MEMORY:
        return Finding("memory", ok=True, said=said)
    return Finding(
        "memory", None, said, "Allow 1 GiB (MemoryMax=, --memory), or use one retriever: CORMORANT_RETRIEVERS=1"
    )


def _time(clock: Clock) -> Finding:
    moment = date_of(clock.now())
    if moment is not None and moment.year in YEARS:
        return Finding("clock", ok=True, said=str(rfc3339(clock.now())))
    said = f"the year is {moment.year if moment else 'none there is'}, so no certificate is valid and no visit due"
    return Finding("clock", ok=False, said=said, mend="Set the clock: timedatectl set-ntp true")


def _zone() -> Finding:
    """The zone that times are shown in, and where that comes from."""
    found = machine_zone()
    if found.known:
        return Finding("time zone", ok=True, said=", ".join(filter(None, (found.name, found.origin))))
    said = f"times are shown in UTC: {found.origin}, which is no time zone"
    return Finding("time zone", ok=False, said=said, mend="Name one of the tz database: TZ=Europe/Berlin")
