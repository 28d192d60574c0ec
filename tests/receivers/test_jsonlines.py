from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.clock import pause
from cormorant.base.errors import BadSetting, ConflictError, DataFolderError
from cormorant.model.settings.source import parse_settings
from cormorant.receivers.jsonlines import JsonLinesReceiver, JsonLinesSettings
from cormorant.receivers.protocol import Delivery
from cormorant.receivers.record import encoded
from tests.receivers.events import deliveries, delivery

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "found.jsonl"


@pytest.fixture
def receiver(path: Path) -> Iterator[JsonLinesReceiver]:
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    yield receiver
    receiver.close()


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def seqs(path: Path) -> list[int]:
    return [record["seq"] for record in records(path)]


def test_the_record(receiver: JsonLinesReceiver, path: Path) -> None:
    receiver.receive([delivery(4), delivery(5), replace(delivery(6), text="", html=None, reference="/cached/17")])
    found, deleted, large = records(path)
    assert list(found) == ["seq", "event", "run", "source", "url", "document", "text", "html"]
    assert found["document"]["title"] == "Plover 4 am »Nordmole«"
    assert (deleted["event"], deleted["document"], deleted["text"]) == ("deleted", None, "")
    assert (large["reference"], "html" in large) == ("/cached/17", False)


def test_any_mapping_is_a_document(receiver: JsonLinesReceiver, path: Path) -> None:
    from types import MappingProxyType

    assert receiver.receive([replace(delivery(1), document=MappingProxyType({"status": 200}))]) == []
    assert records(path)[0]["document"] == {"status": 200}


@pytest.mark.parametrize("value", [object(), "\ud800", {1j: 2}, [[...]]])
def test_what_json_does_not_have_is_refused(receiver: JsonLinesReceiver, path: Path, value: object) -> None:
    (refusal,) = receiver.receive([delivery(1), replace(delivery(2), document={"x": value}), delivery(3)])
    assert refusal.seq == 2
    assert "cannot be written as JSON" in refusal.reason
    assert seqs(path) == [1, 3]


def test_a_torn_end_is_cut_off_and_comes_again(path: Path) -> None:
    whole = b"".join(line_of(seq) for seq in (1, 2))
    torn = line_of(3)
    for length in range(len(torn)):
        path.write_bytes(whole + torn[:length])
        receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
        receiver.open()
        assert path.read_bytes() == whole
        assert receiver.last == 2
        receiver.receive(deliveries(1, 3))
        receiver.close()
        assert path.read_bytes() == whole + torn


def line_of(seq: int) -> bytes:
    return encoded(delivery(seq)) + b"\n"


@pytest.mark.parametrize("end", [b'{"seq', b"{", b'{"seq":1', b'{"seq":1,"event":"fo'])
def test_a_torn_first_line_is_cut_off(path: Path, end: bytes) -> None:
    path.write_bytes(end)
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    assert (receiver.last, path.read_bytes()) == (0, b"")
    receiver.close()


def test_lines_that_a_power_cut_spoiled_come_again(path: Path) -> None:
    path.write_bytes(line_of(1) + line_of(2) + bytes(5000) + b"\n" + line_of(4)[20:] + b"\0\n\0")
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    receiver.receive(deliveries(1, 4))
    receiver.close()
    assert seqs(path) == [1, 2, 3, 4]


def test_a_batch_with_a_hole_comes_again_as_a_whole(path: Path) -> None:
    """Of what was not synced a later page may be on the disk without an earlier one."""
    whole = [line_of(seq) for seq in range(1, 9)]
    hole = bytes(len(whole[4]) + 10) + whole[5][10:]
    path.write_bytes(b"".join([*whole[:4], hole, *whole[6:]]))
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    assert receiver.last == 8
    receiver.receive(deliveries(4, 8))
    assert path.read_bytes() == b"".join(whole)
    receiver.close()


def test_a_line_that_was_confirmed_and_is_spoilt_takes_none_behind_it_along(path: Path) -> None:
    path.write_bytes(line_of(1) + b"spoilt\n" + line_of(3) + line_of(4))
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    receiver.receive(deliveries(5, 6))
    receiver.close()
    assert path.read_bytes() == line_of(1) + b"spoilt\n" + b"".join(line_of(seq) for seq in (3, 4, 5, 6))


