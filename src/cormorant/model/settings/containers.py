"""Settings of a source about documents that lie in other documents."""

from __future__ import annotations

from pydantic import BaseModel, Field


class ContainerSettings(BaseModel):
    """What becomes of attachments, members of archives and embedded files."""

    unpack: bool = Field(
        default=True,
        description="Attachments of mails, members of archives and embedded files become documents of their own.",
    )
    unpack_depth: int = Field(
        default=4, ge=1, le=16, description="How many containers a document may lie in to be read."
    )
