"""Settings of a source that is a git repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.settings.source import Depth
from cormorant.model.url import try_canonical
from cormorant.sources.git.repository_url import RepositoryUrl
from cormorant.sources.server_settings import ServerSettings
from cormorant.sources.trees.globs import compile_patterns

MAX_SIZE: Final = 64 << 20
"""Bytes; no setting lets a larger document in."""
_BRANCH: Final = re.compile(r"(?![-/.])(?!.*(?:\.\.|@\{|//|\.lock$|/$|\.$))[^\x00-\x20\x7f~^:?*\[\\]{1,250}")
_FIELD: Final = re.compile(r"\{(\w*)\}")


class GitSettings(ServerSettings):
    """Settings of a source that is a git repository."""

    LISTED_BY = "cormorant source kinds git"
    UNSHOWN = frozenset(("url", "password", "key"))
    JUDGED = ServerSettings.JUDGED | {"include", "exclude", "depth", "hidden", "max_size_bytes", "too_big", "branch"}
    FORETOLD = frozenset(("include", "exclude", "depth", "hidden"))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("repository", "repo", "remote", "path", "clone", "clone_url", "start", "address"), "url"),
        **dict.fromkeys(("ref", "revision", "head", "tag"), "branch"),
        **dict.fromkeys(("token", "secret", "personal_access_token"), "password"),
        **dict.fromkeys(("username", "login", "account"), "user"),
        **dict.fromkeys(("ssh_key", "private_key", "identity", "deploy_key"), "key"),
        **dict.fromkeys(("host_key", "host_keys", "fingerprint"), "known_hosts"),
        **dict.fromkeys(("allow", "accept", "pattern", "patterns", "glob"), "include"),
        **dict.fromkeys(("deny", "reject", "ignore", "skip"), "exclude"),
        **dict.fromkeys(("display", "display_prefix", "link", "web"), "display_url"),
        **dict.fromkeys(("cache", "mirror", "folder", "clone_folder"), "mirror_folder"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
        **dict.fromkeys(("max_depth", "levels"), "depth"),
        **dict.fromkeys(("dotfiles", "hidden_files"), "hidden"),
    }

    url: str = Field(
        min_length=1,
        description="The repository, like https://git.example/team/docs.git, git@git.example:team/docs.git or a path.",
    )
    branch: str = Field(default="", description="The branch to read. Not set: the one that the repository names HEAD.")
    user: str = Field(default="", description="The user name, where the server asks for one.")
    password: SecretReference = Field(default="", description="The password or access token, as secret:NAME.")
    key: SecretReference = Field(default="", description="The private key for ssh, as secret:NAME.")
    known_hosts: tuple[str, ...] = Field(
        default=(),
        description=(
            "The keys of the ssh server, as `ssh-keyscan` prints them, like git.example ssh-ed25519 AAAA...; may "
            "repeat. Compare them with those that its owner publishes."
        ),
    )
    ca: str = Field(default="", description="A file with the certificate of a private authority, like /etc/ca.pem.")
    include: tuple[str, ...] = Field(
        default=(), description="Files to take: patterns like *.md or docs/**, or rules like ext:pdf. Not set: all."
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="Files and folders to leave out, written like include. Exclusion wins."
    )
    depth: Depth = Field(default="unlimited", description="Levels of folders to go down; 0 is the top folder only.")
    hidden: bool = Field(default=False, description="Whether files and folders whose name begins with a dot are taken.")
    display_url: str = Field(
        default="",
        description=(
            "The page that people are shown of a file, like https://git.example/docs/{branch}/{path}; {commit} is the "
            "one that changed it last. Not set: that of GitHub, GitLab, Bitbucket or Codeberg."
        ),
    )
    mirror_folder: str = Field(
        default="", description="The folder for copies of repositories. Not set: the account's folder for caches."
    )
    max_size_bytes: int = Field(default=10_000_000, description="The largest file, like 10MB.", ge=1, le=MAX_SIZE)
    too_big: Literal["drop", "cut"] = Field(
        default="drop", description="Whether a larger file is left out (drop) or its beginning taken (cut)."
    )

    @field_validator("url")
    @classmethod
    def _url(cls, text: str) -> str:
        return RepositoryUrl.of(text).address

    @field_validator("branch")
    @classmethod
    def _branch(cls, name: str) -> str:
        name = name.strip().removeprefix("refs/heads/")
        if name and not _BRANCH.fullmatch(name):
            raise ValueError("no branch can have that name. Write one like main.")
        return name

    @field_validator("user")
    @classmethod
    def _user(cls, name: str) -> str:
        if ":" in name or not name.isprintable():
            raise ValueError("a user name holds no colon and no control characters.")
        return name

    @field_validator("known_hosts")
    @classmethod
    def _keys(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            if len(line.split()) < 3 or "\n" in line or line.startswith("-"):
                raise ValueError("write a line as `ssh-keyscan` prints it, like git.example ssh-ed25519 AAAA...")
        return lines

    @field_validator("display_url")
    @classmethod
    def _template(cls, text: str) -> str:
        unknown = set(_FIELD.findall(text)) - {"path", "commit", "branch"}
        if unknown:
            raise ValueError(f"{{{min(unknown)}}} is not known in it; {{path}}, {{commit}} and {{branch}} are.")
        if text and ("{path}" not in text or not (try_canonical(text) or "").startswith(("https:", "http:"))):
            raise ValueError("write it like https://git.example/docs/blob/{branch}/{path}.")
        return text

    @field_validator("ca", "mirror_folder")
    @classmethod
    def _absolute(cls, path: str) -> str:
        return str(Path(path).expanduser().absolute()) if path else ""

    @model_validator(mode="after")
    def _together(self) -> Self:
        """Read the patterns, and see that the login fits the protocol."""
        compile_patterns(self.include, self.exclude)
        scheme = self.repository.scheme
        if self.key and scheme != "ssh":
            raise ValueError("A key is for ssh: addresses like ssh://git@git.example/team/docs.git.")
        if self.password and scheme not in ("https", "http"):
            raise ValueError("A password is for https addresses; ssh takes key=secret:NAME.")
        if self.password and scheme == "http":
            self.see_inner(self.repository.host, "a password")
        if scheme == "ssh" and not self.known_hosts:
            raise ValueError(
                f"The keys of the ssh server are needed: add --set known_hosts=... with the lines of `ssh-keyscan "
                f"{self.repository.host}`, once compared with those that its owner publishes."
            )
        return self

    @cached_property
    def repository(self) -> RepositoryUrl:
        """The address, taken apart."""
        return RepositoryUrl.of(self.url)

    @property
    def levels(self) -> int | None:
        """The number of folder levels that are descended; None for all."""
        return None if self.depth == "unlimited" else self.depth
