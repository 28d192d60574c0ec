"""Changes of a folder as the kernel reports them."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import Unreachable
from cormorant.sources.files import folder_watch
from cormorant.sources.files.folder_watch import FolderWatch
from cormorant.sources.files.settings import FilesSettings
from cormorant.sources.files.source import FilesSource, doubts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has inotify")
SOON = 5.0


def watched(folder: Path, **given: object) -> FilesSource:
    """A source that watches already."""
    source = FilesSource(1, FilesSettings(path=str(folder), watch=True, **given), SystemClock())  # type: ignore[arg-type] # as typed
    assert source.wait_for_change(0), "nobody knows of changes before the first call"
    return source


def test_each_sort_of_change_is_noticed_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    source = watched(tmp_path)
    file = tmp_path / "sub" / "a.txt"
    for change in (
        lambda: file.write_text("a"), lambda: file.write_text("b"), lambda: file.rename(tmp_path / "b.txt"),
        (tmp_path / "b.txt").unlink, (tmp_path / "new").mkdir, (tmp_path / "new").rmdir,
    ):  # fmt: skip
        change()
        assert source.wait_for_change(SOON)
        while source.wait_for_change(0):
            pass
    assert not source.wait_for_change(0)


def test_folders_that_come_are_watched_with_all_below(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "a" / "b"
    elsewhere.mkdir(parents=True)
    place = tmp_path / "place"
    place.mkdir()
    source = watched(place)
    (tmp_path / "elsewhere").rename(place / "moved")
    assert source.wait_for_change(SOON)
    (place / "moved" / "a" / "b" / "file.txt").write_text("x")
    assert source.wait_for_change(SOON)
    (place / "moved").rename(tmp_path / "elsewhere")
    assert source.wait_for_change(SOON)
    while source.wait_for_change(0):
        pass
    (elsewhere / "other.txt").write_text("x")
    assert not source.wait_for_change(0.05)


def test_what_no_listing_names_is_not_noticed(tmp_path: Path) -> None:
    for name in (".git", "skip", "deep/er"):
        (tmp_path / name).mkdir(parents=True)
    source = watched(tmp_path, exclude=("skip", "*.log"), depth=1)
    for name in (".git/x", ".swp", "skip/x", "a.log", "deep/er/x"):
        (tmp_path / name).write_text("x")
    assert not source.wait_for_change(0.05)
    (tmp_path / "deep" / "x").write_text("x")
    assert source.wait_for_change(SOON)


def test_rights_are_noticed_where_they_count(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    plain, strict = watched(tmp_path), watched(tmp_path, owner_grants=True)
    (tmp_path / "a").chmod(0o600)
    assert strict.wait_for_change(SOON)
    assert not plain.wait_for_change(0)


def test_a_folder_that_goes_is_told(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    source = watched(place)
    place.rename(tmp_path / "other")
    with pytest.raises(Unreachable, match="was moved"):
        source.wait_for_change(SOON)
    with pytest.raises(Unreachable, match="cannot be watched"):
        FolderWatch(os.fsencode(place), lambda _path, _folder: True, rights=False)


def test_closing_ends_a_wait(tmp_path: Path) -> None:
    source = watched(tmp_path)
    ended = threading.Thread(target=source.wait_for_change, args=(60.0,))
    ended.start()
    asyncio.run(source.close())
    ended.join(SOON)
    assert not ended.is_alive()
    assert not source.wait_for_change(60)


def test_too_many_events_are_one_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = FolderWatch(os.fsencode(tmp_path), lambda _path, _folder: True, rights=False)
    assert watch._take(folder_watch._EVENT.pack(-1, folder_watch._OVERFLOW, 0, 0))
    (tmp_path / "after").write_text("x")
    assert watch.wait(SOON)


def test_where_watches_run_out_the_first_folders_have_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    watch = FolderWatch.__new__(FolderWatch)
    watch._open_ones, left = (), [2]

    class Scarce:
        """The library of a system that grants two watches."""

        def inotify_init1(self, flags: int) -> int:
            return os.open(os.devnull, os.O_RDONLY)

        def inotify_add_watch(self, fd: int, path: bytes, mask: object) -> int:
            left[0] -= 1
            if left[0] < 0:
                ctypes.set_errno(errno.ENOSPC)
                return -1
            return 2 - left[0]

    watch._root, watch._concerns, watch._mask = os.fsencode(tmp_path), lambda _path, _folder: True, 0
    watch._libc, (watch._wake, watch._waker) = Scarce(), os.pipe()  # type: ignore[assignment] # as far as it is used
    watch._begin()
    assert len(watch._folders) == 2
    assert watch._full
    assert "watch limit" in caplog.text


def test_shares_are_doubted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = FilesSettings(path=str(tmp_path), watch=True)
    assert doubts(settings) == ()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 /dev/x rw\n2 1 0:2 / {tmp_path} rw - nfs4 server:/x rw\n")
    opened = open
    monkeypatch.setattr("builtins.open", lambda path, *more, **said: opened(mounts, *more, **said))
    (sentence,) = doubts(settings)
    assert "nfs4" in sentence
    assert doubts(FilesSettings(path=str(tmp_path))) == ()
