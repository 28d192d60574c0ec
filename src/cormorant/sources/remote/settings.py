"""Settings of every kind of source that reads files from a server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Self
from urllib.parse import unquote_to_bytes

from pydantic import AfterValidator, Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.acl import ACL
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.url import canonical, origin_of
from cormorant.net.egress.policy import Consent
from cormorant.net.http.connection_options import DIRECT, Route
from cormorant.sources.remote.authority import AuthorityFile, read_authority
from cormorant.sources.server_settings import ServerSettings
from cormorant.sources.trees.settings import TreeSettings
from cormorant.sources.trees.tree_urls import TreeNaming, quoted


def _no_control(text: str) -> str:
    if any(ord(each) < 32 or ord(each) == 127 for each in text):
        raise ValueError("it holds a control character.")
    return text


UserName = Annotated[str, AfterValidator(_no_control)]
"""A user name, which no control character can end early in a command of a protocol."""


class RemoteSettings(TreeSettings, ServerSettings):
    """Settings of a source of files on a server."""

    SCHEMES: ClassVar[Mapping[str, int]] = {}
    """The schemes that `url` may have, with the port that each stands for."""
    EXAMPLE: ClassVar[str] = ""
    """How `url` is written."""
    TELLS_RIGHTS: ClassVar[bool] = False
    """Whether the protocol says who may read a file, and by what name."""
    FOLLOWS_LINKS: ClassVar[bool] = False
    """Whether the protocol knows symbolic links, and where they lead."""
    JUDGED = TreeSettings.JUDGED
    AT_ONCE = ServerSettings.AT_ONCE
    FORETOLD = TreeSettings.FORETOLD | {"url"}
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **TreeSettings.SYNONYMS,
        **dict.fromkeys(
            (
                "path", "folder", "dir", "directory", "root", "location", "uri", "address", "start", "share", "server",
                "host", "base", "place",
            ),
            "url",
        ),
        **dict.fromkeys(("timeout",), "timeout_s"),
        **dict.fromkeys(("parallel", "connections", "threads"), "per_host"),
    }  # fmt: skip

    url: str = Field(min_length=1, description="The folder on its server.")

    @field_validator("url")
    @classmethod
    def _address(cls, text: str) -> str:
        """Canonicalise the address of the folder, without a slash at its end; its host in small letters."""
        bare = text.strip()
        scheme, mark, rest = bare.partition("://")
        scheme = scheme.lower()
        if not mark or scheme not in cls.SCHEMES:
            raise ValueError(f"it begins with {' or '.join(f'{each}://' for each in cls.SCHEMES)}: {cls.EXAMPLE}.")
        authority, slash, path = rest.partition("/")
        if "@" in authority:
            raise ValueError("a user name is not written here: use the settings user and password.")
        if "?" in path or "#" in path:
            raise ValueError(f"a question mark or a hash in a name is written %3F or %23: {cls.EXAMPLE}.")
        path = quoted(unquote_to_bytes(path))
        try:
            address = canonical(f"{scheme}://{authority.lower()}{slash}{path}")
            origin = origin_of(address)
        except (BadAddress, ValueError) as error:
            raise ValueError(getattr(error, "sentence", f"write it like {cls.EXAMPLE}.")) from None
        if not origin.host or b"\0" in unquote_to_bytes(path):
            raise ValueError(f"write it like {cls.EXAMPLE}.")
        default = f":{cls.SCHEMES[scheme]}"
        front, tail = address[: len(scheme) + 3], address[len(scheme) + 3 :]
        host, slash, path = tail.partition("/")
        return f"{front}{host.removesuffix(default)}{slash}{path}".rstrip("/")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        """Refuse what the protocol cannot do, instead of leaving it undone."""
        if self.owner_grants and not self.TELLS_RIGHTS:
            raise ValueError(
                "This protocol does not say who may read a file, so owner_grants cannot be set: name the readers of "
                "all its files with grants, like grants=group:NAME."
            )
        if self.symlinks and not self.FOLLOWS_LINKS:
            raise ValueError("This protocol does not say where links lead, so symlinks cannot be set.")
        return self

    @classmethod
    def unused_names(cls) -> frozenset[str]:
        """Return what the protocol cannot do, besides."""
        able = {"owner_grants": cls.TELLS_RIGHTS, "symlinks": cls.FOLLOWS_LINKS}
        return super().unused_names() | {name for name, is_able in able.items() if not is_able}

    @property
    def host(self) -> str:
        """The host that is connected to; an IPv6 address in brackets."""
        return origin_of(self.url).host

    @property
    def port(self) -> int:
        """The port that is connected to."""
        return origin_of(self.url).port or self.SCHEMES[self.scheme]

    @property
    def is_inside(self) -> bool:
        """Return whether the server is inside, so that a login may go in clear."""
        return self.is_inside_host(self.host)

    @property
    def scheme(self) -> str:
        """The scheme of the address."""
        return self.url.partition(":")[0]

    @property
    def root(self) -> bytes:
        """The path of the folder on the server, with a slash before it and none behind."""
        path = self.url.partition("://")[2].partition("/")[2]
        return b"/" + unquote_to_bytes(path)

    @property
    def consented(self) -> Consent:
        """The consent to connect to the server."""
        return self.consent(self.host, self.port)

    @property
    def naming(self) -> TreeNaming:
        """The addresses of the files."""
        return TreeNaming(self.url + "/", f"{self.scheme}://{self.host}:{self.port}", self.display_prefix)

    @property
    def common_acl(self) -> ACL | None:
        """All files have the rights that the settings name, but where the server is asked."""
        return None if self.owner_grants else self.acl

    def shown_as(self, shown: str) -> str | None:
        """The address of the file that readers are shown as this one."""
        return self.naming.access(shown)

    def site_of(self, address: str) -> str:
        """Return the key of the server, with its protocol, for an address below the folder."""
        naming = self.naming
        return naming.site if address.startswith(naming.root) else super().site_of(address)


class LoginSettings(RemoteSettings):
    """Settings of a source of files whose server wants a user and a password."""

    UNSHOWN = frozenset(("password",))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **RemoteSettings.SYNONYMS,
        **dict.fromkeys(("username", "login", "account"), "user"),
        **dict.fromkeys(("pass", "pwd", "passwd", "secret"), "password"),
    }

    user: UserName = Field(default="", description="The user name.")
    password: SecretReference = Field(default="", description="The password, as secret:NAME.")


class HttpRemoteSettings(RemoteSettings):
    """Settings of a source of files that are got by HTTP."""

    ca: AuthorityFile = Field(
        default="", description="File of certificates (PEM) that are trusted besides the system's."
    )

    @cached_property
    def route(self) -> Route:
        """The way to the server."""
        return Route(authorities=read_authority(self.ca)) if self.ca else DIRECT
