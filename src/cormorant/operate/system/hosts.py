"""Host politeness: request rate, the rule for it, gaps between requests, and whether the site is left alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from cormorant.base.clock import rfc3339, timestamp
from cormorant.base.errors import CormorantError, NotFoundError
from cormorant.frontier.queue import request_log
from cormorant.frontier.queue.request_log import HOUR_S, HostHour
from cormorant.frontier.state import host_facts
from cormorant.model.url import origin_of, try_canonical
from cormorant.operate.checks import host_errors
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import SiteHour, SiteRecord, SiteSource, WholeSite
from cormorant.store.catalog import sources
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource, site, site_source

LATELY: Final = 24
"""Hours that `requests_lately` counts."""
PAGE: Final = 500
"""Sites whose hours are read together."""
_PORT: Final = re.compile(r":\d+$")


def listed(house: Installation, source: str | None = None) -> Iterator[SiteRecord]:
    """Every known site, or those of one source, by name: requests, the tightest gap, and trouble.

    Raises NotFoundError for an unknown source.
    """
    chosen = sa.select(site.c.id, site.c.key).order_by(site.c.key).limit(PAGE)
    if source is not None:
        with house.store.read() as tx:
            number = sources.named(tx, source).id
        chosen = chosen.where(site.c.id.in_(sa.select(site_source.c.site_id).where(site_source.c.source_id == number)))
    behind = ""
    while True:
        with house.store.read() as tx:  # one transaction per page, so that a slow caller blocks no other process
            rows = tx.rows(chosen.where(site.c.key > behind))
            records = list(_summaries(tx, {row.id: row.key for row in rows}))
        yield from records
        if len(rows) < PAGE:
            return
        behind = rows[-1].key


def shown(house: Installation, host: str) -> list[WholeSite]:
    """Everything about the sites of a host, one for each port. `host` may include a port.

    Raises NotFoundError for an unknown host.
    """
    with house.store.read() as tx:
        wanted = _keys(tx, host)
        rows = tx.rows(sa.select(site).where(site.c.key.in_(wanted)).order_by(site.c.key)) if wanted else []
        if not rows:
            raise NotFoundError(f"No site {host!r} is known. `cormorant site list` lists the known ones.")
        return [_whole(house, tx, row) for row in rows]


def _keys(tx: Tx, host: str) -> list[str]:
    """The keys of the sites that a typed text means: a host with or without a port, an address, or a folder."""
    text = host.strip()
    if text.startswith(("file:", "/")):
        place = try_canonical(text if text.startswith("file:") else f"file://{text}") or ""
        return [text, f"file:{place.removeprefix('file://').rstrip('/')}"]
    typed = text.rpartition("://")[2].partition("/")[0].partition("?")[0]
    named = try_canonical(f"http://{typed}")
    address = named or try_canonical(f"http://[{typed}]")
    if address is None:
        return []
    origin = origin_of(address)
    if named and _PORT.search(typed):
        return [origin.site]
    return [row.key for row in tx.rows(sa.select(site.c.key)) if _host(row.key) == origin.host.rstrip(".")]


def _host(key: str) -> str:
    """The host of a site."""
    host, colon, port = key.rpartition(":")
    return (host if colon and port.isdigit() else key).rstrip(".")


def _summaries(tx: Tx, keys: Mapping[int, str]) -> Iterator[SiteRecord]:
    """Yield the list records of these sites (number -> key)."""
    hours, in_trouble = request_log.of(tx, list(keys)), host_errors.of_sites(tx, list(keys))
    since = int(tx.now() // HOUR_S) - LATELY
    for number, key in keys.items():
        yield _summary(key, hours[number], in_trouble.get(number), since)


def _summary(key: str, hours: Sequence[HostHour], trouble: Mapping[str, Any] | None, since: int) -> SiteRecord:
    """Return the list record of a site; `since` is the hour from which requests count as recent."""
    tightest = _tightest(hours)
    return {
        "site": key,
        "requests_lately": sum(each.requests for each in hours if each.hour > since),
        "smallest_gap_s": _round(tightest.gap_s), "asked_gap_s": _round(tightest.asked_s),
        "rule": hours[0].rule if hours else None,
        "trouble": trouble["said"] if trouble else None,
    }  # fmt: skip


def _whole(house: Installation, tx: Tx, row: Any) -> WholeSite:
    hours = request_log.of(tx, [row.id])[row.id]
    (summary,) = _summaries(tx, {row.id: row.key})
    known = host_facts.read(tx, [row.id], [host_facts.INSTALLATION])
    leased = row.owner is not None and row.lease_until > tx.now()
    return {
        **summary,
        "requests": sum(each.requests for each in hours),
        "last_request_at": rfc3339(row.requested_at or None),
        "visited_by": row.owner if leased else None,
        "left_alone_until": rfc3339(row.not_before) if row.not_before > tx.now() else None,
        "failures_in_a_row": row.failures,
        "facts": [{"name": each.name, "size_bytes": len(each.value), "until": rfc3339(each.valid_until)}
                  for each in known],
        "sources": _sources(house, tx, row, {each.name: each.value for each in known}),
        "hours": [_hour(each) for each in hours],
    }  # fmt: skip


def _sources(house: Installation, tx: Tx, row: Any, known: Mapping[str, bytes]) -> list[SiteSource]:
    """Return each source with addresses at a site: its current crawl settings there, and how many it has."""
    columns = resource.c
    counted = sa.select(columns.source_id, sa.func.count()).where(columns.site_id == row.id).group_by(columns.source_id)
    counts: defaultdict[int, int] = defaultdict(int, {each[0]: each[1] for each in tx.rows(counted)})
    found: list[SiteSource] = []
    for owner in sources.every(tx):
        if owner.id not in counts:
            continue
        record: SiteSource = {"source": owner.name, "addresses": counts[owner.id]}
        try:
            source = house.source(owner)
            pace = source.pace(row.key, known)
        except CormorantError as error:
            record["problem"] = error.sentence
            found.append(record)
            continue
        suspended = source.settings.suspended_until(tx.now())
        record["delay_s"], record["parallel"], record["rule"] = pace.delay_s, pace.parallel, pace.rule
        record["suspended_until"] = rfc3339(suspended or None)
        found.append(record)
    return found


def _tightest(hours: Sequence[HostHour]) -> HostHour:
    """The gap that was the smallest share of the requested one, over all hours."""
    together = HostHour(0, 0)
    for each in hours:
        together = together.and_then(each)
    return together


def _hour(each: HostHour) -> SiteHour:
    return {
        "hour": timestamp(each.hour * HOUR_S), "requests": each.requests, "smallest_gap_s": _round(each.gap_s),
        "asked_gap_s": _round(each.asked_s), "rule": each.rule,
    }  # fmt: skip


def _round(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
