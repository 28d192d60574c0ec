"""Declaration of a format of documents: how its documents are recognised, and which function reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cormorant.sandbox.limits import Limits

OFFICE_SERVER: Final = "convert_office"
"""The fork server whose children read office documents, mail and archives."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of documents, and the function that reads it.

    `label` is what people call a document of it, `media_types` are its names, the first the usual one, in small
    letters without parameters. `extensions` are those of file names, small and without the dot; `signatures` the bytes
    that its documents begin with, where they do. `converter` is "module:function"; the function takes the bytes and an
    ExtractionTask and returns an Extraction, or raises Unreadable or Protected. It runs in a child that can only
    compute, within `limits`; None: those of all converters. `embedded` is "module:function" of a generator that takes
    the same and yields the EmbeddedFile objects that lie in a document, "" when none can; it may also take `start`, the
    number of the first that is wanted. `proves_itself`: every
    document of it begins with bytes of its own, so that one with other bytes is damaged. `server` is the fork server of
    a built-in converter. `version` counts changes of what a built-in converter makes of the same document: raise it
    with such a change, and documents that are known already are read again. Of a package its own version counts.
    """

    label: str
    media_types: tuple[str, ...]
    converter: str
    extensions: tuple[str, ...] = ()
    signatures: tuple[bytes, ...] = ()
    limits: Limits | None = None
    embedded: str = ""
    proves_itself: bool = False
    server: str = OFFICE_SERVER
    version: int = 1