@pytest.mark.parametrize("left", [b"", b"two"])
def test_a_first_batch_that_begins_with_zeros_comes_again(path: Path, left: bytes) -> None:
    path.write_bytes(bytes(4096) + (b"rest\n" + line_of(2) if left else b""))
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    receiver.receive(deliveries(1, 3))
    receiver.close()
    assert seqs(path) == [1, 2, 3]


@pytest.mark.parametrize("content", [b"my diary", b"\n", b'{"name":1}\n', b'[{"seq":1}]\n', b"\0" * 20])
def test_the_file_of_somebody_else_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ConflictError, match="has other contents"):
        JsonLinesReceiver(JsonLinesSettings(path=path)).open()
    assert path.read_bytes() == content


def test_a_very_long_last_line_is_found(path: Path) -> None:
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    receiver.receive(deliveries(1, 2))
    receiver.receive([replace(delivery(3), text="x" * 300_000)])
    receiver.close()
    receiver.open()
    assert receiver.last == 3
    receiver.close()


def test_one_process_writes_it(receiver: JsonLinesReceiver, path: Path) -> None:
    with pytest.raises(ConflictError, match="Another process writes"):
        JsonLinesReceiver(JsonLinesSettings(path=path)).open()


def test_places_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "nowhere" / "found.jsonl", tmp_path, tmp_path / "file" / "found.jsonl"):
        with pytest.raises(BadSetting, match="folder has to exist"):
            JsonLinesReceiver(JsonLinesSettings(path=path)).open()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConflictError, match="no ordinary file"):
        JsonLinesReceiver(JsonLinesSettings(path=tmp_path / "pipe")).open()


def test_settings() -> None:
    assert parse_settings(JsonLinesSettings, {"path": "/srv/x", "rotate_bytes": "5MB"}).rotate_bytes == 5_000_000
    for given, words in (
        ({}, "is needed"),
        ({"path": "/x", "rotate_bytes": "-1"}, "rotate_bytes"),
    ):
        with pytest.raises(BadSetting, match=words):
            parse_settings(JsonLinesSettings, given)


def test_before_open_nothing_is_received(path: Path) -> None:
    with pytest.raises(DataFolderError, match="not open"):
        JsonLinesReceiver(JsonLinesSettings(path=path)).receive(deliveries(1, 1))


def test_a_full_file_is_renamed_after_its_last_number(tmp_path: Path) -> None:
    path = tmp_path / "found [1].jsonl"
    settings = JsonLinesSettings(path=path, rotate_bytes=3000)
    for first in range(1, 61, 6):
        receiver = JsonLinesReceiver(settings)
        receiver.open()
        receiver.receive(deliveries(max(1, first - 3), first + 2))
        receiver.receive(deliveries(first + 3, first + 5))
        receiver.close()
    files = sorted(each for each in tmp_path.iterdir() if each != path)
    assert len(files) > 2
    assert [seq for file in (*files, path) for seq in seqs(file)] == list(range(1, 61))
    assert all(file.stem.endswith(f".{seqs(file)[-1]:012d}") for file in files)


def test_after_renaming_the_count_goes_on(path: Path) -> None:
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path, rotate_bytes=1))
    receiver.open()
    receiver.receive(deliveries(1, 6))
    receiver.close()
    path.rename(path.with_name("found.000000000006.jsonl"))  # killed before the new file was made
    receiver.open()
    receiver.receive(deliveries(4, 7))
    receiver.close()
    assert seqs(path) == [7]


