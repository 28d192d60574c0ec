"""Addresses of repositories: https, http, ssh (also as scp writes it), and paths of this machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

_SCP: Final = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]*)@)?"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):(?P<path>[^\\:].*)"
)
_PORTS: Final = {"https": 443, "http": 80, "ssh": 22}
_BLOB_PAGES: Final = {
    "github.com": "{web}/blob/{branch}/{path}",
    "gitlab.com": "{web}/-/blob/{branch}/{path}",
    "bitbucket.org": "{web}/src/{branch}/{path}",
    "codeberg.org": "{web}/src/branch/{branch}/{path}",
}
"""The pages on which known hosts show a file."""


class RepositoryUrl(NamedTuple):
    """Parts of the address of a repository. `host` is "" for a path of this machine; `user` stands in the address."""

    scheme: str
    host: str
    port: int
    path: str
    user: str = ""

    @classmethod
    def of(cls, text: str) -> RepositoryUrl:
        """Read what was typed. Raises ValueError with a sentence."""
        text = text.strip()
        if any(each < " " or each == "\x7f" for each in text):
            raise ValueError("an address holds no control characters.")
        if text.startswith(("/", "~", "./", "../")):
            return cls("file", "", 0, str(Path(text).expanduser().absolute()))
        if "://" not in text and (found := _SCP.fullmatch(text)):
            return cls("ssh", found["host"].strip("[]").lower(), 22, found["path"], found["user"] or "")
        try:
            parts = urlsplit(text)
            port = parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError as error:
            raise ValueError(f"{error}.") from None
        if parts.scheme == "file" and not parts.netloc:
            return cls("file", "", 0, unquote(parts.path))
        if parts.scheme not in _PORTS or not parts.hostname or parts.hostname.startswith("-"):
            raise ValueError(
                "write an address like https://git.example/team/docs.git or ssh://git@git.example/team/docs.git, or "
                "the path of a repository."
            )
        if parts.password is not None or (parts.username and parts.scheme != "ssh"):
            raise ValueError("a login is not written in the address: give user and password=secret:NAME.")
        if parts.query or parts.fragment or parts.path in ("", "/"):
            raise ValueError("the path of the repository is missing, or something stands behind it.")
        return cls(parts.scheme, parts.hostname, port, unquote(parts.path), parts.username or "")

    @property
    def address(self) -> str:
        """The address as git is given it; it begins with a scheme and never with a dash."""
        path = quote(self.path, safe="/~") if self.path.startswith("/") else f":{self.path}"
        if self.scheme == "file":
            return f"file://{path}"
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if not self.path.startswith("/"):  # it begins in the home of the account, which only scp's form can say
            return f"{self.user}@{host}{path}" if self.user else f"{host}{path}"
        port = f":{self.port}" if self.port != _PORTS[self.scheme] else ""
        return f"{self.scheme}://{user}{host}{port}{path}"

    @property
    def blob_page(self) -> str:
        """The template of the pages on which a known host shows a file, "" for other hosts."""
        template = _BLOB_PAGES.get(self.host, "")
        if not template and "gitlab" in self.host:
            template = _BLOB_PAGES["gitlab.com"]
        path = self.path.strip("/").removesuffix(".git")
        return template.replace("{web}", f"https://{self.host}/{quote(path, safe='/')}") if template else ""
