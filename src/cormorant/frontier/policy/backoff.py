"""Back-off: the time until the retry of a failed visit.

Pure: what happened in, seconds out.

429 and 503 without Retry-After: one minute, doubling to an hour; other faults of the server or the network: one minute,
doubling to a day (RFC 9110 section 15.6.4 leaves it to the client). Retry-After is obeyed up to 24 hours.
"""

from __future__ import annotations

FIRST_WAIT_S = 60.0
BUSY_CEILING_S = 3_600.0
CEILING_S = 86_400.0
MAX_RETRY_AFTER_S = 86_400.0
"""What a server asks for is obeyed up to this, whichever kind of source it is (fault N15)."""
MOST_WAIT_S = 2 * 86_400.0
"""What is to wait for longer was told so by a clock that has been set back since."""
BUSY = (429, 503)
NO_ANSWER = (902, 905, 906, 907, 975, 976, 985, 1002)
"""Statuses of what no answer came for: timed out, reading failed, refused, no port, no name, TLS, proxy, broke off."""
SERVER_FAULTS = range(500, 600)
"""Statuses of a server that fails; what it asks for with one of `BUSY` is its wish."""
UNREACHABLE_TRIES = 5
"""Runs in a row in which a resource could not be reached before it is taken for gone (status 1020 to 1024)."""
FIRST_UNREACHABLE = 1020
LAST_UNREACHABLE = FIRST_UNREACHABLE + UNREACHABLE_TRIES - 1
UNREACHABLE = range(FIRST_UNREACHABLE, LAST_UNREACHABLE + 1)


def wait_s(status: int, tries: int, asked_s: float | None, spread: float) -> float:
    """Seconds to wait after the `tries`-th failure in a row (1 is the first).

    `asked_s` is what the server asked for, None if nothing; `spread` is a factor near 1 so that waiters do not return
    together; it is not applied to what the server asked for.
    """
    if asked_s is not None and asked_s > 0:
        return min(asked_s, MAX_RETRY_AFTER_S)
    ceiling = BUSY_CEILING_S if status in BUSY else CEILING_S
    return min(FIRST_WAIT_S * 2.0 ** min(max(tries - 1, 0), 20), ceiling) * spread
