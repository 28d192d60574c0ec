"""Many hosts at once, each with a delay: as fast as they may be, none faster. `crowd` does it with a thousand."""

from __future__ import annotations

from tests.journeys import crowd
from tests.journeys.crowd import Seen, pace, wrong
from tests.journeys.crowd_site import SECRET, Asked, Crowd

HOSTS, PAGES, DELAY_S = 60, 10, 0.5
LEAST = 0.5
"""Of the rate that the delay allows: starting the processes is half a crawl of five seconds on a busy machine."""


def test_sixty_hosts_are_visited_at_their_pace() -> None:
    given = {"hosts": HOSTS, "pages": PAGES, "delay": DELAY_S, "share": LEAST}
    assert crowd.main([word for name, value in given.items() for word in (f"--{name}", str(value))]) == 0


def test_what_is_wrong_is_seen() -> None:
    log = [Asked(at, host, path) for host in (0, 1) for at, path in ((0.0, "/robots.txt"), (1.0, "/"), (2.0, "/1"))]
    site, seen = Crowd(2, 2, 80), Seen([100.0, 200.0], 1.0, 0)
    measured = pace(log)
    assert (measured.rate, measured.gap_s, measured.pages, measured.forbidden) == (3.0, 1.0, 4, 0)
    assert wrong(site, measured, seen, 1.0) == []
    assert wrong(site, measured, seen, 1.1)[0].startswith("a gap of 1.0000 s")
    assert wrong(site, pace(log[:-1]), seen, 1.0)[0].startswith("3 pages")
    assert "1 forbidden" in wrong(site, pace([*log, Asked(3.0, 1, SECRET)]), seen, 1.0)[0]
    assert wrong(site, measured, Seen([100.0, 301.0], 1.0, 0), 1.0) == ["301 MB"]
    assert wrong(site, measured, Seen([100.0], 1.0, 3), 1.0)[0].endswith("ended 3")
