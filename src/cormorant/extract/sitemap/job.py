"""Messages to and from the sandbox that reads a large sitemap.

    crawl --encode_task--> payload --read (in the child)--> answer --decode_sitemap--> Sitemap | ConversionFault

The answer comes from a process that read what strangers wrote, so all of it is judged again on this side.
"""

from __future__ import annotations

from typing import Final

import msgspec

from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.gzip import gunzipped
from cormorant.extract.html.links import SCHEMES
from cormorant.extract.job import CONVERSION_FAILED, MAX_ANSWER, ConversionFault, decode_task
from cormorant.extract.sanitize import one_line
from cormorant.extract.sitemap.fields import FREQUENCIES
from cormorant.extract.sitemap.parser import MAX_ENTRIES, MAX_TAGS, read_sitemap
from cormorant.model.content import FeedEntry, Sitemap
from cormorant.model.url import MAX_ADDRESS

INLINE_BYTES: Final = 64 * 1024
"""Larger ones are read in a child: this takes ten milliseconds."""
_FORM: Final = 20
_LATEST: Final = 253_402_300_800.0
"""The end of the year 9999 in epoch seconds."""

_Row = tuple[str, bool, float | None, float | None, int, float | None]


class _Answer(msgspec.Struct, frozen=True, array_like=True, tag="sitemap"):
    form: str
    entries: list[_Row]
    unusable: int
    truncated: bool


_ENCODER: Final = msgspec.msgpack.Encoder()
_ANSWERS: Final = msgspec.msgpack.Decoder(_Answer | ConversionFault)


def is_read_inline(body: bytes) -> bool:
    """Return whether a sitemap is small enough to be read at once, also when it is decompressed."""
    return len(body) <= INLINE_BYTES and not gunzipped(body, INLINE_BYTES)[1]


def sitemap_or_fault(body: bytes, *, address: str, charset: str = "") -> Sitemap | ConversionFault:
    """Return the entries of a sitemap, or why it is none. Never raises for the contents of `body`."""
    try:
        return read_sitemap(body, address=address, charset=charset)
    except Unreadable as error:
        return ConversionFault(CONVERSION_FAILED, f"It cannot be used: {str(error).rstrip('.')}.")


def read(payload: bytes) -> bytes:
    """Read one sitemap. Takes what `encode_task` made, returns what `decode_sitemap` reads.

    Raises msgspec.DecodeError for a payload that is none, and MemoryError when there is too little.
    """
    task, body = decode_task(payload)
    del payload  # or the sitemap is there twice while it is read
    said = sitemap_or_fault(body.take(), address=task.address, charset=task.charset)
    if isinstance(said, ConversionFault):
        return _ENCODER.encode(said)
    entries, left = [], MAX_ANSWER - 1_000
    for entry in said.entries:
        left -= len(entry.address.encode()) + 48
        if left < 0:
            break
        entries.append(tuple(entry))
    cut = said.truncated or len(entries) < len(said.entries)
    return _ENCODER.encode(_Answer(said.form, entries, said.unusable, cut))  # type: ignore[arg-type]


def decode_sitemap(answer: bytes) -> Sitemap | ConversionFault:
    """Return the result of the sandbox. An invalid answer is a ConversionFault like any other."""
    try:
        said = _ANSWERS.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ConversionFault(CONVERSION_FAILED, "The converter gave an answer that cannot be read.")
    if isinstance(said, ConversionFault):
        return said
    entries = tuple(_entry(row) for row in said.entries[:MAX_ENTRIES] if _is_address(row[0]))
    return Sitemap(one_line(said.form, _FORM), entries, min(max(said.unusable, 0), MAX_TAGS), said.truncated)


def _entry(row: _Row) -> FeedEntry:
    """An entry, without numbers that no date, frequency or priority has."""
    address, is_map, since, until, every_s, weight = row
    if not (_is_moment(since) and _is_moment(until)):
        since = until = None
    every_s = every_s if every_s in FREQUENCIES.values() else 0
    return FeedEntry(address, is_map, since, until, every_s, weight if weight is None or 0 <= weight <= 1 else None)


def _is_moment(seconds: float | None) -> bool:
    return seconds is None or abs(seconds) < _LATEST


def _is_address(text: str) -> bool:
    """Return whether a text is a URL that could be visited.

    A child's own canonical form is not parsed once more; the gates judge it.
    """
    return text.startswith(SCHEMES) and len(text) <= 4 * MAX_ADDRESS and text.isascii() and text.isprintable()
