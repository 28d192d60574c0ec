"""URL rewriting: the address by which a link is known, and the address to show.

Links are rewritten once, before they are screened and stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cormorant.crawl.link_filter import excluded
from cormorant.frontier.state import enqueue
from cormorant.model.content import PageLink
from cormorant.model.outcome import Excluded, Ok, Outcome, Unchanged
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import origin_of
from cormorant.store.journal.visits import Exclusion

if TYPE_CHECKING:
    from cormorant.frontier.state.enqueue import NewUrl
    from cormorant.model.resource import DiscoveredUrl
    from cormorant.model.ruling import Renamed
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx

Rename = Callable[[str], "Renamed | None"]


def named(outcome: Outcome, rename: Rename) -> Outcome:
    """The outcome with rewritten links; the same object if no link changes."""
    if not isinstance(outcome, Ok | Unchanged | Excluded):
        return outcome
    follow = links(outcome.follow, rename)
    unfollowed = links(outcome.unfollowed, rename) if outcome.unfollowed else outcome.unfollowed
    if isinstance(outcome, Excluded) or outcome.document is None:
        same = follow is outcome.follow and unfollowed is outcome.unfollowed
        return outcome if same else replace(outcome, follow=follow, unfollowed=unfollowed)
    every = outcome.document.links
    kept = follow if every is outcome.follow else links(every, rename)
    if kept is every:
        return outcome
    return replace(outcome, document=replace(outcome.document, links=kept), follow=follow, unfollowed=unfollowed)


def links(found: tuple[PageLink, ...], rename: Rename) -> tuple[PageLink, ...]:
    """The rewritten links; the same object if no link changes."""
    changed: dict[int, PageLink] = {}
    for place, link in enumerate(found):
        known = rename(link.address)
        if known is not None:
            changed[place] = link._replace(address=known.address, display=known.display)
    if not changed:
        return found
    return tuple(changed.get(place, link) for place, link in enumerate(found))


def known_as(address: str, source: Source) -> str:
    """The rewritten form of an address."""
    known = source.rename(address)
    return address if known is None else known.address


def of_found(found: DiscoveredUrl, source: Source) -> DiscoveredUrl:
    """Return a URL that a source names, under its rewritten address."""
    known = source.rename(found.address)
    if known is None:
        return found
    return found._replace(address=known.address, site=origin_of(known.address).site, display=known.display)


def unique(tx: Tx, source: Source, arrivals: list[NewUrl], run: int) -> tuple[list[NewUrl], Sequence[Exclusion]]:
    """Separate arrivals whose display address is taken, as exclusions. Reads only if the source rewrites addresses."""
    taken = enqueue.shown_already(tx, source.number, arrivals) if source.shows_otherwise and arrivals else {}
    if not taken:
        return arrivals, ()
    refused = list[Exclusion]()
    for found, key in arrivals:
        if key in taken:
            rule = f"it would be shown as {found.display or found.address}, and so is {taken[key]}"
            ruling = Ruling(False, Gate.ADDRESS, rule, Status.NOT_UNIQUE)
            refused.append(excluded(source.number, key, found, ruling, run))
    return [arrival for arrival in arrivals if arrival.key not in taken], refused
