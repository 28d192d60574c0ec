"""Lookup of addresses: the documents at an address, with their records."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import rfc3339
from cormorant.base.errors import BadAddress, NotFoundError
from cormorant.base.log import logger
from cormorant.frontier.progress import remaining
from cormorant.frontier.progress.url_states import Standing, set_of
from cormorant.frontier.staging import unreviewed
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role, UrlState
from cormorant.model.ruling import Renamed
from cormorant.model.run import Mode, RunState
from cormorant.model.status import Status
from cormorant.model.url import canonical, fingerprint, join, origin_of, try_canonical
from cormorant.operate.documents import member_lookup, rejected_deliveries
from cormorant.operate.documents.address_lookup import ROWS, AddressLookup, as_known
from cormorant.operate.documents.conversion import how_read
from cormorant.operate.documents.rejected_deliveries import RejectedDocument
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import DocumentRecord, OneDocument
from cormorant.receivers.stream import Event
from cormorant.sources.trees.share import of_share
from cormorant.sources.trees.tree_urls import quoted
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.catalog import receivers
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, tombstones, visits
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import content, resource, stream

_log = logger(__name__)
OK = 200
EXCLUDED = "excluded"
"""The state of an address that a gate excluded, before it was visited or at its newest visit."""
_ENDINGS = (".csv", ".docx", ".htm", ".html", ".json", ".md", ".odt", ".pdf", ".php", ".pptx", ".txt", ".xlsx", ".xml")
"""Endings of names that belong to files, not to hosts."""


class View:
    """A view of the rows that computes the state of documents (`frontier.progress.url_states`) and their records."""

    def __init__(self, tx: Tx) -> None:
        self._places: dict[int, int] = {}
        self._index = receivers.index_place(tx) if receivers.has_index(tx) else inf
        self._running = {row.source_id: row for row in runs.open_runs(tx)}
        self._held = runs.held(tx)
        self._examining = {
            each.source_id
            for each in (*runs.unfinished_runs(tx), *self._held.values())
            if each.mode is Mode.EXAMINE and each.started_at is not None and each.state is not RunState.HELD
        }
        self._referrers: dict[int, str] = {}
        self._tx = tx

    def records(self, rows: Sequence[Any]) -> list[DocumentRecord]:
        """The Document records of rows, at most 1,000."""
        refused = rejected_deliveries.of(self._tx, [row.id for row in rows])
        waits = unreviewed.among(self._tx, [row for row in rows if row.source_id in self._examining])
        coming = self._coming(rows)
        return [
            self._record(row, refused.get(row.id, []), waits=row.id in waits, is_coming=row.seq in coming)
            for row in rows
        ]

    def _coming(self, rows: Sequence[Any]) -> set[int]:
        """The events of those documents that the index does not have yet."""
        late = [row.seq for row in rows if (row.seq or 0) > self._index]
        found = bulk.select_numbered(self._tx, stream, ("seq", "event"), "seq", late)
        return {seq for seq, event in found if event == Event.NEW}

    def _record(self, row: Any, refused: Sequence[RejectedDocument], *, waits: bool, is_coming: bool) -> DocumentRecord:
        held = held_by(self._held, row.source_id, row.outcome, indexed=row.indexed)
        outcome = OutcomeKind.HELD if held else OutcomeKind(row.outcome)
        excluded = OutcomeKind(row.outcome) is OutcomeKind.EXCLUDED
        reason = why_held(held, row.status) if held else row.reason
        return {
            "id": row.id,
            "source": row.source,
            "url": row.url or row.display or row.address,
            "access_url": row.address,
            "state": self._state(row, outcome, max((each.seq for each in refused), default=None), waits=waits),
            "status": status_of(outcome, row.status),
            "outcome": None if outcome is OutcomeKind.NONE else outcome.name.lower(),
            "reason": "; ".join(filter(None, (reason, rejected_deliveries.why(refused)))) or None,
            "rule": (row.reason or "").partition(": ")[2] if excluded else None,
            "title": row.title,
            "mime": row.mime,
            "language": row.language,
            "size_bytes": row.size_bytes,
            "depth": row.depth,
            "referrer": self._referrer(row.referrer),
            "content_hash": _hex(row.content_hash),
            "fetched_at": rfc3339(row.fetched_at),
            "changed_at": rfc3339(row.changed_at),
            "visited_at": rfc3339(row.visited_at),
            "next_visit_at": rfc3339(row.not_before or None),
            "indexed": bool(row.indexed) and row.hidden is None and not is_coming,
            "attempts": row.attempts,
        }

    def _state(self, row: Any, outcome: OutcomeKind, refused: int | None, *, waits: bool) -> str:
        """Return which of the nine sets a resource is in; one excluded by a gate at its visit is in none."""
        run = self._running.get(row.source_id)
        return set_of(
            Standing(
                row.due, row.state == UrlState.READY, row.visited_at is not None, outcome, row.run, row.seq or 0,
                row.generation, run.id if run is not None else None, self._place(row.source_id), refused, waits,
            )
        )  # fmt: skip

    def _place(self, source: int) -> int:
        """Return the place up to which a source is delivered to the index and to all receivers that do not fail."""
        if source not in self._places:
            own = receivers.of_source(self._tx, source)
            well = [each for each in own if not each.error or each.kind == receivers.INDEX]
            self._places[source] = min((each.place for each in well or own), default=0)
        return self._places[source]

    def _referrer(self, number: int | None) -> str | None:
        if number is None:
            return None
        if number not in self._referrers:
            found = self._tx.rows(sa.select(resource.c.address).where(resource.c.id == number))
            self._referrers[number] = found[0].address if found else ""
        return self._referrers[number] or None


def _hex(digest: bytes | None) -> str | None:
    return digest.hex() if digest else None


def status_of(outcome: OutcomeKind, status: int) -> int:
    """The status of a document: 200 for an unchanged one, HELD for one that the deletion guard holds."""
    if outcome is OutcomeKind.HELD:
        return Status.HELD.value
    return OK if outcome is OutcomeKind.UNCHANGED else status


def held_by(held: Mapping[int, RunRow], source: int, outcome: int, *, indexed: bool | None) -> RunRow | None:
    """The run that holds the deletion of a document until a person accepts. `held` are such runs by source."""
    return held.get(source) if indexed and outcome in remaining.GOING else None


def why_held(run: RunRow, status: int) -> str:
    """Why a document is held, and the commands to decide about it."""
    return f"run {run.id} {runs.stands(run)}, and the last visit ended {status}. {runs.answers(run)}"


def address_of(tx: Tx, text: str, *, here: bool = True, known: AddressLookup | None = None) -> str:
    """The address that a person means: one in full, or the path of a file.

    `here`: a path may be relative to this process's folder, or begin with `~`; False for requests over a network.
    `known`: the rows of addresses, if the caller looks up others too.
    Raises BadAddress for anything else, with the nearest address in full.
    """
    rows = known or AddressLookup(tx)
    see_given(text)
    bare = text.strip()
    if shared := _on_share(rows, bare, here=here):
        return shared
    if "://" in bare or bare.lower().startswith("file:/"):
        return member_lookup.of_text(rows, bare) or canonical(bare)
    place = os.path.expanduser(bare) if here else bare  # noqa: PTH111 - an address is made of the path's bytes
    is_path = "\0" not in place and (here or place.startswith("/"))
    path = os.path.abspath(place) if is_path else ""  # noqa: PTH100 - pathlib keeps `..`
    if path and (place.startswith("/") or os.path.lexists(path) or _is_crawled(rows, path)):
        member = None if os.path.lexists(path) else _member_at(rows, path)
        return member or canonical("file://" + quoted(os.fsencode(path)))
    if named := _by_name(rows, bare):
        return named
    meant = _nearest(rows, bare)
    how = f"Did you mean {meant}?" if meant else f"Write it in full, like {_example(tx)}."
    more = {"meant": meant} if meant else {}
    raise BadAddress(f"{text!r} is neither a full address nor a file here. {how}", **more)


def _member_at(rows: AddressLookup, path: str) -> str | None:
    """Return the address of a document in a file that a path means, None for any other path."""
    return member_lookup.of_text(rows, path) or member_lookup.of_path(rows, path)


def _by_name(rows: AddressLookup, text: str) -> str | None:
    """Return the first known address of a document that a source knows by such a name, like its key or path.

    Else the first of a document that was moved or deleted, or that a rule excludes.
    """
    meant = [(each, as_known(address)) for each in rows.owners.values() for address in each.meant_by(text)]
    known = (address for each, address in meant if rows.in_source(each, address))
    former = (address for each, address in meant if _was_met(rows.tx, each.owner.id, address))
    return next(known, None) or next(former, None)


def _was_met(tx: Tx, source: int, address: str) -> bool:
    """Return whether a source had a document at an address, or a gate excluded it."""
    key = fingerprint(address, source)
    return tombstones.at(tx, source, address) is not None or bool(visits.exclusions(tx, source, [key]))


def _example(tx: Tx) -> str:
    """Return the address of a document, so that a person sees how addresses are written here."""
    first = sa.select(resource.c.address).where(resource.c.role == int(Role.DOCUMENT)).order_by(resource.c.id)
    rows = tx.rows(first.limit(1))
    return str(rows[0].address) if rows else "https://example.org/docs/"


def _on_share(rows: AddressLookup, text: str, *, here: bool) -> str | None:
    """The address of a path of a share, as Windows writes it; None for anything else. Raises BadAddress.

    A path with two slashes is one if a source shows files of that share, unless it is a local file.
    """
    shared = of_share(text)
    if shared is None or not text.startswith("//"):
        return shared
    if here and os.path.lexists(text):
        return None
    shown = [str(each.owner.settings.get("display_prefix", "")) for each in rows.owners.values()]
    return shared if any(each and (shared + "/").startswith(each + "/") for each in shown) else None


def see_given(text: str) -> None:
    """Raise BadAddress for an empty address."""
    if not text.strip():
        raise BadAddress(
            "You gave no address. Write one in full, like https://example.org/docs/, or the path of a file."
        )


def _is_crawled(rows: AddressLookup, path: str) -> bool:
    """Return whether a path is below the folder of a source; the file itself may be gone."""
    roots = [str(each.owner.settings.get("path", "")) for each in rows.owners.values()]
    return any(root and path.startswith(root.rstrip("/") + "/") for root in roots)


def _nearest(rows: AddressLookup, text: str) -> str | None:
    """Return the likely address for text that lacks a scheme or host; None if there is none."""
    host = text.partition("/")[0]
    starts = [start for each in rows.owners.values() for start in each.owner.settings.get("start") or ()]
    first = next((each for each in starts if origin_of(each).site == host), starts[0] if starts else "")
    scheme = origin_of(first).scheme if first and origin_of(first).site == host else ""
    named = ("." in host or ":" in host or host == "localhost") and not host.lower().endswith(_ENDINGS)
    if named:
        scheme = scheme or ("http" if ":" in host or host == "localhost" else "https")
        return try_canonical(f"{scheme}://{text}")
    return next((address for _, address in join(first, [text])), None) if first else None


def renaming(asked: str, known: Renamed) -> dict[str, str]:
    """Return the requested, the fetched and the shown address, and the rule that renames it."""
    shown = known.display or known.address
    return {"asked": asked, "fetched": known.address, "shown": shown, "rule": known.rule}


def at(tx: Tx, address: str) -> list[Any]:
    """The rows of an address, or else of the documents with this display address: one for each source."""
    return AddressLookup(tx).at(address)


def shown(house: Installation, address: str) -> list[OneDocument]:
    """The Document records of an address, each with its conversion record.

    Raises NotFoundError if no source knows it, BadAddress for an invalid one.
    """
    with house.store.read() as tx:
        found = [_shown(house, tx, row) for row in at(tx, address_of(tx, address))]
    if not found:
        raise NotFoundError(f"No source knows {address}. `cormorant explain` says whether a gate excluded it.")
    return found


def numbered(house: Installation, number: int) -> OneDocument:
    """The Document record of an id, with its conversion record. Raises NotFoundError."""
    with house.store.read() as tx:
        return _shown(house, tx, row(tx, number))


def row(tx: Tx, number: int) -> Any:
    """The row of a document by id. Raises NotFoundError if there is none, or if it is no document."""
    found = tx.rows(ROWS.where(resource.c.id == number, resource.c.role == int(Role.DOCUMENT)))
    if not found:
        raise NotFoundError(f"There is no document {number}.")
    return found[0]


def _shown(house: Installation, tx: Tx, known: Any) -> OneDocument:
    (record,) = View(tx).records([known])
    refusals = [each.record() for each in rejected_deliveries.of(tx, [known.id]).get(known.id, [])]
    return {**record, **how_read(house, place_of(tx, known.id), known.size_bytes), "refusals": refusals}


def place_of(tx: Tx, number: int) -> BlobPlace | None:
    """Return the place of the kept copy of a document, None when there is none."""
    kept = tx.rows(
        sa.select(content.c.pack, content.c.pack_offset, content.c.pack_length).where(content.c.id == number)
    )
    return BlobPlace(*kept[0]) if kept else None
