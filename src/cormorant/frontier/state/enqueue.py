"""Enqueue: turns discovered addresses into rows of the frontier.

Links arrive in batches, already admitted by the follow gate and new to this process; listed addresses arrive with
validators, and are not visited if those are known and unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.frontier.policy import priority as url_priority
from cormorant.frontier.state import batch_lookup
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredUrl, UrlState
from cormorant.model.run import Mode
from cormorant.model.url import fingerprint, origin_of
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource, site, source as sources

_COLUMNS = (
    "source_id", "site_id", "hash", "role", "state", "due", "depth", "how", "referrer", "address", "validator", "run",
    "display",
)  # fmt: skip

_AGAIN = (OutcomeKind.NONE, OutcomeKind.DEFERRED, OutcomeKind.FAILED, OutcomeKind.GONE)
"""Outcomes after which a listed resource is visited again although its validator is the same."""


Audits = Callable[[str], bool]
"""Decides whether the unchanged resource at a listed address is visited all the same."""


def never(_: str) -> bool:
    """Return False: no listing is doubted."""
    return False


class NewUrl(NamedTuple):
    """A new resource before it is inserted: the discovered URL and its key."""

    found: DiscoveredUrl
    key: int


class Admitted(NamedTuple):
    """Counts of a listing batch that was admitted.

    Resources that already wait for their visit are in none of them. `audited` resources are visited although nothing
    indicates a change; no other count has them.
    """

    new: int
    changed: int
    unchanged: int
    audited: int = 0


@dataclass(frozen=True, slots=True)
class Admission:
    """Admission order: the source and the run that a batch is admitted for.

    A forced run treats nothing as unchanged. With `revisit`, unchanged resources are visited too, and count as
    unchanged if their contents are. `new_of` is the run's number if it visits only new resources; it skips known ones,
    except those that were gone and are listed again. `mode` is the mode of the run.
    """

    source: int
    generation: int
    run: int
    forced: bool = False
    revisit: bool = False
    new_of: int | None = None
    mode: Mode = Mode.ACCEPT


class SiteNumbers:
    """Row numbers of site keys, cached by the process; new sites get a row."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, tx: Tx, keys: set[str]) -> dict[str, int]:
        """Return the number of every key, making rows for new ones. Call inside the transaction that uses them."""
        absent = sorted(keys - self.there(tx, keys).keys())  # in one order, or two writers may deadlock
        if absent:
            bulk.insert(tx, site, ("key",), [(key,) for key in absent])
        return self.there(tx, keys)

    def there(self, tx: Tx, keys: set[str]) -> dict[str, int]:
        """Return the numbers of those keys that have a row."""
        missing = [key for key in keys if key not in self._numbers]
        if missing:
            self._numbers.update(dict(bulk.select_in(tx, site, ("key", "id"), "key", missing)))
        return {key: self._numbers[key] for key in keys if key in self._numbers}

    def of_known(self, keys: set[str]) -> list[int]:
        """Return the cached numbers of these keys."""
        return [self._numbers[key] for key in keys if key in self._numbers]

    def forget(self) -> None:
        """Clear the cache: after a rollback it may hold numbers of rows that do not exist."""
        self._numbers.clear()


def admit(tx: Tx, numbers: SiteNumbers, admission: Admission, arrivals: Sequence[NewUrl]) -> int:
    """Insert new resources and wake their sites. Returns the number of inserted rows."""
    if not arrivals:
        return 0
    sites = numbers.of(tx, {arrival.found.site for arrival in arrivals})
    wake(tx, admission.source, set(sites.values()), admission.generation)
    return bulk.insert(tx, resource, _COLUMNS, _rows(admission, sites, arrivals, 0))


def unknown(tx: Tx, numbers: SiteNumbers, arrivals: Sequence[NewUrl]) -> list[NewUrl]:
    """Return the URLs without a row: a known URL must not wake a site that has nothing else to do."""
    sites = numbers.there(tx, {arrival.found.site for arrival in arrivals})
    known = _known(tx, {each.key: sites[each.found.site] for each in arrivals if each.found.site in sites})
    return [arrival for arrival in arrivals if arrival.key not in known]


def shown_already(tx: Tx, source: int, arrivals: Sequence[NewUrl]) -> dict[int, str]:
    """Return the URLs whose display address another resource of the source has: key -> its address.

    Only for sources that may display another address. The first resource keeps it, even if several processes admit at
    the same time: on PostgreSQL they wait for each other at the source's row.
    """
    if not tx.sqlite:
        tx.execute(sa.select(sources.c.id).where(sources.c.id == source).with_for_update())
    shown = [(arrival.found.display or arrival.found.address, arrival) for arrival in arrivals]
    columns = ("display", "hash", "address", "source_id")
    rows = bulk.select_in(tx, resource, columns, "display", [text for text, _ in shown])
    holders = {text: (key, address) for text, key, address, owner in rows if owner == source}
    keys = {fingerprint(text, source): text for text, arrival in shown if arrival.found.display}
    homes = {key: origin_of(text).site for key, text in keys.items()}
    sites = dict(bulk.select_in(tx, site, ("key", "id"), "key", set(homes.values())))
    places = {key: sites[home] for key, home in homes.items() if home in sites}
    holders |= {keys[key]: (key, keys[key]) for key in _known(tx, places)}
    taken: dict[int, str] = {}
    for text, arrival in shown:
        key, address = holders.setdefault(text, (arrival.key, arrival.found.address))
        if key != arrival.key:
            taken[arrival.key] = address
    return taken


