"""Settings of sources whose documents are files in folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.acl import ACL
from cormorant.model.settings.source import Depth, SourceSettings
from cormorant.model.text.sampling import is_chosen
from cormorant.model.url import canonical
from cormorant.sources.trees.globs import compile_patterns
from cormorant.sources.trees.share import of_share

MAX_SIZE = 64 << 20
"""Bytes; no setting lets a larger document in."""

SHOWN_SCHEMES = ("https", "http", "file", "ftp", "sftp", "smb", "nfs", "davs", "dav")
"""Schemes that an address of a file for readers may have: where files are got, and nothing that runs or is run."""
_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")


class TreeSettings(SourceSettings):
    """Settings of every kind that lists folders: which files are taken, and how they are shown."""

    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("max_depth", "levels", "depth_limit", "recursive"), "depth"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
        **dict.fromkeys(("allow", "accept", "pattern", "patterns", "glob"), "include"),
        **dict.fromkeys(("deny", "reject", "ignore", "skip"), "exclude"),
        **dict.fromkeys(("prefix", "display", "display_url", "display_path", "shown"), "display_prefix"),
        **dict.fromkeys(("mime", "mimes", "mime_types", "content_types", "extensions"), "types"),
        **dict.fromkeys(("permissions", "rights", "respect_permissions", "file_rights", "owner"), "owner_grants"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
        **dict.fromkeys(("dotfiles", "hidden_files"), "hidden"),
        **dict.fromkeys(("links", "follow_symlinks"), "symlinks"),
    }  # fmt: skip

    JUDGED = SourceSettings.JUDGED | {
        "include", "exclude", "depth", "hidden", "symlinks", "owner_grants", "types", "max_size_bytes", "too_big",
    }  # fmt: skip

    FORETOLD = frozenset(("include", "exclude", "depth", "hidden", "types"))
    FINDING = frozenset(("types",))

    include: tuple[str, ...] = Field(
        default=(),
        description="Files to take: patterns like *.pdf or handbook/**, or rules like ext:pdf. Not set: every file.",
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="Files and folders to leave out, written like include. Exclusion wins."
    )
    depth: Depth = Field(default="unlimited", description="Levels of folders to go down; 0 is the folder itself only.")
    hidden: bool = Field(default=False, description="Whether files and folders whose name begins with a dot are taken.")
    symlinks: bool = Field(
        default=False, description="Whether symbolic links are followed; never to a place outside the folder."
    )
    display_prefix: str = Field(
        default="", description="Address that readers see in place of the folder, like https://intra/docs."
    )
    owner_grants: bool = Field(
        default=False, description="Whether only those may find a file whom the file system lets read it."
    )
    max_size_bytes: int = Field(default=10_000_000, description="The largest file, like 10MB.", ge=1, le=MAX_SIZE)
    too_big: Literal["drop", "cut"] = Field(
        default="drop", description="Whether a larger file is left out (drop) or its beginning taken (cut)."
    )
    types: tuple[str, ...] = Field(
        default=(), description="MIME types to take, like application/pdf or text/*. Not set: every type."
    )
    follow_links: bool = Field(
        default=False, description="Whether links in documents to other files of the folder are followed."
    )

    hash_audit: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="The share of unchanged files that are read all the same, like 0.01, to find those that changed "
        "though size, time and inode are the same. 0: none.",
    )

    @field_validator("display_prefix")
    @classmethod
    def _shown(cls, prefix: str) -> str:
        """Canonicalise the prefix, without a slash at its end; a path of a share becomes the address of one."""
        if not prefix:
            return ""
        if _DRIVE.match(prefix.strip()):
            raise ValueError(
                "a drive letter means another folder on each machine. Write the share it stands for, like "
                "\\\\server\\share\\folder."
            )
        try:
            address = of_share(prefix) or canonical(prefix)
        except BadAddress as error:
            raise ValueError(error.sentence) from None
        if "?" in address:
            raise ValueError("an address with a query cannot be continued. Write it like https://intra/docs.")
        scheme = address.partition(":")[0]
        if scheme not in SHOWN_SCHEMES:
            raise ValueError(
                f"readers cannot follow {scheme}: addresses to a file. Write it like https://intra/docs or "
                f"\\\\server\\share; an address may begin with {', '.join(SHOWN_SCHEMES)}."
            )
        whole = address.rstrip("/")
        return f"{whole}//" if whole.endswith(":") else whole

    @field_validator("types")
    @classmethod
    def _types(cls, types: tuple[str, ...]) -> tuple[str, ...]:
        """Lower the case; refuse what is no MIME type."""
        lowered = tuple(each.strip().lower() for each in types)
        wrong = [each for each in lowered if each.count("/") != 1]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is not a MIME type. Write it like application/pdf or text/*.")
        return lowered

    @model_validator(mode="after")
    def _rules(self) -> Self:
        """Read the rules now, so that a mistake is found where it is typed."""
        compile_patterns(self.include, self.exclude)
        return self

    @property
    def common_acl(self) -> ACL | None:
        """All files have the rights said here, but where the file system is asked."""
        return None if self.owner_grants else self.acl

    def audits(self, address: str, now: float) -> bool:
        """Return whether it is the turn of this file for an audit."""
        return is_chosen(address, now, self.hash_audit)

    @property
    def levels(self) -> int | None:
        """The number of folder levels that are descended; None for all."""
        return None if self.depth == "unlimited" else self.depth
