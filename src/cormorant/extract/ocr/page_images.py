"""Grey pictures for the recognition of text: pages drawn by PDFium, picture files decoded by Pillow.

Both are limited by pixels before a byte is decoded.
"""

from __future__ import annotations

import ctypes
import io
import math
import warnings
from collections.abc import Iterator
from typing import Any, Final

import pypdfium2.raw as pdfium

from cormorant.extract.errors import Unreadable
from cormorant.extract.ocr.engine_interface import EngineMissing, GreyPicture
from cormorant.extract.pdf.pages import PageText, count_letters

MAX_PIXELS: Final = 50_000_000
"""Pixels of one picture."""
DPI: Final = 200
"""Resolution in which a page is drawn, dots an inch."""
FEW_LETTERS: Final = 100
"""Letters and digits below which a page may be a scan with a stamp or a page number on it."""

_POINTS: Final = 72
_COVERED: Final = 0.3
"""The part of a page that one picture covers on a scan."""
_MAX_OBJECTS: Final = 2_000
"""Objects of a page that are looked at for such a picture."""
_ENDS: Final = ((b"\x89PNG", b"IEND"), (b"\xff\xd8", b"\xff\xd9"))
_TAIL: Final = 1024
"""Bytes at the end of a picture file in which its end mark stands; cameras put some behind it."""
_LEAST_SIDE: Final = 24
"""Pixels of a side below which a picture is an icon."""
_SMALL: Final = 1_500
"""Pixels of the longer side of a picture that is doubled: small letters of a screen are recognised better so."""
_FORMATS: Final = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
_SEQUENCES: Final = frozenset(("TIFF",))
"""Formats whose frames are pages and no film."""
_TOO_LARGE: Final = f"the picture has more than {MAX_PIXELS // 1_000_000} million pixels"


def is_scan(page: Any, read: PageText) -> bool:
    """Return whether a page has to be looked at: it has no text, but visible contents."""
    if read.is_garbled:
        return True
    letters = count_letters(read.text) if len(read.text) < FEW_LETTERS * 10 else FEW_LETTERS
    if letters >= FEW_LETTERS:
        return False
    objects = pdfium.FPDFPage_CountObjects(page)
    return objects > 0 if not letters else _has_large_picture(page, min(objects, _MAX_OBJECTS))


def draw_page(page: Any) -> GreyPicture:
    """Draw a page in grey, without annotations. A page that is too large is drawn smaller."""
    width, height = page.get_size()
    scale = DPI / _POINTS
    pixels = width * height * scale * scale
    if pixels > MAX_PIXELS:
        scale *= math.sqrt(MAX_PIXELS / pixels) * 0.999
    bitmap = page.render(scale=scale, grayscale=True, draw_annots=False, may_draw_forms=False)
    try:
        return GreyPicture(
            bitmap.width, bitmap.height, bitmap.stride, bytes(bitmap.buffer), max(_POINTS, round(scale * _POINTS))
        )
    finally:
        bitmap.close()


def decode_pictures(body: bytes) -> Iterator[GreyPicture]:
    """Yield the picture of a file, of a TIFF each of its pages; none of a picture that is an icon.

    Raises EngineMissing without Pillow and Unreadable for what is damaged or has more pixels than MAX_PIXELS.
    """
    try:
        from PIL import Image  # noqa: PLC0415 - an extra
    except ImportError:
        raise EngineMissing("Pillow is not installed: pip install 'cormorant[ocr]'.") from None
    damaged = (OSError, SyntaxError, ValueError, TypeError, KeyError, IndexError, EOFError, OverflowError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Pillow, on tags that are wrong and pictures that are large
        try:
            yield from _frames(body)
        except Image.DecompressionBombError:
            raise Unreadable(_TOO_LARGE) from None
        except damaged as error:
            raise Unreadable("the picture is damaged", f"{type(error).__name__}: {error}") from None


def _frames(body: bytes) -> Iterator[GreyPicture]:
    from PIL import Image, ImageFile, ImageSequence  # noqa: PLC0415 - an extra

    is_complete = not _lost_its_end(body)
    ImageFile.LOAD_TRUNCATED_IMAGES = not is_complete
    with Image.open(io.BytesIO(body), formats=_FORMATS) as image:
        for frame in ImageSequence.Iterator(image) if image.format in _SEQUENCES else (image,):
            _check_size(frame)
            if min(frame.size) >= _LEAST_SIDE:
                yield _grey(frame, is_complete)


def _check_size(image: Any) -> None:
    if image.width * image.height > MAX_PIXELS:
        raise Unreadable(_TOO_LARGE)


def _grey(image: Any, is_complete: bool) -> GreyPicture:
    """Return a picture upright and in grey, transparent places white."""
    from PIL import Image, ImageOps  # noqa: PLC0415 - an extra

    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I;16") or image.mode == "I":
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layer = image.convert("RGBA")
        image = Image.new("RGBA", layer.size, "white")
        image.alpha_composite(layer)
    grey = image.convert("L")
    if max(grey.size) < _SMALL:
        grey = grey.resize((grey.width * 2, grey.height * 2), Image.Resampling.BICUBIC)
    return GreyPicture(grey.width, grey.height, grey.width, grey.tobytes(), DPI, is_complete)


def _lost_its_end(body: bytes) -> bool:
    """Return whether the file of a picture lacks the mark at its end: IEND of PNG, EOI of JPEG."""
    return any(body.startswith(start) and end not in body[-_TAIL:] for start, end in _ENDS)


def _has_large_picture(page: Any, count: int) -> bool:
    width, height = page.get_size()
    for index in range(count):
        item = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_IMAGE and _area(item) > _COVERED * width * height:
            return True
    return False


def _area(item: Any) -> float:
    """Return the area that an object covers, square points."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top):
        return 0.0
    return abs(right.value - left.value) * abs(top.value - bottom.value)
