"""The pace of many hosts, each with a delay of its own, two processes, a kill in the middle (promise 17).

    python -m tests.journeys.politeness [--hosts N] [--pages N]

Crawls two hundred hosts on addresses of this machine, by default settings but for the delays (0.2 to 5 seconds) and two
requests at once, kills everything half way and goes on. Read from the hosts' own log: the smallest gap from request to
request as a share of the delay, how many were answered at once, what was asked for that robots.txt forbids. Ends 1 when
a gap is below 0.99 of its delay by more than the machine was late itself, or anything else is not as it must be.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from cormorant.base.clock import SystemClock, pause
from tests.journeys import pages, processes
from tests.journeys.crawling import begin
from tests.journeys.home import Home
from tests.journeys.pages import SECRET, SiteSettings
from tests.journeys.proofs import record
from tests.journeys.site import Logged, WebSite, website

DELAYS_S = (0.2, 0.5, 1.0, 2.0, 5.0)
SHARE = 0.99
AT_ONCE = 2
LIMIT_S = 600.0


def sources(site: WebSite, hosts: int, count: int) -> dict[str, tuple[float, dict[str, object]]]:
    """A source for each delay, with its share of the hosts and all of their pages as starts: name, delay, settings."""
    found = {}
    for place, delay in enumerate(DELAYS_S):
        mine = [number for number in range(count) if number % hosts % len(DELAYS_S) == place]
        settings: dict[str, object] = {"start": [site.url(number) for number in mine], "depth": "0"}
        found[f"every-{delay:g}"] = (delay, settings | {"delay_s": str(delay), "per_host": str(AT_ONCE)})
    return found


def crawl(home: Home, site: WebSite, names: Sequence[str], half: int) -> list[int | None]:
    """Crawl, kill everything when half of the requests have come, and crawl on; how each ended."""
    ended: list[int | None] = []
    for killed in (True, False):
        with processes.ended(begin(home, *names)) as command:
            until = SystemClock().monotonic() + LIMIT_S
            while killed and len(site.log()) < half and SystemClock().monotonic() < until:
                pause(0.2)
            if killed:
                tree = processes.below(command.pid)
                processes.kill_group(command.pid)
                processes.wait_gone(tree, 20)
            ended.append(command.wait(LIMIT_S))
    return ended


def gaps(log: Sequence[Logged], delays: dict[str, float]) -> list[tuple[float, str, float]]:
    """For each host the smallest gap as a share of its delay, and how late the machine was, in seconds of that host."""
    by_host: defaultdict[str, list[Logged]] = defaultdict(list)
    for each in sorted(log):
        by_host[each.host].append(each)
    late_s = max((each.late_s for each in log), default=0.0)
    shares = []
    for host, requests in by_host.items():
        smallest = min((after.at - before.at for before, after in pairwise(requests)), default=float("inf"))
        shares.append((smallest / delays[host], host, late_s / delays[host]))
    return sorted(shares)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove it, say how it went, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=6, help="pages of a host")
    given = parser.parse_args(arguments)
    count = given.hosts * given.pages
    with tempfile.TemporaryDirectory() as folder, website(SiteSettings(count, hosts=given.hosts), Path(folder)) as site:
        home = Home(Path(folder) / "data")
        delays: dict[str, float] = {}
        for name, (delay, settings) in sources(site, given.hosts, count).items():
            home.add_source("web", name, settings)
            delays |= {pages.host(site.settings, n): delay for n in range(count) if site.url(n) in settings["start"]}  # type: ignore[operator]
        names = [f"every-{delay:g}" for delay in DELAYS_S]
        ended = crawl(home, site, names, count // 2)
        log = site.log()
        return judge(log, delays, ended, count)


def judge(log: Sequence[Logged], delays: dict[str, float], ended: Sequence[int | None], count: int) -> int:
    """Say how it went; 1 when anything is not as it must be."""
    shares = gaps(log, delays)
    wrong = [(share, host) for share, host, late in shares if share < SHARE - late]
    visited = {(each.host, each.path) for each in log if each.path != "/robots.txt"}
    robots = Counter(each.host for each in log if each.path == "/robots.txt")
    forbidden = sum(each.path == SECRET for each in log)
    most = max(each.under_way for each in log)
    print(f"{len(log)} requests to {len(shares)} hosts, {len(visited)} of {count} pages, ended {ended}")  # noqa: T201
    print(f"smallest gap / delay {shares[0][0]:.4f}, median of hosts {shares[len(shares) // 2][0]:.4f}")  # noqa: T201
    print(f"at once at most {most} of {AT_ONCE}, forbidden {forbidden}, robots.txt at most {max(robots.values())}")  # noqa: T201
    for share, host in wrong:
        print(f"  {host}: {share:.4f} of its delay of {delays[host]:g} s")  # noqa: T201
    record("politeness", {
        "hosts": len(shares), "pages": len(visited), f"gaps below {SHARE:g} of the delay": len(wrong),
        f"hosts asked more than {AT_ONCE} times at once": int(most > AT_ONCE), "forbidden requests": forbidden,
    })  # fmt: skip
    good = not wrong and len(visited) == count and most <= AT_ONCE and not forbidden and ended[-1] == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
