"""Settings of an SMB source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.acl import EVERYONE
from cormorant.model.settings.secret_name import SecretReference
from cormorant.sources.remote.settings import LoginSettings, UserName
from cormorant.sources.smb.sid_names import SidLookup

_SID: Final = re.compile(r"(?P<sid>S-1-\d{1,15}(?:-\d{1,10}){1,15}) *= *(?P<name>everyone|(?:user|group):\S.*)")

_SERVER: Final = re.compile(r"(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?|[0-9A-Fa-f:]{2,39}")
_LABEL: Final = "[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST_NAME: Final = re.compile(rf"(?=.{{1,254}}\Z){_LABEL}(?:\.{_LABEL})*\.?")


class SmbSettings(LoginSettings):
    """Settings of an SMB source."""

    LISTED_BY = "cormorant source kinds smb"
    SCHEMES: ClassVar[Mapping[str, int]] = {"smb": 445}
    EXAMPLE = "smb://server/share/folder"
    TELLS_RIGHTS = True
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **LoginSettings.SYNONYMS,
        **dict.fromkeys(("encrypt", "encrypted", "seal"), "encryption"),
        **dict.fromkeys(("sids", "names"), "sid_names"),
        **dict.fromkeys(("authentication", "mechanism", "security"), "auth"),
        **dict.fromkeys(("events", "live", "notify", "follow_changes"), "watch"),
        **dict.fromkeys(("dfs", "servers", "dfs_targets", "link_targets"), "dfs_servers"),
        **dict.fromkeys(("resolve_sids", "lookup", "sid_form"), "sid_lookup"),
    }

    url: str = Field(min_length=1, description="The share and the folder in it, like smb://server/share/folder.")
    user: UserName = Field(min_length=1, description="The user name, like DOMAIN\\ada or ada@example.org.")
    password: SecretReference = Field(
        default="",
        description="The password, as secret:NAME. Not set, with auth=kerberos: the ticket of the account that runs "
        "Cormorant.",
    )
    auth: Literal["negotiate", "ntlm", "kerberos"] = Field(
        default="negotiate",
        description="How the user logs in; negotiate: by Kerberos where this machine can, else by NTLM.",
    )
    watch: bool = Field(
        default=False,
        description="Whether `serve` has the server report changes and starts a run for them; schedules find the rest.",
    )
    encryption: bool = Field(
        default=True, description="Whether the connection has to be encrypted, which SMB 3 can. It is always signed."
    )
    dfs_servers: tuple[str, ...] = Field(
        default=(),
        description="Further servers that the links of a DFS namespace may lead to, and that get the login, like "
        "files2.example.org or *.example.org; may repeat.",
    )
    sid_lookup: SidLookup = Field(
        default="domain",
        description="How readers are named with owner_grants: by the accounts that the server looks up, with their "
        "domain like CORP\\ada (domain) or without (account), or by their SIDs (off).",
    )
    sid_names: tuple[str, ...] = Field(
        default=(),
        description="Readers by their SIDs, like S-1-5-21-1-2-3-1104=group:staff, which are not looked up; may repeat.",
    )

    @field_validator("url", mode="before")
    @classmethod
    def _of_share(cls, text: object) -> object:
        r"""Take a path like `\\server\share\folder` for the address."""
        if isinstance(text, str) and text.strip().startswith("\\\\"):
            path = text.strip().replace("%", "%25").replace("?", "%3F").replace("#", "%23")
            return "smb:" + path.replace("\\", "/")
        if isinstance(text, str) and text.strip().lower().startswith("cifs://"):
            return "smb" + text.strip()[4:]
        return text

    @field_validator("url")
    @classmethod
    def _with_share(cls, address: str) -> str:
        if not address.removeprefix("smb://").partition("/")[2]:
            raise ValueError(f"it names no share: {cls.EXAMPLE}.")
        return address

    @field_validator("sid_names")
    @classmethod
    def _names(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for each in lines:
            if not _SID.fullmatch(each.strip()):
                raise ValueError(f"{each!r} names no reader: write S-1-5-21-1-2-3-1104=group:staff.")
        return lines

    @field_validator("dfs_servers")
    @classmethod
    def _servers(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        wrong = next((each for each in names if not _SERVER.fullmatch(each.strip())), None)
        if wrong is not None:
            raise ValueError(
                f"{wrong[:60]!r} names no server: write files2.example.org, or *.example.org for its kind."
            )
        return tuple(each.strip().lower().rstrip(".") for each in names)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.auth == "kerberos" and "\\" in self.user:
            raise ValueError("Kerberos knows users by names like ada@EXAMPLE.ORG: write user so.")
        if not self.password and self.auth != "kerberos":
            raise ValueError(
                "A user needs its password: --set password=secret:NAME. With auth=kerberos a ticket will do."
            )
        return self

    @property
    def ways_in(self) -> tuple[str, ...]:
        """Names of the settings by which it is shown what others may not see; a ticket is one as well."""
        return super().ways_in or (() if self.owner_grants or self.password else ("auth",))

    def permits(self, host: str) -> bool:
        """Return whether the login may go to a server that a referral names."""
        bare = host.lower().rstrip(".")
        if bare == self.host.strip("[]") or (bare in self.dfs_servers and "*" not in bare):
            return True
        if not _HOST_NAME.fullmatch(host):
            return False
        return any(each[0] == "*" and bare.endswith(each[1:]) and bare != each[1:] for each in self.dfs_servers)

    @property
    def share(self) -> str:
        """The name of the share."""
        return self.root.split(b"/")[1].decode("utf-8", "surrogatepass")

    @property
    def folder(self) -> tuple[bytes, ...]:
        """The names of the folder below the share."""
        return tuple(each for each in self.root.split(b"/")[2:] if each)

    @cached_property
    def principals(self) -> Mapping[str, str]:
        """Readers by their SIDs; those of everybody among them ([MS-DTYP] 2.4.2.4)."""
        found = (_SID.fullmatch(each.strip()) for each in self.sid_names)
        return {"S-1-1-0": EVERYONE, **{each["sid"]: each["name"].strip() for each in found if each is not None}}