def test_nothing_is_renamed_over_another_file(path: Path) -> None:
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path, rotate_bytes=1))
    receiver.open()
    receiver.receive(deliveries(1, 2))
    taken = path.with_name("found.000000000002.jsonl")
    taken.write_text("precious")
    with pytest.raises(ConflictError, match="exists already"):
        receiver.receive(deliveries(3, 4))
    taken.unlink()
    receiver.receive(deliveries(3, 4))
    receiver.close()
    assert seqs(path) == [3, 4]


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_without_space_the_batch_is_not_kept_and_comes_again(
    receiver: JsonLinesReceiver, path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    receiver.receive(deliveries(1, 2))
    with monkeypatch.context() as patch:
        fail(patch, call, errno.ENOSPC)
        with pytest.raises(DataFolderError, match="Free some space"):
            receiver.receive(deliveries(3, 4))
    assert seqs(path) == [1, 2]
    receiver.receive(deliveries(3, 4))
    assert seqs(path) == [1, 2, 3, 4]


def fail(patch: pytest.MonkeyPatch, call: str, error: int) -> None:
    """Let a system call do half its work and fail."""
    write = os.write

    def failing(descriptor: int, data: bytes = b"") -> int:
        write(descriptor, bytes(data[: len(data) // 2]))
        raise OSError(error, os.strerror(error))

    patch.setattr(f"os.{call}", failing)


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_lost_write_closes_it_until_it_is_opened_again(
    receiver: JsonLinesReceiver, path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    receiver.receive(deliveries(1, 2))
    with monkeypatch.context() as patch:
        fail(patch, call, errno.EIO)
        with pytest.raises(DataFolderError, match="Check the disk"):
            receiver.receive(deliveries(3, 4))
    with pytest.raises(DataFolderError, match="not open"):
        receiver.receive(deliveries(3, 4))
    receiver.open()
    receiver.receive(deliveries(3, 4))
    assert seqs(path) == [1, 2, 3, 4]


def test_an_interrupted_batch_is_cut_off(
    receiver: JsonLinesReceiver, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def interrupted(descriptor: int, data: bytes) -> int:
        write(descriptor, bytes(data[: len(data) // 2]))
        raise KeyboardInterrupt

    receiver.receive(deliveries(1, 2))
    with monkeypatch.context() as patch:
        patch.setattr("os.write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            receiver.receive(deliveries(3, 4))
    receiver.receive(deliveries(3, 4))
    assert seqs(path) == [1, 2, 3, 4]


def killed_round(path: Path, rotate_bytes: int, place: int, delay_s: float) -> int:
    """Start a receiver behind a confirmed place, kill it -9 after a while, and return the place now confirmed."""
    command = [sys.executable, "-m", "tests.receivers.receive_forever", str(path), str(rotate_bytes), str(place)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        begun = child.stdout.readline()
        pause(delay_s)
        child.kill()
        lines = (begun + child.stdout.read()).splitlines(keepends=True)
    return max(int(line) for line in lines if line.endswith("\n"))


@pytest.mark.slow
@pytest.mark.parametrize("rotate_bytes", [0, 5_000_000])
@pytest.mark.long
def test_killed_thirty_times_no_line_is_missing_and_none_is_there_twice(path: Path, rotate_bytes: int) -> None:
    place = 0
    for round_ in range(30):
        place = killed_round(path, rotate_bytes, place, delay_s=round_ * 0.001)
    receiver = JsonLinesReceiver(JsonLinesSettings(path=path))
    receiver.open()
    receiver.close()
    files = sorted(each for each in path.parent.iterdir() if each != path)
    assert bool(files) == bool(rotate_bytes)
    found = [seq for file in (*files, path) for seq in seqs(file)]
    assert found == list(range(1, receiver.last + 1))
    assert receiver.last >= place


class TestNumbersGivenASecondTime:
    """The database was put back from a backup, so that its numbers begin again below the last one in the file."""

    @pytest.mark.parametrize("before", [9, 600])
    @pytest.mark.parametrize("rotate_bytes", [0, 1])
    def test_nothing_is_lost(self, path: Path, before: int, rotate_bytes: int) -> None:
        receiver = JsonLinesReceiver(JsonLinesSettings(path=path, rotate_bytes=rotate_bytes))
        receiver.open()
        receiver.receive(deliveries(1, before))
        receiver.close()
        written = len(records(path))
        receiver.open()
        other = [replace(each, url=f"{each.url}/other") for each in deliveries(5, 7)]
        receiver.receive(other)
        receiver.receive([replace(each, url=f"{each.url}/other") for each in deliveries(8, 8)])
        receiver.close()
        files = sorted(path.parent.glob("found*"))
        urls = [each["url"] for file in files for each in records(file)]
        assert {each.url for each in other} <= set(urls)
        assert len(urls) == written + 4

    def test_the_same_document_fetched_another_time_is_another_event(
        self, receiver: JsonLinesReceiver, path: Path
    ) -> None:
        def fetched(day: int) -> Delivery:
            return Delivery(
                3, "changed", 2, "harbour", "https://harbour.example/3", {"fetched_at": f"2026-11-{day:02}"}
            )

        receiver.receive([*deliveries(1, 2), fetched(1)])
        receiver.open()
        receiver.receive([fetched(1)])
        assert seqs(path) == [1, 2, 3]
        receiver.receive([fetched(9)])
        assert seqs(path) == [1, 2, 3, 3]
