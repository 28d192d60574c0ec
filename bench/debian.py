"""How are Debian's packages brought here without being root?

``apt-get download`` fetches a package by the machine's own sources, ``dpkg-deb -x`` unpacks it into the cache
folder; nothing is installed. Where the machine's package lists are missing, lists are fetched once into the cache.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from bench.places import CACHE, DEBS, TREES

_PATIENCE_S = 600


@dataclass(slots=True)
class Packages:
    """Unpacked packages, fetched when first asked for."""

    options: list[str] = field(default_factory=lambda: ["-o", "APT::Sandbox::User=root"])
    updated: bool = False

    def tree(self, package: str) -> Path | None:
        """The folder a package is unpacked in; none when it cannot be had here."""
        tree = TREES / package
        if tree.is_dir():
            return tree
        deb = self._deb(package)
        if deb is None:
            return None
        part = TREES / f"{package}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(parents=True, exist_ok=True)
        if not _succeeds(["dpkg-deb", "-x", str(deb), str(part)], CACHE):
            return None
        _inflate(part)
        part.rename(tree)
        return tree

    def version(self, package: str) -> str:
        """The version of a package that was fetched, as its file name gives it."""
        deb = _newest(package)
        return deb.name.split("_")[1].replace("%3a", ":") if deb else "unknown"

    def _deb(self, package: str) -> Path | None:
        """The package's file, downloaded when it is not there yet."""
        if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
            return None
        DEBS.mkdir(parents=True, exist_ok=True)
        if _newest(package) is None and not self._download(package) and not self.updated:
            self._update()
            self._download(package)
        return _newest(package)

    def _download(self, package: str) -> bool:
        return _succeeds(["apt-get", *self.options, "--quiet", "--quiet", "download", package], DEBS)

    def _update(self) -> None:
        """Fetch package lists of our own, because the machine's have no such package or are too old."""
        self.updated = True
        state = CACHE / "apt"
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        own = [*self.options, "-o", f"Dir::State::lists={state}/lists", "-o", f"Dir::Cache={state}/cache"]
        if _succeeds(["apt-get", *own, "--quiet", "--quiet", "update"], CACHE):
            self.options = own


def _newest(package: str) -> Path | None:
    """The file of a package that was downloaded last."""
    return max(DEBS.glob(f"{package}_*.deb"), key=lambda deb: deb.stat().st_mtime, default=None)


def _succeeds(command: list[str], folder: Path) -> bool:
    """Run a command in a folder; whether it ended well and in time."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _inflate(tree: Path) -> None:
    """Put the plain page beside every page that Debian's policy has compressed, with the same age."""
    for packed in tree.rglob("*.html.gz"):
        plain = packed.with_suffix("")
        if packed.is_file() and not plain.exists():
            with gzip.open(packed) as source, plain.open("wb") as target:
                shutil.copyfileobj(source, target)
            age = packed.stat().st_mtime
            os.utime(plain, (age, age))
