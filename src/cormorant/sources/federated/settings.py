"""Settings of a federated source."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.attribute import is_attribute_name
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.settings.source import SourceSettings
from cormorant.model.url import canonical, origin_of, path_of
from cormorant.net.http.connection_options import DIRECT, Route
from cormorant.sources.federated.query_route import QueryRoute
from cormorant.sources.remote.authority import AuthorityFile, read_authority
from cormorant.sources.server_settings import ServerSettings

SEARCH_PATH: Final = "/api/v1/search"
"""Where a Cormorant is asked."""
MOST_WAIT_S: Final = 30
MOST_HITS: Final = 50


class FederatedSettings(ServerSettings):
    """Settings of a federated source."""

    LISTED_BY = "cormorant source kinds federated"
    UNSHOWN = frozenset(("token",))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("address", "api", "description", "endpoint", "host", "opensearch", "server", "uri"), "url"),
        **dict.fromkeys(("access_token", "api_key", "api_token", "bearer", "key"), "token"),
        **dict.fromkeys(("ca_file", "cafile", "authority", "certificate", "certificates"), "ca"),
        **dict.fromkeys(("timeout", "wait", "wait_s"), "timeout_s"),
        **dict.fromkeys(("limit", "count", "hits", "max_hits", "results"), "most"),
        **dict.fromkeys(("filter", "prefix", "queries", "routes", "routing", "trigger"), "route"),
        **dict.fromkeys(("mapping", "attribute", "attribute_map"), "attributes"),
        **dict.fromkeys(("parallel", "connections", "threads"), "per_host"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
    }  # fmt: skip

    url: str = Field(
        min_length=1,
        description=(
            "The OpenSearch description of the server, like https://www.example.org/opensearch.xml, or the search of "
            f"another Cormorant, like https://search.example.org{SEARCH_PATH}."
        ),
    )
    flavour: Literal["auto", "opensearch", "cormorant"] = Field(
        default="auto",
        description=f"The server at url: opensearch or cormorant; auto: cormorant where url ends in {SEARCH_PATH}.",
    )
    token: SecretReference = Field(
        default="", description="The access token of the server, as secret:NAME; it is sent as a bearer token."
    )
    ca: AuthorityFile = Field(
        default="", description="File of certificates (PEM) that are trusted besides the system's."
    )
    timeout_s: Annotated[float, Field(gt=0, le=MOST_WAIT_S)] = Field(
        default=2.0, description="Seconds that a search waits for the server at the most, 30 or fewer."
    )
    most: Annotated[int, Field(ge=1, le=MOST_HITS)] = Field(
        default=5, description="Results of the server in one answer at the most, 50 or fewer."
    )
    attributes: tuple[str, ...] = Field(
        default=(),
        description=(
            "Attributes that are kept of a result, with the server's name of each: NAME=THEIRS, like Author=creator; "
            "may repeat. Not set: none."
        ),
    )
    route: tuple[str, ...] = Field(
        default=(),
        description=(
            "The queries that are sent: a word that they begin with and that is left out, like wiki; or an expression "
            "(RE2) that is found in them, like regex:^[A-Z]+-[0-9]+$; may repeat. Not set: every query."
        ),
    )

    @field_validator("url")
    @classmethod
    def _address(cls, text: str) -> str:
        """Canonicalise the address."""
        try:
            address = canonical(text)
            origin = origin_of(address)
        except BadAddress as error:
            raise ValueError(error.sentence) from None
        if origin.scheme not in ("https", "http") or not origin.host:
            raise ValueError("it begins with https://.")
        if "@" in text.partition("://")[2].partition("/")[0]:
            raise ValueError("a login is not written here: use token.")
        return address

    @field_validator("attributes")
    @classmethod
    def _names(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse what names no attribute, or two of one name."""
        names = [line.partition("=")[0].strip() for line in lines]
        for line, name in zip(lines, names, strict=True):
            if not is_attribute_name(name) or not line.partition("=")[2].strip():
                raise ValueError(f"{line!r} names no attribute. Write it like Author=creator.")
        if len({name.lower() for name in names}) < len(names):
            raise ValueError("each attribute is named once.")
        return lines

    @field_validator("route")
    @classmethod
    def _rules(cls, rules: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse rules that are none."""
        QueryRoute.of(rules)
        return rules

    @model_validator(mode="after")
    def _in_clear(self) -> Self:
        """Refuse a token that anybody on the way could read."""
        if self.url.startswith("http:") and self.token:
            self.see_inner(origin_of(self.url).host, "the token")
        return self

    @classmethod
    def unused_names(cls) -> frozenset[str]:
        """No run visits it and nothing of it is kept, so that only readers and parameters of all sources matter."""
        return super().unused_names() | (SourceSettings.model_fields.keys() - {"parameters", "grants", "denies"})

    @property
    def is_cormorant(self) -> bool:
        """Return whether the server is another Cormorant, asked at its REST interface."""
        at_search = path_of(self.url).partition("?")[0].endswith(SEARCH_PATH)
        return self.flavour == "cormorant" or (self.flavour == "auto" and at_search)

    @cached_property
    def way(self) -> Route:
        """The way to the server."""
        return Route(authorities=read_authority(self.ca)) if self.ca else DIRECT

    @cached_property
    def query_route(self) -> QueryRoute:
        """The rules of `route`, compiled."""
        return QueryRoute.of(self.route)

    @cached_property
    def mapping(self) -> Mapping[str, str]:
        """The server's names of attributes, in small letters, by the names that results have here."""
        pairs = (line.partition("=") for line in self.attributes)
        return {name.strip(): theirs.strip().casefold() for name, _, theirs in pairs}
