"""Byte signatures (magic numbers) of file formats.

They are the tables of the MIME Sniffing Standard, and further formats.

Source: https://mimesniff.spec.whatwg.org/ sections 6 and 7; the others from the formats' own descriptions.
"""

from __future__ import annotations

import struct
from typing import Final

from cormorant.extract.detect.media_types import EMF, TNEF, WMF

HEAD: Final = 1445
"""Bytes that are read for a signature."""

ZIP: Final = "application/zip"
OLE: Final = "application/x-ole-storage"

_STARTS: Final = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"PK\x07\x08", ZIP),
    (b"PK00PK\x03\x04", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rtf", "application/rtf"),
    (b"\x78\x9f\x3e\x22", TNEF),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\x00\x00\x02\x00", "image/x-icon"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"8BPS\x00", "image/vnd.adobe.photoshop"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"\x1f\x8b\x08", "application/x-gzip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"BZh91AY&SY", "application/x-bzip2"),
    (b"OggS\x00", "application/ogg"),
    (b"MThd\x00\x00\x00\x06", "audio/midi"),
    (b"fLaC\x00", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\xffWPC", "application/vnd.wordperfect"),
    (b"\x7fELF", "application/x-executable"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"\x00asm", "application/wasm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x00\x01\x00\x00\x00", "font/ttf"),
    (b"OTTO\x00", "font/otf"),
    (b"!BDN", "application/vnd.ms-outlook-pst"),
    (b"\xd7\xcd\xc6\x9a", WMF),
    *((bytes((kind, 0, 9, 0, 0, version)), WMF) for kind in (1, 2) for version in (1, 3)),
)
_ANY_START: Final = tuple(start for start, _ in _STARTS)
# These two letters may also begin a word.
_WEAK: Final = ((b"MZ", "application/vnd.microsoft.portable-executable"),)
_RIFF: Final = {b"AVI ": "video/avi", b"WAVE": "audio/wave"}
_BRANDS: Final = {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heif", b"avif": "image/avif"}
_BINARY: Final = bytes((*range(9), 11, *range(14, 27), *range(28, 32)))
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

# The first record of Excel 2, 3 and 4 by its kind: the bytes of its data, and the type. The second number of the data
# is the kind of the document: sheet, chart, macro, workspace ([MS-XLS] 2.4.21 has the later ones).
_WORKBOOKS: Final = {
    0x0009: (4, "application/vnd.ms-excel.sheet.2"),
    0x0209: (6, "application/vnd.ms-excel.sheet.3"),
    0x0409: (6, "application/vnd.ms-excel.sheet.4"),
}
_WORKBOOK_KINDS: Final = (0x10, 0x20, 0x40, 0x100)
_RECORD: Final = struct.Struct("<HH2xH")

# MPEG audio, layer III: bit rates in kbit/s by index, sampling rates by index.
_RATES: Final = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_RATES_2: Final = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_SAMPLES: Final = (44_100, 48_000, 32_000)


def signature(body: bytes) -> str:
    """Return the type that the first bytes prove, "" if they prove none."""
    head = body[:HEAD]
    if head.startswith(_ANY_START):
        return next(mime for start, mime in _STARTS if head.startswith(start))
    binary = is_binary(head)
    for start, mime in _WEAK:
        if binary and head.startswith(start):
            return mime
    if head.startswith(b"BM") and (len(head) < 10 or head[6:10] == b"\0\0\0\0"):
        return "image/bmp"
    return _container(head) or ("application/x-tar" if binary and head[257:262] == b"ustar" else "")


def _container(head: bytes) -> str:
    """Return the type of a format whose signature is not at the very start, "" for others."""
    if head.startswith(b"RIFF"):
        return "image/webp" if head[8:14] == b"WEBPVP" else _RIFF.get(head[8:12], "")
    if head.startswith(b"FORM") and head[8:12] == b"AIFF":
        return "audio/aiff"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "") or ("video/mp4" if _is_mp4(head) else "")
    if head.startswith(b"\1\0\0\0") and head[40:44] == b" EMF":
        return EMF
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm" if _is_webm(head) else ""
    return _old_workbook(head) or ("audio/mpeg" if _is_mp3(head) else "")


def _old_workbook(head: bytes) -> str:
    """Return the type of a workbook of Excel 2, 3 or 4, which has no container, "" for anything else."""
    if len(head) < _RECORD.size:
        return ""
    kind, size, document = _RECORD.unpack_from(head)
    expected, mime = _WORKBOOKS.get(kind, (-1, ""))
    return mime if size == expected and document in _WORKBOOK_KINDS else ""


def is_binary(head: bytes) -> bool:
    """Return whether there are bytes that no text has: https://mimesniff.spec.whatwg.org/#binary-data-byte."""
    if head.startswith(_MARKS):
        return False
    return len(head.translate(None, _BINARY)) != len(head) and not _is_wide(head)


def _is_wide(head: bytes) -> bool:
    """Return whether this is UTF-16 without a mark: zeros in nearly every other place, and only there."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    return bool((even == 0) != (odd == 0)) and len(head) >= 8 and even + odd > len(head) * 0.35


def _is_mp4(head: bytes) -> bool:
    size = int.from_bytes(head[:4], "big")
    if size < 12 or size > len(head) or size % 4:
        return False
    names = [head[8:12], *(head[place : place + 4] for place in range(16, size, 4))]
    return any(name[:3] == b"mp4" for name in names) or head[8:12] == b"isom"


def _is_webm(head: bytes) -> bool:
    """Return whether the document type is that of WebM: https://mimesniff.spec.whatwg.org/#signature-for-webm."""
    place = head.find(b"\x42\x82", 4, 38)
    if place < 0 or place + 2 >= len(head):
        return False
    length = next((size for size in range(1, 9) if head[place + 2] & (0x100 >> size)), 0)
    return bool(length) and head[place + 2 + length :].lstrip(b"\0").startswith(b"webm")


def _is_mp3(head: bytes) -> bool:
    """Return whether two MP3 frames follow: https://mimesniff.spec.whatwg.org/#signature-for-mp3-without-id3."""
    size = _mp3_frame(head, 0)
    return size > 4 and _mp3_frame(head, size) > 0


def _mp3_frame(head: bytes, place: int) -> int:
    """Return the size of the frame that starts here, 0 for none."""
    if len(head) < place + 4 or head[place] != 0xFF or head[place + 1] & 0xE6 != 0xE2:
        return 0
    version, rate, sample = head[place + 1] >> 3 & 3, head[place + 2] >> 4, head[place + 2] >> 2 & 3
    if rate in (0, 15) or sample == 3:
        return 0
    hertz = _SAMPLES[sample] >> {3: 0, 2: 1}.get(version, 2)
    kilobits = (_RATES if version == 3 else _RATES_2)[rate]
    return kilobits * (144_000 if version == 3 else 72_000) // hertz + (head[place + 2] >> 1 & 1)
