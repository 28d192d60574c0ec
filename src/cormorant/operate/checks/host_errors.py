"""Host errors: sites that did not answer at the last request or want to be left alone, and remedies."""

from __future__ import annotations

from collections.abc import Sequence

from cormorant.base.clock import rfc3339
from cormorant.frontier.policy.host_errors import HoldReason, HostTrouble
from cormorant.frontier.progress import remaining
from cormorant.frontier.progress.remaining import SiteLeft
from cormorant.operate.records.system import HostTroubleRecord
from cormorant.store.db.database import Tx

SHOWN = 3
"""Sites named of a source."""


def of_source(tx: Tx, source: int) -> list[HostTroubleRecord]:
    """The sites of a source that are in trouble, those that failed most often first."""
    return [_record(each) for each in remaining.in_trouble(tx, source, SHOWN)]


def of_site(tx: Tx, number: int) -> HostTroubleRecord | None:
    """Return the record of a site in trouble, None when nothing is wrong with it."""
    return of_sites(tx, [number]).get(number)


def of_sites(tx: Tx, numbers: Sequence[int]) -> dict[int, HostTroubleRecord]:
    """Return the records of those of these sites that are in trouble."""
    return {number: _record(each) for number, each in remaining.sites_in_trouble(tx, numbers).items()}


def _record(site: SiteLeft) -> HostTroubleRecord:
    """One site. `not_before` is None when the next crawl asks it at once: silence is no wish to be left alone."""
    found = HostTrouble(site.key, site.trouble)
    until = None if found.why is HoldReason.SILENT else rfc3339(site.goes_on_at)
    said = f"{found.host} {found.lately}" + (f" until {until}" if until else "")
    return {"site": found.host, "status": found.status, "said": said, "advice": found.advice, "not_before": until}
