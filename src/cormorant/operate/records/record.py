"""The base of all records: plain dictionaries with a type, which costs nothing when one is made."""

from __future__ import annotations

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

When = str | None
"""RFC 3339, UTC."""


@with_config(ConfigDict(extra="forbid"))
class Record(TypedDict):
    """Something with these fields and no others."""
