"""The pace of many hosts, each with a delay of its own, two processes, a kill in the middle (promise 17).

    python -m tests.journeys.politeness [--hosts N] [--pages N]

Crawls two hundred hosts on addresses of this machine, by default settings but for the delays (0.2 to 5 seconds) and two
requests at once, kills everything half way and goes on. The hosts take longer to answer than the shorter delays, and of
each a page is a start that its robots.txt forbids. Read from the hosts' own log: the smallest gap from request to
request as a share of the delay, how many were under way at once, what was asked for that is forbidden, how often
robots.txt was. Ends 1 when a stretch of requests took less than 0.99 of its delays by more than the machine was late
itself, or anything else is not as it must be.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from tests.clocks import until
from tests.journeys import pages, processes
from tests.journeys.crawling import begin
from tests.journeys.home import Home
from tests.journeys.pacing import too_soon
from tests.journeys.pages import SECRET, SiteSettings
from tests.journeys.proofs import record
from tests.journeys.site import Logged, WebSite, website

DELAYS_S = (0.2, 0.5, 1.0, 2.0, 5.0)
ANSWER_S = 1.2
"""So that more would be under way than two of the hosts that may be asked every 0.2 or 0.5 seconds."""
AT_ONCE = 2
ROBOTS = 2
"""Requests for a robots.txt at most: one, and one more where the kill came before it was kept."""
LIMIT_S = 600.0


def sources(site: WebSite, hosts: int, count: int) -> dict[str, tuple[float, dict[str, object]]]:
    """A source for each delay, with its share of the hosts and all of their pages as starts: name, delay, settings."""
    found = {}
    for place, delay in enumerate(DELAYS_S):
        mine = [number for number in range(count) if number % hosts % len(DELAYS_S) == place]
        starts = [site.url(number) for number in mine]
        forbidden = sorted({address.partition("/p/")[0] + SECRET for address in starts})
        settings: dict[str, object] = {"start": [*starts, *forbidden], "depth": "0"}
        found[f"every-{delay:g}"] = (delay, settings | {"delay_s": str(delay), "per_host": str(AT_ONCE)})
    return found


def crawl(home: Home, site: WebSite, names: Sequence[str], half: int) -> list[int | None]:
    """Crawl, kill everything when half of the requests have come, and crawl on; how each ended."""
    ended: list[int | None] = []
    for killed in (True, False):
        with processes.ended(begin(home, *names)) as command:
            if killed:
                until(lambda: len(site.log()) >= half, LIMIT_S)
                tree = processes.below(command.pid)
                processes.kill_group(command.pid)
                processes.wait_gone(tree, 20)
            ended.append(command.wait(LIMIT_S))
    return ended


def by_host(log: Sequence[Logged]) -> dict[str, list[float]]:
    """When each host was asked."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for each in sorted(log):
        found[each.host].append(each.at)
    return found


def smallest(moments: Sequence[float]) -> float:
    """The smallest gap, in seconds."""
    return min((after - before for before, after in pairwise(moments)), default=float("inf"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove it, say how it went, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=6, help="pages of a host")
    given = parser.parse_args(arguments)
    count = given.hosts * given.pages
    with (
        tempfile.TemporaryDirectory() as folder,
        website(SiteSettings(count, hosts=given.hosts, delay_s=ANSWER_S), Path(folder)) as site,
    ):
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
    moments, late_s = by_host(log), max(each.late_s for each in log)
    shares = sorted(smallest(each) / delays[host] for host, each in moments.items())
    wrong = {host: found for host, each in moments.items() if (found := too_soon(each, delays[host], late_s))}
    visited = {(each.host, each.path) for each in log if each.path != "/robots.txt"}
    robots = Counter(each.host for each in log if each.path == "/robots.txt")
    forbidden = sum(each.path == SECRET for each in log)
    most = max(each.under_way for each in log)
    print(f"{len(log)} requests to {len(shares)} hosts, {len(visited)} of {count} pages, ended {ended}")  # noqa: T201
    print(f"smallest gap / delay {shares[0]:.4f}, median of hosts {shares[len(shares) // 2]:.4f}, late {late_s:.3f} s")  # noqa: T201
    print(f"at once at most {most} of {AT_ONCE}, forbidden {forbidden}, robots.txt at most {max(robots.values())}")  # noqa: T201
    for host, found in wrong.items():
        print(f"  {host}, every {delays[host]:g} s: {found[0]}")  # noqa: T201
    record("politeness", {
        "hosts": len(shares), "pages": len(visited), "hosts asked too soon": len(wrong),
        f"hosts asked more than {AT_ONCE} times at once": int(most > AT_ONCE), "forbidden requests": forbidden,
    })  # fmt: skip
    good = not wrong and len(visited) == count and most == AT_ONCE and not forbidden and max(robots.values()) <= ROBOTS
    return 0 if good and ended[-1] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
