"""Settings of a GitLab source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.acl import ACL
from cormorant.sources.json_api.settings import ApiSettings

_SEGMENT: Final = re.compile(r"[\w.][\w.-]{0,254}")


class GitLabSettings(ApiSettings):
    """Settings of a GitLab source."""

    LISTED_BY = "cormorant source kinds gitlab"
    EXAMPLE = "https://gitlab.example.org"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **ApiSettings.SYNONYMS,
        **dict.fromkeys(("projects", "repo", "repos", "repository", "repositories"), "project"),
        **dict.fromkeys(("groups", "organisation", "organization", "namespace"), "group"),
        **dict.fromkeys(("mrs", "pulls", "pull_requests"), "merge_requests"),
        **dict.fromkeys(("wikis",), "wiki"),
        **dict.fromkeys(("snippet",), "snippets"),
        **dict.fromkeys(("permissions", "rights", "owner_grants"), "project_grants"),
    }  # fmt: skip
    JUDGED = ApiSettings.JUDGED | {
        "project", "group", "closed", "issues", "merge_requests", "wiki", "snippets", "confidential", "project_grants",
    }  # fmt: skip

    url: str = Field(
        default="https://gitlab.com", min_length=1, description="The server, like https://gitlab.example.org."
    )
    project: tuple[str, ...] = Field(
        default=(), description="A project by its path or number, like group/project or 278964; may repeat."
    )
    group: str = Field(default="", description="The group whose projects are read, with those of its subgroups.")
    closed: bool = Field(default=True, description="Whether closed and merged records are read too.")
    issues: bool = Field(default=True, description="Whether issues are read.")
    merge_requests: bool = Field(default=True, description="Whether merge requests are read.")
    wiki: bool = Field(default=True, description="Whether pages of the wikis of the projects are read.")
    snippets: bool = Field(
        default=False,
        description="Whether snippets, which often hold secrets, are read with their files; needs a token.",
    )
    confidential: Literal["members", "skip"] = Field(
        default="members",
        description=(
            "Whether confidential issues and private snippets are for group:PROJECT-members only, or left out (skip)."
        ),
    )
    project_grants: bool = Field(
        default=False,
        description="Whether documents that GitLab does not show to everybody are for group:PROJECT-members only.",
    )

    @field_validator("url")
    @classmethod
    def _server(cls, address: str) -> str:
        """Take the address of the interface for that of the server."""
        return address.removesuffix("/api/v4").removesuffix("/api")

    @field_validator("project")
    @classmethod
    def _projects(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Take the path out of an address of a project; refuse anything else."""
        return tuple(dict.fromkeys(_path(name, alone=name.strip().isdigit()) for name in names))

    @field_validator("group")
    @classmethod
    def _group(cls, name: str) -> str:
        """Take the path out of an address of a group; refuse anything else."""
        return _path(name, alone=True) if name else ""

    @model_validator(mode="after")
    def _place(self) -> Self:
        """Refuse settings that name no place or nothing in it."""
        if not self.project and not self.group:
            raise ValueError("Name what to read: --set project=GROUP/PROJECT or --set group=NAME.")
        if not (self.issues or self.merge_requests or self.wiki or (self.snippets and self.token)):
            raise ValueError("Nothing is left to read: set issues, merge_requests, wiki or snippets to true.")
        return self

    @property
    def common_acl(self) -> ACL | None:
        """Documents may have rights of their own wherever any may be confidential."""
        return None if self.project_grants or self.confidential == "members" else self.acl

    @property
    def api(self) -> str:
        """The address of the interface."""
        return f"{self.url}/api/v4"


def _path(name: str, *, alone: bool) -> str:
    """Return the path of a project or group. Raises ValueError for anything else."""
    bare = name.strip().removesuffix("/").removesuffix(".git")
    if "://" in bare:
        bare = bare.partition("://")[2].partition("/")[2].partition("/-/")[0].removeprefix("groups/")
    parts = bare.split("/")
    if any(_SEGMENT.fullmatch(each) is None or each in (".", "..") for each in parts) or (len(parts) < 2 and not alone):
        raise ValueError(f"{name!r} is no path. Write it like group/project.")
    return bare
