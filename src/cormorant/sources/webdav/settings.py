"""Settings of a WebDAV source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.url import origin_of
from cormorant.sources.remote.settings import HttpRemoteSettings, LoginSettings
from cormorant.sources.trees.tree_urls import TreeNaming


class WebDavSettings(HttpRemoteSettings, LoginSettings):
    """Settings of a WebDAV source."""

    LISTED_BY = "cormorant source kinds webdav"
    SCHEMES: ClassVar[Mapping[str, int]] = {"https": 443, "http": 80}
    EXAMPLE = "https://cloud.example.org/remote.php/dav/files/ada"

    url: str = Field(
        min_length=1, description="The folder, like https://cloud.example.org/remote.php/dav/files/ada/papers."
    )

    @field_validator("url", mode="before")
    @classmethod
    def _of_dav(cls, text: object) -> object:
        """Take the address of a file manager, which begins with davs:, for that of the server."""
        if isinstance(text, str):
            scheme, mark, rest = text.strip().partition("://")
            other = {"davs": "https", "dav": "http", "webdavs": "https", "webdav": "http"}.get(scheme.lower())
            return f"{other}{mark}{rest}" if other else text
        return text

    @model_validator(mode="after")
    def _in_clear(self) -> Self:
        """Refuse a password that anybody on the way could read."""
        if self.password and not self.user:
            raise ValueError("A password needs its user: --set user=NAME.")
        if self.scheme == "http" and self.password:
            self.see_inner(self.host, "a password")
        return self

    @property
    def naming(self) -> TreeNaming:
        """The addresses of the files."""
        return TreeNaming(self.url + "/", origin_of(self.url).site, self.display_prefix)