def _rows(
    admission: Admission, sites: Mapping[str, int], arrivals: Iterable[tuple[DiscoveredUrl, int]], run: int
) -> list[tuple[object, ...]]:
    """Return rows of new resources.

    0.3 us each: the order key is computed once a depth, and `+` converts an enum to int.
    """
    source, ready, dues = admission.source, int(UrlState.READY), dict[tuple[int, int], int]()
    rows: list[tuple[object, ...]] = []
    for (address, site_key, depth, how, role, referrer, validator, priority, display, _), key in arrivals:
        due = dues.get((priority, depth))
        if due is None:
            due = dues[priority, depth] = url_priority.due(admission.generation, priority, depth)
        number = sites[site_key]
        rows.append(
            (
                source,
                number,
                key,
                +role,
                ready,
                due,
                depth,
                +how,
                referrer,
                address,
                validator or None,
                run,
                display or None,
            )
        )
    return rows


def wake(tx: Tx, source: int, sites: set[int], generation: int) -> None:
    """Mark these sites as having work for the source, so that retrievers find them.

    Runs before the rows are inserted, and in one order of sites: on PostgreSQL a process that admits the same addresses
    in another order waits here instead of in a deadlock.
    """
    before = generation - 1
    rows = [{"site_id": number, "source_id": source, "before": before} for number in sorted(sites)]
    tx.execute(_WAKE, rows)


_WAKE = sa.text("""
    INSERT INTO site_source (site_id, source_id, arrivals) VALUES (:site_id, :source_id, 1)
    ON CONFLICT (site_id, source_id) DO UPDATE SET arrivals = site_source.arrivals + 1, not_before = 0,
    done_generation = CASE WHEN site_source.done_generation > :before THEN :before ELSE site_source.done_generation END
""")
"""For both databases; `before` is the previous generation."""


def admit_listing(
    tx: Tx, numbers: SiteNumbers, admission: Admission, batch: Sequence[DiscoveredUrl], audits: Audits = never
) -> Admitted:
    """Admit a batch of a complete listing: insert new, make changed ones ready, mark the others as seen.

    Unchanged resources that `audits` selects are made ready as well.
    """
    if not batch:
        return Admitted(0, 0, 0)
    sites = numbers.of(tx, {found.site for found in batch})
    keyed = {fingerprint(found.address, admission.source): found for found in batch}
    known = _known(tx, {key: sites[found.site] for key, found in keyed.items()})
    fresh = [(found, key) for key, found in keyed.items() if key not in known]
    seen: list[tuple[object, ...]] = []
    ready: list[tuple[object, ...]] = []
    back: list[tuple[object, ...]] = []
    unchanged, audited, again = 0, 0, admission.forced or admission.revisit
    for key, (number, validator, outcome, state) in known.items():
        found = keyed[key]
        same = state != UrlState.READY and not again and validator == found.validator and outcome not in _AGAIN
        if admission.new_of is not None and outcome == OutcomeKind.GONE:
            back.append((int(OutcomeKind.NONE), number))
        elif same and admission.new_of is None and audits(found.address):
            audited += 1
        elif same or state == UrlState.READY or admission.new_of is not None:
            seen.append((admission.run, number))
            unchanged += same and outcome != OutcomeKind.EXCLUDED  # which the end of a run counts as such
            continue
        due = url_priority.due(admission.generation, found.priority, found.depth)
        ready.append((admission.run, int(UrlState.READY), due, found.validator, 0.0, found.display or None, number))
    if fresh or ready:
        wake(tx, admission.source, set(sites.values()), admission.generation)
    bulk.insert(tx, resource, _COLUMNS, _rows(admission, sites, fresh, admission.run))
    bulk.update(tx, resource, ("run",), ("id",), seen)
    bulk.update(tx, resource, ("run", "state", "due", "validator", "not_before", "display"), ("id",), ready)
    bulk.update(tx, resource, ("outcome",), ("id",), back)
    return Admitted(len(fresh), len(ready) - audited, unchanged, audited)


def admit_unlisted(tx: Tx, admission: Admission, ids: Sequence[int]) -> None:
    """Make known resources ready that a listing could not name. Those that wait for their visit keep waiting."""
    known = bulk.select_in(tx, resource, ("id", "site_id", "depth", "state"), "id", ids)
    settled = [row for row in known if row[3] == UrlState.SETTLED]
    if not settled or admission.new_of is not None:
        return
    wake(tx, admission.source, {row[1] for row in settled}, admission.generation)
    rows = [
        (admission.run, int(UrlState.READY), url_priority.due(admission.generation, depth=row[2]), 0.0, row[0])
        for row in settled
    ]
    bulk.update(tx, resource, ("run", "state", "due", "not_before"), ("id",), rows)


def _known(tx: Tx, places: Mapping[int, int]) -> dict[int, tuple[int, str, int, int]]:
    """Return the rows of these keys at these sites (key -> number): key -> id, validator, outcome, state."""
    table = resource.c
    statement = sa.select(table.hash, table.id, table.validator, table.outcome, table.state).where(
        table.site_id.in_(sa.bindparam("sites", expanding=True)), table.hash.in_(sa.bindparam("keys", expanding=True))
    )
    found: dict[int, tuple[int, str, int, int]] = {}
    for chunk in batch_lookup.chunks(places):
        for row in tx.rows(statement, chunk):
            found[row[0]] = (row[1], row[2] or "", row[3], row[4])
    return found
