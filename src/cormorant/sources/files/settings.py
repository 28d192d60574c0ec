"""Settings of a files source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote_to_bytes

from pydantic import Field, field_validator

from cormorant.base.errors import BadAddress
from cormorant.model.acl import EVERYONE
from cormorant.model.url import canonical
from cormorant.sources.files.exposure import closed_inside
from cormorant.sources.files.file_url import Naming
from cormorant.sources.files.places import see_place
from cormorant.sources.server_settings import PacedSettings
from cormorant.sources.trees.settings import TreeSettings

_BUNDLED = os.fsencode(Path(__file__).parents[2]) + b"/"
"""Where the files lie that come with the program, like its sample."""


class FilesSettings(TreeSettings, PacedSettings):
    """Settings of a files source."""

    LISTED_BY = "cormorant source kinds files"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **TreeSettings.SYNONYMS,
        **dict.fromkeys(
            (
                "folder", "folders", "dir", "dirs", "directory", "directories", "root", "root_dir", "location", "url",
                "urls", "uri", "address", "start", "share", "mount", "mountpoint", "mount_point", "base", "file",
                "files", "from", "place",
            ),
            "path",
        ),
        **dict.fromkeys(("processes", "parallel", "workers", "threads"), "per_host"),
        **dict.fromkeys(("events", "inotify", "live", "notify", "follow_changes"), "watch"),
    }  # fmt: skip

    FORETOLD = TreeSettings.FORETOLD | {"path"}
    JUDGED = TreeSettings.JUDGED
    AT_ONCE = PacedSettings.AT_ONCE

    path: str = Field(
        description="The folder, like /srv/docs. A file: address too, for a name that is not text.",
        min_length=1,
    )
    watch: bool = Field(
        default=False,
        description="Whether `serve` notices changes and starts a run for them; schedules find what it misses.",
    )

    @field_validator("path")
    @classmethod
    def _absolute(cls, path: str) -> str:
        """Make the path absolute; a `file:` address stays one, since it may stand for bytes that are no text."""
        if elsewhere := see_place(path):
            raise ValueError(elsewhere)
        if path.lower().startswith("file:"):
            try:
                return canonical(path)
            except BadAddress as error:
                raise ValueError(error.sentence) from None
        if "\0" in path:
            raise ValueError("a path holds no NUL character.")
        return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - pathlib keeps `..`

    @property
    def root(self) -> bytes:
        """The folder's path in the bytes of the file system, without a slash at its end."""
        if self.path.startswith("file:"):
            path = unquote_to_bytes(self.path.removeprefix("file://"))
        else:
            path = os.fsencode(self.path)
        return path.rstrip(b"/") or b"/"

    def shown_as(self, shown: str) -> str | None:
        """The address of the file that readers are shown as this one."""
        return Naming(self.root, self.display_prefix).access(shown) if self.display_prefix else None

    @property
    def exposes(self) -> bool:
        """Everyone may find all files, whoever may read them; those that come with the program are for everyone."""
        return not self.owner_grants and EVERYONE in self.grants and not self.root.startswith(_BUNDLED)

    def opened_to_all(self, address: str) -> str | None:
        """That everyone may find a file which the file system does not let everyone read; None when it is not so."""
        if not self.exposes:
            return None
        try:
            why = closed_inside(self.root, unquote_to_bytes(address.removeprefix("file://")))
        except (OSError, ValueError):
            return None
        if not why:
            return None
        return (
            f"It is closed to others on this machine ({why}), and everyone who reaches the search page may find it: "
            "set owner_grants=true to apply the rights of files, or grants=group:NAME."
        )
