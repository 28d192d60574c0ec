"""Values stored as JSON objects, which another version with other fields may have written."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, TypeVar, cast

T = TypeVar("T")


def read(kind: type[T], text: str | bytes) -> T:
    """Read a dataclass whose fields have defaults; unknown names are ignored."""
    names = {each.name for each in fields(cast(Any, kind))}
    return kind(**{name: value for name, value in json.loads(text).items() if name in names})
