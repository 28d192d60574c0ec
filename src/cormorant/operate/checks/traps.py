"""Suspected traps: what goes on for ever at a site, and the rule that would leave it out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from zlib import crc32

import sqlalchemy as sa

from cormorant.base.errors import NotFoundError
from cormorant.frontier.traps.detector import FACT, SAMPLE, Template, TrapDetector
from cormorant.frontier.traps.url_templates import as_rule, templates
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import TrapRecord
from cormorant.sources.rules import Boundary, compile_rules
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.schema import site, site_fact

SHOWN = 10
"""Traps that a report names."""


def listed(house: Installation, name: str | None = None) -> list[TrapRecord]:
    """The suspected traps of a source, or of all; those its exclude rules leave out already count as accepted.

    Raises NotFoundError for an unknown source.
    """
    with house.store.read() as tx:
        owners = [sources.named(tx, name)] if name is not None else sources.every(tx)
        return [record for owner in owners for record in of_source(tx, owner)]


def of_source(tx: Tx, owner: SourceRow) -> Iterator[TrapRecord]:
    """The suspected traps of one source, by site; none where its settings say to ignore them."""
    if owner.settings.get("traps") == "ignore":
        return
    outside: Boundary | None = None  # other kinds write their rules otherwise, and have no traps
    for key, watch in watches(tx, owner.id):
        outside = outside or compile_rules(["any"], owner.settings.get("exclude", ()), None)
        for template, at in _apart(watch.suspects()):
            rule = as_rule(template)
            yield {
                "trap": f"{crc32(f'{owner.id} {template}'.encode()):08x}", "source": owner.name, "site": key,
                "template": template, "addresses": at.known, "visited": at.visited, "skipped": at.skipped,
                "sample": SAMPLE, "examples": at.examples, "rule": rule,
                "accepted": not any(outside.ruling(each).admitted for each in at.examples),
            }  # fmt: skip


def watches(tx: Tx, source: int) -> Iterator[tuple[str, TrapDetector]]:
    """Yield the trap detector of each site that a source watches, by the key of the site."""
    columns = site_fact.c
    statement = (
        sa.select(site.c.key, columns.value)
        .join(site, site.c.id == columns.site_id)
        .where(columns.scope == source, columns.name == FACT, columns.valid_until > tx.now())
        .order_by(site.c.key)
    )
    for row in tx.rows(statement):
        watch = TrapDetector(throttle=True)
        watch.unpack(row.value)
        yield row.key, watch


def _apart(suspects: Mapping[str, Template]) -> Iterator[tuple[str, Template]]:
    """Those that differ: a path whose addresses are all made alike is named once, by the narrower template."""
    for name, at in suspects.items():
        narrow = suspects.get(templates(at.examples[0]).narrow)
        if narrow is None or narrow is at or narrow.known < at.known:
            yield name, at


def proposed(house: Installation, trap: str) -> tuple[str, dict[str, list[str]]]:
    """The source of a suspected trap, and the edit of its settings that leaves the trap out. Raises NotFoundError."""
    found = next((each for each in listed(house) if each["trap"] == trap), None)
    if found is None:
        raise NotFoundError(f"There is no suspected trap {trap!r}. `cormorant trap list` lists them.")
    with house.store.read() as tx:
        exclude = sources.named(tx, found["source"]).settings.get("exclude", [])
    return found["source"], {"exclude": list(dict.fromkeys([*exclude, found["rule"]]))}


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the trap problems of a run report; the traps with the most addresses are named."""
    traps = of_source(context.tx, context.owner) if context.owner is not None else ()
    found = sorted((each for each in traps if not each["accepted"]), key=lambda each: -each["addresses"])
    for each in found[:SHOWN]:
        yield RunProblem(
            "trap",
            f"{each['template']} looks like a trap: {each['visited']:,} of its {each['addresses']:,} addresses "
            "were visited, and the last brought no new text. Only a few of the others are visited; `cormorant "
            f"trap accept {shlex.quote(each['trap'])}` excludes them.",
            {"trap": each["trap"], "rule": each["rule"]},
        )
    if len(found) > SHOWN:
        more = f"{len(found) - SHOWN:,} more suspected traps; `cormorant trap list` lists them."
        yield RunProblem("trap", more)
