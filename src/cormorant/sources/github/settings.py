"""Settings of a GitHub source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.acl import ACL
from cormorant.sources.json_api.settings import ApiSettings

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")


class GitHubSettings(ApiSettings):
    """Settings of a GitHub source."""

    LISTED_BY = "cormorant source kinds github"
    EXAMPLE = "https://api.github.com"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **ApiSettings.SYNONYMS,
        **dict.fromkeys(("repositories", "repo", "repos", "project", "projects"), "repository"),
        **dict.fromkeys(("organization", "org", "owner"), "organisation"),
        **dict.fromkeys(("pulls", "prs", "merge_requests"), "pull_requests"),
        **dict.fromkeys(("permissions", "rights", "owner_grants"), "repository_grants"),
    }  # fmt: skip
    JUDGED = ApiSettings.JUDGED | {
        "repository", "organisation", "closed", "pull_requests", "reviews", "discussions", "releases",
        "repository_grants",
    }  # fmt: skip

    url: str = Field(
        default="https://api.github.com",
        min_length=1,
        description="The interface; of GitHub Enterprise Server like https://github.example.org/api/v3.",
    )
    repository: tuple[str, ...] = Field(default=(), description="A repository, like owner/name; may repeat.")
    organisation: str = Field(default="", description="The organisation whose repositories are read, each of them.")
    closed: bool = Field(default=True, description="Whether closed issues and pull requests are read too.")
    pull_requests: bool = Field(default=True, description="Whether pull requests are read.")
    reviews: bool = Field(
        default=True, description="Whether reviews of pull requests are read, which takes two more requests for each."
    )
    discussions: bool = Field(default=False, description="Whether discussions are read; needs a token.")
    releases: bool = Field(default=False, description="Whether releases are read, with the names of their files.")
    repository_grants: bool = Field(
        default=False,
        description="Whether documents of a repository that is not public are for group:OWNER/NAME only.",
    )

    @field_validator("repository")
    @classmethod
    def _repositories(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Take owner/name out of an address of a repository; refuse anything else."""
        found = []
        for name in names:
            bare = name.strip().rstrip("/").removesuffix(".git")
            parts = bare.partition("://")[2].split("/")[1:] if "://" in bare else bare.split("/")
            if len(parts) != 2 or any(_NAME.fullmatch(each) is None or each in (".", "..") for each in parts):
                raise ValueError(f"{name!r} is no repository. Write it like owner/name.")
            found.append("/".join(parts))
        return tuple(dict.fromkeys(found))

    @field_validator("organisation")
    @classmethod
    def _organisation(cls, name: str) -> str:
        """Refuse what is no name."""
        if name and (_NAME.fullmatch(name) is None or name in (".", "..")):
            raise ValueError("write its name alone, as in the address of its page.")
        return name

    @model_validator(mode="after")
    def _place(self) -> Self:
        """Refuse settings that name no place, and discussions without a token."""
        if not self.repository and not self.organisation:
            raise ValueError("Name what to read: --set repository=OWNER/NAME or --set organisation=NAME.")
        if self.discussions and not self.token:
            raise ValueError("Discussions are read with a token only: --set token=secret:NAME.")
        return self

    @property
    def common_acl(self) -> ACL | None:
        """All documents have the rights that the settings name, but where repositories have their own."""
        return None if self.repository_grants else self.acl

    @property
    def graphql(self) -> str:
        """The address of the GraphQL interface beside the other."""
        base = self.url.removesuffix("/v3")
        return f"{base}/graphql"
