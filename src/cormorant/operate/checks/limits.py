"""Limits that a run reached: the setting, the addresses left out because of it, and the remedy."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import sqlalchemy as sa

from cormorant.crawl.commit.subdomain_limit import RULE as CROWDED
from cormorant.operate.checks import traps
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.plugins import Discovery
from cormorant.store.journal import runs
from cormorant.store.schema import exclusion

if TYPE_CHECKING:
    from cormorant.model.settings.source import SourceSettings
    from cormorant.store.catalog.sources import SourceRow
    from cormorant.store.db.database import Tx
    from cormorant.store.journal.runs import RunRow

OF_RUN = ("max_documents", "max_bytes", "max_minutes")
SHOWN = 10
"""Hosts named in a report."""


def of_run(row: RunRow) -> str:
    """The setting whose limit ended a run, "" when none did."""
    name = (row.reason or "").partition(" ")[0]
    return name if name in OF_RUN else ""


def unvisited(tx: Tx, owner: SourceRow) -> tuple[str, str] | None:
    """Why a known address was not visited, and what to do; None when no limit is to blame."""
    last = next(iter(runs.every(tx, owner.id, 1)), None)
    name = of_run(last) if last is not None else ""
    if last is None or not name:
        return None
    said = f"The address is known, but not visited yet: run {last.id} reached its limit, {last.reason}."
    return said, _advice(owner.name, name)


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the limit problems of a run report: first that of the run, then those of its hosts."""
    owner, source = context.owner, context.source
    if owner is None or source is None:
        return
    name = of_run(context.row)
    if name:
        yield RunProblem("limit", f"The limit {name} was reached. {_advice(owner.name, name)}", {"setting": name})
    met = list(_hosts(context.tx, context.row, owner, source.settings))
    for site, rule, refused in met[:SHOWN]:
        name = rule.partition(" ")[0]
        advice = f"To raise it: `cormorant source edit {shlex.quote(owner.name)} --set {name}=...`."
        yield RunProblem(
            "limit",
            f"{site}: {rule}. {refused:,} of its addresses were left out (979). {advice}",
            {"site": site, "setting": name, "addresses": refused},
        )
    if len(met) > SHOWN:
        yield RunProblem("limit", f"{len(met) - SHOWN:,} more hosts have reached a limit of {owner.name}.")


def _hosts(tx: Tx, row: RunRow, owner: SourceRow, settings: SourceSettings) -> Iterator[tuple[str, str, int]]:
    """The sites where a run reached a limit: key, the limit in words, number of addresses left out."""
    if settings.watched is None or settings.watched.most is None:
        return
    for key, watch in traps.watches(tx, owner.id):
        if watch.spent.run == row.id and watch.spent.refused:
            yield key, watch.spent.limit, watch.spent.refused


def _advice(source: str, name: str) -> str:
    edit = f"`cormorant source edit {shlex.quote(source)} --set {name}=...`"
    return f"The next crawl continues with the rest; {edit} raises the limit."


def crowded(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the domains with more hosts than a run visits."""
    tx, row, source = context.tx, context.row, context.source
    if source is None or source.discovery is not Discovery.SEEDS:
        return
    columns, count = exclusion.c, sa.func.count()
    statement = (
        sa.select(columns.rule, count.label("addresses"))
        .where(columns.source_id == row.source_id, columns.run == row.id, columns.rule.startswith(f"{CROWDED} "))
        .group_by(columns.rule)
        .order_by(count.desc())
    )
    for each in tx.rows(statement.limit(SHOWN)):
        most, _, domain = each.rule.removeprefix(CROWDED).strip().partition(" of ")
        what = "address was" if each.addresses == 1 else "addresses were"
        yield RunProblem(
            "hosts",
            f"Links lead to more than {most} hosts of {domain}: {each.addresses:,} {what} left out. To visit "
            "them, raise max_hosts, or name the hosts by host: rules.",
            {"domain": domain, "most": int(most), "addresses": each.addresses, "rule": each.rule},
        )
