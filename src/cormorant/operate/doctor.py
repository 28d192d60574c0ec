"""What is installed, what can it do here, what is wrong and how is it mended?"""

from __future__ import annotations

import os
import platform
import resource
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from cormorant.base.errors import CormorantError, IndexDamaged
from cormorant.catalog.vault import Vault
from cormorant.fetch.version import libcurl
from cormorant.limits import supported
from cormorant.operate import receivers, secrets
from cormorant.operate.checking import Finding
from cormorant.operate.house import House
from cormorant.store import drivers
from cormorant.store.schema import SCHEMA_VERSION

OLDEST_PYTHON = (3, 11)
LOW_SHARE, LOW_BYTES = 0.05, 2 << 30
"""Below both of these a disk is nearly full: a crawl would stop."""
FEW_FILES = 1024

_PARTS = ("sqlalchemy", "pysqlite3", "pycurl", "tantivy", "turbohtml", "pypdfium2", "xberg", "zstandard", "fastapi")


def examine(folder: Path, cache: Path, house: House | None, trouble: CormorantError | None) -> list[Finding]:
    """Look at everything.

    Kept copies are in `cache`. `trouble` is why the installation could not be opened, when there is one and it could
    not.
    """
    found = [*_versions(), *_disks(folder, cache), _files(), *_walls()]
    if trouble is not None:
        found.append(Finding("data folder", ok=False, said=trouble.sentence, mend="See the sentence to the left."))
    elif house is None:
        found.append(Finding("data folder", None, f"nothing in {folder} yet", "`cormorant quickstart` makes it."))
    else:
        found += [Finding("data folder", ok=True, said=str(folder)), _store(house), _index(house), *_receivers(house)]
        found += _secrets(house)
    return found


def _versions() -> Iterator[Finding]:
    version = sys.version_info[:3]
    said = f"{platform.python_implementation()} {platform.python_version()} on {platform.platform(terse=True)}"
    mend = "" if version >= OLDEST_PYTHON else "Install Python 3.11 or newer."
    yield Finding("python", version >= OLDEST_PYTHON, said, mend)
    yield Finding("cormorant", ok=True, said=version_of("cormorant") or "?")
    yield Finding("libcurl", ok=True, said=libcurl())
    for name in _PARTS:
        found = version_of(name)
        yield Finding(name, found is not None, found or "missing", "" if found else f"Install it: pip install {name}")


def version_of(name: str) -> str | None:
    """The version of an installed package, None when there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _disks(folder: Path, cache: Path) -> Iterator[Finding]:
    """Room on the disk that holds the data folder, or will, and on that of the kept copies when it is another one."""
    place, copies = _there(folder), _there(cache)
    yield _disk("disk", place, "move the data folder (--data)")
    if place.stat().st_dev != copies.stat().st_dev:
        yield _disk("disk of kept copies", copies, "move the kept copies (CORMORANT_CACHE)")


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that there is already."""
    return next(each for each in (folder, *folder.parents) if os.access(each, os.F_OK))


def _disk(name: str, place: Path, way: str) -> Finding:
    usage = shutil.disk_usage(place)
    low = usage.free < min(usage.total * LOW_SHARE, LOW_BYTES)
    said = f"{usage.free / 1e9:.1f} GB of {usage.total / 1e9:.1f} GB are free at {place}"
    return Finding(name, not low, said, f"Free some space, or {way}." if low else "")


def _files() -> Finding:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = soft >= FEW_FILES or soft == resource.RLIM_INFINITY
    return Finding("open files", enough, f"up to {soft:,}", "" if enough else f"Raise the limit: ulimit -n {FEW_FILES}")


def _walls() -> Iterator[Finding]:
    """What holds converters of native code to their limits on this machine."""
    for name, works, about in supported().lines():
        lack = "Conversions go on without it; a newer Linux kernel, or fewer bounds by a container, gives it."
        said = about if works else f"absent: {about}"
        yield Finding(f"converters: {name}", True if works else None, said, "" if works else lack)


def _store(house: House) -> Finding:
    """Does the database answer, and is it today's?"""
    try:
        with house.store.read() as tx:
            version = tx.driver("SELECT sqlite_version()" if tx.sqlite else "SELECT version()").scalar_one()
    except CormorantError as error:
        return Finding(
            "database", ok=False, said=error.sentence, mend="Check CORMORANT_STORE and that the server runs."
        )
    kind = "SQLite" if house.store.sqlite else ""
    said = f"{kind} {version} at {drivers.mask(house.store.url)}, schema {SCHEMA_VERSION}".strip()
    return Finding("database", ok=True, said=said)


def _index(house: House) -> Finding:
    """Can the index be read?"""
    if not house.searchable:
        return Finding("index", None, "this installation runs without one", "CORMORANT_INDEX=embedded makes one.")
    try:
        figures = house.index_reader().stats()
    except IndexDamaged as error:
        return Finding("index", ok=False, said=error.sentence, mend="`cormorant index rebuild` makes it anew.")
    return Finding("index", ok=True, said=f"{figures.documents:,} documents, {figures.size_bytes / 1e6:.1f} MB")


def _receivers(house: House) -> Iterator[Finding]:
    """Receivers that refuse what they are given."""
    for each in receivers.listed(house):
        if each["error"]:
            name = each["receiver"]
            yield Finding(f"receiver {name}", ok=False, said=each["error"], mend="The next crawl tries it again.")


def _secrets(house: House) -> Iterator[Finding]:
    """Is the key of the secrets there, for nobody else to read, and does it open them?"""
    vault, rows = Vault(house.folder), secrets.listed(house)
    if vault.exists and not vault.is_private:
        mend = f"Let nobody else read it: chmod 600 {shlex.quote(str(vault.path))}"
        yield Finding("key of secrets", ok=False, said=f"{vault.path} can be read by others", mend=mend)
    closed = [each["secret"] for each in rows if not each["opens"]]
    if closed:
        said = f"{vault.path} {'does not open' if vault.exists else 'is missing, so closed are'} {', '.join(closed)}"
        yield Finding("secrets", ok=False, said=said, mend="Restore the key from a backup, or enter them anew.")
    elif rows:
        yield Finding("secrets", ok=True, said=f"{len(rows):,}, sealed by {vault.path}")
