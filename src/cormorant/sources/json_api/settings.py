"""Settings of every kind of source that asks an interface in JSON: its address, its token, whom to trust."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Final, Self

import xxhash
from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.url import canonical, origin_of
from cormorant.net.http.connection_options import DIRECT, Route
from cormorant.sources.remote.authority import AuthorityFile, read_authority
from cormorant.sources.server_settings import ServerSettings

DAYS: Final = 3_650
Days = Annotated[float, Field(ge=0, le=DAYS)]
"""Days, of which there may be a part."""


class ApiSettings(ServerSettings):
    """Settings of a source that asks an interface in JSON."""

    UNSHOWN = frozenset(("token",))
    EXAMPLE: ClassVar[str] = ""
    """How `url` is written."""
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("address", "api", "api_url", "base", "base_url", "endpoint", "host", "location", "server", "site", "uri"),
            "url",
        ),
        **dict.fromkeys(("access_token", "api_key", "api_token", "bearer", "key", "pat", "private_token"), "token"),
        **dict.fromkeys(("ca_file", "cafile", "authority", "certificate", "certificates"), "ca"),
        **dict.fromkeys(("timeout",), "timeout_s"),
        **dict.fromkeys(("parallel", "connections", "threads"), "per_host"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
    }  # fmt: skip

    url: str = Field(min_length=1, description="The address of the server.")
    token: SecretReference = Field(default="", description="The access token, as secret:NAME.")
    ca: AuthorityFile = Field(
        default="", description="File of certificates (PEM) that are trusted besides the system's."
    )
    relist_days: Days = Field(
        default=7.0,
        description="Days after which everything is listed again, and not only what changed. 0: at each crawl.",
    )

    @field_validator("url")
    @classmethod
    def _address(cls, text: str) -> str:
        """Canonicalise the address, without a slash at its end."""
        try:
            address = canonical(text)
            origin = origin_of(address)
        except BadAddress as error:
            raise ValueError(error.sentence) from None
        if origin.scheme not in ("https", "http") or not origin.host:
            raise ValueError(f"it begins with https://, like {cls.EXAMPLE}.")
        if "@" in text.partition("://")[2].partition("/")[0]:
            raise ValueError("a login is not written here: use the settings for it.")
        if "?" in address:
            raise ValueError(f"it has no question mark: {cls.EXAMPLE}.")
        return address.rstrip("/")

    @model_validator(mode="after")
    def _in_clear(self) -> Self:
        """Refuse a login that anybody on the way could read."""
        if self.url.startswith("http:") and self.secrets:
            self.see_inner(origin_of(self.url).host, "a login")
        return self

    @cached_property
    def route(self) -> Route:
        """The way to the server."""
        return Route(authorities=read_authority(self.ca)) if self.ca else DIRECT

    @property
    def place(self) -> str:
        """A digest of the settings that decide what belongs to the source and what is kept of it."""
        kept = self.model_dump_json(exclude={*self.AT_ONCE, *self.UNSHOWN, "relist_days", "ca", "network"})
        return xxhash.xxh3_64_hexdigest(kept.encode())
