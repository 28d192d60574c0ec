"""Tesseract, by the C interface of its library (capi.h, version 4.1 and 5).

The library and its models are the system's own (Debian: `tesseract-ocr`, `tesseract-ocr-deu`, ...), so nothing is
installed with Cormorant, and the languages are those that the machine has. Its program would do the same, but a limited
child may start none; the wheels of `tesserocr` bundle a library under the GPL (JBIG-KIT).
"""

from __future__ import annotations

import ctypes
import os
import weakref
from functools import cache
from typing import Any, Final

from cormorant.extract.ocr.engine_interface import EngineMissing, GreyPicture, RecognitionFailed

MAX_LANGUAGES: Final = 4
"""Languages that are looked for together; each takes a fifth more time and some 15 MB."""

_LIBRARIES: Final = (
    "libtesseract.so.5", "libtesseract.so.4", "libtesseract.5.dylib", "/opt/homebrew/lib/libtesseract.5.dylib",
)  # fmt: skip
_NO_LANGUAGES: Final = frozenset(("osd", "equ", "snum"))
"""Models for the direction of pages, for formulas and for digits."""
_ANY_LAYOUT: Final = 3
"""PSM_AUTO: columns, tables and pictures are distinguished."""
_WALL: Final = 5
"""Seconds by the wall, by which Tesseract counts, for one of processor time: a machine is shared."""
_INSTALL: Final = "Tesseract is not installed: on Debian, the packages tesseract-ocr and tesseract-ocr-deu (or others)."
_BLANK: Final = GreyPicture(32, 32, 32, b"\xff" * 1024, 200)


class TesseractEngine:
    """A loaded Tesseract with the models of the installed languages."""

    def __init__(self) -> None:
        """Load library and models. Raises EngineMissing."""
        self._library = _library()
        self._handle = self._library.TessBaseAPICreate()
        weakref.finalize(self, self._library.TessBaseAPIDelete, self._handle)
        languages = self._installed()[:MAX_LANGUAGES]
        if not languages or self._library.TessBaseAPIInit3(self._handle, None, "+".join(languages).encode()):
            raise EngineMissing(_INSTALL)
        self._library.TessBaseAPISetPageSegMode(self._handle, _ANY_LAYOUT)
        self._library.TessBaseAPISetVariable(self._handle, b"debug_file", os.devnull.encode())
        self.text_of(_BLANK, 1.0)  # opens that file while it still may

    def text_of(self, picture: GreyPicture, seconds: float) -> str:
        """Return the text in a picture, a line of it a line. Raises RecognitionFailed when it takes far too long."""
        tesseract, handle = self._library, self._handle
        monitor = tesseract.TessMonitorCreate()
        try:
            tesseract.TessMonitorSetDeadlineMSecs(monitor, int(seconds * _WALL * 1000))
            size = (picture.width, picture.height, 1, picture.stride)
            tesseract.TessBaseAPISetImage(handle, picture.pixels, *size)
            tesseract.TessBaseAPISetSourceResolution(handle, picture.dpi)
            if tesseract.TessBaseAPIRecognize(handle, monitor):
                raise RecognitionFailed(f"Tesseract was not done within {seconds * _WALL:g} s")
            return self._text()
        finally:
            tesseract.TessMonitorDelete(monitor)
            tesseract.TessBaseAPIClear(handle)

    def _text(self) -> str:
        place = self._library.TessBaseAPIGetUTF8Text(self._handle)
        if not place:
            return ""
        try:
            return ctypes.string_at(place).decode(errors="ignore")
        finally:
            self._library.TessDeleteText(place)

    def _installed(self) -> list[str]:
        """Return the languages of the machine, English first, the others in order of their names."""
        self._library.TessBaseAPIInit3(self._handle, None, b"osd")  # only then does it know where its models lie
        names = self._library.TessBaseAPIGetAvailableLanguagesAsVector(self._handle)
        found = []
        for name in names or ():
            if name is None:
                break
            found.append(name.decode(errors="ignore"))
        self._library.TessDeleteTextArray(names)
        return sorted((name for name in found if name not in _NO_LANGUAGES), key=lambda name: (name != "eng", name))


@cache
def _library() -> Any:
    """Load the library, with one thread: more of them wait for one another and take four times as long together."""
    os.environ["OMP_THREAD_LIMIT"] = "1"
    for name in _LIBRARIES:
        try:
            return _declared(ctypes.CDLL(name))
        except (OSError, AttributeError):
            continue
    raise EngineMissing(_INSTALL)


def _declared(library: Any) -> Any:
    """Return the library with the types of the functions that are used here."""
    handle, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    texts = ctypes.POINTER(ctypes.c_char_p)
    for name, result, arguments in (
        ("TessBaseAPICreate", handle, ()),
        ("TessBaseAPIDelete", None, (handle,)),
        ("TessBaseAPIClear", None, (handle,)),
        ("TessBaseAPIInit3", number, (handle, text, text)),
        ("TessBaseAPISetVariable", number, (handle, text, text)),
        ("TessBaseAPISetPageSegMode", None, (handle, number)),
        ("TessBaseAPIGetAvailableLanguagesAsVector", texts, (handle,)),
        ("TessBaseAPISetImage", None, (handle, text, number, number, number, number)),
        ("TessBaseAPISetSourceResolution", None, (handle, number)),
        ("TessBaseAPIRecognize", number, (handle, handle)),
        ("TessBaseAPIGetUTF8Text", handle, (handle,)),
        ("TessDeleteText", None, (handle,)),
        ("TessDeleteTextArray", None, (texts,)),
        ("TessMonitorCreate", handle, ()),
        ("TessMonitorDelete", None, (handle,)),
        ("TessMonitorSetDeadlineMSecs", None, (handle, number)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
