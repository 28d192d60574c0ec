"""Rich Text as it stands in documents/: RTF 1.9.1."""

from __future__ import annotations

from collections.abc import Iterator

from bench.formats.packages import DOCUMENTS
from bench.formats.sample import Sample, named, places_in, sample


def rich_text_samples() -> Iterator[Sample]:
    """Yield the document, all of which is ASCII."""
    source = (DOCUMENTS / "text.rtf").read_text("ascii")
    more = named("list number", "letters by code", "letters by byte", "letters of another code page")
    yield sample("rtf", "by hand", source.encode("ascii"), (*places_in(source), *more))
