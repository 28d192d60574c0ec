"""Settings for pages that are not what they claim to be, such as soft 404s."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cormorant.model.settings.source import SourceSettings


class DoubtSettings(SourceSettings):
    """Settings of what is doubted."""

    login_pages: Literal["hold", "index"] = Field(
        default="hold",
        description="Whether a document that answers with a login page keeps what it said, or takes it over.",
    )
    missing_pages: Literal["probe", "believe"] = Field(
        default="probe",
        description="Whether a page that looks like a missing one with status 200 is compared with an address that "
        "does not exist, asked for once a day and host, or believed.",
    )

    @property
    def doubts_logins(self) -> bool:
        """Return whether a login page does not replace a document."""
        return self.login_pages == "hold"

    @property
    def doubts_missing(self) -> bool:
        """Return whether a page may be compared with its site's page for URLs that do not exist."""
        return self.missing_pages == "probe"
