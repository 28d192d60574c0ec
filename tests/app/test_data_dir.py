"""Whose turn is it? What a look at the lock of a folder says, and does to others."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.app import data_dir


@pytest.fixture
def looking(tmp_path: Path) -> Callable[[float], None]:
    """Somebody else looks at the lock just now; when this is called they are done."""
    descriptor = os.open(tmp_path / "owner.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return lambda _: os.close(descriptor)


def test_who_wants_to_own_waits_for_who_only_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looking: Callable[[float], None]
) -> None:
    monkeypatch.setattr(data_dir, "pause", looking, raising=False)
    lock = data_dir.take_lock(tmp_path)
    assert lock is not None
    os.close(lock)


def test_many_may_look_at_once(tmp_path: Path, looking: Callable[[float], None]) -> None:
    assert data_dir.is_free(tmp_path)
    looking(0)


def test_there_is_one_owner(tmp_path: Path) -> None:
    lock = data_dir.take_lock(tmp_path)
    assert lock is not None
    assert not data_dir.is_free(tmp_path)
    assert data_dir.take_lock(tmp_path) is None
    os.close(lock)
    assert data_dir.is_free(tmp_path)


def test_the_port_of_the_pages_is_known_while_their_owner_has_the_folder(tmp_path: Path) -> None:
    lock = data_dir.take_lock(tmp_path)
    assert lock is not None
    assert data_dir.noted_ports(tmp_path) == set()
    data_dir.note_port(tmp_path, 8766)
    assert data_dir.noted_ports(tmp_path) == {8766}
    os.close(lock)
    assert data_dir.noted_ports(tmp_path) == set()
    lock = data_dir.take_lock(tmp_path)
    assert lock is not None
    assert data_dir.noted_ports(tmp_path) == set(), "the next owner has none"
    os.close(lock)


def test_who_has_to_be_alone_says_so_until_the_next_owner(tmp_path: Path) -> None:
    for alone in (True, False):
        lock = data_dir.take_lock(tmp_path)
        assert lock is not None
        if alone:
            data_dir.note_alone(lock)
        assert data_dir.is_alone(tmp_path) == alone
        assert data_dir.noted_ports(tmp_path) == set()
        os.close(lock)


@pytest.mark.parametrize("said", [b"", b"\n", b"no port\n", b"-1\n", b"\xff\xfe8766"])
def test_what_is_no_port_in_a_lock_is_none(tmp_path: Path, said: bytes) -> None:
    lock = data_dir.take_lock(tmp_path)
    assert lock is not None
    os.write(lock, said)
    assert data_dir.noted_ports(tmp_path) == set()
    os.close(lock)


def test_a_mark_lasts_before_anything_is_kept_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    monkeypatch.setattr(data_dir, "sync_folder", lambda where: synced.append((where / "cormorant.json").read_bytes()))
    made = tmp_path / "data"
    data_dir.prepare(made)
    data_dir.put_copies_at(made, tmp_path / "copies")
    assert len(synced) == 2, "once it has its name, each time"
    assert synced[-1] == (made / "cormorant.json").read_bytes()


def test_a_full_disk_keeps_nobody_from_a_folder_that_is_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "data"
    data_dir.prepare(made)
    before = (made / "cormorant.json").read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        data_dir.note_store(made, f"sqlite:///{made}/cormorant.db")
    assert (made / "cormorant.json").read_bytes() == before
    data_dir.note_store(made, f"sqlite:///{made}/cormorant.db")
    assert b"cormorant.db" in (made / "cormorant.json").read_bytes()
