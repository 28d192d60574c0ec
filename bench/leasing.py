"""How long does a lease take in a frontier of millions of URLs? Prints a line of JSON for each: seconds by step.

    python -m bench.leasing DATA TIMES

Everything that :mod:`bench.fill` made known is due, as it is in the crawl after the next. A site is leased, the first
of what is to be visited there is read, the first addresses known of it are read, and it is given back; sites take
turns.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bench.fill import GENERATION
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.frontier.queue import host_leases, seen_lookup
from cormorant.frontier.queue.host_leases import ReadWindow, SiteUse
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources

OWNER = "bench"
WHEN = GENERATION + 1


def once(house: Installation, source: int) -> dict[str, float]:
    """Lease one site, look what is to do there, and give it back; the seconds of each step."""
    times = [time.perf_counter()]
    with house.store.begin() as tx:
        (leased,) = host_leases.lease(tx, OWNER, {source: WHEN}, 1)
    times.append(time.perf_counter())
    with house.store.read() as tx:
        found = host_leases.read(tx, ReadWindow(leased.lease.site, source, WHEN))
    assert found, "nothing is to be visited at a site that was leased"
    times.append(time.perf_counter())
    with house.store.read() as tx:
        seen_lookup.page(tx, leased.lease.site)
    times.append(time.perf_counter())
    with house.store.begin() as tx:
        host_leases.release(tx, OWNER, SiteUse(leased.lease, leased.not_before, leased.failures, tx.now()))
    steps = zip(("lease", "read", "known"), times, times[1:], strict=False)
    return {name: after - before for name, before, after in steps}


def main(data: str, count: str) -> None:
    """Lease `count` times after a first lease, which is not printed."""
    house = open_house(BuildPlan(Path(data), InstallationSettings()))
    (source,) = sources.every(house)
    once(house, source.id)
    for _ in range(int(count)):
        sys.stdout.write(json.dumps(once(house, source.id)) + "\n")
    house.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
