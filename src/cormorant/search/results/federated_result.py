"""Result of asking one federated source: its number of hits in an answer, or why there are none."""

from __future__ import annotations

from typing import NamedTuple


class FederatedResult(NamedTuple):
    """A federated source that was asked: its hits in the answer, and its total, None if it reports none.

    `note` is a sentence for readers if it gave no answer, else "". `took_ms` is the time that it took.
    """

    source: str
    hits: int
    total: int | None
    took_ms: float
    note: str = ""
