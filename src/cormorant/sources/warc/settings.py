"""Settings of a source that is a folder of web archives."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.settings.source import Depth, SourceSettings
from cormorant.model.url import canonical
from cormorant.sources.trees.globs import compile_patterns

MAX_SIZE: Final = 64 << 20
"""Bytes; no setting lets a larger document in."""
VISIT_S: Final = 3_600.0
"""Seconds of a visit; the first of a forced crawl may have to read all archives."""


class ArchiveSettings(SourceSettings):
    """Settings of a source that is a folder of web archives."""

    LISTED_BY = "cormorant source kinds warc"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("folder", "folders", "file", "files", "dir", "directory", "archive", "url", "start"), "path"),
        **dict.fromkeys(("allow", "accept", "pattern", "patterns", "glob"), "include"),
        **dict.fromkeys(("deny", "reject", "ignore", "skip"), "exclude"),
        **dict.fromkeys(("versions", "mementos", "records"), "captures"),
        **dict.fromkeys(("prefix", "replay", "wayback", "display", "display_url"), "display_prefix"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
        **dict.fromkeys(("max_depth", "levels", "recursive"), "depth"),
    }
    JUDGED = SourceSettings.JUDGED | {"max_size_bytes", "too_big", "captures"}

    path: str = Field(
        min_length=1,
        description=(
            "The archive, or the folder of archives: .warc, .arc, both with .gz, .warc.zst and .wacz, like /srv/warcs."
        ),
    )
    include: tuple[str, ...] = Field(
        default=(), description="Archives to take: patterns like 2026-*.warc.gz. Not set: every archive."
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="Archives and folders to leave out, written like include. Exclusion wins."
    )
    depth: Depth = Field(default="unlimited", description="Levels of folders to go down; 0 is the folder itself only.")
    captures: Literal["newest", "all"] = Field(
        default="newest",
        description="The captures of an address that are documents: the newest that has content, or all.",
    )
    display_prefix: str = Field(
        default="",
        description=(
            "The replay server that people are led to, like https://replay.example/web; the time of the capture and "
            "its address follow. Not set: the address that was captured."
        ),
    )
    max_size_bytes: int = Field(default=10_000_000, description="The largest document, like 10MB.", ge=1, le=MAX_SIZE)
    too_big: Literal["drop", "cut"] = Field(
        default="drop", description="Whether a larger document is left out (drop) or its beginning taken (cut)."
    )

    @field_validator("path")
    @classmethod
    def _absolute(cls, path: str) -> str:
        """Write it in full."""
        if "\0" in path:
            raise ValueError("a path holds no NUL character.")
        if path.lower().startswith(("http:", "https:")):
            raise ValueError("archives are read from a folder. Download them first, and name that folder.")
        return os.path.abspath(os.path.expanduser(path.removeprefix("file://")))  # noqa: PTH100, PTH111 - keeps `..`

    @field_validator("display_prefix")
    @classmethod
    def _prefix(cls, prefix: str) -> str:
        """Canonicalise it, without a slash at its end."""
        if not prefix:
            return ""
        try:
            address = canonical(prefix)
        except BadAddress as error:
            raise ValueError(error.sentence) from None
        if not address.startswith(("https://", "http://")) or "?" in address:
            raise ValueError("write it like https://replay.example/web.")
        return address.rstrip("/")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        """Read the patterns now, so that a mistake is found where it is typed."""
        compile_patterns(self.include, self.exclude)
        return self

    @property
    def visit_s(self) -> float:
        """The longest that one visit may take."""
        return VISIT_S

    @property
    def root(self) -> Path:
        """The archive or the folder."""
        return Path(self.path)

    @property
    def levels(self) -> int | None:
        """The number of folder levels that are descended; None for all."""
        return None if self.depth == "unlimited" else self.depth
