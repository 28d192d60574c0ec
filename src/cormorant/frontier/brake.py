"""Would this run delete too much? Pure.

Held when more than 20 % and more than 50 documents of a source would go, or more than 80 % of a source with at least 5
documents. No peer stops a mass deletion; an unmounted share or a wrong filter is found before it empties an index.
"""

from __future__ import annotations

SHARE = 0.20
COUNT = 50
LARGE_SHARE = 0.80
SMALLEST = 5


def trips(going: int, documents: int) -> bool:
    """Say whether `going` of `documents` (what search could find before this run) is too many."""
    if documents <= 0:
        return False
    share = going / documents
    return (share > SHARE and going > COUNT) or (share > LARGE_SHARE and documents >= SMALLEST)
