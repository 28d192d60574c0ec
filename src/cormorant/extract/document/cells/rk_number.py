"""RK values, in which Excel's binary files store short numbers (RkNumber of [MS-XLS] and [MS-XLSB])."""

from __future__ import annotations

import struct
from typing import Final

_U64: Final = struct.Struct("<Q")
_DOUBLE: Final = struct.Struct("<d")
_INTEGER: Final = struct.Struct("<i")
_U32: Final = struct.Struct("<I")


def rk_number(rk: int) -> float:
    """Return the number that an RK value of 32 bits stands for."""
    if rk & 2:
        number: float = _INTEGER.unpack(_U32.pack(rk))[0] >> 2
    else:
        number = _DOUBLE.unpack(_U64.pack((rk & 0xFFFFFFFC) << 32))[0]
    return number / 100 if rk & 1 else number
