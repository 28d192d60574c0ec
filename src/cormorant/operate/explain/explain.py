"""Explanation why an address is in the index, or why not.

Everything known about it, and one sentence that sums it up.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import rfc3339, timestamp
from cormorant.base.errors import CormorantError
from cormorant.frontier.links import codec, redirect_chains
from cormorant.frontier.policy import priority
from cormorant.frontier.staging import duplicate_clusters, pending_deletes, unreviewed
from cormorant.frontier.state import host_facts
from cormorant.model import no_text
from cormorant.model.acl import EVERYONE
from cormorant.model.member import is_member
from cormorant.model.no_text import NoTextReason
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import BY_LINK, DiscoveredBy, Role, UrlState
from cormorant.model.ruling import Gate, gate_and_rule
from cormorant.model.run import RunState
from cormorant.model.settings.priority import Level
from cormorant.model.status import describe
from cormorant.model.url import fingerprint, origin_of
from cormorant.operate.checks import host_errors, limits, remedies, sitemaps
from cormorant.operate.documents import links, lookup, rejected_deliveries, takedowns
from cormorant.operate.documents.address_lookup import AddressLookup
from cormorant.operate.documents.conversion import how_read
from cormorant.operate.documents.source_addresses import KIND_FAULTS, SourceAddresses
from cormorant.operate.explain import explain_unknown, former_address, missing_member, rulings
from cormorant.operate.explain.explain_unknown import empty
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import (
    CacheEntryRecord,
    Conversion,
    Explanation,
    NextVisitRecord,
    Path,
    RulingRecord,
    Visit,
)
from cormorant.operate.records.takedowns import Takedown
from cormorant.plugins import Discovery, source_kind
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.catalog import acls, receivers
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, tombstones, visits
from cormorant.store.journal.counters import CONVERSION
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import content, inlinks, resource

_VERDICTS = {
    OutcomeKind.NONE: "pending",
    OutcomeKind.OK: "indexed",
    OutcomeKind.UNCHANGED: "indexed",
    OutcomeKind.MOVED: "not_indexed",
    OutcomeKind.GONE: "gone",
    OutcomeKind.EXCLUDED: "excluded",
    OutcomeKind.DEFERRED: "pending",
    OutcomeKind.FAILED: "failed",
    OutcomeKind.QUARANTINED: "failed",
    OutcomeKind.HELD: "held",
}


def explain(house: Installation, address: str, *, here: bool = True) -> list[Explanation]:
    """One object for each source that knows the address or would exclude it; one with verdict unknown if none does.

    The path of a file stands for its address; `here`: also one that begins in this process's folder. Raises BadAddress
    for what is neither.
    """
    with house.store.read() as tx:
        known = AddressLookup(tx)
        meant = lookup.address_of(tx, address, here=here, known=known)
        rows = {row.source_id: row for row in known.at(meant)}
        found: list[Explanation] = []
        for number, each in known.owners.items():
            if number in rows:
                record = _known(house, tx, each.owner, rows[number])
                _rename(record, each, rows[number], meant)
                _refuse(tx, record)
                found.append(_left_out(house, tx, each.owner, rows[number], record))
            elif said := _unkept(house, known, each, meant):
                _rename(said, each, None, meant)
                found.append(said)
        if not found:
            found = [explain_unknown.anywhere(house, tx, meant)]
    return sorted(found, key=lambda each: each["verdict"] == "excluded" and not each["visits"])


def _rename(record: Explanation, addresses: SourceAddresses, row: Any, asked: str) -> None:
    """Add the requested, the fetched and the shown address, and the rule that renames it, if one does."""
    known = addresses.renamed(asked)
    if known is None and row is not None and row.display:
        known = addresses.renamed(row.display)
    if known is not None and (row is None or row.address == known.address):
        record["renamed"] = lookup.renaming(asked, known)


def _known(house: Installation, tx: Tx, owner: SourceRow, row: Any) -> Explanation:
    """A resource of the source."""
    outcome = OutcomeKind(row.outcome)
    kept = tx.rows(sa.select(content).where(content.c.id == row.id))
    out_of_sight = pending_deletes.is_hidden(tx, row.id)
    place = next((r.place for r in receivers.every(tx) if r.kind == receivers.INDEX), None)
    found = bool(kept) and bool(kept[0].indexed) and not out_of_sight
    passed = found and place is not None and kept[0].seq <= place
    verdict = _VERDICTS[outcome]
    if found and outcome is not OutcomeKind.HELD:
        verdict = "indexed" if passed else "pending"
    elif verdict == "indexed":
        verdict = "not_indexed"
    if row.role != Role.DOCUMENT:
        verdict = "not_indexed"
    held = lookup.held_by(runs.held(tx), owner.id, row.outcome, indexed=found)
    if held:
        verdict = "held"
    number = lookup.status_of(OutcomeKind.HELD if held else outcome, row.status)
    status = describe(number)
    access = _access(tx, kept[0].acl_id) if kept else None
    public = access is None or (EVERYONE in access["grants"] and not access["denies"])
    because = _held(held, row.status) if held else _because(row, outcome, verdict, status, public=public, found=found)
    site = host_errors.of_site(tx, row.site_id)
    advice = remedies.advice(number, row.address)
    if site and outcome is OutcomeKind.NONE:
        because, advice = f"It is known and has not been visited yet: {site['said']}.", site["advice"]
    elif outcome is OutcomeKind.NONE:
        because, advice = limits.unvisited(tx, owner) or (because, advice)
    because, advice = said(tx, row, because, advice)
    because = former_address.dated(tx, row.id, because) if verdict == "gone" else because
    hides = takedowns.of_address(tx, owner.name, row.address, row.display, row.url)
    read = _conversion(house, tx, row, kept[0] if kept else None)
    lacks = read["no_text"] if read and verdict in ("indexed", "pending") else None
    if lacks:
        missing = NoTextReason(lacks)
        because = f"{because} {no_text.sentence(missing, no_text.words_in(row.reason or ''))}"
        advice = no_text.advice(missing)
    return {
        **empty(row.address),
        "source": owner.name, "id": row.id if row.role == Role.DOCUMENT else None, "title": row.title or None,
        "depth": row.depth, "links": links.counted(tx, row.id), "verdict": verdict, "because": because,
        "status": number, "status_text": status.text, "advice": "" if because is sitemaps.BECAUSE else advice,
        "paths": _paths(tx, row), "gates": _gates(house, tx, owner, row, hides), "visits": _visits(tx, row, outcome),
        "conversion": read,
        "index": {"indexed": passed, "delivered_as": kept[0].seq if kept else None, "place": place},
        "cache": _cache(kept[0]) if kept else None,
        "duplicates": _duplicates(tx, kept[0]) if kept and found else [],
        "near_duplicates": _near(tx, kept[0]) if kept and found else [],
        "access": access,
        "next": {"when": "not before its takedown ends"} if hides else _next(tx, owner, row), "site": site,
        "sitemap": sitemaps.of_row(tx, row),
        "takedown": hides,
    }  # fmt: skip


def _gates(house: Installation, tx: Tx, owner: SourceRow, row: Any, hides: Takedown | None) -> list[RulingRecord]:
    """Return the ruling of each gate on a resource today, with a takedown that hides it before the others."""
    ruled = rulings.of_row(house, tx, owner, row)
    return [{"gate": str(Gate.TAKEDOWN), "rule": hides["rule"], "ruling": rulings.EXCLUDES}, *ruled] if hides else ruled


def _refuse(tx: Tx, record: Explanation) -> None:
    """Add the deliveries of a document that receivers could not take, and if nothing else is wrong, the remedy."""
    refused = rejected_deliveries.of(tx, [record["id"]]).get(record["id"], []) if record["id"] is not None else []
    if not refused:
        return
    why = rejected_deliveries.why(refused)
    record["refusals"] = [each.record() for each in refused]
    record["because"] = f"{record['because']} {why[0].upper()}{why[1:]}"
    if record["verdict"] in ("indexed", "pending"):
        record["advice"] = rejected_deliveries.advice(refused, record["address"])


def _held(run: RunRow, status: int) -> str:
    """The one sentence about a document that the deletion guard holds."""
    return f"It may be found still, since {lookup.why_held(run, status)}"


def _conversion(house: Installation, tx: Tx, row: Any, kept: Any) -> Conversion | None:
    """Return the conversion result: the fault of the last visit if unreadable, else how the document was read."""
    if row.status in CONVERSION:
        return {"mime": kept.mime if kept else None, "status": row.status, "reason": row.reason, "no_text": None}
    if not kept:
        return None
    place = BlobPlace(kept.pack, kept.pack_offset, kept.pack_length)
    read = how_read(house, place, kept.size_bytes)
    before = read.get("answered_from")
    former = tombstones.at(tx, row.source_id, before) if before else None
    if former is not None and former.resource_id == row.id:  # it was moved since, and no redirect led there
        read["answered_from"] = None
    return {"mime": kept.mime, "status": lookup.OK, "reason": None, "language": kept.language or None, **read}


def _because(row: Any, outcome: OutcomeKind, verdict: str, status: Any, *, public: bool, found: bool) -> str:
    """The one sentence. `public`: everybody may read it; `found`: search finds it, as its last visit left it."""
    if row.role == Role.SITEMAP and outcome in (OutcomeKind.OK, OutcomeKind.UNCHANGED, OutcomeKind.NONE):
        return sitemaps.BECAUSE
    if row.role == Role.ROBOTS:
        return "It is fetched for its rules for the site, and is no document."
    if verdict == "indexed":
        kept = (
            ""
            if outcome in (OutcomeKind.OK, OutcomeKind.UNCHANGED)
            else f" The last visit ended {row.status} {status.text}."
        )
        whom = "" if public else ", only by people whom its rights name"
        return f"It was fetched and may be found{whom}.{kept}"
    if outcome is OutcomeKind.NONE:
        return "It is known and has not been visited yet."
    if verdict == "pending" and outcome in (OutcomeKind.OK, OutcomeKind.UNCHANGED):
        return "It was fetched and will soon be in the index."
    said = gate_and_rule(row.reason or "")[1] if outcome is OutcomeKind.EXCLUDED else row.reason
    reason = f": {said}" if said else "."
    kept = "It is found as it was before, since its last visit ended " if found and verdict == "held" else ""
    return f"{kept}{row.status} {status.text}{reason}"


def _paths(tx: Tx, row: Any) -> list[Path]:
    """Every way it was discovered: its first, then every page that links to it now, and what has moved to it."""
    how = DiscoveredBy(row.how)
    paths: list[Path] = []
    into = tx.rows(sa.select(inlinks.c.links).where(inlinks.c.id == row.id))
    leading = codec.unpack_in(into[0].links if into else None)
    moved = redirect_chains.ways(tx, row.source_id, [row.address])
    if how not in BY_LINK or not (leading or moved):
        paths.append({"how": how.name.lower(), "from": _address(tx, row.referrer), "text": ""})
    numbers = {link.referrer for link in leading[:100]}
    known = {
        each.id: each.address
        for each in tx.rows(sa.select(resource.c.id, resource.c.address).where(resource.c.id.in_(numbers)))
    }
    shown = [link for link in leading[:100] if link.referrer in known]
    paths += [{"how": "link", "from": known[link.referrer], "text": link.text} for link in shown]
    paths += [{"how": DiscoveredBy.REDIRECT.name.lower(), "from": each.address, "text": ""} for each in moved[:100]]
    return paths


def _address(tx: Tx, number: int | None) -> str | None:
    found = tx.rows(sa.select(resource.c.address).where(resource.c.id == number)) if number is not None else []
    return found[0].address if found else None


def _visits(tx: Tx, row: Any, outcome: OutcomeKind) -> list[Visit]:
    """Every visit that changed something, then the newest one if it changed nothing.

    A person's later action on the document follows its visit.
    """
    kept = visits.of(tx, row.id)
    found: list[Visit] = [
        {
            "time": timestamp(each.at), "run": each.run, "outcome": OutcomeKind(each.outcome).name.lower(),
            "status": each.status, "bytes": each.size_bytes, "hash": each.content_hash.hex() if each.content_hash else
            None, "changed": each.changed, "reason": each.reason,
        }
        for each in kept
    ]  # fmt: skip
    if row.visited_at and (not kept or kept[-1].at < row.visited_at):
        found.append(
            {"time": timestamp(row.visited_at), "run": row.run, "outcome": outcome.name.lower(), "status": row.status,
             "bytes": 0, "hash": None, "changed": "", "reason": row.reason}
        )  # fmt: skip
    return found


def _cache(kept: Any) -> CacheEntryRecord:
    return {
        "pack": str(kept.pack),
        "offset": kept.pack_offset,
        "length": kept.pack_length,
        "fetched_at": rfc3339(kept.fetched_at),
    }


def _duplicates(tx: Tx, kept: Any) -> list[str]:
    """Other documents with the same bytes, of any source, that search may find."""
    statement = sa.select(content.c.url).where(content.c.content_hash == kept.content_hash, content.c.id != kept.id)
    return (
        [row.url for row in tx.rows(statement.where(content.c.indexed).limit(20))]
        if kept.content_hash and kept.size_bytes
        else []
    )


def _near(tx: Tx, kept: Any) -> list[str]:
    """Other documents that are nearly the same as this or one of its equals, of any source, that search may find."""
    same = sa.and_(content.c.content_hash == kept.content_hash, content.c.content_hash != b"", content.c.indexed)
    equals = [row.id for row in tx.rows(sa.select(content.c.id).where(same).order_by(content.c.id).limit(100))]
    numbers = duplicate_clusters.members(tx, [kept.id, *equals], 100)
    statement = sa.select(content.c.url).where(content.c.id.in_(numbers), content.c.indexed)
    unlike = statement.where(content.c.content_hash != kept.content_hash).order_by(content.c.id).limit(20)
    return [row.url for row in tx.rows(unlike)]


def _access(tx: Tx, number: int) -> dict[str, list[str]]:
    found = acls.ACLNumbers().list_of(tx, number)
    return {"grants": list(found.grants), "denies": list(found.denies)}


def _next(tx: Tx, owner: SourceRow, row: Any) -> NextVisitRecord:
    """Return when a resource is visited again."""
    if row.not_before:
        return {"not_before": rfc3339(row.not_before), "attempts": row.attempts}
    if row.role == Role.ROBOTS:
        return _asked_again(tx, row)
    if row.state == UrlState.SETTLED and row.outcome in (OutcomeKind.OK, OutcomeKind.UNCHANGED):
        return {"when": "when its container changes" if is_member(row.address) else _shown_change(owner)}
    if row.state == UrlState.SETTLED and row.outcome == OutcomeKind.GONE:
        return {"when": "when its container has it again" if is_member(row.address) else "when it is listed again"}
    under_way = any(run.source_id == owner.id for run in runs.open_runs(tx))
    now = under_way and row.due >> 40 <= owner.generation
    level = priority.level_of(row.due)
    asked = "in the run under way" if now else "in the next run"
    read = ", and read only if it has changed by then" if row.outcome == OutcomeKind.QUARANTINED else ""
    record: NextVisitRecord = {"when": asked + read}
    if level is not None and level is not Level.NORMAL:
        record["level"] = level.label
    return record


def _shown_change(owner: SourceRow) -> str:
    """Return when a document that its source lists is read again."""
    noun = "document"
    with suppress(CormorantError):  # its kind is not installed any more
        noun = source_kind(owner.kind).noun
    return "when a listing shows a change" + (f" of the {noun}" if noun != "document" else "")


def _asked_again(tx: Tx, row: Any) -> NextVisitRecord:
    """Return when robots.txt is requested again: its rules have expired and a page of the site is due."""
    origin = str(origin_of(row.address))
    until = [
        each.valid_until
        for each in host_facts.read(tx, [row.site_id], [host_facts.INSTALLATION])
        if each.name.endswith(f":{origin}")
    ]
    if not until:
        return {"when": "before the next visit of a page of its site"}
    return {"when": "before a visit of a page of its site, when it holds no longer", "holds_until": rfc3339(max(until))}


def _unkept(house: Installation, known: AddressLookup, addresses: SourceAddresses, address: str) -> Explanation | None:
    """Return what a source says of an address for which it has no resource, None when that is nothing."""
    tx, owner = known.tx, addresses.owner
    if former := former_address.explain(house, tx, addresses, address):
        return former
    for meant in addresses.meanings(address):
        record = empty(address)
        if said := (
            _stranger(house, tx, owner, meant, record)
            or missing_member.explain(house, known, addresses, meant, record)
            or explain_unknown.unlisted(house, tx, owner, meant, record)
        ):
            return said
    return None


def _stranger(house: Installation, tx: Tx, owner: SourceRow, address: str, record: Explanation) -> Explanation | None:
    """Explain an address the source has no resource for, because a gate excluded it; `record` is what is said else."""
    rows = visits.exclusions(tx, owner.id, [fingerprint(address, owner.id)])
    if not rows:
        return None
    row, status = rows[0], describe(rows[0].status)
    how = _way_of_names(house, owner) if row.referrer is None else sitemaps.way(tx, row.referrer)
    return {
        **record,
        "source": owner.name, "verdict": "excluded", "because": f"{row.status} {status.text}: {row.rule}",
        "status": row.status, "status_text": status.text, "advice": remedies.advice(row.status, address),
        "paths": [{"how": how, "from": _address(tx, row.referrer), "text": links.text(tx, row.referrer, address)}],
        "gates": [{"gate": row.gate, "rule": row.rule, "ruling": "excludes"}],
        "next": {"when": "never, unless the rule changes"},
    }  # fmt: skip


def _way_of_names(house: Installation, owner: SourceRow) -> str:
    """Return how a source names addresses that nothing else leads to: as start addresses, or in its listing."""
    way = DiscoveredBy.LISTING
    with suppress(CormorantError, *KIND_FAULTS):  # not installed any more, invalid settings, or a faulty package
        way = DiscoveredBy.SEED if house.source(owner).discovery is Discovery.SEEDS else way
    return way.name.lower()


def _left_out(house: Installation, tx: Tx, owner: SourceRow, row: Any, record: Explanation) -> Explanation:
    """Return a record with the setting, or the receiver, because of which a listing no longer names a file, if any."""
    said = (
        explain_unknown.unlisted(house, tx, owner, row.address, record)
        if record["verdict"] == "gone" and row.reason == pending_deletes.ABSENT
        else None
    )
    return said if said and said["verdict"] == "excluded" else record


AGAIN = "The next crawl finds it again; to keep it out for good, add the rule to `exclude` of its source."
_DROPPED = "Search finds its earlier version. A newer version was examined and dropped."


def said(tx: Tx, row: Any, because: str, advice: str) -> tuple[str, str]:
    """The sentence about a resource and the advice, put right where its newest version was examined."""
    if unreviewed.was_left_out(row.reason):
        changed = row.outcome != OutcomeKind.EXCLUDED
        return (f"{because} {row.reason}; the next crawl finds it again." if changed else because), AGAIN
    if row.reason != unreviewed.WAITS:
        return because, advice
    run = runs.unfinished(tx, row.source_id)
    if run is None:
        return _DROPPED, "The next crawl fetches it again."
    return because, runs.answers(run) if run.state is RunState.PENDING else advice
