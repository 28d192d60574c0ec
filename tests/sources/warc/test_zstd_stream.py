"""Archives of Zstandard frames."""

from __future__ import annotations

import io
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from cormorant.model.content import Content
from cormorant.model.outcome import Deferred
from cormorant.sources.warc import byte_streams
from cormorant.sources.warc.record_format import WARC
from cormorant.sources.warc.zstd_stream import ZstdStream
from tests.sources.warc.archives import bodies, fetched, listed, source
from tests.sources.warc.written import framed, response, skippable, trained

SAMPLES = Path(__file__).parent / "samples"
RECORDS = [response(f"https://site.example/{number}", bytes([65 + number]) * 400_000) for number in range(3)]
BODIES = {f"https://site.example/{number}": bytes([65 + number]) * 400_000 for number in range(3)}

FORMS: dict[str, Callable[[], bytes]] = {
    "a frame for each record": lambda: framed(*RECORDS),
    "a dictionary": lambda: framed(*RECORDS, dictionary=trained()),
    "frames that are no records between them": lambda: b"".join(
        framed(each) + skippable(b"x" * 100_000) + framed(b"") for each in RECORDS
    ),
    "frames that are smaller than records": lambda: framed(
        *(b"".join(RECORDS)[at : at + 70_001] for at in range(0, sum(map(len, RECORDS)), 70_001))
    ),
    "one frame": lambda: framed(b"".join(RECORDS)),
    "streamed, without a size and a checksum": lambda: b"".join(
        (packer := zstandard.ZstdCompressor().compressobj()).compress(each) + packer.flush() for each in RECORDS
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.warc.zst").write_bytes(FORMS[form]())
    made = source(tmp_path)
    assert bodies(made) == BODIES
    assert made.unlisted == []


@pytest.mark.parametrize("name", ["fastwarc-dictionary.warc.zst", "fastwarc-packed-dictionary.warc.zst"])
def test_samples_of_another_writer(name: str) -> None:
    made = source(SAMPLES / name)
    got = bodies(made)
    assert set(got) == {f"https://site.example/{number}" for number in range(4)}
    assert all(isinstance(each, bytes) and each.endswith(b"</html>") for each in got.values())
    assert made.unlisted == []


def test_a_damaged_frame_costs_its_record_alone(tmp_path: Path) -> None:
    texts = [response(f"https://site.example/{number}", b"text %d" % number) for number in range(4)]
    frames = [framed(each) for each in texts]
    frames[1] = frames[1][:-1] + bytes([frames[1][-1] ^ 1])
    frames[2] = frames[2][:10] + b"\xff" * 20 + frames[2][30:]
    (tmp_path / "a.warc.zst").write_bytes(b"".join(frames))
    made = source(tmp_path)
    assert bodies(made) == {"https://site.example/0": b"text 0", "https://site.example/3": b"text 3"}
    assert made.unlisted == ["warc://3/"]


def test_an_archive_that_ends_within_a_frame(tmp_path: Path) -> None:
    (tmp_path / "a.warc.zst").write_bytes(framed(*RECORDS)[:-20])
    made = source(tmp_path)
    found = listed(made)
    assert set(found) == set(BODIES)
    assert made.unlisted == []
    got = fetched(made, found["https://site.example/2"])
    assert isinstance(got, Content)
    assert got.truncated
    assert got.body == b"C" * len(got.body)


def _bomb(size: int) -> bytes:
    """A frame of blocks that repeat one byte, 128 KiB each out of four [RFC 8878 3.1.1.2]."""
    block = struct.pack("<I", 1 << 17 << 3 | 1 << 1)[:3] + b"x"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * (size >> 17)


@pytest.mark.parametrize(
    "data",
    [
        b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd" * 500, skippable(b"")[:4] + b"\xff" * 40, _bomb(1 << 27),
        skippable(b"x" * 40, 0x184D2A5D) + framed(b"x"), skippable(b"", 0x184D2A5D)[:4] + b"\xff\xff\xff\xff",
        skippable(zstandard.compress(bytes(1 << 26)), 0x184D2A5D) + framed(b"x"),
        b"\x28\xb5\x2f\xfd\x00\xf8" + b"\0" * 40,
    ],
)  # fmt: skip
def test_hostile_frames_cost_themselves_alone(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.warc.zst").write_bytes(data)
    (tmp_path / "good.warc.zst").write_bytes(framed(response("https://site.example/", b"good")))
    tracemalloc.start()
    try:
        assert bodies(source(tmp_path)) == {"https://site.example/": b"good"}
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_inflates_beyond_measure_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_streams, "FREE_BYTES", 1 << 20)
    head = (
        b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: https://a.example/\r\nContent-Length: 99999999999\r\n\r\n"
    )
    (tmp_path / "a.warc.zst").write_bytes(framed(head) + _bomb(1 << 28) + framed(*RECORDS))
    made = source(tmp_path)
    assert list(listed(made)) == ["https://a.example/"], "nothing behind the bomb is read"
    assert made.unlisted == ["warc://3/"]


def test_frames_that_need_a_dictionary_that_is_not_there(tmp_path: Path) -> None:
    whole = framed(*RECORDS, dictionary=trained())
    path = tmp_path / "a.warc.zst"
    path.write_bytes(whole)
    made = source(path)
    found = listed(made)
    path.write_bytes(whole.replace(whole[:8], skippable(b"", 0x184D2A50)[:4] + whole[4:8], 1))
    assert listed(made) == {}
    assert made.unlisted == ["warc://3/"]
    assert isinstance(fetched(made, next(iter(found.values()))), Deferred)


def test_frames_to_skip_that_were_read_already_are_not_read_again(tmp_path: Path) -> None:
    reads = list[int]()

    class CountedFile(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            taken = super().read(size)
            reads.append(len(taken))
            return taken

    data = skippable(b"") * 5_000 + framed(RECORDS[0])
    stream = ZstdStream(CountedFile(data), WARC.marks)
    assert stream.after_blanks() is not None
    assert stream.read(5) == b"WARC/"
    assert sum(reads) < 3 * len(data)
