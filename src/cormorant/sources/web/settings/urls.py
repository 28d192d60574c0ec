"""Settings for the URLs of a web source."""

from __future__ import annotations

from pydantic import Field, field_validator

from cormorant.model.ruling import Renamed
from cormorant.model.settings.source import Settings
from cormorant.sources.web.urls.redact import Redaction
from cormorant.sources.web.urls.rewrite import AddressRules
from cormorant.sources.web.urls.strip_params import Stripping


class AddressSettings(Settings):
    """Settings of how an address that was found is written before it is known."""

    strip_parameters: tuple[str, ...] = Field(
        default=("sessions", "tracking"),
        description="Parameters that say nothing about the page: sessions, tracking, names like ref, beginnings like "
        "ad_*, exceptions like !sid; or off.",
    )
    redact_parameters: tuple[str, ...] = Field(
        default=("secrets",),
        description=(
            "Parameters whose values are hidden: secrets (token, api_key, sig and similar ones), names, beginnings "
            "like pin_*, exceptions like !token; or off."
        ),
    )
    sort_query: bool = Field(
        default=True, description="Whether the parameters of a query are put in the order of their names."
    )
    rewrite: tuple[str, ...] = Field(
        default=(),
        description="Rules like PATTERN -> REPLACEMENT, PATTERN -> discard, or PATTERN -> REPLACEMENT access ACCESS; "
        "the first that matches decides.",
    )
    rewriter: str = Field(default="", description="An installed plug-in that rewrites addresses, by its name.")

    @field_validator("redact_parameters")
    @classmethod
    def _redacts(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse what is no name of a parameter."""
        Redaction(names)
        return names

    def renamed(self, address: str) -> Renamed | None:
        """Under which address one that was found is known, by the rules."""
        return self.address_rules().rename(address)

    def address_rules(self) -> AddressRules:
        """The rules. Raises BadRule naming the one that cannot be read."""
        return AddressRules(Stripping(self.strip_parameters, sort=self.sort_query), self.rewrite, self.rewriter)
