"""Sitemap findings for people: on a run, on a sitemap, and on the sitemap data of a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Any, cast

import sqlalchemy as sa

from cormorant.base.clock import rfc3339
from cormorant.frontier.sitemaps import lastmod_trust, registry
from cormorant.frontier.sitemaps.registry import SitemapTally
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import BY_FACT, DiscoveredBy, Role
from cormorant.model.status import describe
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.records.explanations import SitemapEntryRecord, SitemapTallyRecord
from cormorant.plugins import Discovery
from cormorant.store.db.database import Tx
from cormorant.store.journal import visits
from cormorant.store.schema import resource, site

SHOWN = 10
"""Sitemaps that a report names, and sites whose dates are not believed."""
BECAUSE = "It is read for the addresses in it, and is no document."
_FORMS = {"rss": "RSS", "rdf": "RSS 1.0", "feed": "Atom", "json": "JSON Feed"}
_WELL = (OutcomeKind.OK, OutcomeKind.UNCHANGED, OutcomeKind.MOVED)


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """Yield a line for each sitemap of a run that could not be used fully, and each site whose dates are wrong."""
    tx, row = context.tx, context.row
    asked = [each for each in registry.every(tx, row.source_id) if each.run == row.id]
    if not asked:
        return
    tallies = registry.tallies(tx, row.source_id)
    found = [(each, sentence) for each in asked if (sentence := _sentence(each, tallies.get(each.id)))]
    for each, sentence in found[:SHOWN]:
        yield RunProblem("sitemap", sentence, {"address": each.address, "status": each.status})
    if len(found) > SHOWN:
        yield RunProblem("sitemap", f"{len(found) - SHOWN:,} more sitemaps could be used only in part or not at all.")
    yield from _disbelieved(tx, row.source_id)


def feeds(context: CheckContext) -> Iterator[RunProblem]:
    """Yield start addresses that this run was the first to read as feeds, without sitemaps named in its settings."""
    tx, row, source = context.tx, context.row, context.source
    if source is None or source.discovery is not Discovery.SEEDS:
        return
    named: Collection[str] = getattr(source.settings, "named_sitemaps", ())
    begins = (DiscoveredBy.SEED, DiscoveredBy.REDIRECT)
    every = [each for each in registry.every(tx, row.source_id) if each.run == row.id]
    ours = [each for each in every if each.depth == 0 and each.how in begins and each.address not in named]
    tallies, first = registry.tallies(tx, row.source_id), visits.changes_of(tx, row.id, [each.id for each in ours])
    for each in ours:
        tally = tallies.get(each.id)
        if tally is not None and each.id in first and each.outcome in _WELL:
            said = feed_sentence(tally.form, tally.entries)
            yield RunProblem("sitemap", f"{each.address} is no document. {said}", {"address": each.address})


def feed_sentence(form: str, entries: int) -> str:
    """Explain how a feed among the start addresses is used, for people who took it for a page."""
    items = "item is" if entries == 1 else "items are"
    return f"It is a feed ({_FORMS.get(form, form)}): its {entries:,} {items} visited."


def _sentence(row: Any, tally: SitemapTally | None) -> str:
    """Describe the problem of a sitemap, "" for none. The check of start addresses reports those that failed."""
    said = describe(row.status)
    if row.outcome not in _WELL:
        if row.how == DiscoveredBy.SEED or row.outcome == OutcomeKind.NONE:
            return ""
        reason = f" ({row.reason.rstrip('.')})" if row.reason and row.reason != said.text else ""
        return f"The sitemap {row.address} could not be used: {row.status} {said.text}{reason}. Nothing was deleted."
    if tally is None or row.outcome == OutcomeKind.MOVED:
        return ""
    if not tally.entries and not tally.over:
        return f"The sitemap {row.address} contains no address. Nothing was deleted."
    if tally.over:
        most = f"{registry.MAX_FILES} sitemaps, which may name {registry.MAX_ADDRESSES:,} addresses"
        return f"The sitemap {row.address} was used in part: a source may have {most}."
    if tally.truncated:
        return f"The sitemap {row.address} was used in part: it is damaged or too large for a sitemap."
    return ""


def _disbelieved(tx: Tx, source: int) -> Iterator[RunProblem]:
    """Yield the sites whose dates a run found to be mostly wrong."""
    known = lastmod_trust.trusts(tx, source)
    wrong = {number: trust for number, trust in known.items() if not trust.is_believed}
    for number, key in tx.rows(sa.select(site.c.id, site.c.key).where(site.c.id.in_([*wrong][:SHOWN]))):
        trust = wrong[number]
        yield RunProblem(
            "sitemap",
            f"The dates in the sitemaps of {key} were right for {trust.right:,} of {trust.checked:,} pages, so "
            "they are not used.",
            {"site": key},
        )


def way(tx: Tx, referrer: int) -> str:
    """Return how an address was discovered through its referrer, a resource or a fact of a site."""
    if referrer == BY_FACT:
        return "robots"
    roles = tx.rows(sa.select(resource.c.role).where(resource.c.id == referrer))
    return "sitemap" if roles and roles[0].role == Role.SITEMAP else "link"


def of_row(tx: Tx, row: Any) -> SitemapTallyRecord | SitemapEntryRecord | None:
    """Return the tally of a sitemap, or the sitemap data of a page, for `explain`; None if there is none."""
    if row.role == Role.SITEMAP:
        tally = registry.tallies(tx, row.source_id).get(row.id)
        return cast("SitemapTallyRecord", asdict(tally)) if tally is not None else None
    said = lastmod_trust.of_page(tx, row.source_id, row.hash)
    if said is None:
        return None
    trust = lastmod_trust.trust(tx, row.source_id, [row.site_id]).get(row.site_id, lastmod_trust.Trust())
    return {
        "modified_at": rfc3339(said.modified_at), "every_s": said.every_s or None, "believed": trust.is_believed,
        "right": trust.right, "checked": trust.checked,
    }  # fmt: skip
