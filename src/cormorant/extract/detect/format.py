"""Declaration of a format of documents: its names, its signatures, and the function that reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cormorant.sandbox.limits import Limits

OFFICE_SERVER: Final = "convert_office"
"""The fork server whose children read office documents, mail and archives."""
XBERG_SERVER: Final = "convert_xberg"
"""The fork server whose children read rare formats with xberg, whose 30 MB would slow every fork of the other."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of documents, and the function that reads it.

    `label` is its name for people, `media_types` are its types, the usual one first, in lower case without parameters.
    `extensions` are those of file names, in lower case without the dot; `signatures` are the first bytes of its
    documents, if fixed. `converter` is "module:function"; the function takes the bytes and an ExtractionTask and
    returns an Extraction, or raises Unreadable or Protected. It runs in the sandbox, within `limits`; None: those of
    all converters. `embedded` is "module:function" of a generator that takes the same and yields the EmbeddedFile
    objects in a document, "" if there are none; it may also take `start`, the number of the first wanted one.
    `proves_itself`: every document of it begins with a signature, so that one without is damaged.
    `always_unpacked`: its documents are unpacked without a look for others in them as they are read: archives have
    some, and a fault of a native library in an attachment must not cost the text around it. `server` is the fork server
    of a built-in converter. `version` counts changes of a built-in converter's results: raise it with such a change,
    and known documents are converted again. For a package its own version counts.
    """

    label: str
    media_types: tuple[str, ...]
    converter: str
    extensions: tuple[str, ...] = ()
    signatures: tuple[bytes, ...] = ()
    limits: Limits | None = None
    embedded: str = ""
    proves_itself: bool = False
    always_unpacked: bool = False
    server: str = OFFICE_SERVER
    version: int = 1
