"""Values kept as JSON objects, read by a version that may have other fields than the one that wrote them."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, TypeVar, cast

T = TypeVar("T")


def read(kind: type[T], text: str | bytes) -> T:
    """The value of a dataclass whose fields have defaults; a name that it has no field for is passed over."""
    names = {each.name for each in fields(cast(Any, kind))}
    return kind(**{name: value for name, value in json.loads(text).items() if name in names})
