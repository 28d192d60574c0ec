"""Run log of visits and sites, written if the source asks for it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from cormorant.base import run_context
from cormorant.base.log import logger
from cormorant.model.outcome import Excluded

if TYPE_CHECKING:
    from cormorant.crawl.commit.committer import BatchCommitter
    from cormorant.crawl.visit.visit import VisitResult
    from cormorant.frontier.queue.workbench import Workbench

_log = logger(__name__)
SITES_S: Final = 60.0
"""Seconds between log lines about sites."""


def visited(report: VisitResult, run: int, took_s: float) -> None:
    """Log the outcome of a visit if its run wants that: `fetch`, and `screened` for an exclusion by a gate."""
    if run_context.wants("fetch") or run_context.wants("screened"):
        _visited(report, run, took_s)
    if _log.isEnabledFor(logging.DEBUG):
        said = {"address": report.task.resource.address, "outcome": report.outcome.kind.name.lower()}
        _log.debug("visited", extra={"run": run, **said})


def _visited(report: VisitResult, run: int, took_s: float) -> None:
    outcome, resource, wire = report.outcome, report.task.resource, report.wire
    what: dict[str, object] = {"address": resource.address, "status": outcome.status}
    if isinstance(outcome, Excluded):
        ruling = outcome.ruling
        what |= {"gate": ruling.gate.value, "rule": ruling.rule}
        run_context.said("screened", run, **what)
    reason = getattr(outcome, "reason", "")
    what |= {
        "outcome": outcome.kind.name.lower(), "took_ms": round(took_s * 1000), "requests": wire.requests,
        "received_bytes": wire.received,
    } | ({"reason": reason} if reason else {})  # fmt: skip
    run_context.said("fetch", run, **what)


class Sites:
    """Logs the state of the sites in work, now and then."""

    def __init__(self) -> None:
        self._logged_at = -SITES_S

    def log(self, desk: Workbench, runs: Mapping[int, BatchCommitter], now: float) -> None:
        """Log the state of each site, if it is time and a run wants that. `now` is monotonic."""
        if not (run_context.wants("site") and desk.sites) or now - self._logged_at < SITES_S:
            return
        self._logged_at = now
        for site in desk.sites.values():
            for number in site.sources.keys() & runs.keys():
                work = site.sources[number]
                run_context.said(
                    "site", runs[number].order.run, site=site.key, waiting=len(work.queue), under_way=site.under_way,
                    delay_s=site.delay_s, rule=site.rule, rests_s=max(round(site.rest_until - now, 1), 0.0),
                    failures=site.failures, trouble=site.trouble,
                )  # fmt: skip
