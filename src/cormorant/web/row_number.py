"""Number of a row in the path of an address."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

MOST_NUMBER = 2**63 - 1
"""The greatest number that both databases keep (BIGINT, and SQLite's INTEGER)."""
RowNumber = Annotated[int, Path(ge=1, le=MOST_NUMBER, examples=[1])]
"""A parameter of a path, checked before any database is asked for it."""
