"""Pages of HTML that were wrapped in RTF, unwrapped: [MS-OXRTFEX].

Tags are in groups of their own (htmltag); text between them is that of the page, and text between the words htmlrtf and
htmlrtf0 is for readers of RTF only.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cormorant.extract.ole.code_pages import joined_units
from cormorant.extract.rtf.charsets import FontTable
from cormorant.extract.rtf.tokens import RtfKind, RtfToken, RtfTokens

MAX_DEPTH: Final = 1_000
"""The greatest depth of groups; deeper text belongs to the last of them."""

_SIGN: Final = b"\\fromhtml"
_HEAD: Final = 4_096
_SKIPPED: Final = frozenset(
    ("colortbl", "stylesheet", "info", "pict", "object", "pntext", "header", "footer", "listtable", "listoverridetable")
)
_CHARACTERS: Final = {
    "par": "\n", "line": "\n", "tab": "\t", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "endash": "\u2013", "emdash": "\u2014", "emspace": "\u2003",
    "enspace": "\u2002", "qmspace": "\u2005",
}  # fmt: skip
_SYMBOLS: Final = {"~": "\xa0", "_": "\u2011", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n"}


class _Group(NamedTuple):
    """The state of the text in a group; groups within it begin with the same."""

    hidden: bool = False
    in_tag: bool = False
    fonts: bool = False
    font: int = -1
    fallback: int = 1


def is_html_in_rtf(rtf: bytes) -> bool:
    """Return whether an RTF document wraps a page of HTML."""
    return _SIGN in rtf[:_HEAD]


def unwrap_html(rtf: bytes) -> str:
    """Return the page of HTML that an RTF document wraps."""
    return _Unwrapper(rtf).page()


class _Unwrapper:
    def __init__(self, rtf: bytes) -> None:
        self._tokens = RtfTokens(rtf)
        self._fonts = FontTable()
        self._groups = [_Group()]
        self._deeper = 0
        self._pieces: list[str] = []
        self._bytes = bytearray()
        self._skip = 0
        self._starred = False

    def page(self) -> str:
        for token in self._tokens:
            self._read(token)
        self._flush()
        return joined_units("".join(self._pieces))

    def _read(self, token: RtfToken) -> None:
        kind, name, data, number = token
        if kind == RtfKind.OPEN:
            self._open()
        elif kind == RtfKind.CLOSE:
            self._close()
        elif kind == RtfKind.WORD:
            self._read_word(name, number)
        elif kind == RtfKind.SYMBOL:
            if name == "*":
                self._starred = True
            else:
                self._add(_SYMBOLS.get(name, ""))
        else:
            passed = min(self._skip, len(data))
            self._skip -= passed
            self._add_bytes(data[passed:])

    def _open(self) -> None:
        self._flush()
        self._skip = 0
        if len(self._groups) >= MAX_DEPTH:
            self._deeper += 1
        else:
            self._groups.append(self._groups[-1])

    def _close(self) -> None:
        self._flush()
        self._skip, self._starred = 0, False
        if self._deeper:
            self._deeper -= 1
        elif len(self._groups) > 1:
            fonts = self._groups.pop().fonts
            if fonts and not self._groups[-1].fonts:
                self._fonts.complete()

    def _read_word(self, name: str, number: int | None) -> None:
        group = self._groups[-1]
        starred, self._starred = self._starred, False
        if self._skip:
            self._skip -= 1
        elif starred and name == "htmltag":
            self._groups[-1] = group._replace(in_tag=True)
        elif starred or name in _SKIPPED:
            self._tokens.skip_group()
        elif name in _CHARACTERS:
            self._add(_CHARACTERS[name])
        elif name == "u" and number is not None:
            self._add(chr(number & 0xFFFF))
            self._skip = group.fallback
        else:
            self._set(group, name, 1 if number is None else number)

    def _set(self, group: _Group, name: str, number: int) -> None:
        """Change a state of the group."""
        self._flush()
        if name == "htmlrtf":
            self._groups[-1] = group._replace(hidden=number != 0)
        elif name == "uc":
            self._groups[-1] = group._replace(fallback=max(0, min(number, 100)))
        elif name == "ansicpg":
            self._fonts.code_page = number
        elif name == "fonttbl":
            self._groups[-1] = group._replace(fonts=True)
        elif name == "f":
            self._groups[-1] = group._replace(font=number)
        elif name == "fcharset" and group.fonts:
            self._fonts.set_charset(group.font, number)

    def _add(self, text: str) -> None:
        self._flush()
        group = self._groups[-1]
        if self._skip:
            self._skip -= 1
        elif not (group.hidden or group.fonts):
            self._pieces.append(text)

    def _add_bytes(self, data: bytes) -> None:
        group = self._groups[-1]
        if not (group.hidden or group.fonts):
            self._bytes += data

    def _flush(self) -> None:
        if self._bytes:
            group = self._groups[-1]
            own = group.in_tag or group.font < 0
            charset = self._fonts.document_charset() if own else self._fonts.charset(group.font)
            self._pieces.append(charset.decode(bytes(self._bytes)))
            self._bytes.clear()
