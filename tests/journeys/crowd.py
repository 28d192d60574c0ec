"""Many hosts at once, each with a delay: is the crawl as fast as their delays let it be, and no faster with any?

    python -m tests.journeys.crowd [--hosts N] [--pages N] [--delay SECONDS] [--share S]

Crawls so many hosts on addresses of this machine with default settings but for the delay. Hosts divided by delay is
the most requests a second that there can be. Tells the rate, from the first request to the last, as a share of that;
the pages that came, the smallest gap from request to request at one host, memory (PSS of all processes, at the end of
each tenth of the time) and processor time. Ends 1 when a page is missing, a gap is below 0.99 of the delay by more than
the machine was late itself, what is forbidden was asked for, memory is above 300 MB, or the rate is below `share`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from cormorant.base.clock import SystemClock, pause
from tests.journeys import processes
from tests.journeys.crawling import COMMAND, begin
from tests.journeys.crowd_site import SECRET, Asked, Crowd, crowd
from tests.journeys.home import Home
from tests.journeys.proofs import record

SHARE = 0.99
MOST_MB = 300.0
LIMIT_S = 1_200.0
LOOK_S = 1.0
CLOCK = SystemClock()


@dataclass(slots=True)
class Seen:
    """Resources of the processes of a crawl: PSS of all (MB) at each sample, processor seconds; the exit code."""

    megabytes: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    ended: int | None = None

    def look(self, pid: int) -> None:
        """Look at a process and all below it once."""
        tree = processes.below(pid)
        self.megabytes.append(sum(processes.pss_kb(each.pid) for each in tree) / 1024)
        self.cpu_s = max(self.cpu_s, sum(processes.cpu_s(each.pid) for each in tree))


@dataclass(frozen=True, slots=True)
class Pace:
    """Figures of the hosts: requests a second from the first to the last, the smallest gap of a host, pages."""

    rate: float
    gap_s: float
    pages: int
    forbidden: int


def crawl(home: Home, site: Crowd, delay_s: float) -> Seen:
    """Crawl all hosts, looking at what it takes once a second."""
    starts = home.folder.parent / "starts.txt"
    starts.write_text("\n".join(site.homes))
    settings = {"start_file": str(starts), "delay_s": str(delay_s), "per_host": "1", "network": ["loopback"]}
    home.add_source("web", "crowd", settings)
    seen, until = Seen(), CLOCK.monotonic() + LIMIT_S
    with processes.ended(begin(home, "crowd", command=COMMAND)) as command:
        while command.poll() is None and CLOCK.monotonic() < until:
            seen.look(command.pid)
            pause(LOOK_S)
        seen.ended = command.poll()
    return seen


def pace(log: Sequence[Asked]) -> Pace:
    """Compute the figures of a log."""
    moments: defaultdict[int, list[float]] = defaultdict(list)
    for each in log:
        moments[each.host].append(each.at)
    gaps = [after - before for each in moments.values() for before, after in pairwise(sorted(each))]
    every = [each.at for each in log]
    visited = {(each.host, each.path) for each in log if each.path.strip("/").isdigit() or each.path == "/"}
    forbidden = sum(each.path == SECRET for each in log)
    return Pace(len(log) / (max(every) - min(every)), min(gaps), len(visited), forbidden)


def wrong(site: Crowd, measured: Pace, seen: Seen, delay_s: float) -> list[str]:
    """The deviations."""
    found = []
    if measured.pages != site.hosts * site.pages or measured.forbidden or seen.ended != 0:
        found.append(f"{measured.pages} pages, {measured.forbidden} forbidden requests, the crawl ended {seen.ended}")
    if measured.gap_s < SHARE * delay_s - site.late_s:
        found.append(f"a gap of {measured.gap_s:.4f} s, and the machine was late by {site.late_s:.4f} s")
    if max(seen.megabytes) > MOST_MB:
        found.append(f"{max(seen.megabytes):.0f} MB")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove it, say how it went, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=50, help="pages of a host")
    parser.add_argument("--delay", type=float, default=5.0, help="seconds between requests to a host")
    parser.add_argument("--share", type=float, default=0.9, help="of the rate that the delay allows, at the least")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        with crowd(given.hosts, given.pages, Path(folder)) as site:
            seen = crawl(Home(Path(folder) / "data"), site, given.delay)
        measured = pace(site.log)
    most = given.hosts / given.delay
    tenths = [max(seen.megabytes[: len(seen.megabytes) * n // 10 or 1][-1:]) for n in range(1, 11)]
    print(f"{given.hosts} hosts x {given.pages} pages, {given.delay:g} s apart, {os.cpu_count()} processors")  # noqa: T201
    print(f"{measured.rate:.0f} requests a second of {most:.0f}: {measured.rate / most:.3f}; {measured.pages} pages")  # noqa: T201
    print(f"smallest gap / delay {measured.gap_s / given.delay:.4f}, the site late by {site.late_s:.4f} s at the worst")  # noqa: T201
    print(f"PSS MB at each tenth {' '.join(f'{each:.0f}' for each in tenths)}, most {max(seen.megabytes):.0f}")  # noqa: T201
    print(f"processor {seen.cpu_s:.0f} s, {seen.cpu_s / len(site.log) * 1000:.2f} ms a request")  # noqa: T201
    found = wrong(site, measured, seen, given.delay)
    found += [f"{measured.rate / most:.3f} of the rate"] if measured.rate / most < given.share else []
    for each in found:
        print(f"  {each}")  # noqa: T201
    record("crowd", {
        "hosts": given.hosts, "seconds from request to request": f"{given.delay:g}", "pages": measured.pages,
        "forbidden requests": measured.forbidden, "most megabytes below": int(MOST_MB),
        "rate at least, of what the delays allow": given.share, "anything not so": len(found),
    }, {"1,000 hosts at one second": "it is 1,000 pages a second, more than two cores and a server take"},
        part=f"{given.hosts} hosts")  # fmt: skip
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
