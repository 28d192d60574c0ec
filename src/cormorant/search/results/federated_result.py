"""Result of asking one federated source: how much of it stands in an answer, or why nothing does."""

from __future__ import annotations

from typing import NamedTuple


class FederatedResult(NamedTuple):
    """A federated source that was asked: its hits in the answer, and how many it has in all, None if it does not say.

    `note` is a sentence for readers where it gave no answer, else "". `took_ms` is how long it took.
    """

    source: str
    hits: int
    total: int | None
    took_ms: float
    note: str = ""
