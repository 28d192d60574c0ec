"""Outcome of a run: how it ended, what it could not get or read, what did not reach a receiver, and what is left."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import rfc3339
from cormorant.base.errors import CormorantError
from cormorant.base.exhaustion import Shortage
from cormorant.crawl.deliver.receiver_task import MOST_MENDED_S
from cormorant.crawl.run.completion import MOST_WAITED_S
from cormorant.frontier.policy import host_errors
from cormorant.frontier.policy.backoff import NO_ANSWER, UNREACHABLE
from cormorant.frontier.policy.host_errors import HoldReason
from cormorant.frontier.progress import known_failures, remaining
from cormorant.model.outcome import CONVERTER_SAID, OutcomeKind
from cormorant.model.run import ASKING_STATES, Counters, RunState
from cormorant.model.status import Status, describe
from cormorant.operate.checks import remedies
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.documents import listing
from cormorant.operate.search import index_consistency
from cormorant.store.catalog import receivers
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import resource, site, site_source

SHOWN = 10
"""Documents named in a report; `document list` has them all."""
_UNANSWERED = (*NO_ANSWER, *UNREACHABLE)
"""Statuses of what no answer came for."""

_WAITS = (
    "The run waits for the receiver {0}, which cannot be created: {1} Repair it, and the run continues within "
    f"{MOST_MENDED_S:g} seconds, or see `cormorant receiver edit` and `delete`. Otherwise the run ends without it "
    f"{MOST_WAITED_S / 60:g} minutes after the last document, and its deliveries are kept."
)


def unreported(row: RunRow, counters: Counters) -> int:
    """Return the number of documents that failed again in a run as before, if its source does not report them."""
    return counters.failed_as_before if row.settings.get("known_failures", "ignore") == "ignore" else 0


def state(context: CheckContext) -> Iterator[RunProblem]:
    """Yield why a run failed, or what it waits for a person to say."""
    row = context.row
    if row.state is RunState.FAILED:
        yield RunProblem("run", row.reason or "The run failed.", {"code": row.error})
    if row.state in ASKING_STATES:
        said = f"Run {row.id} {runs.stands(row)}. {row.reason} {runs.answers(row)}"
        yield RunProblem("run", said, {"code": row.state.value})


def shortages(context: CheckContext) -> Iterator[RunProblem]:
    """Yield what the machine had too little of."""
    for short in [each for each in Shortage if each.what == context.row.bottleneck]:
        yield RunProblem(
            "machine",
            f"Visits had to wait, because there were too few {short.what}; no server is at fault. "
            f"{short.cure[0].upper()}{short.cure[1:]}.",
            {"lack": short.value},
        )


def unlisted(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the folders that could not be listed."""
    for address in (context.row.unlisted or ())[:SHOWN]:
        sentence = f"{address} could not be listed, so no document below it was deleted."
        yield RunProblem("folder", sentence, {"address": address})


def nothing(context: CheckContext) -> Iterator[RunProblem]:
    """A source in which there is nothing at all, not even something that failed."""
    tx, owner = context.tx, context.owner
    if owner is None or context.has_failed:
        return
    sites = sa.select(site_source.c.site_id).where(site_source.c.source_id == owner.id)
    there = sa.and_(resource.c.site_id.in_(sites), resource.c.source_id == owner.id)
    if not tx.rows(sa.select(resource.c.id).where(there).limit(1)):
        yield RunProblem(
            "run",
            f"{owner.name} has no documents: its start is empty, or its rules exclude everything. `cormorant "
            f"source show {owner.name}` shows both.",
        )


def invalid_settings(context: CheckContext) -> Iterator[RunProblem]:
    """Yield why the settings of a run make no source any more."""
    fault = context.source_or_fault
    if isinstance(fault, CormorantError):
        yield RunProblem("run", fault.sentence, {"code": fault.code})


def _bad_documents(context: CheckContext) -> sa.ColumnElement[bool]:
    """Return the SQL condition for documents that this run could not fetch or read and reports, except starts."""
    row = context.row
    bad = known_failures.of_run(row.source_id, row.id)
    known = unreported(row, context.counters)
    return sa.and_(bad, sa.not_(known_failures.as_before(row.id))) if known else bad


def unanswered(context: CheckContext) -> Iterator[RunProblem]:
    """Addresses that were not answered for, once a host or folder: the pages are not at fault."""
    tx = context.tx
    columns, count = resource.c, sa.func.count()
    groups = (
        sa.select(site.c.key, count.label("addresses"), sa.func.min(columns.id).label("first"))
        .join(site, site.c.id == columns.site_id)
        .where(_bad_documents(context), columns.status.in_(_UNANSWERED))
        .group_by(site.c.key, columns.status)
        .order_by(sa.func.min(columns.id))
    )
    for each in tx.rows(groups.limit(SHOWN)):
        first = _document(tx.rows(sa.select(resource).where(columns.id == each.first))[0])
        if each.addresses > 1:
            host = each.key.removeprefix("file:")
            many = f"{host} did not answer for {each.addresses:,} addresses, the first "
            about = {**first.about, "site": each.key, "addresses": each.addresses}
            first = RunProblem(first.kind, many + first.sentence, about)
        yield first


