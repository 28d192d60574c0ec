"""Outcomes of the start addresses (seeds) of a run.

One that moved is followed to where it leads.

start --moved--> address --moved--> ... --> a document, or what keeps it out
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import CormorantError
from cormorant.crawl.url_rewriting import known_as
from cormorant.frontier.progress import remaining
from cormorant.frontier.progress.idle_timeout import got
from cormorant.frontier.progress.remaining import Start
from cormorant.model.outcome import MOVED_TO, OutcomeKind
from cormorant.model.ruling import Gate
from cormorant.model.run import Counters
from cormorant.model.status import Status, describe
from cormorant.model.url import fingerprint, origin_of
from cormorant.operate.checks import remedies
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.documents import lookup
from cormorant.operate.installation import Installation
from cormorant.plugins import Discovery, Source
from cormorant.store.catalog import sources
from cormorant.store.db.database import Tx
from cormorant.store.journal import visits
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import content, exclusion, resource
from cormorant.store.schema.frontier import SEEDS

SHOWN = 10
"""Start addresses that a report names."""
_MOST = 20
"""Steps that are followed from a start address."""


def named(source: Source) -> frozenset[str] | None:
    """The start addresses of a source as it knows them, those of a file included; None for a kind that has none.

    Raises BadAddress when the file cannot be read.
    """
    starts = getattr(source.settings, "starts", None)
    if starts is None:
        return None
    renamed = ((each, source.rename(each)) for each in starts())
    return frozenset(each if known is None else known.address for each, known in renamed)


@dataclass(frozen=True, slots=True)
class KeptOutSeed:
    """The gate that keeps out what a start address leads to, its rule, and the status that stands for it."""

    gate: str
    rule: str
    status: int


@dataclass(frozen=True, slots=True)
class SeedTarget:
    """A start address with where it leads in the end: itself, when it did not move.

    `last` is what became of that one; None when it was never admitted, and `kept` then says what keeps it out.
    """

    start: Start
    address: str
    last: Start | None
    kept: KeptOutSeed | None = None

    @property
    def bad(self) -> bool:
        """Return whether the start address does not lead to a document."""
        return self.kept is not None or (self.last is not None and self.last.bad)

    @property
    def led_away(self) -> bool:
        """Return whether the start address has moved (a redirect)."""
        return self.address != self.start.address


def none_answered(found: Sequence[Start], counted: Counters) -> bool:
    """Return whether no start address got an answer.

    Those that a run never came to say nothing, if it got nothing else either.
    """
    asked = [each for each in found if each.outcome is not OutcomeKind.NONE]
    whole = len(asked) == len(found) or not got(counted)
    return bool(asked) and whole and all(each.unanswered for each in asked)


def ends(house: Installation, tx: Tx, row: RunRow) -> list[SeedTarget]:
    """Every start address of a run's source, with its end. An address that its settings no longer name is none."""
    found = remaining.starts(tx, row.source_id)
    owner = sources.numbered(tx, row.source_id) if found else None
    try:
        source = house.source(owner, row.settings) if owner is not None else None
        known = _begins(source) if source is not None else None
    except CormorantError:  # settings that no longer make a source say nothing of where its starts lead
        source = known = None
    if source is None or known is None:
        return [SeedTarget(each, each.address, each) for each in found]
    return [_end(tx, source, each) for each in found if each.address in known]


def _begins(source: Source) -> frozenset[str] | None:
    """The start addresses of a source, and the sitemaps that its settings name: what a run begins with."""
    begins = named(source)
    sitemaps: Sequence[str] = getattr(source.settings, "named_sitemaps", ())
    return None if begins is None else begins.union(known_as(each, source) for each in sitemaps)


def _end(tx: Tx, source: Source, start: Start) -> SeedTarget:
    """Follow a start address."""
    last, seen = start, {start.address}
    while last.outcome is OutcomeKind.MOVED:
        row = _row(tx, source.number, last.address)
        target = (row.reason or "").removeprefix(MOVED_TO) if row is not None else ""
        if not target or target in seen or len(seen) > _MOST:
            return SeedTarget(start, last.address, last)
        seen.add(target)
        known = _row(tx, source.number, target)
        if known is None:
            return SeedTarget(start, target, None, _kept(tx, source, target))
        last = remaining.start(known)
    return SeedTarget(start, last.address, last)


def _row(tx: Tx, source: int, address: str) -> Any:
    return next((row for row in lookup.at(tx, address) if row.source_id == source), None)


def _kept(tx: Tx, source: Source, address: str) -> KeptOutSeed | None:
    """Return the gate that keeps an address out, as recorded or else by today's gates; None when admitted."""
    for each in visits.exclusions(tx, source.number, [fingerprint(address, source.number)]):
        return KeptOutSeed(each.gate, each.rule, each.status)
    ruling = source.gates.follow(address, 1)
    return None if ruling.admitted else KeptOutSeed(Gate(ruling.gate).value, ruling.rule, ruling.status)


