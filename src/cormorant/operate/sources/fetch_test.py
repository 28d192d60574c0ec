"""Test fetch of one address of a source, with a report of the result.

Only the first resolved addresses of the source's hosts, their robots.txt and the times of requests are kept; receivers
get no events.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple, cast

from cormorant.base.clock import Clock
from cormorant.base.errors import NotFoundError, UsageError
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.visit import Blocked, VisitResult, visit
from cormorant.frontier.policy.transition import is_unreachable, reason_of
from cormorant.frontier.queue.redirect_hosts import OtherSites
from cormorant.frontier.queue.workbench import HostState, VisitTask
from cormorant.model.content import Content, Document, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Moved, Ok, Outcome, OutcomeKind
from cormorant.model.resource import DiscoveredUrl, Lease, Resource, Role
from cormorant.model.ruling import Prerequisite
from cormorant.model.settings.source import parse_settings
from cormorant.model.status import describe
from cormorant.model.url import canonical, origin_of
from cormorant.net.egress.guard import Egress
from cormorant.net.http.client import Fetcher
from cormorant.operate.checks import remedies
from cormorant.operate.checks.sitemaps import feed_sentence
from cormorant.operate.documents import lookup
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import ContentSummary, PrerequisiteRecord, QueryTest, RuleTest, VisitTest
from cormorant.operate.sources import filter_test, live_test
from cormorant.operate.sources.secrets import Opened
from cormorant.plugins import LiveSource, Source, Tools, source_kind
from cormorant.store.catalog import sources
from cormorant.store.journal.item_shelf import ItemShelf

_WELL = (OutcomeKind.OK, OutcomeKind.UNCHANGED, OutcomeKind.MOVED)


@dataclass(frozen=True, slots=True)
class FetchTestContext:
    """Fetcher, converter and egress for a test visit, supplied by the caller."""

    fetcher: Fetcher
    reader: Converter
    egress: Callable[[], Egress]


class _Prerequisite(NamedTuple):
    """A robots.txt that had to be fetched first: its address, the result, and the status if it failed."""

    address: str
    said: str
    failed: int = 0


async def test(
    house: Installation, name: str, address: str | None, means: FetchTestContext, query: str | None
) -> VisitTest | QueryTest:
    """Visit an address, or (None) the first start address of the source, through the source itself.

    A source that is asked at each search gets a `query` instead, or (None) a sample word. Raises NotFoundError for an
    unknown source or one without any address, BadAddress, Unreachable for a missing folder, UsageError for an address
    or a query that the source does not take.
    """
    with house.store.read() as tx:
        row = sources.named(tx, name)
    kind = source_kind(row.kind)
    shelf = ItemShelf(house.store, row.id)
    tools = Tools(means.fetcher, house.clock, Opened(house), egress=means.egress, items=shelf)
    source = kind.make(row.id, parse_settings(kind.settings, row.settings), tools)
    if isinstance(source, LiveSource):
        _refuse_given(name, "address", address)
        return await live_test.ask_once(name, source, query, house.clock)
    _refuse_given(name, "query", query)
    started = house.clock.monotonic()
    try:
        resource, renamed = await asyncio.to_thread(_asked, house, source, address)  # a discovery has a loop of its own
        report, wire, before = await _visit(source, resource, means.reader, house)
    finally:
        await source.close()
    seconds = house.clock.monotonic() - started
    record = _record(name, source, report, wire)
    if renamed is not None:
        record["renamed"] = renamed
    record["gates"] = filter_test.gates(source, report.task.resource, report.task.site.facts, report.outcome)
    record["prerequisites"] = [cast("PrerequisiteRecord", each._asdict()) for each in before]
    record["took_s"] = round(seconds, 3)
    return record


def _refuse_given(name: str, option: str, value: str | None) -> None:
    """Raise UsageError for an address given to a source that takes queries, and the other way round."""
    if value is not None:
        other = "address" if option == "query" else "query"
        raise UsageError(f"{name!r} takes no {option}; `cormorant source test {shlex.quote(name)} --{other} ...` does.")


def judge(house: Installation, name: str, address: str | None, *, here: bool = True) -> RuleTest:
    """Judge an address, or (None) the first start address of the source, by known facts, without any request.

    `here`: a path may be relative to this process's folder, or begin with `~`; False for requests over a network.
    Raises the errors of `test`, and UsageError for a source that is asked at each search.
    """
    with house.store.read() as tx:
        row = sources.named(tx, name)
        address = lookup.address_of(tx, address, here=False) if address is not None and not here else address
    source = house.source(row)
    if isinstance(source, LiveSource):
        raise UsageError(
            f"{name!r} has no addresses to be judged: its server is asked at each search. `cormorant source test "
            f"{shlex.quote(name)}` asks it once."
        )
    resource, renamed = _asked(house, source, address)
    verdict, priority = filter_test.verdict(house, source, resource), filter_test.wanted(source, resource.address)
    place = {"source": name, "address": resource.address, "depth": resource.depth}
    return cast(
        "RuleTest",
        place | ({} if renamed is None else {"renamed": renamed}) | {"priority": priority} | verdict,
    )


def _asked(house: Installation, source: Source, text: str | None) -> tuple[Resource, dict[str, str] | None]:
    """Return the resource for the given text, by the address that a crawl uses, and its renaming if it has one."""
    resource = _resource(source, _meant(text))
    known = source.rename(resource.address)
    if known is None:
        return filter_test.as_known(house, source, resource), None
    renamed = lookup.renaming(resource.address, known)
    return filter_test.as_known(house, source, resource._replace(address=known.address)), renamed


def _meant(text: str | None) -> str | None:
    """Return the address that a text means: an address, or a file path; None stays None.

    Raises BadAddress for invalid text.
    """
    if text is None:
        return None
    lookup.see_given(text)
    if "://" in text:
        return canonical(text)
    return canonical(Path(text).expanduser().absolute().as_uri())


def _resource(source: Source, address: str | None) -> Resource:
    """Return the resource to visit, without its stored state."""
    if address is None:
        found = next((each for batch in source.discover("") for each in batch if isinstance(each, DiscoveredUrl)), None)
        if found is None:
            raise NotFoundError("The source has no start address, or its folder has no file.")
        address = found.address
    return Resource(0, source.number, 0, address, Role.DOCUMENT, 0, 0, 0, 0, "", "", "", b"", b"", 0, indexed=False)


async def _visit(
    source: Source, resource: Resource, reader: Converter, house: Installation
) -> tuple[VisitResult, VisitTrace, list[_Prerequisite]]:
    """Visit a resource after the prerequisites of the gates, each at the pace of the host."""
    others, key = OtherSites(house.store, house.clock), origin_of(resource.address).site
    work = HostState(Lease(0, key, 0, 0.0), {}, facts=others.facts(key))
    task, before = VisitTask(resource, work), list[_Prerequisite]()
    wire = VisitTrace(sent=others.sent, site=key, facts=work.facts, beside=others)
    try:
        while True:
            ruling = source.gates.visit(resource, work.facts)
            if isinstance(ruling, Prerequisite) or ruling.admitted:
                await _in_turn(source, work, others, house.clock)
            got = await visit(task, source, reader, house.clock, others)
            if isinstance(got, VisitResult):
                return got, _added(wire, got.wire), before
            before.append(await _ask_first(source, got, work, wire))
            if before[-1].failed:
                reason = f"{before[-1].address} {before[-1].said}, so the address cannot be visited."
                return (
                    VisitResult(task, Deferred(before[-1].failed, reason), VisitTrace(), house.clock.now()),
                    wire,
                    before,
                )
    finally:
        others.add(key, work.tally)
        others.flush()


async def _in_turn(source: Source, work: HostState, others: OtherSites, clock: Clock) -> None:
    """Wait until the crawl delay of the host allows the next request, including requests of other processes."""
    pace = source.pace(work.key, work.facts)
    await others.turn(work.key, pace, inf)
    work.sent_at = clock.monotonic() - (clock.now() - others.last(work.key))
    work.delay_s, work.rule = pace.delay_s, pace.rule


async def _ask_first(source: Source, blocked: Blocked, work: HostState, wire: VisitTrace) -> _Prerequisite:
    """Fetch a prerequisite and keep its fact for this visit."""
    address = blocked.prerequisite.address
    said = await source.fetch(blocked.task.resource._replace(address=address, role=Role.ROBOTS), wire)
    fact = source.fact(said, Role.ROBOTS)
    if fact is None:
        status = 503 if isinstance(said, Content) else said.status
        why = "" if isinstance(said, Content) else (reason_of(said) or "").rstrip(".")
        return _Prerequisite(address, f"failed ({status} {why or 'it taught nothing'})", status)
    work.facts[fact[0]] = fact[1]
    if wire.beside is not None:
        wire.beside.learn(work.key, *fact)
    return _Prerequisite(address, f"answered with {len(fact[1])} bytes")


def _added(first: VisitTrace, second: VisitTrace) -> VisitTrace:
    return VisitTrace(
        first.requests + second.requests, first.conditional + second.conditional, first.audits + second.audits,
        first.received + second.received, first.decoded + second.decoded,
        credential=second.credential or first.credential,
    )  # fmt: skip


def _record(name: str, source: Source, report: VisitResult, wire: VisitTrace) -> VisitTest:
    """Return the record of a test visit, with the rules that decided."""
    outcome, address = report.outcome, report.task.resource.address
    follow = source.gates.follow(address, report.task.resource.depth)
    status = describe(outcome.status)
    code = 0 if outcome.kind in _WELL else 6 if is_unreachable(outcome.status) else 3
    record = {
        "source": name, "address": address, "outcome": outcome.kind.name.lower(), "status": outcome.status,
        "status_text": status.text, "rule": _rule(outcome) or f"{follow.gate}: {follow.rule}",
        "reason": _feed(outcome) or reason_of(outcome),
        "advice": remedies.advice(outcome.status, address) if code else None,
        **_content(outcome, source), "requests": wire.requests, "bytes": wire.received,
        "credential": wire.credential or None, "priority": filter_test.wanted(source, address),
        "rights": source.settings.opened_to_all(address), "exit_code": code,
    }  # fmt: skip
    return cast("VisitTest", record)


def _feed(outcome: Outcome) -> str:
    """Return the sentence on a feed, "" for anything else."""
    names = outcome.sitemap if isinstance(outcome, Ok) else None
    return feed_sentence(names.form, len(names.entries)) if names is not None else ""


def _rule(outcome: Outcome) -> str | None:
    return f"{outcome.ruling.gate}: {outcome.ruling.rule}" if isinstance(outcome, Excluded) else None


def _content(outcome: Outcome, source: Source) -> ContentSummary:
    """Type, title, size and links of the fetched document, as far as they are known."""
    content: Content | None = getattr(outcome, "content", None)
    document: Document | None = getattr(outcome, "document", None)
    links = document.links if document else ()
    inside = sum(source.gates.follow(link.address, 1).admitted for link in links)
    return {
        "access_url": content.address if content else None, "target": outcome.target if isinstance(outcome, Moved) else
        None, "mime": (document or content).mime if document or content else None,  # type: ignore[union-attr]
        "title": document.title if document else None, "language": document.language if document else None,
        "size_bytes": len(content.body) if content else None, "text_length": len(document.text) if document else None,
        "links": len(links), "links_to_follow": inside,
    }  # fmt: skip
