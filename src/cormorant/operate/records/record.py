"""The base of all records: plain dictionaries with a type, which costs nothing when one is made."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

When = str | None
"""RFC 3339, UTC."""
SettingValues: TypeAlias = dict[str, Any]
"""Values of settings by the names of the settings, as they are kept; their types are those of the kind's class."""


@with_config(ConfigDict(extra="forbid"))
class Record(TypedDict):
    """Something with these fields and no others."""
