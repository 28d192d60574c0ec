from __future__ import annotations

import errno
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cormorant.base.clock import pause
from cormorant.base.errors import DataFolderError, TooManyFiles
from cormorant.store.blobs.pack_format import pack_numbers, pack_path
from cormorant.store.blobs.protocol import BlobPlace, Harm
from cormorant.store.blobs.reader import PackReader
from cormorant.store.blobs.record import encode
from cormorant.store.blobs.verify import check
from cormorant.store.blobs.writer import PackWriter
from tests.clocks import Hands
from tests.scarcity import few_files
from tests.store.blobs.pages import MOMENT, page

ROOT = Path(__file__).parents[3]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[PackWriter]:
    writer = PackWriter(tmp_path, Hands(MOMENT), rotate_bytes=20_000)
    yield writer
    writer.close()


def failing(error: int, times: int = 1, after: int = 0) -> Callable[..., int]:
    """A system call that writes `after` bytes and then fails `times` times."""
    calls = itertools.count()
    real = os.write

    def call(descriptor: int, parts: object = b"") -> int:
        if next(calls) < times:
            if after and isinstance(parts, list):
                real(descriptor, b"".join(parts)[:after])
            raise OSError(error, os.strerror(error))
        return os.writev(descriptor, parts) if isinstance(parts, list) else 0

    return call


def test_nothing_is_made_before_the_first_entry(tmp_path: Path, writer: PackWriter) -> None:
    assert writer.append([]) == []
    assert list(tmp_path.iterdir()) == []
    assert writer.pack is None


def test_entries_lie_one_after_another_in_one_private_pack(tmp_path: Path, writer: PackWriter) -> None:
    places = writer.append([(n, encode(page(n))) for n in range(3)])
    places += writer.append([(3, encode(page(3)))])
    assert [place.offset for place in places] == [0, *itertools.accumulate(place.length for place in places[:-1])]
    assert {place.pack for place in places} == {writer.pack}
    path = pack_path(tmp_path, places[0].pack)
    assert path.stat().st_size == sum(place.length for place in places)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_more_pieces_than_one_call_takes(tmp_path: Path, writer: PackWriter) -> None:
    places = writer.append([(n, encode(page(n, size=20))) for n in range(1500)])
    reader = PackReader(tmp_path)
    assert all(reader.read(places[n]) == page(n, size=20) for n in (0, 499, 500, 999, 1499))
    reader.close()


def test_a_full_pack_is_followed_by_another(tmp_path: Path, writer: PackWriter) -> None:
    places = [writer.append([(n, encode(page(n, size=15_000)))])[0] for n in range(4)]
    assert len({place.pack for place in places}) == 2
    assert len(list(pack_numbers(tmp_path))) == 2


def test_two_writers_never_share_a_pack(tmp_path: Path) -> None:
    clock = Hands(MOMENT)
    one, other = PackWriter(tmp_path, clock), PackWriter(tmp_path, clock)
    packs = {each.append([(1, b"x")])[0].pack for each in (one, other)}
    one.close()
    other.close()
    assert len(packs) == 2


def test_a_number_that_is_taken_is_never_written_over(tmp_path: Path) -> None:
    one, other = (PackWriter(tmp_path, Hands(MOMENT), token=lambda: "0a" * 16) for _ in range(2))
    one.append([(1, b"x")])
    with pytest.raises(DataFolderError):
        other.append([(2, b"y")])
    one.close()
    other.close()


@pytest.mark.parametrize("after", [0, 50, 1000])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_without_space_nothing_is_half_kept_and_it_goes_on_later(
    writer: PackWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, after: int
) -> None:
    first = writer.append([(1, encode(page(1)))])
    with monkeypatch.context() as patch:
        patch.setattr("os.writev", failing(error, after=after))
        with pytest.raises(DataFolderError, match="free some space"):
            writer.append([(2, encode(page(2)))])
    assert writer.broken is None
    third = writer.append([(3, encode(page(3)))])
    assert third[0].offset == first[0].length
    assert list(check(tmp_path, [(1, first[0]), (3, third[0])])) == []


