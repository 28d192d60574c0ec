"""Settings of a source that programs push to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from cormorant.model.settings.source import SourceSettings
from cormorant.store.journal.items import MAX_BODY


class PushSettings(SourceSettings):
    """Settings of a source that programs push to."""

    LISTED_BY = "cormorant source kinds push"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("max_size", "size_limit", "limit"), "max_size_bytes"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
        **dict.fromkeys(("live", "immediate", "events"), "watch"),
    }

    max_size_bytes: int = Field(
        default=10_000_000, ge=1, le=MAX_BODY, description="The largest item or attachment that is accepted, like 10MB."
    )
    watch: bool = Field(
        default=True,
        description="Whether `serve` starts a run as soon as something was pushed; otherwise it waits for the next.",
    )
