"""Explanation of an address with no resource in any source: the deciding rule, and known neighbours."""

from __future__ import annotations

import shlex

import sqlalchemy as sa

from cormorant.base.errors import CormorantError
from cormorant.model.member import is_member, outermost
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.run import RunState
from cormorant.model.status import Status, describe
from cormorant.model.url import fingerprint, origin_of
from cormorant.operate.checks import host_errors, remedies
from cormorant.operate.documents.source_addresses import KIND_FAULTS
from cormorant.operate.explain import rulings
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import Explanation, RulingRecord
from cormorant.plugins import Discovery, source_kind
from cormorant.sources.kind import OWNER
from cormorant.store.catalog import receivers, sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, visits
from cormorant.store.schema import site, site_source, source

SHOWN = 20
"""Rulings and sources that an explanation names."""
_UNLISTED = "No source knows this address: no listing names it."
_UNLISTED_NEAR = "No source knows this address, though {} of {}: no listing names it."
_NO_PLACE = "Check its spelling; it lies in the place of no source. `cormorant source list` shows the sources."
_UNMET = "No source knows this address: no crawled page links to it, and it is no start address."
_NEAR = (
    "No source knows this address, though {} of {}: no crawled page links to it now. A page that is gone is forgotten "
    "when no page links to it any more."
)
_NO_SOURCE = "There is no source yet; `cormorant source add` makes one."
_NO_BOUNDARY = "Check its spelling; the rules of every source exclude it, see the settings start and include."
_WOULD_ENTER = "Check its spelling; the rules of {} admit it, so only a link to it is missing."

_SILENT = "The rules of {} admit it; only its site can tell whether it exists."


def empty(address: str) -> Explanation:
    """An explanation of an address of which nothing is known."""
    return {
        "address": address, "source": None, "id": None, "title": None, "depth": None, "verdict": "unknown",
        "because": "", "paths": [], "links": None, "gates": [], "visits": [], "conversion": None,
        "index": {"indexed": False}, "cache": None, "duplicates": [], "near_duplicates": [], "access": None,
        "next": None, "site": None, "sitemap": None, "host": None, "refusals": [],
        "takedown": None,
    }  # fmt: skip


def anywhere(house: Installation, tx: Tx, address: str) -> Explanation:
    """Nobody has met it: what each source would say of it, which of them know its host, and what to check."""
    number, near = _near(tx, address)
    said: list[RulingRecord] = []
    admitting: list[str] = []
    for each in sources.every(tx):
        rows = rulings.of_address(house, tx, each, address, number)
        admitting += [repr(each.name)] if rulings.admitted(rows) else []
        said += [{"source": each.name, **row} for row in rows] if len(said) < SHOWN else []
    host = origin_of(address).site if not address.startswith("file:") else ""
    linked = not said or any(_follows_links(house, each) for each in sources.every(tx))
    because = (_NEAR if linked else _UNLISTED_NEAR).format(_known_to(near), host)
    because = because if near else _UNMET if linked else _UNLISTED
    outside = (_NO_BOUNDARY if linked else _NO_PLACE) if said else _NO_SOURCE
    advice = _WOULD_ENTER.format(" and ".join(admitting)) if admitting else outside
    trouble = host_errors.of_site(tx, number) if number is not None else None
    if trouble and admitting:  # a host that does not answer cannot say whether the address exists
        advice = _SILENT.format(" and ".join(admitting))
    return {
        **empty(address),
        "verdict": "unknown", "because": because, "advice": advice, "gates": said,
        "host": {"host": host, "known_to": near} if host else None,
        "site": trouble,
    }  # fmt: skip


def _follows_links(house: Installation, owner: SourceRow) -> bool:
    """Return whether a source finds documents by links, so that one without any is unknown."""
    try:
        return house.source(owner).discovery is Discovery.SEEDS
    except (CormorantError, *KIND_FAULTS):  # not installed any more, invalid settings, or a faulty package
        return True


def _known_to(names: list[str]) -> str:
    verb = "knows" if len(names) == 1 else "know"
    return f"{' and '.join(map(repr, names))} {verb} others"


def _near(tx: Tx, address: str) -> tuple[int | None, list[str]]:
    """The number of the site of an address, and the sources that know any address there."""
    if address.startswith("file:"):
        return None, []
    rows = tx.rows(sa.select(site.c.id).where(site.c.key == origin_of(address).site))
    if not rows:
        return None, []
    names = sa.select(source.c.name).join(site_source, site_source.c.source_id == source.c.id)
    own = tx.rows(names.where(site_source.c.site_id == rows[0].id).order_by(source.c.name).limit(SHOWN))
    return rows[0].id, [row.name for row in own]


def unlisted(house: Installation, tx: Tx, owner: SourceRow, address: str, record: Explanation) -> Explanation | None:
    """Explain why no listing has named a document of a source that lists: left out by settings, or another cause.

    `record` is what is said of it else.

    None where the kind of source cannot tell, or the address is of another place.
    """
    try:
        kind = source_kind(owner.kind)
        found = kind.unlisted(house.source(owner), outermost(address))
    except (CormorantError, *KIND_FAULTS):  # not installed any more, invalid settings, or a faulty package
        return None
    if found is None:
        return None
    ruling = found.ruling
    if ruling.admitted and (vetoed := _kept_out(tx, owner, address)):
        ruling = Ruling(False, Gate.PLUGIN, vetoed, Status.VETOED)
    name = "its container" if is_member(address) else "it"
    judged: RulingRecord = {
        "gate": str(ruling.gate),
        "rule": ruling.rule,
        "ruling": "admits" if ruling.admitted else "excludes",
    }
    if ruling.admitted:
        because = f"No listing of {owner.name!r} names {name}. {found.because}"
        return {
            **record,
            "source": owner.name, "gates": [judged], "verdict": "unknown", "because": because,
            "advice": found.advice.replace(OWNER, shlex.quote(owner.name)),
        }  # fmt: skip
    status = describe(ruling.status)
    more = f". {found.because}" if found.because and not found.ruling.admitted else ""
    return {
        **record,
        "source": owner.name, "gates": [judged], "verdict": "excluded",
        "because": f"No listing of {owner.name!r} names {name}: {judged['gate']}: {ruling.rule}{more}",
        "status": int(ruling.status), "status_text": status.text,
        "advice": remedies.advice(int(ruling.status), address),
        "next": {"when": "never, unless the setting changes"},
    }  # fmt: skip


def _kept_out(tx: Tx, owner: SourceRow, address: str) -> str | None:
    """Return the receiver that keeps the source out of a folder on the way to a file; None when none does.

    A veto that an older run met, and the newest finished run did not, no longer holds.
    """
    vetoing = [row.name for row in receivers.of_source(tx, owner.id) if row.settings.get("veto")]
    if not vetoing:
        return None
    whole = address + "/"  # it may be a folder itself
    keys = [fingerprint(whole[: at + 1], owner.id) for at, letter in enumerate(whole) if letter == "/"]
    newest = next((run.id for run in runs.every(tx, owner.id, SHOWN) if run.state is RunState.FINISHED), 0)
    for each in visits.exclusions(tx, owner.id, keys):
        if each.status == Status.VETOED and each.run >= newest:
            which = " or ".join(map(repr, vetoing))
            return f"the receiver {which} said that {each.address} may not be entered"
    return None
