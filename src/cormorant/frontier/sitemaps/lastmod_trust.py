"""Trust in the lastmod dates of sitemaps.

An entry with a date claims that its page is newer than our visit, or unchanged. The visits of a full run check the
claims, since a full run skips no page because of a sitemap: trust is measured for each site and source.

    sitemap read: keep  --claim--> the page is visited --end of the run: measure--> trust of the site
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.base import stored_json
from cormorant.frontier.policy import priority as url_priority
from cormorant.frontier.state import batch_lookup, host_facts
from cormorant.frontier.state.enqueue import Admission, SiteNumbers
from cormorant.frontier.state.host_facts import FOR_EVER, Fact
from cormorant.model.content import FeedEntry
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, UrlState
from cormorant.model.settings.priority import Level
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import claim, content, resource, site_fact
from cormorant.store.schema.frontier import ASTRAY

TRUST = "lastmod"
"""The name of the fact that holds the measured trust."""
SAMPLE = 10
"""Pages that must have been checked before a site's dates are ignored."""
TRUTH = 0.5
"""The share of claims that must be true for a site's dates to be used."""
MEMORY = 1_000
"""Checks that are counted; at each overflow the older ones are halved."""
_DAY_S = 86_400.0
_MOST = url_priority.NARROW // 2 - 1
"""How far its weight moves a page from the middle of its level, so that newer pages have room before it."""


class ClaimVerdict(IntEnum):
    """Verdict on a sitemap claim at our visit: none that could be checked, unchanged, or newer."""

    NOTHING = 0
    SAME = 1
    NEWER = 2


