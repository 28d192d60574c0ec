"""Directory of a ZIP archive, and the headers before its members where the directory is damaged.

Source: APPNOTE.TXT 6.3.10 of PKWARE, sections in brackets. The standard library refuses a whole archive for one name
that is no UTF-8, and for a directory that is cut short; the members before a damage are wanted.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from cormorant.extract.archives.limits import IN_ANOTHER_PART, MAX_FILES
from cormorant.extract.errors import Unreadable

LOCAL: Final = b"PK\x03\x04"
_CENTRAL: Final = b"PK\x01\x02"
_END: Final = b"PK\x05\x06"
_END_64: Final = b"PK\x06\x06"
_LOCATOR_64: Final = b"PK\x06\x07"
_DESCRIPTOR: Final = b"PK\x07\x08"
"""Signature of a data descriptor, and of an archive that is split over several files [8.5.4]."""

_LOCAL_HEADER: Final = struct.Struct("<4s5H3L2H")
_CENTRAL_HEADER: Final = struct.Struct("<4s6H3L5H2L")
_END_RECORD: Final = struct.Struct("<4s4H2LH")
_END_RECORD_64: Final = struct.Struct("<4sQ2H2L4Q")
_FULL_32: Final = 0xFFFFFFFF
_FULL_16: Final = 0xFFFF
_UNICODE_PATH: Final = 0x7075
_ZIP64: Final = 1
_TIMES: Final = 0x5455
_STREAMED: Final = 8
"""Flag of a member whose sizes follow its data."""
_UTF_8: Final = 0x800
_MAX_LISTED: Final = 4 * MAX_FILES
"""Entries that are looked at: folders, and what systems keep for themselves, are among them."""
_CANDIDATES: Final = 20

UNKNOWN: Final = -1


class ZipHeader(NamedTuple):
    """A member as a directory, or the header before its data, describes it. Sizes are bytes, or UNKNOWN.

    `offset` is that of its data, or of its local header where `located` is false. `mode` holds Unix permissions and
    file type, 0 when unknown.
    """

    name: str
    flags: int
    method: int
    packed: int
    size: int
    offset: int
    located: bool
    modified_at: float | None
    mode: int


class ZipDirectory(NamedTuple):
    """The entries of an archive. `fault` is a sentence about a damaged directory, "" for a sound one."""

    headers: list[ZipHeader]
    comment: str = ""
    fault: str = ""


def read_directory(body: bytes) -> ZipDirectory:
    """Return the directory of a ZIP; of a damaged one, all headers that are found before members.

    Raises Unreadable for a part of a split archive, and when there is no member at all and no directory.
    """
    for place in _ends(body):
        found = _directory_at(body, place)
        if found is not None:
            return found
    if body.startswith(_DESCRIPTOR):
        raise Unreadable(IN_ANOTHER_PART)
    headers = list(_scanned(body))
    if headers:
        return ZipDirectory(headers, fault="its directory is damaged or cut off, and members were found without it")
    raise Unreadable("the archive has no readable directory: it is cut short or damaged")


def data_offset(body: bytes, offset: int) -> int:
    """Return where the data behind the local header at `offset` begins, UNKNOWN when no header is there."""
    if offset < 0 or offset + _LOCAL_HEADER.size > len(body) or not body.startswith(LOCAL, offset):
        return UNKNOWN
    name, extra = _LOCAL_HEADER.unpack_from(body, offset)[9:11]
    return int(offset + _LOCAL_HEADER.size + name + extra)


def _ends(body: bytes) -> Iterator[int]:
    """Yield the places where an end record [4.3.16] may be, the last first."""
    place = len(body)
    for _ in range(_CANDIDATES):
        place = body.rfind(_END, 0, place)
        if place < 0:
            return
        if place + _END_RECORD.size <= len(body):
            yield place


def _directory_at(body: bytes, place: int) -> ZipDirectory | None:
    """Return the directory that an end record names, None when it is not where it should be or not whole."""
    _, disk, first_disk, _, count, size, start, length = _END_RECORD.unpack_from(body, place)
    if disk not in (0, _FULL_16) or first_disk not in (0, _FULL_16):
        raise Unreadable(IN_ANOTHER_PART)
    directory_end = place
    wide = _end_record_64(body, place)
    if wide is not None:
        directory_end, count, size, start = wide
    shift = directory_end - size - start
    if size > directory_end or start + shift < 0:
        return None
    headers = list(_central(body, (directory_end - size, directory_end), shift, count))
    if len(headers) < min(count, _MAX_LISTED):
        return None
    comment = body[place + _END_RECORD.size : place + _END_RECORD.size + length]
    return ZipDirectory(headers, _decoded(comment, 0))


def _end_record_64(body: bytes, place: int) -> tuple[int, int, int, int] | None:
    """Return place, count, size and start of the directory by the Zip64 record [4.3.14], None without one."""
    if not body.startswith(_LOCATOR_64, place - 20) or place < 20 + _END_RECORD_64.size:
        return None
    at = body.rfind(_END_64, 0, place - 20)
    if at < 0 or at + _END_RECORD_64.size > place:
        return None
    *_, count, size, start = _END_RECORD_64.unpack_from(body, at)
    return at, count, size, start


def _central(body: bytes, bounds: tuple[int, int], shift: int, count: int) -> Iterator[ZipHeader]:
    """Yield the entries of a directory [4.3.12]. Data before the archive shifts their offsets."""
    place, end = bounds
    for _ in range(min(count, _MAX_LISTED)):
        if place + _CENTRAL_HEADER.size > end or not body.startswith(_CENTRAL, place):
            return
        fields = _CENTRAL_HEADER.unpack_from(body, place)
        name_end = place + _CENTRAL_HEADER.size + fields[10]
        extra_end = name_end + fields[11]
        extra = _extra_fields(body[name_end:extra_end])
        size, packed, offset = _wide(extra.get(_ZIP64, b""), (fields[9], fields[8], fields[16]))
        flags = fields[3]
        yield ZipHeader(
            name=_name(body[place + _CENTRAL_HEADER.size : name_end], flags, extra),
            flags=flags,
            method=fields[4],
            packed=packed,
            size=size,
            offset=offset + shift,
            located=False,
            modified_at=_modified(extra, fields[6], fields[5]),
            mode=fields[15] >> 16 if fields[1] >> 8 in (3, 19) else 0,
        )
        place = extra_end + fields[12]


def _scanned(body: bytes) -> Iterator[ZipHeader]:
    """Yield the members that headers before their data describe [4.3.7], without a directory."""
    place = body.find(LOCAL)
    for _ in range(_MAX_LISTED):
        if place < 0 or place + _LOCAL_HEADER.size > len(body):
            return
        fields = _LOCAL_HEADER.unpack_from(body, place)
        start = place + _LOCAL_HEADER.size
        data = start + fields[9] + fields[10]
        extra = _extra_fields(body[start + fields[9] : data])
        size, packed, _ = _wide(extra.get(_ZIP64, b""), (fields[8], fields[7], 0))
        known = not fields[2] & _STREAMED or packed > 0
        following = _following(body, data + packed if known else data)
        if data <= len(body):
            yield ZipHeader(
                name=_name(body[start : start + fields[9]], fields[2], extra),
                flags=fields[2],
                method=fields[3],
                packed=packed if known else _distance(body, data, following),
                size=size if known else UNKNOWN,
                offset=data,
                located=True,
                modified_at=_modified(extra, fields[5], fields[4]),
                mode=0,
            )
        place = following


def _following(body: bytes, place: int) -> int:
    return body.find(LOCAL, place) if place < len(body) else -1


def _distance(body: bytes, data: int, following: int) -> int:
    """Return the bytes of a member without a declared size: up to the next header."""
    end = following if following >= 0 else len(body)
    for mark in (_DESCRIPTOR, _CENTRAL):
        found = body.find(mark, data, end)
        end = found if found >= 0 else end
    return end - data


def _extra_fields(data: bytes) -> dict[int, bytes]:
    """Return the extra fields [4.5] by their number."""
    found: dict[int, bytes] = {}
    place = 0
    while place + 4 <= len(data):
        number, length = struct.unpack_from("<2H", data, place)
        found.setdefault(number, data[place + 4 : place + 4 + length])
        place += 4 + length
    return found


def _wide(extra: bytes, values: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return size, packed size and offset; those that are full stand in the Zip64 field [4.5.3], in this order."""
    made: list[int] = []
    place = 0
    for value in values:
        if value == _FULL_32 and place + 8 <= len(extra):
            made.append(int.from_bytes(extra[place : place + 8], "little"))
            place += 8
        else:
            made.append(value)
    return made[0], made[1], made[2]


def _name(raw: bytes, flags: int, extra: dict[int, bytes]) -> str:
    """Return a name: that of the Unicode field [4.6.9] where it was made for the plain one, else the plain one."""
    field = extra.get(_UNICODE_PATH, b"")
    if len(field) > 5 and field[0] == 1 and int.from_bytes(field[1:5], "little") == zlib.crc32(raw):
        try:
            return field[5:].decode()
        except UnicodeDecodeError:
            pass
    return _decoded(raw, flags)


def _decoded(raw: bytes, flags: int) -> str:
    """Return text in UTF-8 where it says so [D.1] or can be nothing else, otherwise in code page 437 of the PC."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(errors="replace") if flags & _UTF_8 else raw.decode("cp437")


def _modified(extra: dict[int, bytes], date: int, time: int) -> float | None:
    """Return when a member was changed: in UTC by Unix, else by the wall clock of MS-DOS [4.4.6] as if in UTC."""
    field = extra.get(_TIMES, b"")
    if len(field) >= 5 and field[0] & 1:
        return float(int.from_bytes(field[1:5], "little", signed=True))
    try:
        return datetime(
            1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, min(time & 31, 29) * 2,
            tzinfo=UTC,
        ).timestamp()  # fmt: skip
    except ValueError:
        return None
