"""Run report for people: the problems of a run and what to look at.

Starts that failed, rules that match nothing, documents to look at.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import rfc3339
from cormorant.base.errors import CormorantError
from cormorant.base.exhaustion import Shortage
from cormorant.crawl.commit.subdomain_limit import RULE as CROWDED
from cormorant.crawl.deliver.receiver_task import MOST_MENDED_S
from cormorant.crawl.run.completion import MOST_WAITED_S
from cormorant.frontier.policy import host_errors
from cormorant.frontier.policy.backoff import NO_ANSWER, UNREACHABLE
from cormorant.frontier.policy.host_errors import HoldReason
from cormorant.frontier.progress import known_failures, remaining
from cormorant.model.outcome import CONVERTER_SAID, OutcomeKind
from cormorant.model.run import ASKING_STATES, Counters, RunState
from cormorant.model.status import Status, describe
from cormorant.model.url import origin_of
from cormorant.operate.checks import (
    crawl_delays,
    held,
    limits,
    no_text,
    remedies,
    restricted,
    seeds,
    sitemaps,
    traps,
    unused_rules,
)
from cormorant.operate.documents import listing, lookup
from cormorant.operate.installation import Installation
from cormorant.operate.search import index_consistency
from cormorant.plugins import Discovery, Source
from cormorant.store.catalog import receivers, sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import content, exclusion, resource, site, site_source
from cormorant.store.schema.frontier import SEEDS

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


def of_run(house: Installation, number: int) -> list[dict[str, Any]]:
    """Problems of a run: what it is about, a sentence, and `kind`.

    Kinds are run, machine, start, folder, rule, limit, delay, hosts, sitemap, login, held, document, size, text,
    receiver, copy, index, rights, waiting, trap. What many addresses of one host share is said once, with `addresses`,
    how many there are.
    """
    with house.store.read() as tx:
        row = runs.get(tx, number)
        owner = sources.numbered(tx, row.source_id)
        found = list(_about_run(row))
        counted = runs.counters(tx, number)
        if row.state is not RunState.FAILED or counted.requests:
            found += [*_starts(house, tx, row), *_empty_starts(tx, row)]
        if owner is not None and row.state is not RunState.FAILED:
            found += [*_nothing(tx, owner), *_of_settings(house, tx, row, owner)]
        found += [*sitemaps.problems(tx, row), *held.problems(tx, row), *_away(tx, row), *_documents(tx, row)]
        found += [*_too_big(tx, row), *_receivers(tx, row), *_damaged(tx, row)]
        if runs.is_newest(tx, row) and not any(each.get("receiver") == receivers.INDEX for each in found):
            found += _unsearched(house)
        if row.state is not RunState.FAILED or counted.fetched:
            found += no_text.problems(tx, row)
        if owner is not None:
            found += [*restricted.problems(tx, row, owner), *_waiting(tx, row, owner), *traps.problems(tx, owner)]
    return found


def _of_settings(house: Installation, tx: Tx, row: RunRow, owner: SourceRow) -> Iterator[dict[str, Any]]:
    """Yield the problems caused by the settings of a run: excluded starts, unused rules, or invalid settings."""
    try:
        source = house.source(owner, row.settings)
    except CormorantError as error:
        yield {"kind": "run", "code": error.code, "sentence": error.sentence}
        return
    if source.discovery is Discovery.SEEDS:
        yield from _refused_starts(tx, row)
        yield from sitemaps.feeds(tx, row, getattr(source.settings, "named_sitemaps", ()))
        yield from _crowded(tx, row)
    yield from _idle_rules(tx, source)
    yield from limits.problems(tx, row, owner, source.settings)
    yield from crawl_delays.problems(tx, row, source.settings)


def _about_run(row: RunRow) -> Iterator[dict[str, Any]]:
    if row.state is RunState.FAILED:
        yield {"kind": "run", "code": row.error, "sentence": row.reason or "The run failed."}
    if row.state in ASKING_STATES:
        said = f"Run {row.id} {runs.stands(row)}. {row.reason} {runs.answers(row)}"
        yield {"kind": "run", "code": row.state.value, "sentence": said}
    for short in [each for each in Shortage if each.what == row.bottleneck]:
        yield {
            "kind": "machine", "lack": short.value,
            "sentence": (
                f"Visits had to wait, because there were too few {short.what}; no server is at fault. "
                f"{short.cure[0].upper()}{short.cure[1:]}."
            ),
        }  # fmt: skip
    if row.unlisted:
        for address in row.unlisted[:SHOWN]:
            yield {
                "kind": "folder", "address": address,
                "sentence": f"{address} could not be listed, so no document below it was deleted.",
            }  # fmt: skip


def _nothing(tx: Tx, owner: SourceRow) -> Iterator[dict[str, Any]]:
    """A source in which there is nothing at all, not even something that failed."""
    sites = sa.select(site_source.c.site_id).where(site_source.c.source_id == owner.id)
    there = sa.and_(resource.c.site_id.in_(sites), resource.c.source_id == owner.id)
    if not tx.rows(sa.select(resource.c.id).where(there).limit(1)):
        yield {
            "kind": "run",
            "sentence": (
                f"{owner.name} has no documents: its start is empty, or its rules exclude everything. `cormorant "
                f"source show {owner.name}` shows both."
            ),
        }  # fmt: skip


def _starts(house: Installation, tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Start addresses that are no document, and those that lead to none; a host that did not answer is told once."""
    silent: dict[tuple[str, int], list[remaining.Start]] = {}
    for end in seeds.ends(house, tx, row):
        if end.led_away and end.bad:
            yield _led_away(tx, row, end)
        elif end.start.unanswered:
            silent.setdefault((origin_of(end.start.address).site, end.start.status), []).append(end.start)
        elif end.start.bad:
            yield _start(tx, row, end.start)
    for (host, _), group in silent.items():
        first = _start(tx, row, group[0])
        if len(group) > 1:
            many = f"{host} did not answer for {len(group):,} start addresses, the first {first['address']}: "
            first |= {"site": host, "addresses": len(group), "sentence": many + _why(tx, row, group[0])}
        yield first


