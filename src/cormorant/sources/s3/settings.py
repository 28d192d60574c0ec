"""Settings of an S3 source."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Annotated, ClassVar, Final, Literal, Self
from urllib.parse import unquote_to_bytes

from pydantic import AfterValidator, Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.url import Origin, canonical, origin_of, path_of
from cormorant.net.egress.policy import Consent
from cormorant.sources.remote.settings import HttpRemoteSettings
from cormorant.sources.s3.object_urls import KeyNaming, strictly_quoted
from cormorant.sources.trees.tree_urls import TreeNaming


def _word(text: str) -> str:
    if not text.isascii() or not text.isprintable() or any(each in text for each in "/,; "):
        raise ValueError("it is a word of letters and digits.")
    return text


Word = Annotated[str, AfterValidator(_word)]
"""A word that stands in a signature."""


MAX_VERSIONS: Final = 10_000
"""Older versions of one object that may be asked for by number."""


class S3Settings(HttpRemoteSettings):
    """Settings of an S3 source."""

    LISTED_BY = "cormorant source kinds s3"
    SCHEMES: ClassVar[Mapping[str, int]] = {"s3": 443}
    EXAMPLE = "s3://bucket/folder"
    UNSHOWN = frozenset(("secret_key", "session_token"))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **HttpRemoteSettings.SYNONYMS,
        **dict.fromkeys(("bucket", "prefix"), "url"),
        **dict.fromkeys(("server", "host", "endpoint_url"), "endpoint"),
        **dict.fromkeys(("user", "access_key_id", "aws_access_key_id", "key_id", "key"), "access_key"),
        **dict.fromkeys(("password", "secret", "secret_access_key", "aws_secret_access_key"), "secret_key"),
        **dict.fromkeys(("token", "aws_session_token"), "session_token"),
        **dict.fromkeys(("style", "path_style", "addressing_style"), "addressing"),
        **dict.fromkeys(("location", "aws_region"), "region"),
        **dict.fromkeys(("older_versions", "history", "revisions"), "versions"),
    }

    url: str = Field(min_length=1, description="The bucket and the folder in it, like s3://bucket/folder.")
    endpoint: str = Field(
        default="", description="Address of the store, like https://minio.intra:9000. Not set: Amazon's of the region."
    )
    region: Word = Field(default="us-east-1", min_length=1, description="Region of the bucket.")
    access_key: Word = Field(default="", description="Name of the access key. Not set: as anybody may read.")
    secret_key: SecretReference = Field(default="", description="Secret of the access key, as secret:NAME.")
    session_token: SecretReference = Field(
        default="", description="Token of a key that holds for a session, as secret:NAME."
    )
    versions: Annotated[int, Field(ge=1, le=MAX_VERSIONS)] | Literal["off", "all"] = Field(
        default="off",
        description="Older versions of each object that become documents of their own, where the store keeps them: "
        "how many, the newest first, or all.",
    )
    addressing: Literal["auto", "path", "virtual"] = Field(
        default="auto",
        description="Whether the bucket stands in the path or in the name of the host; auto: path, if endpoint is set.",
    )

    @field_validator("endpoint")
    @classmethod
    def _endpoint(cls, text: str) -> str:
        if not text:
            return ""
        try:
            address = canonical(text if "://" in text else f"https://{text}")
        except BadAddress as error:
            raise ValueError(error.sentence) from None
        if not address.startswith(("https://", "http://")) or path_of(address) != "/" or "@" in text:
            raise ValueError("write it like https://minio.intra:9000, without a path or a login.")
        return str(origin_of(address))

    @model_validator(mode="after")
    def _keys(self) -> Self:
        if bool(self.access_key) != bool(self.secret_key):
            raise ValueError("An access_key and its secret_key go together: --set secret_key=secret:NAME.")
        if self.is_virtual and not self._fits_a_host:
            raise ValueError("The name of this bucket cannot stand in a host's: set addressing=path.")
        return self

    @property
    def bucket(self) -> str:
        """The name of the bucket."""
        return self.url.removeprefix("s3://").partition("/")[0]

    @property
    def prefix(self) -> bytes:
        """The beginning of the keys of the source: with a slash at the end, or empty for the whole bucket."""
        path = unquote_to_bytes(self.url.removeprefix("s3://").partition("/")[2])
        return path + b"/" if path else b""

    @property
    def older(self) -> float:
        """The number of older versions that are taken of an object; infinite for all."""
        if self.versions == "all":
            return inf
        return 0 if self.versions == "off" else self.versions

    @property
    def is_virtual(self) -> bool:
        """Return whether the bucket stands in the name of the host."""
        by_itself = not self.endpoint and self._fits_a_host and "." not in self.bucket
        return self.addressing == "virtual" or (self.addressing == "auto" and by_itself)

    @property
    def place(self) -> Origin:
        """The origin that requests go to."""
        store = origin_of(self.endpoint or f"https://s3.{self.region}.amazonaws.com")
        return store._replace(host=f"{self.bucket}.{store.host}") if self.is_virtual else store

    @property
    def host(self) -> str:
        """The host that is connected to."""
        return self.place.host

    @property
    def port(self) -> int:
        """The port that is connected to."""
        return self.place.port

    @property
    def consented(self) -> Consent:
        """The consent to connect to the store."""
        return self.consent(self.host, self.port)

    @property
    def naming(self) -> TreeNaming:
        """The addresses of the objects."""
        return KeyNaming(self.url + "/", f"s3://{self.bucket}", self.display_prefix)

    def request_url(self, key: bytes = b"") -> str:
        """Return the address at which a key is asked for; the bucket itself without one."""
        front = f"{self.place}/" if self.is_virtual else f"{self.place}/{self.bucket}/"
        return front + strictly_quoted(key)

    @property
    def _fits_a_host(self) -> bool:
        return self.bucket.replace("-", "").replace(".", "").isalnum()
