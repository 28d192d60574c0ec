"""Crawl-delay check: hosts that ask for a longer crawl delay than is obeyed, for the report of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sqlalchemy as sa

from cormorant.frontier.queue.request_log import HOUR_S
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.sources.web.crawl_delay import CUT, MAX_CRAWL_DELAY_S
from cormorant.store.schema import site, site_hour, site_source

SHOWN = 10
_ASKED = re.compile(r"Crawl-delay (\S+) ")


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """A line for each host at whose pace a run went though it asked for a slower one, ten at most."""
    source, row = context.source, context.row
    if source is None or getattr(source.settings, "crawl_delay", "ignore") == "ignore" or row.started_at is None:
        return
    columns = site_hour.c
    statement = (
        sa.select(site.c.key, columns.rule)
        .join(site, site.c.id == columns.site_id)
        .join(site_source, site_source.c.site_id == columns.site_id)
        .where(
            site_source.c.source_id == row.source_id, columns.rule.endswith(CUT),
            columns.hour >= int(row.started_at // HOUR_S),
        )
        .distinct()
        .order_by(site.c.key)
    )  # fmt: skip
    if row.finished_at is not None:
        statement = statement.where(columns.hour <= int(row.finished_at // HOUR_S))
    for each in context.tx.rows(statement.limit(SHOWN)):
        asked = _ASKED.match(each.rule)
        yield RunProblem(
            "delay",
            f"The robots.txt of {each.key} asks for {(asked[1] if asked else 'more')} seconds between requests "
            f"(Crawl-delay); Cormorant obeys {MAX_CRAWL_DELAY_S:g}. To wait longer, set delay_s.",
            {"site": each.key, "rule": each.rule},
        )
