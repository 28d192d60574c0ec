"""Records of the kinds of sources and receivers."""

from __future__ import annotations

from typing import Any

from cormorant.operate.records.record import Record


class Setting(Record):
    """Setting of a source."""

    setting: str
    default: Any
    needed: bool
    about: str


class KindRecord(Record):
    """A kind of source or receiver; `package` is the one that adds it, "" for what is built in."""

    kind: str
    about: str
    package: str


class SourceKindRecord(KindRecord):
    """A kind of source or receiver; `package` is the one that adds it, "" for what is built in."""

    settings: list[Setting]


class Kinds(Record):
    """All kinds of sources."""

    kinds: list[SourceKindRecord]
