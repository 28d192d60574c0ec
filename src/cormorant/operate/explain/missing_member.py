"""Explanation of a document that its container, which is known, does not have."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from cormorant.base.clock import timestamp
from cormorant.extract.detect.formats import format_of
from cormorant.frontier.staging.member_rows import MOST_DEPTH
from cormorant.model import no_text
from cormorant.model.member import INNER, MEMBER, depth_of, member_address, path_within
from cormorant.model.no_text import NoTextReason
from cormorant.model.outcome import OutcomeKind
from cormorant.model.status import describe
from cormorant.operate.documents import lookup
from cormorant.operate.documents.address_lookup import AddressLookup
from cormorant.operate.documents.conversion import how_read
from cormorant.operate.documents.source_addresses import SourceAddresses
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import Explanation
from cormorant.store.db.database import Tx

_READ: Final = (OutcomeKind.OK, OutcomeKind.UNCHANGED)
_NAME: Final = "folder/name.txt"


class _Why(NamedTuple):
    """The reason why a container that was read lacks a document, and advice."""

    because: str
    advice: str


def explain(
    house: Installation, known: AddressLookup, addresses: SourceAddresses, address: str, record: Explanation
) -> Explanation | None:
    """Explain a member that has no row; None where no container around it is known.

    `record` has the fields that this does not set.
    """
    owner = addresses.owner
    around = ((row, *pair) for pair in _containers(address) for row in known.at(pair[0]) if row.source_id == owner.id)
    row, container, inner = next(around, (None, "", ""))
    if row is None:
        return None
    outcome, status = OutcomeKind(row.outcome), describe(row.status)
    found: Explanation = {**record, "source": owner.name}
    if outcome in _READ:
        lacking = _by_settings(addresses, container, inner) or _by_reading(house, known.tx, row, container)
        because, advice = lacking or _absent(row, container, inner)
        return {**found, "because": because, "advice": advice}
    if outcome is OutcomeKind.NONE:
        because = f"{container}, in which it would be, has not been visited yet."
        return {**found, "verdict": "pending", "because": because}
    why = f": {row.reason}" if row.reason else ""
    return {
        **found,
        "verdict": "gone" if outcome is OutcomeKind.GONE else "not_indexed",
        "because": f"The last visit of {container}, in which it would be, ended {row.status} {status.text}{why}.",
        "status": row.status, "status_text": status.text, "advice": _more(container),
    }  # fmt: skip


def _containers(address: str) -> Iterator[tuple[str, str]]:
    """Yield each container around a member with the member of it that leads on, the innermost first.

    Containers that lie deeper than MOST_DEPTH are left out, since none has a row.
    """
    outer, _, path = address.partition(MEMBER)
    names = path.split(INNER) if path else []
    for count in range(min(len(names) - 1, MOST_DEPTH), -1, -1):
        above = f"{outer}{MEMBER}{INNER.join(names[:count])}" if count else outer
        yield above, f"{outer}{MEMBER}{INNER.join(names[: count + 1])}"


def _by_settings(addresses: SourceAddresses, container: str, inner: str) -> _Why | None:
    """Return the setting by which the source reads no such members; None if it may read them."""
    settings, name = addresses.settings, addresses.owner.name
    if settings is None:
        return None
    edit = f"`cormorant source edit {shlex.quote(name)} --set"
    if not settings.unpack:
        because = f"Source {name} does not look for documents in {container} (unpack=false)."
        return _Why(because, f"{edit} unpack=true` has the next crawl look for them.")
    depth, most = depth_of(inner), settings.unpack_depth
    if depth <= most:
        return None
    because = f"It would lie in {depth} containers, and source {name} reads documents in at most {most} (unpack_depth)."
    return _Why(because, f"{edit} unpack_depth={depth}` has the next crawl look deeper; at most 16 are possible.")


def _by_reading(house: Installation, tx: Tx, row: Any, container: str) -> _Why | None:
    """Return the reason why not all members of a container are known; None if they are."""
    copy = how_read(house, lookup.place_of(tx, row.id), row.size_bytes)
    if copy["read_by"] == no_text.TIKA:
        because = f"{container} was read by {no_text.TIKA}, so documents in it are none of their own."
        return _Why(because, f"Search for their words: those that {no_text.TIKA} found are in the text of {container}.")
    remark = no_text.reason_in(row.reason or "")
    if remark is NoTextReason.PROTECTED:
        because = f"No document in {container} can be read, because {remark}."
        return _Why(because, no_text.advice(remark))
    if row.reason and remark is None:
        because = f"Not all of {container} could be read{_when(row)}: {row.reason}"
        return _Why(because, _more(container))
    made = format_of(row.mime) if row.mime else None
    if row.mime and (made is None or not made.embedded):
        return _Why(f"{container} has the type {row.mime}, in which no documents are looked for.", _spelling(container))
    return None


def _absent(row: Any, container: str, inner: str) -> _Why:
    """Return that a container which was read in full has no such member."""
    return _Why(f"{container} had no {path_within(inner)!r}{_when(row)}.", _spelling(container))


def _when(row: Any) -> str:
    return f" when it was last read, on {timestamp(row.visited_at)} (run {row.run})" if row.visited_at else ""


def _spelling(container: str) -> str:
    shown = member_address(container, _NAME)
    return f"Check its spelling. Results and `cormorant document list` show addresses like {shown}."


def _more(container: str) -> str:
    return f"`cormorant explain {shlex.quote(container)}` says more."
