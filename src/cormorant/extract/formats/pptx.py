"""Are the slides of a presentation whole? Its converter passes over one that is broken, and says nothing of it."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final
from xml.parsers import expat

from cormorant.extract.errors import Unreadable

_FOLDER: Final = "ppt/slides/"


def check(body: bytes) -> None:
    """Read the XML of every slide. Raises Unreadable when one is broken. `zip.check` has counted the bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in filter(_is_slide, archive.namelist()):
                expat.ParserCreate().Parse(archive.read(name), True)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, expat.ExpatError) as error:
        raise Unreadable("a slide in it is damaged", f"{type(error).__name__}: {error}") from None


def _is_slide(name: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(".xml") and "/" not in name.removeprefix(_FOLDER)
