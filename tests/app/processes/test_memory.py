"""What memory a process gives back."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from pathlib import Path

import pytest

from cormorant.app.processes import memory
from tests.clocks import Hands, until

SIZE = 64 << 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's ways of giving memory back are Linux's")


def test_what_was_read_of_a_mapped_file_is_handed_back_while_the_block_lasts(tmp_path: Path) -> None:
    ours = big_file(tmp_path / "index" / "segment")
    with memory.kept_small(tmp_path / "index"), mapped(ours) as view:
        assert touched(view) == SIZE // mmap.PAGESIZE
        until_below(SIZE // 2, ours)
        assert touched(view) == SIZE // mmap.PAGESIZE, "what was handed back is still what it was"
        until_below(SIZE // 2, ours)


def test_mapped_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    foreign = big_file(tmp_path / "index-of-another" / "segment")
    ours = big_file(tmp_path / "index" / "segment")
    with memory.kept_small(tmp_path / "index"), mapped(foreign) as kept, mapped(ours) as view:
        touched(kept)
        touched(view)
        until_below(SIZE // 2, ours)
        assert resident(foreign) == SIZE


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library gives back by itself")
def test_what_was_freed_is_kept_for_what_comes_next_and_handed_back_after_a_while() -> None:
    clock = Hands()
    pieces = [bytes(64 << 10) for _ in range(SIZE >> 16)]
    last, full = pieces.pop(), in_memory()  # it keeps the C library from handing back what lies before it
    trim = memory.trimmer(clock)
    pieces.clear()
    trim()
    assert in_memory() > full - SIZE // 4
    clock.at += 60
    trim()
    assert in_memory() < full - SIZE // 2
    assert len(last) == 64 << 10


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library gives back by itself")
def test_what_a_large_page_took_is_handed_back_at_once() -> None:
    trim = memory.trimmer(Hands())
    pieces = [bytes(64 << 10) for _ in range(SIZE >> 16)]
    last, full = pieces.pop(), in_memory()
    pieces.clear()
    trim()
    assert in_memory() < full - SIZE // 2
    assert len(last) == 64 << 10


def test_who_waits_hands_back_what_it_has_read_of_libraries(tmp_path: Path) -> None:
    library = big_file(tmp_path / "library.so")
    with mapped(library, mmap.MAP_PRIVATE) as view:
        touched(view)
        memory.leave_libraries()
        assert resident(library) == 0
        assert touched(view) == SIZE // mmap.PAGESIZE, "what was handed back is still what it was"


def test_what_was_written_into_a_library_stays(tmp_path: Path) -> None:
    """The loader writes addresses into some parts and closes these: they are in no file."""
    library = big_file(tmp_path / "library.so")
    system = ctypes.CDLL(None)
    with library.open("rb") as file:
        view = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        view[:5] = b"bound"
        start = ctypes.addressof(ctypes.c_char.from_buffer(view))
        assert system.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(SIZE), mmap.PROT_READ) == 0
        memory.leave_libraries()
        assert view[:6] == b"boundx"


def test_only_what_is_a_file_s_alone_is_handed_back() -> None:
    """What was written before it was closed is in memory or swapped out; where no size is told nobody has looked."""
    mappings = [("r-xp", 12, 0, 0), ("r--p", 12, 4, 0), ("r--p", 8, 0, 4), ("r-xp", 0, 0, 0), ("rw-p", 12, 0, 0)]
    smaps = "".join(
        f"{number}000-{number}fff {rights} 00000000 fe:00 {number}47 /usr/lib/a library.so\nRss: {rss} kB\n"
        f"Anonymous:        {own} kB\nSwap: {away} kB\nSwapPss: 0 kB\nVmFlags: rd ex mr mw me\n"
        for number, (rights, rss, own, away) in enumerate(mappings, 1)
    )
    assert list(memory.only_read(smaps)) == [(0x1000, 0x1FFF)]


def in_memory() -> int:
    """Bytes of this process that are in memory (proc(5), statm)."""
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * mmap.PAGESIZE


def big_file(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.write(b"x" * SIZE)
        os.fsync(file.fileno())  # only what is on the disk can be forgotten
    return path


def mapped(path: Path, flags: int = mmap.MAP_SHARED) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, flags, mmap.PROT_READ)


def touched(view: mmap.mmap) -> int:
    return sum(view[at] == ord("x") for at in range(0, SIZE, mmap.PAGESIZE))


def resident(path: Path) -> int:
    """Bytes of this file in the memory of this process (proc(5), smaps)."""
    found, total = False, 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split(maxsplit=1)[0]
        if not first.endswith(":"):
            found = line.endswith(f" {path}")
        elif found and first == "Rss:":
            total += int(line.split()[1]) * 1024
    return total


def until_below(limit: int, path: Path) -> None:
    until(lambda: resident(path) <= limit)
