"""Conversion record of a document.

Its kept copy has it: who answered, charset and language, how known, what was cut.
"""

from __future__ import annotations

from collections.abc import Mapping

from cormorant.base.errors import CacheDamaged
from cormorant.model import no_text
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import ConversionRecord
from cormorant.store.blobs.protocol import BlobPlace

_NOTHING: ConversionRecord = {
    "answered_from": None, "charset": None, "charset_from": None, "language_from": None, "truncated": None,
    "links_dropped": None, "read_by": None, "no_text": None,
    "services": None, "withheld": None,
}  # fmt: skip


def how_read(house: Installation, place: BlobPlace | None, size_bytes: int | None) -> ConversionRecord:
    """The record of the copy kept at `place`, None in all of them when there is none that can be read.

    `read_by` names what read it if that is no part of this program. `no_text` says why there is no text in it, None
    when there is some; `size_bytes` are those of its original. `services` are the document services that it passed,
    `withheld` whether one of them wants its original shown to nobody.
    """
    if place is None:
        return _NOTHING.copy()
    cache = house.cache()
    try:
        frame = cache.read(place, body=False)
    except CacheDamaged:  # `cache check` finds it, and tells
        return _NOTHING.copy()
    finally:
        cache.close()
    return {
        "answered_from": frame.access_url, "charset": frame.charset or None, "charset_from": frame.charset_from or None,
        "language_from": frame.language_from or None, "truncated": frame.truncated,
        "links_dropped": frame.links_dropped, "read_by": _read_by(frame.attributes),
        "no_text": no_text.why(frame.mime, size_bytes or 0, frame.text, frame.attributes),
        "services": [{"service": name, "took_s": took_s} for name, took_s in frame.services],
        "withheld": frame.withheld,
    }  # fmt: skip


def _read_by(attributes: Mapping[str, object]) -> str | None:
    """Return the name of the program that read a document; an author may have given the attribute any other value."""
    return no_text.TIKA if attributes.get(no_text.READ_BY) == no_text.TIKA else None
