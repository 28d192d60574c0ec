"""A folder is looked at for a while, and what was seen by then is said as such."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.base.errors import Unreachable
from cormorant.model.exposure import Closure, ExposedFiles, ExposureTally
from cormorant.model.resource import DiscoveredUrl
from cormorant.operate.checks import exposure

MODE = Closure("mode 600")
ABOVE = Closure("folder /home/ada, mode 750", "/home/ada", above=True)


def folder(*batches: list[DiscoveredUrl], ends: threading.Event | None = None, error: Unreachable | None = None) -> Any:
    """A source that lists these, and then waits for an event, or fails."""

    def discover(_: str) -> Iterator[list[DiscoveredUrl]]:
        yield from batches
        if ends is not None:
            ends.wait(30)
        if error is not None:
            raise error

    gates = SimpleNamespace(follow=lambda address, _: SimpleNamespace(admitted="left-out" not in address))
    return SimpleNamespace(discover=discover, gates=gates, unlisted=[], blind="")


def files(count: int, closure: Closure | None = MODE, name: str = "a") -> list[DiscoveredUrl]:
    return [DiscoveredUrl(f"file:///srv/{name}{number}", "file:/srv", closure=closure) for number in range(count)]


def test_what_rules_leave_out_and_what_is_open_is_not_counted() -> None:
    seen = exposure.look(folder(files(2), files(3, None, "open"), files(1, MODE, "left-out")))
    assert seen is not None
    assert (seen[0].files, seen[0].at_least, seen[1]) == (2, False, "file:/srv")


def test_a_folder_that_is_too_large_is_counted_as_far_as_it_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exposure, "LOOK_S", 0.2)
    ends = threading.Event()
    try:
        seen = exposure.look(folder(files(7), ends=ends))
    finally:
        ends.set()
    assert seen is not None
    (said,) = exposure.sentences("docs", seen[0])
    assert said.startswith("At least 7 files of docs may not be read")
    assert "/srv/a0 (mode 600), /srv/a1 (mode 600), /srv/a2 (mode 600) and 4 more. " in said


def test_a_folder_that_fails_or_has_nothing_was_not_seen() -> None:
    assert exposure.look(folder(error=Unreachable("It is not there."))) is None
    assert exposure.look(folder([])) is None


def test_files_closed_by_the_source_itself_are_named_first_and_what_is_kept_is_read_as_it_was() -> None:
    tally = ExposureTally()
    for each in (*files(4, ABOVE, "far"), *files(1, MODE, "pay%20")):
        assert each.closure is not None
        tally.add(each.address, each.closure)
    found = tally.total()
    assert (found.files, found.inside, found.above) == (5, 1, "/home/ada")
    assert [address for address, _ in found.first] == ["file:///srv/pay%200", "file:///srv/far0", "file:///srv/far1"]
    assert ExposedFiles.read(found.as_text()) == found
    (said,) = exposure.sentences("docs", found)
    assert "/srv/pay 0 (mode 600)" in said


def test_nothing_is_said_where_nothing_is_exposed() -> None:
    assert list(exposure.sentences("docs", ExposedFiles())) == list(exposure.sentences("docs", None)) == []
    (said,) = exposure.sentences("docs", ExposedFiles(blind="cifs"))
    assert "a cifs file system, whose rights its mount makes up" in said
