"""Sizes as people type them: a number of bytes, or one with a unit, like 10MB."""

from __future__ import annotations

import re

_SIZES = {"kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_NUMBER = re.compile(r"(?=\.?\d)\d{0,20}\.?\d{0,20}", re.ASCII)


def as_bytes(text: str) -> object:
    """Return bytes for `10MB` and the like; anything else unchanged, for the field to judge."""
    bare = text.strip().lower().replace(" ", "")
    for unit in sorted(_SIZES, key=len, reverse=True):
        number = bare.removesuffix(unit)
        if number != bare and _NUMBER.fullmatch(number):
            return int(float(number) * _SIZES[unit])
    return text
