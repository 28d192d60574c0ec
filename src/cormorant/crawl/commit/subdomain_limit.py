"""Links to hosts beyond the limit of a domain become exclusions, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cormorant.crawl.link_filter import excluded
from cormorant.frontier.policy import subdomain_limit
from cormorant.frontier.state.enqueue import NewUrl
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.store.journal.visits import Exclusion

if TYPE_CHECKING:
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx

RULE = "max_hosts"
"""Begins the rulings about too many hosts."""


def sorted_out(
    tx: Tx, source: Source, arrivals: list[NewUrl], run: int, home: Sequence[str] | set[str] = ()
) -> tuple[list[NewUrl], list[Exclusion]]:
    """Sort arrivals into admitted ones and those on too many hosts. Sites of `home` are already known."""
    settings = source.settings
    most = settings.host_limit
    if most is None:
        return arrivals, []
    strange = {arrival.found.site for arrival in arrivals}.difference(home)
    refused = subdomain_limit.beyond(tx, source.number, strange, most, settings.listed_hosts) if strange else {}
    if not refused:
        return arrivals, []
    rulings = {
        domain: Ruling(False, Gate.BOUNDARY, f"{RULE} {most} of {domain}", Status.TRAP) for domain in refused.values()
    }
    away = [
        excluded(source.number, each.key, each.found, rulings[refused[each.found.site]], run)
        for each in arrivals
        if each.found.site in refused
    ]
    return [each for each in arrivals if each.found.site not in refused], away
