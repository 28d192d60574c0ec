"""Lines of listings of FTP servers: MLSD (RFC 3659 7), and LIST as Unix and DOS print it. Pure."""

from __future__ import annotations

import re
from calendar import timegm
from typing import Final, NamedTuple

from cormorant.sources.remote.protocol import EntryKind


class FtpEntry(NamedTuple):
    """An entry of a listing. `stamp` is when it was written, as the server prints it; `unique` its number, or ""."""

    name: bytes
    kind: EntryKind
    size: str = ""
    stamp: str = ""
    unique: str = ""


_UNIX: Final = re.compile(
    rb"(?P<type>[-dlbcpsD])[-rwxsStTlL]{9}[+.@]? .*? (?P<size>\d{1,20}) +"
    rb"(?P<stamp>(?:[A-Za-z]{3} +\d{1,2}|\d{1,2} +[A-Za-z]{3}|\d{4}-\d\d-\d\d) +(?:\d{1,2}:\d\d|\d{4})) (?P<name>.+)"
)
_DOS: Final = re.compile(
    rb"(?P<stamp>\d\d-\d\d-\d{2,4} +\d\d:\d\d(?:[AaPp][Mm])?) +"
    rb"(?:(?P<folder><DIR>)|(?P<size>[\d,.]{1,26})) +(?P<name>.+)"
)
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?")
_TYPES: Final = {"file": EntryKind.FILE, "dir": EntryKind.FOLDER}
_LETTERS: Final = {b"-": EntryKind.FILE, b"d": EntryKind.FOLDER, b"l": EntryKind.LINK}
_THEMSELVES: Final = ("cdir", "pdir")


def of_facts(line: bytes) -> FtpEntry | None:
    """Return the entry of a line of MLSD; None for the folder itself and the one above it. Raises ValueError."""
    written, blank, name = line.partition(b" ")
    if not blank or not name:
        raise ValueError("a line without a name")
    facts = dict(_fact(each) for each in written.decode("latin-1").split(";") if each)
    kind = facts.get("type", "").lower()
    if kind in _THEMSELVES or name in (b".", b".."):
        return None
    if not kind:
        raise ValueError("an entry without a type")
    found = EntryKind.LINK if kind.startswith(("os.unix=slink", "os.unix=symlink")) else _TYPES.get(kind)
    return FtpEntry(
        name, found or EntryKind.OTHER, facts.get("size", ""), facts.get("modify", ""), facts.get("unique", "")[:200]
    )


def of_line(line: bytes) -> FtpEntry | None:
    """Return the entry of a line of LIST; None for a sum, and for the folder itself. Raises ValueError."""
    if not line.strip() or re.fullmatch(rb"total [\d,. kKMG]+", line):
        return None
    if unix := _UNIX.fullmatch(line):
        kind = _LETTERS.get(unix["type"], EntryKind.OTHER)
        name = unix["name"].partition(b" -> ")[0] if kind is EntryKind.LINK else unix["name"]
        found = FtpEntry(name, kind, unix["size"].decode(), _spaced(unix["stamp"]))
    elif dos := _DOS.fullmatch(line):
        kind = EntryKind.FOLDER if dos["folder"] else EntryKind.FILE
        found = FtpEntry(dos["name"], kind, (dos["size"] or b"").decode(), _spaced(dos["stamp"]))
    else:
        raise ValueError("a line of no known form")
    return None if found.name in (b".", b"..") else found


def time_of(text: str) -> float | None:
    """Return the moment of a time value (RFC 3659 2.3) in epoch seconds, None for anything else."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(each) for each in found.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return timegm((year, month, day, hour, minute, second)) + float(found[7] or 0)


def _fact(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.lower(), value


def _spaced(stamp: bytes) -> str:
    return " ".join(stamp.decode().split())
