"""Older versions of the program, each at work in an environment of its own.

A version is what its commit held, without a checkout: nothing is written to the repository. Its packages are those of
its own lock, so that versions of one lock share an environment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.journeys.crawling import ROOT

_LOCK = Path("requirements/run.txt")
_WITH_SERVER = Path("requirements/dev.txt")
"""The lock that has the driver of PostgreSQL in every version."""


class Age(NamedTuple):
    """A version: its commit, the number of its schema, and what came with the next number."""

    commit: str
    schema: str
    before: str


AGES = (
    Age("a97a6a1", "0001", "consent"),
    Age("7b44c5b", "0004", "sites that share a pace"),
    Age("a495745", "0009", "tokens"),
    Age("dafb8f0", "0010", "what links say of documents"),
    Age("990d992", "0012", "what is agreed to"),
    Age("47d1c3e", "0013", "schedules"),
    Age("543d0c7", "0017", "near copies"),
)
"""The last versions before large steps of the schema, oldest first. The first is the last of its number: until then
the first schema was still edited in place, so that databases of the same number differ."""
ON_A_SERVER = ("7b44c5b", "990d992", "543d0c7")
"""Those that are tried on PostgreSQL as well."""


class NotToBeHadError(Exception):
    """A version, or what it needs, cannot be had here; the reason is a sentence."""


class Versions:
    """Makes older versions ready, below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uv = Path(sys.executable).with_name("uv")

    def program(self, age: Age, *, server: bool) -> list[str]:
        """The command that runs a version. Raises NotToBeHadError."""
        source = self._folder / age.commit
        if not source.exists():
            self._unpack(age, source)
        python = self._environment(source, server=server)
        return ["env", f"PYTHONPATH={source / 'src'}", str(python), "-m", "cormorant"]

    def _unpack(self, age: Age, target: Path) -> None:
        git = shutil.which("git")
        if git is None:
            raise NotToBeHadError("There is no git here.")
        target.parent.mkdir(parents=True, exist_ok=True)
        packed = target.with_suffix(".tar")
        done = subprocess.run(
            [git, "archive", "-o", packed, age.commit, "src", "requirements"],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise NotToBeHadError(f"The history here does not reach back to {age.commit}.")
        shutil.unpack_archive(packed, target)
        packed.unlink()

    def _environment(self, source: Path, *, server: bool) -> Path:
        """The Python that has the packages of a version's lock."""
        name = hashlib.sha256((source / _LOCK).read_bytes()).hexdigest()[:12]
        folder = self._folder / f"packages-{name}{'-server' * server}"
        python = folder / "bin" / "python"
        if not python.exists():
            self._run("venv", "--python", sys.executable, str(folder))
            self._install(python, "--require-hashes", "--requirement", str(source / _LOCK))
            if server:
                self._install(python, "psycopg[binary]", "--constraint", str(source / _WITH_SERVER))
        return python

    def _install(self, python: Path, *what: str) -> None:
        self._run("pip", "install", "--compile-bytecode", "--python", str(python), "--only-binary", ":all:", *what)

    def _run(self, *what: str) -> None:
        command = [str(self._uv), what[0], "--quiet", *what[1:]]
        environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotToBeHadError(f"Its packages cannot be had any more: {done.stderr.strip()[-300:]}")
