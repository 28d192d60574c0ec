"""What may be set about how much of a host is visited?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cormorant.model.settings.bounded import Count, Minutes, Size
from cormorant.model.settings.source import SiteBudget, SourceSettings, Watched


class BudgetSettings(SourceSettings):
    """Settings that hold back what goes on for ever."""

    max_host_documents: Count | None = Field(
        default=None, description="Documents asked for of one host in one run at the most."
    )
    max_host_bytes: Size | None = Field(
        default=None, description="Bytes received of one host in one run at the most, about: like 500MB."
    )
    max_host_minutes: Minutes | None = Field(
        default=None, description="Minutes from the first document of one host in one run to the last."
    )
    traps: Literal["throttle", "ignore"] = Field(
        default="throttle",
        description="Whether pages made alike that say nothing new and lead nowhere else are visited seldom.",
    )

    @property
    def watched(self) -> Watched | None:
        """Templates, and what is asked of a host where there is a limit."""
        throttle = self.traps == "throttle"
        most = SiteBudget(self.max_host_documents, self.max_host_bytes, self.max_host_minutes)
        limited = most != SiteBudget()
        return Watched(throttle, most if limited else None) if throttle or limited else None
