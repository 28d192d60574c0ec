"""Which sites did not answer when they were last asked, or want to be left alone, and what can be done about it?"""

from __future__ import annotations

from typing import Any

from cormorant.base.clock import rfc3339
from cormorant.frontier import progress
from cormorant.frontier.progress import SiteLeft
from cormorant.frontier.trouble import Trouble, Why
from cormorant.store.database import Tx

SHOWN = 3
"""Sites named of a source."""


def of_source(tx: Tx, source: int) -> list[dict[str, Any]]:
    """The sites of a source that are in trouble, those that failed most often first."""
    found = progress.in_trouble(tx, source, SHOWN)
    return [_record(each) for each in found if _still(each, tx.now())]


def of_site(tx: Tx, number: int) -> dict[str, Any] | None:
    """What is the matter with a site, None when nothing is."""
    found = progress.site_in_trouble(tx, number)
    return _record(found) if found is not None and _still(found, tx.now()) else None


def _still(site: SiteLeft, now: float) -> bool:
    """Is it so now? A site that asked for a rest has had it when its time has come."""
    return bool(site.trouble) and (_is_silent(site) or site.goes_on_at > now)


def _is_silent(site: SiteLeft) -> bool:
    return Trouble(site.key, site.trouble).why is Why.SILENT


def _record(site: SiteLeft) -> dict[str, Any]:
    """One site. `not_before` is None when the next crawl asks it at once: silence is tried anew, a wish is obeyed."""
    found = Trouble(site.key, site.trouble)
    until = None if _is_silent(site) else rfc3339(site.goes_on_at)
    said = f"{found.host} {found.lately}" + (f" until {until}" if until else "")
    return {"site": found.host, "status": found.status, "said": said, "advice": found.advice, "not_before": until}
