"""`source add` lists files of a folder that everyone would find though other accounts may not read them."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.world import InstalledCli

CLOSED = "may not be read by others on this machine, and everyone who reaches the search page may find"


@pytest.fixture
def share() -> Iterator[Path]:
    """A folder that every user may enter, with two files that only some may read, and one for all."""
    made = Path(tempfile.mkdtemp(prefix="cormorant-test-"))
    made.chmod(0o755)
    (made / "pay").mkdir()
    for name, mode in (("open.txt", 0o644), ("mine.txt", 0o640), ("pay/wages.txt", 0o644)):
        (made / name).write_text(f"Wages of the harbour, {name}.")
        (made / name).chmod(mode)
    (made / "pay").chmod(0o750)
    yield made
    shutil.rmtree(made)


def test_a_program_reads_the_count_in_every_record(bare: InstalledCli, share: Path) -> None:
    record = bare.fine("source", "add", "files", "share", "--set", f"path={share}", "--json").object
    assert record["settings"] == {"path": str(share)}, "nobody was asked, so it is as by default"
    exposed = record["exposed_files"]
    assert (exposed["files"], exposed["at_least"], exposed["above"], exposed["blind"]) == (2, False, None, None)
    assert {each["address"]: each["why"] for each in exposed["first"]} == {
        f"file://{share}/mine.txt": "mode 640", f"file://{share}/pay/wages.txt": "folder pay, mode 750",
    }  # fmt: skip
    done = bare.fine("crawl", "--json")
    assert (done.object["exposed_files"], done.err) == (2, "")
    (said,) = done.object["notices"]
    assert (said["kind"], done.object["problems"]) == ("exposure", [])
    assert (said["addresses"], len(said["first"])) == (2, 2)
    assert bare.fine("source", "show", "share", "--json").object["exposed_files"] == exposed


def test_a_person_reads_it_before_the_first_crawl_and_when_there_are_more(bare: InstalledCli, share: Path) -> None:
    added = bare.fine("source", "add", "files", "share", "--set", f"path={share}", "--quiet")
    assert (added.out, f"2 files of share {CLOSED} them: " in added.err) == ("", True), added
    for way in ("mine.txt (mode 640)", "owner_grants=true", "exclude=PATTERN", "grants=group:NAME"):
        assert way in added.err
    assert CLOSED in bare.fine("crawl").err
    again = bare.fine("crawl")
    assert (CLOSED in again.err, "everyone can find 2 files that others may not read" in again.out) == (False, True)
    (share / "pay" / "more.txt").write_text("More wages.")
    assert f"3 files of share {CLOSED} them" in bare.fine("crawl").err
    bare.fine("source", "edit", "share", "--set", "owner_grants=true", "--yes")
    assert bare.fine("source", "show", "share", "--json").object["exposed_files"]["files"] == 0
    assert "everyone can find" not in bare.fine("crawl").out


def test_an_edit_that_shows_more_says_so(bare: InstalledCli, share: Path) -> None:
    closed = bare.fine("source", "add", "files", "share", "--set", f"path={share}", "--set", "grants=group:staff")
    assert CLOSED not in closed.err
    assert CLOSED in bare.fine("source", "edit", "share", "--set", "grants=everyone", "--yes").err
    assert CLOSED not in bare.fine("source", "edit", "share", "--set", "depth=9", "--yes").err
    assert "1 file of share" in bare.fine("source", "edit", "share", "--set", "exclude=pay", "--yes").err


def test_a_share_that_is_mounted_later_is_looked_at_before_its_first_crawl(
    bare: InstalledCli, share: Path, tmp_path: Path
) -> None:
    later = tmp_path / "later"
    added = bare.fine("source", "add", "files", "share", "--set", f"path={later}", "--json")
    assert added.object["exposed_files"] is None
    later.symlink_to(share)
    assert bare.fine("crawl").err.startswith("2 files of share")


def test_a_folder_above_closes_all_of_it_and_owner_grants_does_not(bare: InstalledCli, share: Path) -> None:
    share.chmod(0o700)
    (share / "pay").chmod(0o755)
    said = bare.fine("source", "add", "files", "open", "--set", f"path={share / 'pay'}").err
    assert f"wages.txt (folder {share}, mode 700). To keep them closed: `cormorant source edit open --set ex" in said
    assert f"owner_grants does not look at {share}, which is above its folder" in said
    (share / "pay" / "mine.txt").write_text("Mine.")
    (share / "pay" / "mine.txt").chmod(0o600)
    said = bare.fine("source", "add", "files", "pay", "--set", f"path={share / 'pay'}").err
    assert f"owner_grants=true` applies the rights of the files, though not by those of {share}" in said


@pytest.mark.parametrize(("answer", "kept"), [("y", {"owner_grants": True}), ("n", {}), ("\x04", None)])
def test_at_a_terminal_it_is_asked(
    bare: InstalledCli, share: Path, answer: str, kept: dict[str, object] | None
) -> None:
    ours, theirs = pty.openpty()
    words = ["--data", str(bare.folder), "source", "add", "files", "share", "--set", f"path={share}"]
    command = [sys.executable, "-m", "cormorant", *words]
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.write(ours, f"{answer}\n".encode() if kept is not None else answer.encode())
    assert done.wait(60) == (0 if kept is not None else 130)
    said = os.read(ours, 65_536).decode()
    os.close(ours)
    os.close(theirs)
    assert "(owner_grants)? [y/n]" in said
    shown = bare.fine("source", "list", "--json").objects
    assert [each["settings"] for each in shown] == ([{"path": str(share), **kept}] if kept is not None else [])
