from __future__ import annotations

import gzip
import io

import zstandard

from cormorant.extract.archives.byte_stream import (
    MAX_STREAMS,
    LimitedStream,
    SliceSource,
    ZstdDecoder,
    gzip_stream,
    zstd_stream,
)


def test_a_slice_gives_its_bytes_once() -> None:
    source = SliceSource(b"0123456789", 2, 7)
    assert [source.read(3), source.read(3), source.read(3)] == [b"234", b"56", b""]
    assert SliceSource(b"01", 5, 9).read(3) == b""
    assert SliceSource(b"01", -3).read(9) == b"01"


def test_a_limited_stream_says_that_it_was_cut() -> None:
    stream = LimitedStream(SliceSource(b"0123456789"), 4)
    assert stream.read(4) == b"0123"
    assert stream.fault == ""
    assert stream.read(1) == b""
    assert stream.fault == "the archive unpacks to more than 2 GiB"


def test_a_stream_is_read_in_pieces_of_any_size() -> None:
    data = bytes(range(256)) * 1000
    stream = gzip_stream(io.BytesIO(gzip.compress(data)))
    made = b"".join(iter(lambda: stream.read(777), b""))
    assert made == data
    assert stream.fault == ""


def test_millions_of_empty_streams_end() -> None:
    stream = gzip_stream(SliceSource(gzip.compress(b"", mtime=0) * (MAX_STREAMS + 10) + gzip.compress(b"end")))
    assert stream.read(10) == b""


def test_frames_to_be_skipped_are_skipped() -> None:
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
    body = zstandard.compress(b"first ") + skipped + zstandard.compress(b"second")
    assert zstd_stream(SliceSource(body)).read(100) == b"first second"


def test_a_zstandard_bomb_is_unpacked_a_little_at_a_time() -> None:
    decoder = ZstdDecoder()
    packed = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(50_000_000))
    assert len(decoder.decompress(packed, 1000)) == 1000
    assert len(decoder._ready) <= 9 * 1024 * 1024
