"""Strings out of PDFium: a function fills a buffer with UTF-16LE and returns how many bytes it needs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

MAX_STRING_BYTES: Final = 8 * 1024 * 1024
"""Longer strings count as empty: no title, value or comment has four million characters."""


def wide_text(fill: Callable[[Any, int], int]) -> str:
    """Return the string that `fill(buffer, size in bytes)` writes, without the NUL at its end."""
    size = int(fill(None, 0))
    if not 2 < size <= MAX_STRING_BYTES:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    fill(buffer, size)
    return bytes(buffer)[:size].decode("utf-16-le", "ignore").partition("\0")[0]


def byte_text(fill: Callable[[Any, int], int]) -> str:
    """Return the string of bytes that `fill(buffer, size)` writes: UTF-8, or else Latin-1."""
    size = int(fill(None, 0))
    if not 1 < size <= MAX_STRING_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    fill(buffer, size)
    raw = buffer.raw[:size].partition(b"\0")[0]
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
