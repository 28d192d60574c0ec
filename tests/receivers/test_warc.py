from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.base.errors import BadSetting, ConflictError, DataFolderError
from cormorant.model.settings.source import parse_settings
from cormorant.receivers.protocol import Delivery, KeptCopy
from cormorant.receivers.warc import WarcReceiver, WarcSettings
from tests.receivers.archive import records, seqs_in, torn
from tests.receivers.events import deliveries, delivery
from tests.receivers.tools import tools


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[WarcReceiver]:
    receiver = made(tmp_path)
    yield receiver
    receiver.close()


def made(folder: Path, **settings: object) -> WarcReceiver:
    receiver = WarcReceiver(WarcSettings.model_validate({"folder": folder, **settings}), tools())
    receiver.open()
    return receiver


def with_copies(first: int, last: int) -> list[int]:
    return [seq for seq in range(first, last + 1) if delivery(seq).kept is not None]


def test_the_records(receiver: WarcReceiver, tmp_path: Path) -> None:
    receiver.receive(deliveries(4, 7))
    info, page, other, file = records(tmp_path / "cormorant-000001.warc.gz")
    assert info.fields["WARC-Type"] == "warcinfo"
    assert info.block.startswith(b"software: cormorant/")
    assert page.fields["WARC-Target-URI"] == "https://harbour.example/4"
    assert (page.fields["WARC-Date"], page.fields["X-Cormorant-Seq"]) == ("2023-11-14T22:13:24Z", "4")
    assert page.block == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Archive-Orig-Content-Encoding: gzip\r\n"
        b"X-Archive-Orig-Content-Length: 3\r\nX-Odd: \xff\r\nContent-Length: 13\r\n\r\n<p>page 4</p>"
    )
    assert (file.fields["WARC-Type"], file.fields["Content-Type"]) == ("resource", "application/pdf")
    assert file.block == b"\x00file 7"
    assert len({each.fields["WARC-Record-ID"] for each in (info, page, other, file)}) == 4


def test_what_would_break_a_head_does_not(receiver: WarcReceiver, tmp_path: Path) -> None:
    bad = KeptCopy("HTTP/1.1 200 O\r\nK", b"A: b\n\n\nX: y\rZ: z\r\n", b"", "te\nxt", 1e20, truncated=True)
    document = {"access_url": "https://a.example/ü \r\nWARC-Type: x", "fetched_at": None}
    receiver.receive([
        Delivery(1, "new", 1, "s", "https://a.example/", document, kept=bad),
        Delivery(2, "new", 1, "s", "file:///a", None, kept=bad._replace(status_line="")),
    ])  # fmt: skip
    _, one, two = records(tmp_path / "cormorant-000001.warc.gz")
    assert one.fields["WARC-Target-URI"] == "https://a.example/%C3%BC%20%0D%0AWARC-Type:%20x"
    assert one.fields["WARC-Truncated"] == "length"
    assert one.block == b"HTTP/1.1 200 O  K\r\nA: b\r\nX: y\r\nZ: z\r\nContent-Length: 0\r\n\r\n"
    assert two.fields["Content-Type"] == "application/octet-stream"


def test_a_new_file_is_begun_when_one_has_grown(tmp_path: Path) -> None:
    for first in range(1, 61, 6):
        receiver = made(tmp_path, rotate_bytes=4_000)
        receiver.receive(deliveries(max(1, first - 3), first - 1)) if first > 1 else None
        receiver.receive(deliveries(first, first + 5))
        receiver.close()
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) > 2
    assert all(records(each)[0].fields["WARC-Filename"] == each.name for each in files)


def test_what_was_not_confirmed_is_cut_off_and_comes_again(receiver: WarcReceiver, tmp_path: Path) -> None:
    path = tmp_path / "cormorant-000001.warc.gz"
    receiver.receive(deliveries(1, 4))
    receiver.close()
    torn(path)
    (tmp_path / "cormorant-000002.warc.gz").write_bytes(b"begun")
    receiver.open()
    receiver.receive(deliveries(1, 4))
    receiver.receive(deliveries(5, 9))
    assert seqs_in(tmp_path) == with_copies(1, 9)
    assert sorted(each.name for each in tmp_path.glob("*.warc.gz")) == [path.name]


def test_the_same_number_of_another_past_is_written(receiver: WarcReceiver, tmp_path: Path) -> None:
    receiver.receive(deliveries(1, 3))
    receiver.receive([replace(each, url=f"{each.url}/other") for each in deliveries(2, 3)])
    assert seqs_in(tmp_path) == [1, 2, 3, 2, 3]


def test_a_file_that_is_gone_is_not_made_up(receiver: WarcReceiver, tmp_path: Path) -> None:
    receiver.receive(deliveries(1, 3))
    receiver.close()
    (tmp_path / "cormorant-000001.warc.gz").unlink()
    receiver.open()
    receiver.receive(deliveries(4, 4))
    assert [each.name for each in tmp_path.glob("*.warc.gz")] == ["cormorant-000002.warc.gz"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_without_space_the_batch_comes_again(
    receiver: WarcReceiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    receiver.receive(deliveries(1, 2))
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace" if call == "replace" else f"os.{call}", full)
        with pytest.raises(DataFolderError, match="Free some space"):
            receiver.receive(deliveries(3, 4))
    with pytest.raises(DataFolderError, match="not open"):
        receiver.receive(deliveries(3, 4))
    receiver.open()
    receiver.receive(deliveries(3, 4))
    assert seqs_in(tmp_path) == [1, 2, 3, 4]


def test_places_that_cannot_be(tmp_path: Path, receiver: WarcReceiver) -> None:
    with pytest.raises(ConflictError, match="prefix of its own"):
        made(tmp_path)
    with pytest.raises(BadSetting, match="Make the folder"):
        made(tmp_path / "none")
    (tmp_path / "odd.place").write_text("{")
    with pytest.raises(ConflictError, match="cannot be read"):
        made(tmp_path, prefix="odd")
    with pytest.raises(BadSetting, match="letters"):
        parse_settings(WarcSettings, {"folder": "/x", "prefix": "../x"})
    with pytest.raises(DataFolderError, match="not open"):
        WarcReceiver(WarcSettings(folder=tmp_path), tools()).receive(deliveries(1, 1))