def failed(context: CheckContext) -> Iterator[RunProblem]:
    """Start addresses that are no document, and those that lead to none; a host that did not answer is named once."""
    if context.has_failed and not context.counters.requests:
        return
    tx, row = context.tx, context.row
    silent: dict[tuple[str, int], list[remaining.Start]] = {}
    for end in ends(context.house, tx, row):
        if end.led_away and end.bad:
            yield _led_away(tx, row, end)
        elif end.start.unanswered:
            silent.setdefault((origin_of(end.start.address).site, end.start.status), []).append(end.start)
        elif end.start.bad:
            yield _start(tx, row, end.start)
    for (host, _), group in silent.items():
        first = _start(tx, row, group[0])
        if len(group) > 1:
            many = f"{host} did not answer for {len(group):,} start addresses, the first {group[0].address}: "
            about = {**first.about, "site": host, "addresses": len(group)}
            first = RunProblem(first.kind, many + _why(tx, row, group[0]), about)
        yield first


def _start(tx: Tx, row: RunRow, start: remaining.Start) -> RunProblem:
    """A start address that is no document."""
    return RunProblem(
        "start",
        f"The start address {start.address} {_how(start)}: {_why(tx, row, start)}",
        {
            "address": start.address,
            "status": start.status,
            "reason": _reason(tx, row.source_id, start.address),
            "advice": describe(start.status).advice,
        },
    )


def _why(tx: Tx, row: RunRow, start: remaining.Start) -> str:
    said = describe(start.status)
    return f"{remedies.worded(start.status, said.text, _reason(tx, row.source_id, start.address))} {said.advice}"


def empty(context: CheckContext) -> Iterator[RunProblem]:
    """Start addresses that are documents without a byte: nothing is wrong with that, and nobody means it."""
    if context.has_failed and not context.counters.requests:
        return
    tx, row = context.tx, context.row
    both, columns = resource.join(content, content.c.id == resource.c.id), resource.c
    well = columns.outcome.in_([int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED)])
    statement = sa.select(columns.address, columns.status).select_from(both)
    for each in tx.rows(
        statement.where(SEEDS, columns.source_id == row.source_id, well, content.c.size_bytes == 0).limit(SHOWN)
    ):
        yield RunProblem(
            "start",
            f"The start address {each.address} is empty: it has no text and no link. Open it in a browser; if it "
            "shows something there, the server may need another user_agent.",
            {"address": each.address, "status": each.status, "reason": "It is empty."},
        )


def _led_away(tx: Tx, row: RunRow, end: SeedTarget) -> RunProblem:
    """A start address that moved to what is no document, or may not be visited."""
    address, to = end.start.address, end.address
    if end.kept is not None:
        host = str(origin_of(to)).partition("//")[2]
        advice = f"Start there, or also include that host: --set include=host:{host}."
        if end.kept.status != Status.OUTSIDE_BOUNDARY or end.kept.rule.startswith("exclude"):
            advice = describe(end.kept.status).advice
        reason, status = f"{end.kept.gate}: {end.kept.rule}", end.kept.status
        why = f"which is excluded by {reason}."
    else:
        status = end.last.status if end.last is not None else end.start.status
        said, reason = describe(status), _reason(tx, row.source_id, to)
        advice, why = said.advice, f"which ended {remedies.worded(status, said.text, reason)}"
    return RunProblem(
        "start",
        f"The start address {address} leads to {to}, {why} {advice}",
        {"address": address, "status": status, "reason": reason, "advice": advice, "to": to},
    )


def refused(context: CheckContext) -> Iterator[RunProblem]:
    """Start addresses that a gate did not let in. A listing excludes files likewise, and they are no start."""
    tx, row, source = context.tx, context.row, context.source
    if source is None or source.discovery is not Discovery.SEEDS:
        return
    columns = exclusion.c
    refused = sa.select(columns.address, columns.gate, columns.rule, columns.status).where(
        columns.source_id == row.source_id, columns.run == row.id, columns.depth == 0, columns.referrer.is_(None)
    )
    for each in tx.rows(refused.limit(SHOWN)):
        yield RunProblem(
            "start",
            f"The start address {each.address} is excluded by {each.gate}: {each.rule}.",
            {"address": each.address, "status": each.status, "reason": each.rule},
        )


def _how(start: remaining.Start) -> str:
    if start.forbidden:
        return "may not be visited"
    return "did not answer" if start.unanswered else "failed"


def _reason(tx: Tx, source: int, address: str) -> str:
    return next((row.reason or "" for row in lookup.at(tx, address) if row.source_id == source), "")
