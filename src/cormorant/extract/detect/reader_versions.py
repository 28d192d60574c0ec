"""Versions of converters by media type: if one has changed, its documents would be converted differently now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from cormorant.base.entry_points import announced
from cormorant.extract.detect.built_in import BUILT_IN
from cormorant.extract.detect.formats import FORMATS, GROUP
from cormorant.extract.detect.media_types import TEXT_VERSIONS, read_as_text
from cormorant.extract.detect.tika_types import TikaTypes

TIKA: Final = "Apache Tika"
FIRST: Final = "1"
"""The version of a built-in reader before versions were stored."""
UNKEPT: Final = "*"
"""The media type in an upgraded store before its first start, since its readers are unknown."""


class ReaderChanges(NamedTuple):
    """The media types with another reader than before, and among them those that had none of their own."""

    types: tuple[str, ...]
    gained: tuple[str, ...]


def reader_versions(tika: TikaTypes | None) -> dict[str, str]:
    """Return the version of the reader of each media type. A family that Tika reads is one word: audio/*.

    A built-in reader has a number, one of a package the name and version of the package. Loads added formats; unusable
    ones count as missing.
    """
    found = {mime: str(TEXT_VERSIONS[reader]) for mime, reader in read_as_text().items()}
    found |= {mime: str(each.version) for each in BUILT_IN for mime in each.media_types}
    packages = {each.name: each.package for each in announced(GROUP)}
    for name, each in FORMATS.every().items():
        found |= dict.fromkeys(each.media_types, packages.get(name, ""))
    return found | dict.fromkeys(tika.words() if tika is not None else (), TIKA)


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> ReaderChanges:
    """Compare versions with those of the newest start; without an earlier start nothing has changed.

    In an older store without versions (`UNKEPT`), a built-in reader had its first version, or there was none; others
    count as unchanged.
    """
    if UNKEPT in before:
        before = {mime: version for mime, version in now.items() if version == FIRST or not version.isdecimal()}
    types = tuple(sorted(mime for mime, version in now.items() if before.get(mime) != version)) if before else ()
    return ReaderChanges(types, tuple(mime for mime in types if mime not in before))