class LastmodClaim(NamedTuple):
    """Lastmod claim of a sitemap entry about a page: its key, site and entry, and the level of the page.

    `is_new`: the page was unknown before.
    """

    key: int
    site: str
    entry: FeedEntry
    level: Level = Level.NORMAL
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Trust:
    """Trust in a sitemap: the number of checked claims that were `right`, in the runs up to `run`."""

    right: int = 0
    checked: int = 0
    run: int = 0

    @property
    def is_believed(self) -> bool:
        """Return whether the dates are used. They are while too few were checked."""
        return self.checked < SAMPLE or self.right >= self.checked * TRUTH

    def after(self, right: int, checked: int, run: int) -> Trust:
        """Return the trust with the checks of another run."""
        share = 2 if self.checked + checked > MEMORY else 1
        return Trust((self.right + right) // share, (self.checked + checked) // share, run)


def verdict_on(entry: FeedEntry, visited_at: float | None, now: float) -> ClaimVerdict:
    """Return the claim of an entry about a page that was visited at `visited_at`.

    A date on the day of the visit, or in the future, claims nothing.
    """
    since, until = entry.modified_at, entry.modified_until
    if since is None or until is None or visited_at is None or since > now + _DAY_S:
        return ClaimVerdict.NOTHING
    if since > visited_at:
        return ClaimVerdict.NEWER
    return ClaimVerdict.SAME if until <= visited_at else ClaimVerdict.NOTHING


def priority(entry: FeedEntry, *, newer: bool = False) -> int:
    """Return the priority of a page within the normal level: newer pages come first, then by weight."""
    by_weight = 0 if entry.weight is None else round(_MOST - 2 * _MOST * entry.weight)
    return url_priority.USUAL + ((by_weight - _MOST) // 2 - _MOST - 2 if newer else by_weight)


def keep(
    tx: Tx, numbers: SiteNumbers, admission: Admission, claims: Sequence[LastmodClaim], leased: Collection[int]
) -> set[int]:
    """Store claims about known pages, and order the pages of this generation by them.

    The order of sites outside `leased` is left to the owners of their leases. Returns the sites with a changed order.
    """
    sites = numbers.there(tx, {each.site for each in claims})
    trusts = trust(tx, admission.source, sites.values())
    asked = {each.key: each for each in claims if not each.is_new and each.site in sites}
    now = tx.now()
    rows: list[tuple[Any, ...]] = [
        (
            admission.source,
            key,
            sites[place],
            entry.modified_at,
            entry.every_s,
            admission.run,
            int(ClaimVerdict.NOTHING),
        )
        for key, place, entry, _, is_new in claims
        if is_new and place in sites
    ]
    moved: list[dict[str, int]] = []
    reordered: set[int] = set()
    for row in _known(tx, {key: sites[each.site] for key, each in asked.items()}):
        entry = asked[row.hash].entry
        waits = row.run != admission.run and row.outcome != OutcomeKind.DEFERRED
        verdict = verdict_on(entry, row.visited_at, now) if waits else ClaimVerdict.NOTHING
        rows.append(
            (admission.source, row.hash, row.site_id, entry.modified_at, entry.every_s, admission.run, int(verdict))
        )
        newer = verdict is ClaimVerdict.NEWER and trusts.get(row.site_id, Trust()).is_believed
        place = url_priority.at_level(priority(entry, newer=newer), asked[row.hash].level)
        due = url_priority.due(admission.generation, place, row.depth)
        if waits and row.site_id in leased and row.due < url_priority.limit(admission.generation) and due != row.due:
            moved.append({"number": row.id, "to": due})
            reordered.add(row.site_id)
    rows.sort(key=lambda row: row[:2])  # in one order, or two writers may deadlock
    replaced = bulk.OnConflict(("source_id", "hash"), ("site_id", "modified_at", "every_s", "run", "said"))
    bulk.insert(tx, claim, ("source_id", "hash", "site_id", "modified_at", "every_s", "run", "said"), rows, replaced)
    if moved:
        tx.execute(_moved(admission), moved)
    return reordered


def name_again(tx: Tx, admission: Admission, named: Collection[int]) -> None:
    """Store for pages that are gone that a sitemap of this run still names them: `named` are keys."""
    columns = resource.c
    gone = sa.select(columns.hash, columns.site_id).where(
        ASTRAY, columns.source_id == admission.source, columns.outcome == int(OutcomeKind.GONE),
        columns.how == int(DiscoveredBy.SITEMAP),
    )  # fmt: skip
    found = sorted((row.hash, row.site_id) for row in tx.rows(gone) if row.hash in named)
    rows = [(admission.source, key, place, None, 0, admission.run, int(ClaimVerdict.NOTHING)) for key, place in found]
    kept = bulk.OnConflict(("source_id", "hash"), ("run",))
    bulk.insert(tx, claim, ("source_id", "hash", "site_id", "modified_at", "every_s", "run", "said"), rows, kept)


def _moved(admission: Admission) -> sa.Update:
    """Return the statement that moves a page in the order unless it was visited meanwhile."""
    columns = resource.c
    still = sa.and_(columns.state == int(UrlState.READY), columns.due < url_priority.limit(admission.generation))
    return sa.update(resource).where(columns.id == sa.bindparam("number"), still).values(due=sa.bindparam("to"))


def _known(tx: Tx, places: Mapping[int, int]) -> Iterable[Any]:
    """Yield the stored state of these keys at these sites (key -> site number)."""
    columns = resource.c
    statement = sa.select(
        columns.hash, columns.id, columns.site_id, columns.visited_at, columns.due, columns.run, columns.outcome,
        columns.depth,
    ).where(
        columns.site_id.in_(sa.bindparam("sites", expanding=True)),
        columns.hash.in_(sa.bindparam("keys", expanding=True)),
    )  # fmt: skip
    for chunk in batch_lookup.chunks(places):
        yield from tx.rows(statement, chunk)


def trust(tx: Tx, source: int, sites: Iterable[int]) -> dict[int, Trust]:
    """Return the trust measured at these sites for a source."""
    found = host_facts.read(tx, list(sites), [source])
    return {fact.site: stored_json.read(Trust, fact.value) for fact in found if fact.name == TRUST}


def trusts(tx: Tx, source: int) -> dict[int, Trust]:
    """Return the trust measured at every site for a source."""
    columns = site_fact.c
    statement = sa.select(columns.site_id, columns.value).where(columns.scope == source, columns.name == TRUST)
    return {row.site_id: stored_json.read(Trust, row.value) for row in tx.rows(statement)}


def measure(tx: Tx, source: int, run: int) -> None:
    """Compare the claims of a run with its visits. Counts a run once, even if called repeatedly."""
    page, said = resource.c, claim.c
    changed = sa.and_(page.outcome == int(OutcomeKind.OK), content.c.changed_at == page.visited_at)
    right = sa.case((sa.and_(said.said == int(ClaimVerdict.NEWER), changed), 1),
                    (sa.and_(said.said == int(ClaimVerdict.SAME), sa.not_(changed)), 1), else_=0)  # fmt: skip
    both = claim.join(resource, sa.and_(page.site_id == said.site_id, page.hash == said.hash))
    ended = page.outcome.in_((int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED)))
    statement = (
        sa.select(said.site_id, sa.func.sum(right), sa.func.count())
        .select_from(both.join(content, content.c.id == page.id))
        .where(said.source_id == source, said.run == run, said.said > 0, page.run == run, ended)
        .group_by(said.site_id)
    )
    rows = tx.rows(statement)
    before = trust(tx, source, [row[0] for row in rows])
    learned = []
    for number, correct, checked in rows:
        known = before.get(number, Trust())
        if known.run != run:
            now = known.after(int(correct), int(checked), run)
            value = json.dumps({"right": now.right, "checked": now.checked, "run": now.run}).encode()
            learned.append(Fact(number, source, TRUST, value, FOR_EVER))
    host_facts.write(tx, learned)


def of_page(tx: Tx, source: int, key: int) -> Any | None:
    """Return the stored claim about an address, None if no sitemap named it."""
    rows = tx.rows(sa.select(claim).where(claim.c.source_id == source, claim.c.hash == key))
    return rows[0] if rows else None
