"""Settings of a source about documents that lie in other documents."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field

NAMES: Final = ("unpack", "unpack_depth")
"""They decide what is kept of a document."""


class ContainerSettings(BaseModel):
    """Settings for attachments, members of archives and embedded files."""

    unpack: bool = Field(
        default=True,
        description="Attachments of mails, members of archives and embedded files become documents of their own.",
    )
    unpack_depth: int = Field(
        default=4, ge=1, le=16, description="How many containers a document may lie in to be read."
    )
