"""Tokens of RTF: groups, control words and symbols, bytes of text (RTF 1.9.1, "RTF Syntax")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, TypeAlias

MAX_WORD: Final = 40
"""Letters of a control word that count."""


class RtfKind(IntEnum):
    """The kind of a token."""

    TEXT = 0
    WORD = 1
    OPEN = 2
    CLOSE = 3
    BYTE = 4
    SYMBOL = 5


RtfToken: TypeAlias = tuple[RtfKind, str, bytes, int | None]
"""Kind; name of a control word or symbol; bytes of text; number of a control word."""

_TOKEN: Final = re.compile(
    rb"([^\\{}]+)|\\([A-Za-z]+)(-?[0-9]{1,10})? ?|([{])|([}])|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|(.)", re.DOTALL
)
_BRACE: Final = re.compile(rb"[{}]|\\bin([0-9]{1,10}) ?|\\.", re.DOTALL)
_NEAR: Final = 8
_LINE_ENDS: Final = b"\r\n\0"


class RtfTokens:
    """The tokens of a document from its beginning to its end. `place` is where the next one begins."""

    def __init__(self, body: bytes) -> None:
        """Read from the first byte of `body`."""
        self.place = 0
        self._body = body

    def __iter__(self) -> Iterator[RtfToken]:
        """Yield tokens; line ends between them are none, and bytes of pictures (`bin`) are passed over."""
        match_at = _TOKEN.match
        body = self._body
        while (match := match_at(body, self.place)) is not None:
            self.place = match.end()
            group = match.lastindex
            if group == 1:
                yield RtfKind.TEXT, "", match[1].translate(None, _LINE_ENDS), None
            elif group in (2, 3):
                yield self._word(match[2], match[3])
            elif group == 4:
                yield RtfKind.OPEN, "", b"", None
            elif group == 5:
                yield RtfKind.CLOSE, "", b"", None
            elif group == 6:
                yield RtfKind.BYTE, "", bytes((int(match[6], 16),)), None
            elif group == 7:
                yield RtfKind.SYMBOL, match[7].decode("latin-1"), match[7], None

    def starts_with(self, prefix: bytes) -> bool:
        """Return whether these bytes come next."""
        return self._body.startswith(prefix, self.place)

    def follows_brace(self) -> bool:
        """Return whether the symbol that was read last is the first of its group."""
        return self._body[max(0, self.place - _NEAR) : self.place - 2].rstrip(_LINE_ENDS).endswith(b"{")

    def skip_group(self) -> memoryview:
        """Skip the rest of the group up to its closing brace, and return it."""
        start, depth = self.place, 1
        while (match := _BRACE.search(self._body, self.place)) is not None:
            self.place = match.end()
            if match[1]:
                self.place = min(len(self._body), self.place + int(match[1]))
                continue
            depth += {b"{": 1, b"}": -1}.get(match[0], 0)
            if depth == 0:
                self.place -= 1
                return memoryview(self._body)[start : self.place]
        self.place = len(self._body)
        return memoryview(self._body)[start:]

    def _word(self, name: bytes, digits: bytes | None) -> RtfToken:
        number = None if digits is None else int(digits)
        if name == b"bin" and number:
            self.place = min(len(self._body), self.place + max(0, number))
        return RtfKind.WORD, name[:MAX_WORD].decode("ascii"), b"", number
