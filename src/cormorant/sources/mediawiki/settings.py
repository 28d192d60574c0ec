"""Settings of a MediaWiki source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.acl import ACL, EVERYONE
from cormorant.model.settings.bounded import MOST_BYTES
from cormorant.model.settings.secret_name import SecretReference
from cormorant.sources.json_api.settings import ApiSettings

ALL: Final = "all"
"""Stands for every namespace that holds pages and not talk about them."""
_READER: Final = re.compile(r"(?:user|group):\S.*")


class MediaWikiSettings(ApiSettings):
    """Settings of a MediaWiki source."""

    LISTED_BY = "cormorant source kinds mediawiki"
    EXAMPLE = "https://wiki.example.org"
    UNSHOWN = frozenset(("token", "password"))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **ApiSettings.SYNONYMS,
        **dict.fromkeys(("wiki", "api_php"), "url"),
        **dict.fromkeys(("username", "login", "account", "bot"), "user"),
        **dict.fromkeys(("pass", "pwd", "passwd", "bot_password", "secret"), "password"),
        **dict.fromkeys(("namespace", "ns"), "namespaces"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
    }  # fmt: skip
    JUDGED = ApiSettings.JUDGED | {"namespaces", "namespace_grants", "max_size_bytes"}

    url: str = Field(
        min_length=1,
        description="The wiki, or its api.php: https://wiki.example.org or https://wiki.example.org/w/api.php.",
    )
    user: str = Field(
        default="",
        max_length=255,
        description="The user with its bot password, like Ada@cormorant. Not set: anonymous.",
    )
    password: SecretReference = Field(default="", description="The bot password, as secret:NAME.")
    token: SecretReference = Field(
        default="", description="The access token of an owner-only OAuth 2 consumer, in place of user and password."
    )
    namespaces: tuple[str, ...] = Field(
        default=(),
        description=(
            "Namespaces by name or number, like Help or 12; Main is the one without a name, all stands for every one "
            "but talk; may repeat. Not set: those with content, and File."
        ),
    )
    namespace_grants: tuple[str, ...] = Field(
        default=(),
        description=(
            "Readers of the pages of a namespace, in place of grants: NAMESPACE=group:NAME or NAMESPACE=user:NAME; "
            "may repeat."
        ),
    )
    max_size_bytes: int = Field(default=10_000_000, ge=1, le=MOST_BYTES, description="The largest file, like 10MB.")

    @field_validator("namespace_grants")
    @classmethod
    def _readers(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse what names no namespace or no reader."""
        for line in lines:
            namespace, _, reader = line.partition("=")
            if not namespace.strip() or not (reader == EVERYONE or _READER.fullmatch(reader)):
                raise ValueError(f"{line!r} is no grant. Write it like HR=group:hr.")
        return lines

    @model_validator(mode="after")
    def _login(self) -> Self:
        """Refuse half a login, and two of them."""
        if bool(self.user) != bool(self.password):
            raise ValueError("A login needs user and password: --set user=NAME@BOT --set password=secret:NAME.")
        if self.user and self.token:
            raise ValueError("Set either user and password, or token.")
        return self

    @property
    def common_acl(self) -> ACL | None:
        """All pages have the rights that the settings name, but where namespaces have their own."""
        return None if self.namespace_grants else self.acl

    def grants_of(self, names: set[str]) -> ACL | None:
        """Return who may read the pages of a namespace that is called by any of these names; None: as the source."""
        given = (line.partition("=") for line in self.namespace_grants)
        readers = [reader for namespace, _, reader in given if title_key(namespace) in names]
        return ACL.of(readers, self.denies) if readers else None


def title_key(name: str) -> str:
    """Return a name as it is compared: without regard to capitals, with spaces for underscores."""
    return " ".join(name.replace("_", " ").split()).casefold()
