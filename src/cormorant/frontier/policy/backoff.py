"""Back-off: the time until the retry of a failed visit.

Pure: a status and a number of tries in, seconds out.

429 and 503 without Retry-After: one minute, doubling to an hour; other faults of the server or the network: one minute,
doubling to a day (RFC 9110 section 15.6.4 leaves it to the client). Retry-After is obeyed up to 24 hours.
"""

from __future__ import annotations

FIRST_WAIT_S = 60.0
BUSY_CEILING_S = 3_600.0
CEILING_S = 86_400.0
MAX_RETRY_AFTER_S = 86_400.0
"""The longest Retry-After that is obeyed, for every kind of source."""
MOST_WAIT_S = 2 * 86_400.0
"""A longer wait was written by a clock that has been set back since."""
BUSY = (429, 503)
NO_ANSWER = (902, 905, 906, 907, 975, 976, 985, 1002)
"""Statuses without a response: timed out, reading failed, refused, no port, no name, TLS, proxy, broken stream."""
SERVER_FAULTS = range(500, 600)
"""Statuses of a failing server; those in `BUSY` may name a time to wait."""
UNREACHABLE_TRIES = 5
"""Runs in a row that cannot reach a resource before it counts as gone (status 1020 to 1024)."""
FIRST_UNREACHABLE = 1020
LAST_UNREACHABLE = FIRST_UNREACHABLE + UNREACHABLE_TRIES - 1
UNREACHABLE = range(FIRST_UNREACHABLE, LAST_UNREACHABLE + 1)


def wait_s(status: int, tries: int, asked_s: float | None, spread: float) -> float:
    """Return the seconds to wait after the `tries`-th failure in a row (1 is the first).

    `asked_s` is the wait that the server asked for, None if it named none; `spread` is a factor near 1 so that waiters
    do not return together; it does not apply to `asked_s`.
    """
    if asked_s is not None and asked_s > 0:
        return min(asked_s, MAX_RETRY_AFTER_S)
    ceiling = BUSY_CEILING_S if status in BUSY else CEILING_S
    return min(FIRST_WAIT_S * 2.0 ** min(max(tries - 1, 0), 20), ceiling) * spread
