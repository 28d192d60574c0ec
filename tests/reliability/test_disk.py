"""Power cuts leave folders as the model says, and chosen calls fail; the long form is `disk`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.reliability.disk import calls, cuts
from tests.reliability.disk.calls import Failing, Fault, Story
from tests.reliability.disk.gate import Call, why_not
from tests.reliability.disk.ground import World, world
from tests.reliability.disk.numbers import CALLS, Kind
from tests.reliability.disk.platter import File, Piece, Platter

ROOT = Path("/somewhere/here")
TIMES = 40
needs_gate = pytest.mark.skipif(bool(why_not()), reason=why_not())


def call(name: str, path: str = "file", **more: Any) -> Call:
    """A call in the folder."""
    made = Call(name, CALLS[name].kind, "process", str(ROOT / path) if path else str(ROOT))
    return made._replace(**more)


def left(tmp_path: Path, *made: Call) -> list[dict[str, bytes]]:
    """The files that could be there after these calls."""
    platter = Platter(ROOT)
    for each in made:
        platter.take(each)
    found = []
    for number in range(TIMES):
        platter.cut(tmp_path / "cut", Random(number))
        files = [each for each in sorted((tmp_path / "cut").rglob("*")) if each.is_file()]
        found.append({str(each.relative_to(tmp_path / "cut")): each.read_bytes() for each in files})
    return found


NEW = call("openat", fresh=True)
WRITTEN = call("write", data=b"a" * 5000)
SYNCED = call("fdatasync")
NAMED = call("fsync", "")


def test_what_was_synced_under_a_name_that_was_is_there(tmp_path: Path) -> None:
    assert all(each == {"file": b"a" * 5000} for each in left(tmp_path, NEW, WRITTEN, SYNCED, NAMED))


def test_a_file_that_was_synced_may_be_without_its_name(tmp_path: Path) -> None:
    found = left(tmp_path, NEW, WRITTEN, SYNCED)
    assert {len(each) for each in found} == {0, 1}
    assert all(each.get("file", b"a" * 5000) == b"a" * 5000 for each in found)


def test_what_was_not_synced_may_be_there_in_part_and_torn(tmp_path: Path) -> None:
    more = call("write", data=b"b" * 9000, offset=5000)
    found = [each["file"] for each in left(tmp_path, NEW, WRITTEN, SYNCED, NAMED, more)]
    assert all(each.startswith(b"a" * 5000) for each in found)
    assert {b"", b"b" * 9000} <= {each[5000:] for each in found}
    assert any(b"\0" in each for each in found), "a later page without an earlier one"
    assert any(len(each) % 4096 and len(each) != 14000 for each in found), "a page in part"


def test_a_rename_that_was_not_synced_may_leave_the_old_file(tmp_path: Path) -> None:
    draft = [call("openat", "new", fresh=True), call("write", "new", data=b"new"), call("fsync", "new")]
    renamed = call("renameat", "new", target=str(ROOT / "file"))
    found = left(tmp_path, NEW, WRITTEN, SYNCED, NAMED, *draft, renamed)
    assert {each["file"] for each in found} == {b"a" * 5000, b"new"}
    assert all(("new" not in each) == (each["file"] == b"new") or each["file"] != b"new" for each in found)
    assert {each["file"] for each in left(tmp_path, NEW, WRITTEN, SYNCED, *draft, renamed, NAMED)} == {b"new"}


def test_names_are_there_up_to_a_moment(tmp_path: Path) -> None:
    made = [call("openat", f"{number}", fresh=True) for number in range(5)]
    assert {len(each) for each in left(tmp_path, *made)} >= {0, 5}
    assert all(list(each) == [str(n) for n in range(len(each))] for each in left(tmp_path, *made))


@given(st.lists(st.tuples(st.integers(0, 9000), st.binary(max_size=6000)), max_size=8), st.integers())
def test_any_part_of_what_is_left_was_there_once(writes: list[tuple[int, bytes]], seed: int) -> None:
    file, states = File(), [b""]
    for offset, data in writes:
        file.since.append(Piece(offset, data))
        states.append(file.whole())
    found = file.left(Random(seed))
    assert len(found) <= len(states[-1])
    for at, octet in enumerate(found):
        assert octet in {0} | {each[at] for each in states if len(each) > at}
    file.sync()
    assert file.left(Random(seed)) == states[-1]


@pytest.fixture(scope="module")
def shelf() -> Iterator[World]:
    with world("shelf", 5) as made:
        made.install()
        made.keep("new")
        yield made


@needs_gate
@pytest.mark.parametrize("error", calls.ERRORS)
def test_a_command_says_what_it_could_not_write(shelf: World, error: int) -> None:
    shelf.put_back("new")
    story = Story("shelf", crawled=False, words=("source", "edit", "shelf", "--set", "depth=2"))
    failing = Failing(Fault(story, "database", Kind.WRITE, error, 1, 0))
    done = shelf.gate.run(shelf.words("source", "edit", "shelf", "--set", "exclude=path:*.pdf"), failing, shelf.beside)
    assert failing.struck
    assert done.code in (1, 5)
    assert "Traceback" not in done.err
    assert "Check that it may be written and has room" in done.err


@needs_gate
@pytest.mark.slow
def test_a_crawl_survives_power_cuts() -> None:
    with world("site", 6) as here:
        proof = cuts.Proof(here, cuts.recorded(here, whole=False))
        moments = sorted(each for part in cuts.PARTS for each in proof.moments(part, 1, Random(7)))
        assert [wrong for _, wrong in proof.cuts(moments, 7, every=100) if wrong] == []
