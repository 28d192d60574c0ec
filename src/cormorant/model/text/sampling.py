"""Sampling of unchanged resources for a check.

The address and the day decide, so that crawls of different days check different resources.
"""

from __future__ import annotations

import xxhash

DAY_S = 86_400
_BUCKETS = 1_000_000


def is_chosen(address: str, now: float, share: float) -> bool:
    """Return whether the known state of a URL is to be checked on the day of `now` (epoch seconds).

    `share` is 0 to 1.
    """
    return xxhash.xxh3_64_intdigest(address.encode(), seed=int(now // DAY_S)) % _BUCKETS < share * _BUCKETS
