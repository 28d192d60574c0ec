"""Settings of an SFTP source."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.settings.secret_name import SecretReference
from cormorant.sources.remote.settings import LoginSettings, UserName

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}=?")


class SftpSettings(LoginSettings):
    """Settings of an SFTP source."""

    LISTED_BY = "cormorant source kinds sftp"
    SCHEMES: ClassVar = {"sftp": 22}
    EXAMPLE = "sftp://host/srv/docs"
    TELLS_RIGHTS = FOLLOWS_LINKS = True
    UNSHOWN = LoginSettings.UNSHOWN | {"private_key", "passphrase"}
    SYNONYMS: ClassVar = {
        **LoginSettings.SYNONYMS,
        **dict.fromkeys(("key", "identity", "identity_file", "ssh_key", "key_file"), "private_key"),
        **dict.fromkeys(("fingerprint", "hostkey", "server_key"), "host_key"),
        **dict.fromkeys(("hosts", "known_hosts_file"), "known_hosts"),
    }

    url: str = Field(min_length=1, description="The folder on its server, like sftp://host/srv/docs.")
    user: UserName = Field(min_length=1, description="The user name.")
    private_key: SecretReference = Field(
        default="", description="The private key to log in with, in the form of OpenSSH or PEM, as secret:NAME."
    )
    passphrase: SecretReference = Field(default="", description="The passphrase of the private key, as secret:NAME.")
    host_key: tuple[str, ...] = Field(
        default=(), description="Fingerprint of the server's host key, like SHA256:...; may repeat."
    )
    known_hosts: str = Field(
        default="", description="File of known host keys in the form of OpenSSH, used where host_key is not set."
    )

    @field_validator("host_key")
    @classmethod
    def _fingerprints(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        bare = tuple(text.strip() for text in texts)
        wrong = [each for each in bare if not _FINGERPRINT.fullmatch(each)]
        if wrong:
            raise ValueError("a fingerprint is SHA256: and 43 characters, as `ssh-keygen -lf` prints it on the server.")
        return tuple(each.rstrip("=") for each in bare)

    @field_validator("known_hosts")
    @classmethod
    def _file(cls, text: str) -> str:
        if not text:
            return ""
        try:
            return str(Path(text).expanduser().absolute())
        except RuntimeError:
            raise ValueError("there is no such user.") from None

    @model_validator(mode="after")
    def _login(self) -> Self:
        if not self.password and not self.private_key:
            raise ValueError("The user needs a password or a private_key: --set password=secret:NAME.")
        if self.passphrase and not self.private_key:
            raise ValueError("A passphrase opens a private_key, and none is set: --set private_key=secret:NAME.")
        return self