def documents(context: CheckContext) -> Iterator[RunProblem]:
    """Documents that this run could not get or read, the first of them; unanswered ones are named by host."""
    tx = context.tx
    statement = sa.select(resource).where(_bad_documents(context), resource.c.status.not_in(_UNANSWERED))
    yield from map(_document, tx.rows(statement.order_by(resource.c.id).limit(SHOWN)))


def _document(row: Any) -> RunProblem:
    said, advice = describe(row.status), remedies.advice(row.status, row.address)
    reason = (row.reason or "").partition(CONVERTER_SAID)[0]  # `explain` has the rest
    return RunProblem(
        "document",
        f"{row.address}: {remedies.worded(row.status, said.text, reason)} {advice}",
        {"address": row.address, "status": row.status, "reason": reason, "advice": advice},
    )


def too_big(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the number of documents that this run left out for their size, and the first of them."""
    tx, row = context.tx, context.row
    columns = resource.c
    left_out = sa.and_(
        listing.met_by(row), columns.status == int(Status.TOO_BIG), columns.outcome == int(OutcomeKind.EXCLUDED)
    )
    count, first = tx.rows(sa.select(sa.func.count(), sa.func.min(columns.id)).where(left_out))[0]
    if not count:
        return
    address = tx.rows(sa.select(columns.address).where(columns.id == first))[0].address
    many = "1 document is" if count == 1 else f"{count:,} documents are"
    yield RunProblem(
        "size",
        f"{many} larger than max_size_bytes and left out, the first {address}. "
        f"{remedies.advice(Status.TOO_BIG, address)} `cormorant document list --status {Status.TOO_BIG:d}` lists "
        "all.",
        {"address": address, "status": int(Status.TOO_BIG), "addresses": count},
    )


def failing_receivers(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the receivers that do not take the events of the source."""
    for each in context.failing_receivers:
        error = each.error or ""
        waits = each.unmade and context.row.state is RunState.DELIVERING
        said = _WAITS if waits else "The receiver {0} did not get all documents: {1}"
        sentence = said.format(each.name, f"{error.rstrip('.')}.")
        yield RunProblem("receiver", sentence, {"receiver": each.name, "reason": error})


def damaged_copies(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the number of documents that were not sent to the index because their kept copies are damaged."""
    count = context.counters.index_damaged
    if count:
        many = "The kept copy of 1 document is" if count == 1 else f"The kept copies of {count:,} documents are"
        yield RunProblem(
            "copy",
            f"{many} damaged, so search shows the earlier version. `cormorant receiver show index` names the last "
            "one, `cormorant receiver faulty index` each. The next crawl fetches them again; if whole copies are "
            "missing, run `cormorant cache repair` first. Check the disk.",
            {"addresses": count},
        )


def unsearched(context: CheckContext) -> Iterator[RunProblem]:
    """Search does not answer, which no delivery has met so far: there was nothing to deliver, or not yet."""
    if not context.is_newest or any(each.name == receivers.INDEX for each in context.failing_receivers):
        return
    found = index_consistency.trouble(context.house)
    if found is not None:
        yield RunProblem("index", f"Search does not find the new documents. {found.sentence}")


def waiting(context: CheckContext) -> Iterator[RunProblem]:
    """Yield what the newest run of a source left to visit, and the earliest time at which it can go on."""
    tx, row, owner = context.tx, context.row, context.owner
    if owner is None:
        return
    if row.complete or row.state is not RunState.FINISHED or row.generation != owner.generation:
        return
    if not context.is_newest:
        return
    count = remaining.documents_to_fetch(tx, row.source_id, row.generation, row.new_of)
    if not count:
        return
    left = remaining.left(tx, row.source_id, row.generation)
    silent = _silent(tx, row, left)
    resting = left.goes_on_at > (row.finished_at or tx.now()) and not silent
    if silent:
        what = "1 address was" if count == 1 else f"{count:,} addresses were"
        sentence = f"{what} not visited, because {silent}. `cormorant crawl {shlex.quote(owner.name)}` tries again."
    else:
        what = "1 address waits" if count == 1 else f"{count:,} addresses wait"
        when = f" until {rfc3339(left.goes_on_at)} at the earliest" if resting else ""
        sentence = f"{what} to be visited{when}. `cormorant crawl {shlex.quote(owner.name)}` then continues with them."
    yield RunProblem(
        "waiting", sentence, {"addresses": count, "not_before": rfc3339(left.goes_on_at) if resting else None}
    )


def _silent(tx: Tx, row: RunRow, left: remaining.Remaining) -> str:
    """Return the silent sites, when a run has only sites in trouble left; "" unless none of them answers."""
    found = remaining.troubles(tx, row.source_id, left.some)
    if left.troubled < left.sites or host_errors.worst(found) is not HoldReason.SILENT:
        return ""
    return host_errors.told(found, left.sites)
