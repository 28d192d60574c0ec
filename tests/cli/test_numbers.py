"""Whatever number is typed, in whichever database: it is refused in a sentence, or means what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.world import Installation

STEERED = ("show", "watch", "log", "suspend", "resume", "stop", "delete", "accept", "refuse", "index", "prune")
TYPED = (
    "-1",
    "0",
    "32768",
    str(2**31 - 1),
    str(2**31),
    "3000000000",
    str(2**63 - 1),
    str(2**63),
    str(10**30),
    "9" * 5_000,
)


@pytest.fixture
def stored(store_url: str, tmp_path: Path) -> Installation:
    """An installation in which there is a source, and no run yet."""
    home = Installation(tmp_path / "data", {"CORMORANT_STORE": store_url})
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path}")
    return home


def test_a_run_that_there_is_not_is_not_found(stored: Installation) -> None:
    for number in TYPED[2:-1]:
        for verb in STEERED:
            done = stored.run("run", verb, number, *(["path:/x"] if verb == "prune" else []))
            assert (done.code, done.err) == (4, f"There is no run {number}.\n"), (verb, number)
        for option in ("--changed", "--run"):
            done = stored.run("document", "list", option, number)
            assert (done.code, done.err) == (4, f"There is no run {number}.\n"), (option, number)
