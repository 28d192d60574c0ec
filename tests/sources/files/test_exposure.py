"""What closes a file to others on the machine, told by the listing that is made anyway."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from cormorant.model.exposure import Closure
from cormorant.sources.files.exposure import closed_above
from cormorant.sources.files.permissions import Names, what_closes
from tests.sources.files.listing import found, source

XATTR = "system.posix_acl_access"
DENIES_ONE = ((1, 6, -1), (2, 0, 4711), (4, 4, -1), (16, 4, -1), (32, 4, -1))
GRANTS_ONE = ((1, 6, -1), (2, 4, 4711), (4, 4, -1), (16, 4, -1), (32, 4, -1))


def closures(folder: Path, **settings: object) -> dict[str, str]:
    """Why which file is closed to others, by its address below the folder; those that are open are left out."""
    start = f"file://{folder}/"
    return {
        each.address.removeprefix(start): each.closure.why
        for each in found(source(folder, **settings))
        if each.closure is not None
    }


def write(path: Path, mode: int = 0o644, folder: int = 0o755) -> None:
    """A file of that mode, in a folder of that mode."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("Wages of the harbour.")
    path.chmod(mode)
    path.parent.chmod(folder)


def give(path: Path, entries: tuple[tuple[int, int, int], ...]) -> None:
    """Give a file an access list, as far as its file system takes one."""
    packed = struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", tag, bits, no & 0xFFFFFFFF) for tag, bits, no in entries
    )
    try:
        os.setxattr(path, XATTR, struct.pack("<I", 2) + packed)
    except OSError:
        pytest.skip("this file system has no access lists")


def test_modes_of_files_and_of_the_folders_around_them(shared: Path) -> None:
    write(shared / "open.txt")
    write(shared / "mine.txt", 0o600)
    write(shared / "ours.txt", 0o640)
    write(shared / "not-ours.txt", 0o604)
    write(shared / "pay" / "a.txt", folder=0o750)
    write(shared / "pay" / "deep" / "b.txt")
    write(shared / "drop" / "c.txt", folder=0o711)
    assert closures(shared) == {
        "mine.txt": "mode 600", "ours.txt": "mode 640", "not-ours.txt": "mode 604",
        "pay/a.txt": "folder pay, mode 750", "pay/deep/b.txt": "folder pay, mode 750",
    }  # fmt: skip


def test_nothing_is_told_where_not_everyone_finds_it(shared: Path) -> None:
    write(shared / "mine.txt", 0o600)
    for settings in ({"owner_grants": "true"}, {"grants": "group:staff"}):
        assert closures(shared, **settings) == {}


def test_what_is_not_taken_is_not_told_of(shared: Path) -> None:
    write(shared / "mine.txt", 0o600)
    write(shared / ".hidden", 0o600)
    assert closures(shared, types="application/pdf") == {}
    assert closures(shared) == {"mine.txt": "mode 600"}


def test_the_folder_itself_and_those_above_it(shared: Path) -> None:
    inner = shared / "home" / "papers"
    inner.parent.mkdir()
    write(inner / "a.txt")
    assert (closures(inner), closed_above(os.fsencode(inner), Names())) == ({}, None)
    inner.parent.chmod(0o750)
    above = Closure(f"folder {inner.parent}, mode 750", str(inner.parent), above=True)
    assert closed_above(os.fsencode(inner), Names()) == above
    assert closures(inner) == {"a.txt": above.why}
    (inner / "a.txt").chmod(0o600)
    assert closures(inner) == {"a.txt": "mode 600"}, "what its own rights do is told first"
    (inner / "a.txt").chmod(0o644)
    inner.parent.chmod(0o755)
    inner.chmod(0o700)
    assert closures(inner) == {"a.txt": "folder itself, mode 700"}


def test_a_way_by_symbolic_links_is_as_closed_as_what_it_leads_through(shared: Path) -> None:
    write(shared / "pay" / "a.txt", folder=0o750)
    write(shared / "b.txt", 0o600)
    (shared / "one").symlink_to("pay/a.txt")
    (shared / "two").symlink_to("b.txt")
    said = closures(shared, symlinks="true")
    assert (said["one"], said["two"]) == ("folder on the way, mode 750", "mode 600")


def test_an_access_list_counts_where_the_mode_says_nothing(shared: Path) -> None:
    write(shared / "a.txt")
    give(shared / "a.txt", DENIES_ONE)
    assert closures(shared) == {"a.txt": "access list"}
    give(shared / "a.txt", GRANTS_ONE)
    assert closures(shared) == {}, "all may read it, one of them by name"


def test_an_access_list_that_cannot_be_read_closes(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(shared / "a.txt")

    def refuse(*_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "getxattr", refuse)
    assert (
        what_closes(str(shared / "a.txt"), (shared / "a.txt").stat(), 4, Names()) == "access list that cannot be read"
    )
    assert what_closes(None, (shared / "a.txt").stat(), 4, Names()) == ""


def test_rights_that_a_mount_makes_up_are_told_as_such(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(shared / "a.txt")
    place = source(shared)
    found(place)
    assert place.blind == ""
    for options, blind in ((("rw", "uid=0"), "cifs"), (("rw", "modefromsid"), "")):
        monkeypatch.setattr(
            "cormorant.sources.files.exposure._mount_of", lambda _, said=options: ("cifs", frozenset(said))
        )
        found(place := source(shared))
        assert place.blind == blind


def test_one_file_is_told_of_as_the_listing_does(shared: Path) -> None:
    write(shared / "pay" / "a.txt", folder=0o750)
    settings = source(shared).settings
    said = settings.opened_to_all(f"file://{shared}/pay/a.txt")
    assert said is not None
    assert f"folder {shared}/pay, mode 750" in said
    (shared / "pay").chmod(0o755)
    assert settings.opened_to_all(f"file://{shared}/pay/a.txt") is None