def _start(tx: Tx, row: RunRow, start: remaining.Start) -> dict[str, Any]:
    """A start address that is no document."""
    return {
        "kind": "start", "address": start.address, "status": start.status,
        "reason": _reason(tx, row.source_id, start.address), "advice": describe(start.status).advice,
        "sentence": f"The start address {start.address} {_how(start)}: {_why(tx, row, start)}",
    }  # fmt: skip


def _why(tx: Tx, row: RunRow, start: remaining.Start) -> str:
    said = describe(start.status)
    return f"{_joined(start.status, said.text, _reason(tx, row.source_id, start.address))} {said.advice}"


def _empty_starts(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Start addresses that are documents without a byte: nothing is wrong with that, and nobody means it."""
    both, columns = resource.join(content, content.c.id == resource.c.id), resource.c
    well = columns.outcome.in_([int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED)])
    statement = sa.select(columns.address, columns.status).select_from(both)
    for each in tx.rows(
        statement.where(SEEDS, columns.source_id == row.source_id, well, content.c.size_bytes == 0).limit(SHOWN)
    ):
        yield {
            "kind": "start", "address": each.address, "status": each.status, "reason": "It is empty.",
            "sentence": (
                f"The start address {each.address} is empty: it has no text and no link. Open it in a browser; if it "
                "shows something there, the server may need another user_agent."
            ),
        }  # fmt: skip


def _led_away(tx: Tx, row: RunRow, end: seeds.SeedTarget) -> dict[str, Any]:
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
        advice, why = said.advice, f"which ended {_joined(status, said.text, reason)}"
    return {
        "kind": "start", "address": address, "status": status, "reason": reason, "advice": advice, "to": to,
        "sentence": f"The start address {address} leads to {to}, {why} {advice}",
    }  # fmt: skip


def _refused_starts(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Start addresses that a gate did not let in. A listing excludes files likewise, and they are no start."""
    columns = exclusion.c
    refused = sa.select(columns.address, columns.gate, columns.rule, columns.status).where(
        columns.source_id == row.source_id, columns.run == row.id, columns.depth == 0, columns.referrer.is_(None)
    )
    for each in tx.rows(refused.limit(SHOWN)):
        yield {
            "kind": "start", "address": each.address, "status": each.status, "reason": each.rule,
            "sentence": f"The start address {each.address} is excluded by {each.gate}: {each.rule}.",
        }  # fmt: skip


def _how(start: remaining.Start) -> str:
    if start.forbidden:
        return "may not be visited"
    return "did not answer" if start.unanswered else "failed"


def _reason(tx: Tx, source: int, address: str) -> str:
    return next((row.reason or "" for row in lookup.at(tx, address) if row.source_id == source), "")


def _joined(status: int, text: str, reason: str) -> str:
    """Number and meaning, and the reason when it says more."""
    more = f" ({reason.rstrip('.')})" if reason and reason != text else ""
    return f"{status} {text}{more}."


def _bad_documents(tx: Tx, row: RunRow) -> sa.ColumnElement[bool]:
    """Return the SQL condition for documents that this run could not fetch or read and reports, except starts."""
    bad = known_failures.of_run(row.source_id, row.id)
    known = unreported(row, runs.counters(tx, row.id))
    return sa.and_(bad, sa.not_(known_failures.as_before(row.id))) if known else bad


def _away(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Addresses that were not answered for, once a host or folder: the pages are not at fault."""
    columns, count = resource.c, sa.func.count()
    groups = (
        sa.select(site.c.key, count.label("addresses"), sa.func.min(columns.id).label("first"))
        .join(site, site.c.id == columns.site_id)
        .where(_bad_documents(tx, row), columns.status.in_(_UNANSWERED))
        .group_by(site.c.key, columns.status)
        .order_by(sa.func.min(columns.id))
    )
    for each in tx.rows(groups.limit(SHOWN)):
        first = _document(tx.rows(sa.select(resource).where(columns.id == each.first))[0])
        if each.addresses > 1:
            host = each.key.removeprefix("file:")
            many = f"{host} did not answer for {each.addresses:,} addresses, the first "
            first |= {"site": each.key, "addresses": each.addresses, "sentence": many + first["sentence"]}
        yield first


def _waiting(tx: Tx, row: RunRow, owner: SourceRow) -> Iterator[dict[str, Any]]:
    """Yield what the newest run of a source left to visit, and the earliest time at which it can go on."""
    if row.complete or row.state is not RunState.FINISHED or row.generation != owner.generation:
        return
    if not runs.is_newest(tx, row):
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
    yield {
        "kind": "waiting", "addresses": count, "not_before": rfc3339(left.goes_on_at) if resting else None,
        "sentence": sentence,
    }  # fmt: skip


def _silent(tx: Tx, row: RunRow, left: remaining.Remaining) -> str:
    """Return the silent sites, when a run has only sites in trouble left; "" unless none of them answers."""
    found = remaining.troubles(tx, row.source_id, left.some)
    if left.troubled < left.sites or host_errors.worst(found) is not HoldReason.SILENT:
        return ""
    return host_errors.told(found, left.sites)


def _documents(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Documents that this run could not get or read, the first of them; what was not answered for is told by host."""
    statement = sa.select(resource).where(_bad_documents(tx, row), resource.c.status.not_in(_UNANSWERED))
    yield from map(_document, tx.rows(statement.order_by(resource.c.id).limit(SHOWN)))


def _too_big(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Yield the number of documents that this run left out for their size, and the first of them."""
    columns = resource.c
    left_out = sa.and_(
        listing.met_by(row), columns.status == int(Status.TOO_BIG), columns.outcome == int(OutcomeKind.EXCLUDED)
    )
    count, first = tx.rows(sa.select(sa.func.count(), sa.func.min(columns.id)).where(left_out))[0]
    if not count:
        return
    address = tx.rows(sa.select(columns.address).where(columns.id == first))[0].address
    many = "1 document is" if count == 1 else f"{count:,} documents are"
    yield {
        "kind": "size", "address": address, "status": int(Status.TOO_BIG), "addresses": count,
        "sentence": (
            f"{many} larger than max_size_bytes and left out, the first {address}. "
            f"{remedies.advice(Status.TOO_BIG, address)} `cormorant document list --status {Status.TOO_BIG:d}` lists "
            "all."
        ),
    }  # fmt: skip


def _document(row: Any) -> dict[str, Any]:
    said, advice = describe(row.status), remedies.advice(row.status, row.address)
    reason = (row.reason or "").partition(CONVERTER_SAID)[0]  # `explain` has the rest
    return {
        "kind": "document", "address": row.address, "status": row.status, "reason": reason, "advice": advice,
        "sentence": f"{row.address}: {_joined(row.status, said.text, reason)} {advice}",
    }  # fmt: skip


def _unsearched(house: Installation) -> Iterator[dict[str, Any]]:
    """Search does not answer, which no delivery has met so far: there was nothing to deliver, or not yet."""
    found = index_consistency.trouble(house)
    if found is not None:
        yield {"kind": "index", "sentence": f"Search does not find the new documents. {found.sentence}"}


def _receivers(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Receivers that do not take what they are told of the source. Told of its newest run: it is so now."""
    if not runs.is_newest(tx, row):
        return
    for each in receivers.told_of(tx, row.source_id):
        if each.error:
            waits = each.unmade and row.state is RunState.DELIVERING
            said = _WAITS if waits else "The receiver {0} did not get all documents: {1}"
            yield {
                "kind": "receiver", "receiver": each.name, "reason": each.error,
                "sentence": said.format(each.name, f"{each.error.rstrip('.')}."),
            }  # fmt: skip


def _damaged(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Yield the number of documents that were not sent to the index because their kept copies are damaged."""
    count = runs.counters(tx, row.id).index_damaged
    if count:
        many = "The kept copy of 1 document is" if count == 1 else f"The kept copies of {count:,} documents are"
        yield {
            "kind": "copy", "addresses": count,
            "sentence": (
                f"{many} damaged, so search shows the earlier version. `cormorant receiver show index` names the last "
                "one, `cormorant receiver faulty index` each. The next crawl fetches them again; if whole copies are "
                "missing, run `cormorant cache repair` first. Check the disk."
            ),
        }  # fmt: skip


def _idle_rules(tx: Tx, source: Source) -> Iterator[dict[str, Any]]:
    """Rules that nothing has matched so far."""
    for rule, sentence in unused_rules.watched(tx, source).told():
        yield {"kind": "rule", "rule": rule, "sentence": sentence}


def _crowded(tx: Tx, row: RunRow) -> Iterator[dict[str, Any]]:
    """Domains of which more hosts were met than are visited."""
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
        yield {
            "kind": "hosts", "domain": domain, "most": int(most), "addresses": each.addresses, "rule": each.rule,
            "sentence": (
                f"Links lead to more than {most} hosts of {domain}: {each.addresses:,} {what} left out. To visit "
                "them, raise max_hosts, or name the hosts by host: rules."
            ),
        }  # fmt: skip
