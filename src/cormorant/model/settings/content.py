"""Settings of a source about documents in other documents, and about text in pictures."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, Field

NAMES: Final = ("unpack", "unpack_depth", "ocr")
"""Settings that affect the stored document."""


class ContentSettings(BaseModel):
    """Settings for attachments, members of archives and embedded files, and for pictures."""

    unpack: bool = Field(
        default=True,
        description="Attachments of mails, members of archives and embedded files become documents of their own.",
    )
    unpack_depth: int = Field(
        default=4, ge=1, le=16, description="How many containers a document may lie in to be read."
    )
    ocr: Literal["off", "tesseract", "rapidocr"] = Field(
        default="off",
        description="The engine that looks for text in pictures and in scanned pages of PDF documents; off: none does.",
    )

    @property
    def ocr_engine(self) -> str:
        """The name of the engine, "" for none."""
        return "" if self.ocr == "off" else self.ocr
