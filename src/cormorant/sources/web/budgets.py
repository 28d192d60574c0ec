"""What may be set about how much of a host is visited?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cormorant.model.settings import SourceSettings, Watched


class BudgetSettings(SourceSettings):
    """Settings that hold back what goes on for ever."""

    max_host_documents: int | None = Field(
        default=None, ge=1, description="Documents asked for of one host in one run at the most."
    )
    traps: Literal["throttle", "ignore"] = Field(
        default="throttle",
        description="Whether pages made alike that say nothing new and lead nowhere else are visited seldom.",
    )

    @property
    def watched(self) -> Watched | None:
        """Templates, and documents of a host where there is a limit."""
        throttle = self.traps == "throttle"
        return Watched(throttle, self.max_host_documents) if throttle or self.max_host_documents else None
