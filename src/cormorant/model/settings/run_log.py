"""Settings of the log that each run of a source writes, for every kind of source."""

from __future__ import annotations

import logging
from typing import Final, Literal

from pydantic import BaseModel, Field

from cormorant.base.run_context import RunLogSettings

NAMES: Final = ("log_level", "logs", "log_bytes", "log_backlog")
"""Settings whose edits apply to a run under way."""


class LogSettings(BaseModel):
    """The settings of the log of a run."""

    log_level: Literal["debug", "info", "warning", "error", "off"] = Field(
        default="info",
        description="The lowest level that the log of a run keeps; off: no log, whatever `logs` says.",
    )
    logs: tuple[Literal["fetch", "screened", "site", "header"], ...] = Field(
        default=(),
        description=(
            "Further lines in it: fetch (each visit), screened (each address that a gate excluded), site (each site "
            "once a minute), header (the headers of requests and answers, secrets masked); may repeat."
        ),
    )
    log_bytes: int = Field(
        default=10_000_000, ge=10_000, le=1 << 30, description="How large one file of it grows, like 50MB."
    )
    log_backlog: int = Field(default=2, ge=1, le=100, description="Files of it kept beside the newest, by process.")

    def log(self, source: str) -> RunLogSettings | None:
        """Return the log settings for a run of the source with this name; None to keep nothing."""
        if self.log_level == "off":
            return None
        level = logging.getLevelNamesMapping()[self.log_level.upper()]
        return RunLogSettings(source, level, frozenset(self.logs), self.log_bytes, self.log_backlog)
