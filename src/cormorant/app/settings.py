"""Settings of the installation as a whole. The only reader of the environment."""

from __future__ import annotations

import difflib
import os
import re
import socket
import tomllib
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from cormorant.base.errors import BadSetting
from cormorant.model.settings.bounded import Count, SizeOrNone
from cormorant.model.settings.byte_size import as_bytes
from cormorant.model.settings.execution import node_name
from cormorant.model.url import try_canonical

FOLDER_HERE = "cormorant-data"
MOST_VISITS = 512
"""Sockets of a retriever process to slow servers: half of the 1,024 files that most systems allow."""


MOST_PORT = 65_535
_PORT = re.compile(r"[0-9]{1,5}")
_PREFIX = "CORMORANT_"
_DATA = "CORMORANT_DATA"
_ALIKE = 0.75
"""From 0 to 1: similarity of a misspelt setting name to an existing one."""


class InstallationSettings(BaseSettings):
    """Settings of the process: environment variables CORMORANT_NAME, or `[installation]` in a configuration file."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="ignore", frozen=True)

    store: str = Field(default="", description="Database URL; empty: a file in the data folder.")
    retrievers: int = Field(default=0, ge=0, le=256, description="Retriever processes; 0: one per core.")
    runs_at_once: Count | None = Field(
        default=None, description="Number of runs under way together; others wait for their turn."
    )
    node: str = Field(
        default="", description="Name of this machine in the setting node of sources; empty: its host name."
    )
    width: int = Field(default=32, ge=1, le=512, description="Connections of a retriever process.")
    conversions: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Files that a retriever process converts at once, each in a process of its own.",
    )
    index_threads: int = Field(
        default=1, ge=1, le=8, description="Threads that add documents to the index; each uses 32 MB."
    )
    cache: str = Field(
        default="",
        description="Folder of the kept copies; empty: `cache` in the data folder. Move the copies when you change it.",
    )
    index: Literal["embedded", "none"] = Field(default="embedded", description="Place of the index; none: no index.")
    listen: str = Field(default="127.0.0.1:8765", description="Address and port of the web pages.")
    log: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest level that is logged."
    )
    query_days: int = Field(
        default=90, ge=0, le=3_650, description="Days for which searches and opened results are kept; 0: none."
    )
    excluded_days: int = Field(
        default=90,
        ge=1,
        le=3_650,
        description="Days for which excluded addresses that no page links to are kept, and those of deleted documents.",
    )
    old_copies_bytes: SizeOrNone = Field(
        default=1_000_000_000,
        description="Space for replaced copies, besides as much as the copies in use take: like 2GB.",
    )
    traces: str = Field(
        default="",
        description=(
            "Address of a collector of traces, by OTLP over HTTP, like http://127.0.0.1:4318; needs "
            "cormorant[traces]. Empty: no traces."
        ),
    )
    tika: str = Field(
        default="",
        description=(
            "Address of an Apache Tika server, which reads documents that nothing built in reads, like "
            "http://127.0.0.1:9998. Empty: none."
        ),
    )
    tika_types: str = Field(
        default="",
        description=(
            "Media types that Tika reads, with commas between them, like default, audio/*, application/pdf; default "
            "stands for those that nothing else reads. Empty: default."
        ),
    )
    steps: bool = Field(default=False, description="Whether every retriever writes a table of its CPU time.")

    @field_validator("old_copies_bytes", mode="before")
    @classmethod
    def _size(cls, value: object) -> object:
        """Take a size with its unit."""
        return as_bytes(value) if isinstance(value, str) else value

    @field_validator("traces")
    @classmethod
    def _collector(cls, value: str) -> str:
        """Refuse a value that is no address of a collector."""
        parts = urlsplit(value)
        if value and not (parts.scheme in ("http", "https") and parts.hostname and not parts.query):
            raise BadSetting(
                f"The setting CORMORANT_TRACES cannot be {value!r}: it takes the address of a collector, like "
                "http://127.0.0.1:4318."
            )
        return value

    @field_validator("tika")
    @classmethod
    def _tika(cls, value: str) -> str:
        """Refuse a value that is no address of a Tika server, or contains a user name or password."""
        if not value:
            return value
        address = "" if "@" in value else try_canonical(value) or ""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            shown = "used" if "@" in value else f"{value!r}"  # a password precedes the @
            raise BadSetting(
                f"The setting CORMORANT_TIKA cannot be {shown}: it takes the address of an Apache Tika server, like "
                "http://127.0.0.1:9998, without a user name."
            )
        return address.rstrip("/")

    @field_validator("tika_types", mode="before")
    @classmethod
    def _types(cls, value: object) -> object:
        """Take a list, too, as in a configuration file, and refuse anything but media types."""
        words = ", ".join(map(str, value)) if isinstance(value, list) else value
        if not words or not isinstance(words, str):
            return words
        from cormorant.extract.detect.tika_types import TikaTypes  # hardly any command needs it

        try:
            TikaTypes(words)
        except ValueError as error:
            raise BadSetting(f"The setting CORMORANT_TIKA_TYPES cannot be used: {error}") from None
        return words

    @field_validator("node")
    @classmethod
    def _name(cls, value: str) -> str:
        """Refuse a name that no source could use."""
        try:
            return node_name(value)
        except ValueError as error:
            raise BadSetting(f"The setting CORMORANT_NODE cannot be used: {error}") from None

    @field_validator("cache")
    @classmethod
    def _folder(cls, value: str) -> str:
        """Refuse an address, and resolve a relative path against the current folder."""
        if "://" in value:
            raise BadSetting(
                f"The setting CORMORANT_CACHE cannot be {value!r}: it is an address, not a folder. "
                "Name a folder of this machine."
            )
        return str(Path(value).expanduser().absolute()) if value else ""

    @property
    def port(self) -> int | None:
        """The port of `listen`; None for an invalid one."""
        port = self.listen.rpartition(":")[2]
        known = int(port) if _PORT.fullmatch(port) else MOST_PORT + 1
        return known if known <= MOST_PORT else None

    @property
    def node_name(self) -> str:
        """Node name of this machine."""
        return self.node or socket.gethostname()

    @property
    def most_visits(self) -> int:
        """Simultaneous visits of a retriever process, including those to slow servers."""
        return max(self.width, min(8 * self.width, MOST_VISITS))

    @property
    def retriever_count(self) -> int:
        """Number of retrievers on this machine."""
        return (
            self.retrievers or len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else self.retrievers or 2
        )


def load(config: Path | None) -> InstallationSettings:
    """Read the settings. The environment wins over the file. Raises BadSetting naming the setting and its place."""
    given = _installation(config) if config is not None else {}
    for name in set(given) - set(InstallationSettings.model_fields):
        raise BadSetting(
            f"{config}: [installation] has no setting {name!r}. It takes: "
            f"{', '.join(InstallationSettings.model_fields)}."
        )
    _check_environment()
    present = {name for name in given if f"{_PREFIX}{name.upper()}" in os.environ}
    try:
        return InstallationSettings(**{name: value for name, value in given.items() if name not in present})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise BadSetting(
            f"The setting CORMORANT_{name.upper()} cannot be {first['input']!r}: {first['msg'].lower()}. "
            f"{InstallationSettings.model_fields[name].description}"
        ) from None


def _check_environment() -> None:
    """Raise BadSetting for a name that is nearly one of ours. Other names may belong to other programs."""
    ours = [_DATA.removeprefix(_PREFIX), *map(str.upper, InstallationSettings.model_fields)]
    for name in os.environ:
        given = name.removeprefix(_PREFIX)
        near = [] if given in (name, *ours) else difflib.get_close_matches(given, ours, n=1, cutoff=_ALIKE)
        if near:
            raise BadSetting(f"There is no setting {name} (in the environment). Did you mean {_PREFIX}{near[0]}?")


def _installation(config: Path) -> dict[str, Any]:
    """The table `[installation]` of a configuration file. Raises BadSetting for an unreadable file."""
    try:
        found = tomllib.loads(config.read_text("utf-8")).get("installation", {})
    except OSError as error:
        raise BadSetting(f"The configuration file {config} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # no TOML, or not UTF-8
        raise BadSetting(f"The configuration file {config} is not TOML: {error}.") from None
    if not isinstance(found, dict):
        raise BadSetting(f"{config}: installation is a table. Write [installation], and a setting a line below it.")
    return found


def data_folder(given: Path | None) -> Path:
    """The data folder.

    The given one, else CORMORANT_DATA, else ./cormorant-data if it exists, else the platform's.
    """
    if given is not None:
        return given.absolute()
    if said := os.environ.get(_DATA):
        return Path(said).absolute()
    here = Path(FOLDER_HERE)
    return here.absolute() if here.is_dir() else Path(platformdirs.user_data_dir("cormorant"))
