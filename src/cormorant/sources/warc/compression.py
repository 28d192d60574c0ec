"""The compression of an archive, known by its first bytes."""

from __future__ import annotations

from cormorant.sources.warc.byte_streams import PlainStream, RecordStream, SeekableFile
from cormorant.sources.warc.gzip_stream import GZIP_MAGIC, GzipStream
from cormorant.sources.warc.record_format import RecordFormat
from cormorant.sources.warc.zstd_stream import ZSTD_START, ZstdStream


def stream_of(file: SeekableFile, form: RecordFormat, start: int = 0) -> RecordStream:
    """Return the stream of a file from a place on."""
    file.seek(0)
    first = file.read(4)
    kind: type[RecordStream] = PlainStream
    if first.startswith(GZIP_MAGIC[:2]):
        kind = GzipStream
    elif ZSTD_START.match(first):
        kind = ZstdStream
    return kind(file, form.marks, start)