def test_where_it_cannot_be_cut_back_the_pack_is_left_behind(
    writer: PackWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = writer.append([(1, encode(page(1)))])
    with monkeypatch.context() as patch:
        patch.setattr("os.writev", failing(errno.ENOSPC, after=500))
        patch.setattr("os.ftruncate", failing(errno.EIO))
        with pytest.raises(DataFolderError):
            writer.append([(2, encode(page(2)))])
    third = writer.append([(3, encode(page(3)))])
    assert third[0].pack != first[0].pack
    assert [damage.harm for damage in check(tmp_path, [(1, first[0]), (3, third[0])])] == [Harm.TAIL]


@pytest.mark.parametrize("error", [errno.EIO, errno.EROFS])
@pytest.mark.parametrize("call", ["writev", "fdatasync"])
def test_a_lost_write_ends_the_writer(
    writer: PackWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: int
) -> None:
    first = writer.append([(1, encode(page(1)))])
    with monkeypatch.context() as patch:
        patch.setattr(f"os.{call}", failing(error))
        with pytest.raises(DataFolderError, match="check the disk"):
            writer.append([(2, encode(page(2)))])
    assert writer.broken is not None
    with pytest.raises(DataFolderError, match="check the disk"):
        writer.append([(3, encode(page(3)))])
    assert all(damage.harm is not Harm.LIVE for damage in check(tmp_path, [(1, first[0])]))


def test_a_sync_without_space_leaves_the_pack_and_may_be_tried_again(
    writer: PackWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = writer.append([(1, encode(page(1)))])
    with monkeypatch.context() as patch:
        patch.setattr("os.fdatasync", failing(errno.ENOSPC))
        with pytest.raises(DataFolderError, match="free some space"):
            writer.append([(2, encode(page(2)))])
    assert writer.append([(3, encode(page(3)))])[0].pack != first[0].pack


def test_an_interruption_leaves_no_doubt_about_the_end(writer: PackWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(descriptor: int, parts: list[bytes]) -> int:
        os.write(descriptor, parts[0])
        raise KeyboardInterrupt

    first = writer.append([(1, encode(page(1)))])
    with monkeypatch.context() as patch:
        patch.setattr("os.writev", interrupted)
        with pytest.raises(KeyboardInterrupt):
            writer.append([(2, encode(page(2)))])
    assert writer.append([(3, encode(page(3)))])[0].pack != first[0].pack


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "packs").write_text("a file where a folder should be")
    writer = PackWriter(tmp_path, Hands(MOMENT))
    with pytest.raises(DataFolderError, match="could not be kept"):
        writer.append([(1, b"x")])


def test_a_file_limit_is_a_full_disk(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.store.blobs.fill_the_disk", str(tmp_path), "limit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" 3 refused, 1 packs\n")


def test_a_full_disk_is_a_pause(tmp_path: Path) -> None:
    alone = [
        "unshare",
        "--mount",
        "--",
        "sh",
        "-c",
        'mount -t tmpfs -o size=400k none "$0" && exec "$@"',
        str(tmp_path),
    ]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a small disk of one's own needs root and Linux")
    command = [*alone, sys.executable, "-m", "tests.store.blobs.fill_the_disk", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" 3 refused, 1 packs\n")


def killed_round(folder: Path, first: int, delay_s: float) -> dict[int, BlobPlace]:
    """Start a writer, kill it -9 after a while, and return what it had acknowledged."""
    command = [sys.executable, "-m", "tests.store.blobs.append_forever", str(folder), str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        begun = child.stdout.readline()
        pause(delay_s)
        child.kill()
        lines = (begun + child.stdout.read()).splitlines(keepends=True)
    acknowledged = (list(map(int, line.split())) for line in lines if line.endswith("\n"))
    return {number: BlobPlace(*place) for number, *place in acknowledged}


@pytest.mark.slow
def test_killed_fifty_times_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    kept: dict[int, BlobPlace] = {}
    for round_ in range(50):
        some = killed_round(tmp_path, round_ * 1_000_000, delay_s=round_ * 0.001)
        assert len(some) >= 24
        kept |= some
    reader = PackReader(tmp_path)
    for number, place in kept.items():
        assert reader.read(place) == page(number, size=8000)
    reader.close()
    rows = sorted(kept.items(), key=lambda row: row[1])
    assert {damage.harm for damage in check(tmp_path, rows)} <= {Harm.TAIL}


def test_too_few_files_end_no_writer(writer: PackWriter) -> None:
    with few_files(0), pytest.raises(TooManyFiles, match=r"too many open files\. Raise `ulimit -n`"):
        writer.append([(1, encode(page(1)))])
    assert not writer.broken
    assert writer.append([(1, encode(page(1)))])
