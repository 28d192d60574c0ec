"""Settings of an FTP source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from cormorant.sources.remote.authority import AuthorityFile
from cormorant.sources.remote.settings import LoginSettings


class FtpSettings(LoginSettings):
    """Settings of an FTP source."""

    LISTED_BY = "cormorant source kinds ftp"
    SCHEMES: ClassVar[Mapping[str, int]] = {"ftp": 21, "ftps": 990}
    EXAMPLE = "ftp://host/srv/docs"

    url: str = Field(
        min_length=1,
        description="The folder, like ftp://host/srv/docs; ftps: where TLS begins with the connection, at port 990.",
    )
    tls: Literal["auto", "require", "off"] = Field(
        default="auto",
        description=(
            "Whether the server is asked for TLS: auto asks, and goes on without it where no password can be read on "
            "the way; require; off."
        ),
    )
    ca: AuthorityFile = Field(
        default="", description="File of certificates (PEM) that are trusted besides the system's."
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.password and not self.user:
            raise ValueError("A password needs its user: --set user=NAME.")
        if self.scheme == "ftps" and self.tls == "off":
            raise ValueError("An address that begins with ftps:// is of TLS: write ftp://, or leave tls as it is.")
        return self
