"""Text parts of a mail as a person reads them: text/plain, text/enriched and text/calendar.

Sources: RFC 3676 (format=flowed), RFC 9580 (OpenPGP), RFC 1896 (text/enriched), RFC 5545 (iCalendar).
"""

from __future__ import annotations

import re
from typing import Final

MAX_FLOWED: Final = 1_000_000
"""Lines of a text in format=flowed."""
_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = ("-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----")
_ENCRYPTED: Final = ("-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----")
_MAX_BLOCKS: Final = 1_000
_SEPARATOR: Final = "-- "
"""The line before a signature, which joins nothing."""

_ENRICHED_PARAMETER: Final = re.compile(r"<param>[^<]{0,1000}</param>", re.IGNORECASE)
_ENRICHED_TAG: Final = re.compile(r"<(?:/?[a-z][a-z0-9-]{0,59})>", re.IGNORECASE)
_ENRICHED_BREAK: Final = re.compile(r"(?<!\n)\n(?!\n)")

_FOLDED: Final = re.compile(r"\r?\n[ \t]")
_CALENDAR_LINE: Final = re.compile(
    r"(BEGIN|END|SUMMARY|LOCATION|DESCRIPTION|DTSTART|DTEND)(?:;[^:\n]{0,500})?:(.*)", re.IGNORECASE
)
_CALENDAR_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\dZ?)?")
_CALENDAR_ESCAPE: Final = re.compile(r"\\([\\;,nN])")
_COMPONENTS: Final = frozenset(("VEVENT", "VTODO", "VJOURNAL"))
_MAX_LINES: Final = 20_000


def flowed(text: str, *, delete_space: bool) -> str:
    """Return text in format=flowed with the lines of a paragraph joined; `delete_space` is its parameter DelSp.

    One of more lines than MAX_FLOWED stays as it is.
    """
    if text.count("\n") > MAX_FLOWED:
        return text
    made: list[str] = []
    open_depth = -1
    for line in text.replace("\r\n", "\n").split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        joins = content.endswith(" ") and content != _SEPARATOR
        content = content[:-1] if joins and delete_space else content
        if open_depth == depth and content != _SEPARATOR:
            made.append(content)
        else:
            made.append(("\n" if made else "") + ">" * depth + (" " if depth else "") + content)
        open_depth = depth if joins else -1
    return "".join(made)


def without_armor(text: str) -> tuple[str, bool]:
    """Return text without OpenPGP signatures and encrypted blocks, and whether there were such blocks."""
    if "-----BEGIN PGP " not in text:
        return text, False
    shown = _without_blocks(text, *_ENCRYPTED)
    encrypted = shown != text
    shown = _without_blocks(shown, *_SIGNATURE)
    return _without_signed_heads(shown), encrypted


def _without_blocks(text: str, begin: str, end: str) -> str:
    pieces: list[str] = []
    place = 0
    for _ in range(_MAX_BLOCKS):
        start = text.find(begin, place)
        stop = text.find(end, start) if start >= 0 else -1
        if stop < 0:
            break
        pieces.append(text[place:start])
        place = stop + len(end)
    return "".join((*pieces, text[place:]))


def _without_signed_heads(text: str) -> str:
    """Leave out the mark of signed text and the lines of its head, which end with an empty one."""
    first, *others = text.split(_SIGNED, _MAX_BLOCKS)
    pieces = [first]
    for other in others:
        head, blank, rest = other.replace("\r\n", "\n").partition("\n\n")
        pieces.append(rest if blank and len(head) < 1000 else other)
    return "".join(pieces)


def enriched(text: str) -> str:
    """Return text/enriched without its commands. One line end there is a space, two are one."""
    text = _ENRICHED_PARAMETER.sub("", text.replace("\r\n", "\n"))
    text = _ENRICHED_BREAK.sub(" ", text)
    return _ENRICHED_TAG.sub("", text).replace("<<", "<")


def calendar_lines(text: str) -> list[str]:
    """Return the lines of a calendar's events and tasks: summary, time, place, description."""
    found: dict[str, None] = {}
    component = ""
    for line in _FOLDED.sub("", text).split("\n", _MAX_LINES)[:_MAX_LINES]:
        match = _CALENDAR_LINE.match(line.rstrip("\r"))
        if match is None:
            continue
        name, value = match[1].upper(), match[2].strip()
        if name == "BEGIN" and value.upper() in _COMPONENTS:
            component = value.upper()
        elif name == "END" and value.upper() == component:
            component = ""
        elif component and name not in ("BEGIN", "END"):
            found[_time(value) if name.startswith("DT") else _unescaped(value)] = None
    return [line for line in found if line]


def _time(value: str) -> str:
    match = _CALENDAR_TIME.match(value)
    if match is None:
        return ""
    day = "-".join(match.group(1, 2, 3))
    return f"{day} {match[4]}:{match[5]}" if match[4] else day


def _unescaped(value: str) -> str:
    return _CALENDAR_ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value).strip()
