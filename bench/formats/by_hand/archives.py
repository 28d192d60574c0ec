"""Archives by the standard library: ZIP, tar, gzip, bzip2 and xz."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Iterator
from typing import Final

from bench.formats.packages import attachment, zipped
from bench.formats.sample import Sample, named, sample

MEMBERS: Final = {
    "quokkamembername.txt": b"quokkamembertext\n",
    "folder/inner.txt": b"quokkafoldermember\n",
    "Größe.txt": b"quokkaaccentmember\n",
}
"""The members of every archive by name, beside a workbook and an archive."""
_PLACES: Final = (
    "member name", "member text", "member in a folder", "member with an accent", "attachment text",
    "member of a nested archive",
)  # fmt: skip


def members() -> dict[str, bytes]:
    """Return all that lies in an archive."""
    return {**MEMBERS, "book.xlsx": attachment(), "nested.zip": zipped({"deep.txt": b"quokkanestedmember\n"})}


def archive_samples() -> Iterator[Sample]:
    """Yield an archive of each kind that the standard library writes."""
    yield sample("zip", "zipfile", zipped(members()), named(*_PLACES))
    tar = _tar()
    yield sample("tar", "tarfile", tar, named(*_PLACES))
    yield sample("tar.gz", "tarfile", gzip.compress(tar, mtime=0), named(*_PLACES))
    for form, compressed in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        yield sample(form, "standard library", compressed(b"quokkamembertext\n"), named("member text"))


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, body in members().items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(body), 1_767_323_045
            archive.addfile(entry, io.BytesIO(body))
    return stream.getvalue()
