"""Remedies for a status at an address. Some kinds of sources have remedies of their own."""

from __future__ import annotations

from cormorant.model.status import describe
from cormorant.plugins import kind_advice


def advice(status: int, address: str) -> str:
    """Return the remedy for a status of this address, in a sentence."""
    return kind_advice(status, address) or describe(status).advice


def worded(status: int, text: str, reason: str) -> str:
    """Return the number and meaning of a status, and the reason when it says more."""
    more = f" ({reason.rstrip('.')})" if reason and reason != text else ""
    return f"{status} {text}{more}."
