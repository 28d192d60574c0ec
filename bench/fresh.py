"""How long does a newcomer wait for the first hit?

A clone of the committed state, ``make setup``, the bundled sample crawled, one search: wall time from the first
command to the first hit. Packages come from the installer's own cache when they have been downloaded before, which
the benchmark makes sure of by setting up once before it measures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

from bench.crawlers import PhaseFailed
from bench.places import CACHE, ROOT

_PATIENCE_S = 900.0


def first_hit_s(query: str) -> float:
    """Seconds of wall time from ``git clone`` to the first hit for ``query``."""
    folder = CACHE / "fresh"
    try:
        _journey(folder / "warm", query)
        began = time.monotonic()
        _journey(folder / "clone", query)
        return time.monotonic() - began
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _journey(clone: Path, query: str) -> None:
    """From nothing to a hit."""
    shutil.rmtree(clone, ignore_errors=True)
    clone.parent.mkdir(parents=True, exist_ok=True)
    _run(["git", "clone", "--quiet", str(ROOT), str(clone)], ROOT)
    _run(["make", "setup"], clone)
    program = [str(clone / ".venv/bin/cormorant"), "--data", str(clone / "data")]
    _run([*program, "quickstart", "--no-serve"], clone)
    if not _run([*program, "search", query, "--json"], clone).strip():
        raise PhaseFailed(f"the bundled sample has no hit for {query!r}")


def _run(command: list[str], folder: Path) -> str:
    """Run one command of the journey; its standard output."""
    hidden = ("CORMORANT_", "VIRTUAL_ENV", "MAKE", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if done.returncode != 0:
        raise PhaseFailed(f"`{' '.join(command)}` ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout
