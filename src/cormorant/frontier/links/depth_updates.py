"""Depth updates of URLs that turn out nearer or farther than recorded.

nearer, and it was too deep ------> READY in this generation: it is visited
farther, and it is too deep now --> READY in this generation: its gate excludes it like any other rule
else -----------------------------> only the depth changes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cormorant.frontier.links.shortest_paths import Reached
from cormorant.frontier.policy import priority
from cormorant.frontier.progress.remaining import GOING
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, UrlState
from cormorant.model.ruling import Ruling
from cormorant.model.settings.priority import Level
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, resource


class Judges(NamedTuple):
    """Rules of a source for a URL: whether it may be visited at a depth, and its priority."""

    follow: Callable[[str, int], Ruling]
    level: Callable[[str], Level]


class Corrected(NamedTuple):
    """Result of a depth update: the number of URLs to be visited now, and searchable documents among the others."""

    opened: int
    found: list[int]


class _Row(NamedTuple):
    id: int
    site: int
    address: str
    depth: int
    how: int
    outcome: int
    referrer: int | None


_COLUMNS = ("id", "site_id", "address", "depth", "how", "outcome", "referrer")


def correct(tx: Tx, at: Admission, wrong: Sequence[Reached], judges: Judges) -> Corrected:
    """Write the computed depths, unless another process has written a different one meanwhile."""
    numbers = [each.number for each in wrong]
    found = {row[0]: _Row(*row) for row in bulk.select_in(tx, resource, _COLUMNS, "id", numbers)}
    depths: list[tuple[Any, ...]] = []
    ready: list[tuple[Any, ...]] = []
    unseen: list[tuple[Any, ...]] = []
    sites: set[int] = set()
    for each in wrong:
        row = found.get(each.number)
        if row is None or row.depth != each.was:
            continue
        depths.append((each.now, each.by if each.by and row.how == DiscoveredBy.LINK else row.referrer, row.id))
        if not _is_opened(row, each.now, judges):
            continue
        due = priority.due(at.generation, priority.usual(judges.level(row.address)), each.now)
        ready.append((int(UrlState.READY), due, 0.0, row.id))
        sites.add(row.site)
        if at.new_of is not None and each.now < each.was:  # a run of new resources would skip it
            unseen.append((int(OutcomeKind.NONE), row.id))
    if ready:
        enqueue.wake(tx, at.source, sites, at.generation)
    bulk.update(tx, resource, ("depth", "referrer"), ("id",), depths)
    bulk.update(tx, resource, ("state", "due", "not_before"), ("id",), ready)
    bulk.update(tx, resource, ("outcome",), ("id",), unseen)
    opened = {row[-1] for row in ready}
    rest = [row[-1] for row in depths if row[-1] not in opened]
    indexed = bulk.select_in(tx, content, ("id", "indexed"), "id", rest)
    return Corrected(len(ready), sorted(number for number, is_found in indexed if is_found))


def _is_opened(row: _Row, depth: int, judges: Judges) -> bool:
    """Return whether a new depth makes a resource due for another visit.

    A resource that another reason removed stays removed.
    """
    was, now = judges.follow(row.address, row.depth).admitted, judges.follow(row.address, depth).admitted
    return was != now and (now or row.outcome not in GOING)
