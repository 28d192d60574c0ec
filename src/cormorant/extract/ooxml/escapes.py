"""Characters that XML does not allow, as Office escapes them: `_x000D_` (ECMA-376-1 22.9.2.19, ST_Xstring)."""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")


def decode_escapes(text: str) -> str:
    """Return a text with its escapes decoded; one that is escaped itself (`_x005F_x000D_`) stays as it was typed."""
    return _ESCAPE.sub(_character, text) if "_x" in text else text


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    if code < 0x20:
        return "\n" if code in (0x0A, 0x0B, 0x0D) else " "
    return "" if 0xD800 <= code <= 0xDFFF else chr(code)
