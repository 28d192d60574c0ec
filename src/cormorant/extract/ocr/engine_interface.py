"""The interface of an engine that recognises text, and the pictures that it is given."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class GreyPicture(NamedTuple):
    """A picture of grey pixels, a byte each, 0 for black; `stride` is bytes a row, `dpi` its resolution.

    A picture that is not complete has grey where its file has lost its end.
    """

    width: int
    height: int
    stride: int
    pixels: bytes
    dpi: int
    is_complete: bool = True


class OcrEngine(Protocol):
    """An engine that is ready."""

    def text_of(self, picture: GreyPicture, seconds: float) -> str:
        """Return the text in a picture, a line of it a line; "" when there is none.

        Raises RecognitionFailed when the engine gave up, for want of memory or when `seconds` were over.
        """


class EngineMissing(Exception):
    """The engine is not installed. The message is a sentence with the required installation."""


class RecognitionFailed(Exception):
    """The engine could not read a picture. The message is the engine's, for the log."""
