"""Limits of one run at one host."""

from __future__ import annotations

from typing import NamedTuple


class SiteBudget(NamedTuple):
    """The limits of one run at one site: documents, bytes received, minutes; None for no limit."""

    documents: int | None = None
    received: int | None = None
    minutes: float | None = None


class Watched(NamedTuple):
    """The pages held back at a site: those of spider traps without new text, and those over its budget."""

    throttle: bool
    most: SiteBudget | None
