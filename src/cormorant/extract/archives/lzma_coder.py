"""Properties of raw LZMA streams, and filters before them, as ZIP and 7z have them.

Source: APPNOTE.TXT 5.8.8 for ZIP; lzma.txt and Methods.txt of the LZMA SDK for 7z.
"""

from __future__ import annotations

import lzma
from typing import Any, Final

from cormorant.extract.archives.byte_stream import STEP, ByteSource, DecoderStream

_LEAST_WINDOW: Final = 4096
_DELTA: Final = b"\x03"
_BRANCHES: Final = {
    b"\x04": lzma.FILTER_X86, b"\x03\x03\x01\x03": lzma.FILTER_X86,
    b"\x05": lzma.FILTER_POWERPC, b"\x03\x03\x02\x05": lzma.FILTER_POWERPC,
    b"\x06": lzma.FILTER_IA64, b"\x03\x03\x04\x01": lzma.FILTER_IA64,
    b"\x07": lzma.FILTER_ARM, b"\x03\x03\x05\x01": lzma.FILTER_ARM,
    b"\x08": lzma.FILTER_ARMTHUMB, b"\x03\x03\x07\x01": lzma.FILTER_ARMTHUMB,
    b"\x09": lzma.FILTER_SPARC, b"\x03\x03\x08\x05": lzma.FILTER_SPARC,
}  # fmt: skip
_FIRST_CHUNK: Final = b"\x01"
_NEXT_CHUNK: Final = b"\x02"
_LAST_CHUNK: Final = b"\0"


def lzma_filter(properties: bytes, most: int) -> dict[str, Any]:
    """Return the filter of an LZMA stream. Raises ValueError for no properties, and for too large a dictionary."""
    if len(properties) < 5 or properties[0] >= 9 * 5 * 5:
        raise ValueError("no properties of LZMA")
    rest, literal_context = divmod(properties[0], 9)
    position, literal_position = divmod(rest, 5)
    return {
        "id": lzma.FILTER_LZMA1,
        "dict_size": _window(int.from_bytes(properties[1:5], "little"), most),
        "lc": literal_context,
        "lp": literal_position,
        "pb": position,
    }


def lzma2_filter(properties: bytes, most: int) -> dict[str, Any]:
    """Return the filter of an LZMA2 stream. Raises ValueError as `lzma_filter` does."""
    if not properties or properties[0] > 40:
        raise ValueError("no properties of LZMA2")
    exponent = properties[0]
    size = 0xFFFFFFFF if exponent == 40 else (2 | exponent & 1) << (exponent // 2 + 11)
    return {"id": lzma.FILTER_LZMA2, "dict_size": _window(size, most)}


def _window(size: int, most: int) -> int:
    if size > most:
        raise ValueError("a dictionary that is too large")
    return max(size, _LEAST_WINDOW)


def branch_filter(method: bytes, properties: bytes) -> dict[str, Any] | None:
    """Return the filter that undoes a conversion of branches or differences, None when the method is none."""
    if method == _DELTA:
        return {"id": lzma.FILTER_DELTA, "dist": (properties[0] if properties else 0) + 1}
    return {"id": _BRANCHES[method]} if method in _BRANCHES else None


def filtered_stream(source: ByteSource, branch: dict[str, Any]) -> DecoderStream:
    """Return the bytes of `source` behind a filter.

    The library runs a filter only before a compression; LZMA2 has chunks that are not compressed.
    """

    def decoder() -> lzma.LZMADecompressor:
        filters = [branch, {"id": lzma.FILTER_LZMA2, "dict_size": _LEAST_WINDOW}]
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)

    return DecoderStream(_Chunks(source), decoder)


class _Chunks:
    """Bytes as chunks of LZMA2 that are not compressed: a control byte, the size less one, the bytes."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._control = _FIRST_CHUNK

    def read(self, _size: int, /) -> bytes:
        data = self._source.read(STEP)
        if data:
            control, self._control = self._control, _NEXT_CHUNK
            return control + (len(data) - 1).to_bytes(2, "big") + data
        control, self._control = self._control, b""
        return _LAST_CHUNK if control else b""
