"""Exposure of files: the number of files that everyone can find although the source denies them to others.

It is stored as a fact of the source's folder.

The newest count holds: of the check before the first crawl, or of the newest listing.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from cormorant.frontier.state import host_facts
from cormorant.frontier.state.enqueue import SiteNumbers
from cormorant.frontier.state.host_facts import FOR_EVER, Fact
from cormorant.model.exposure import ExposedFiles
from cormorant.store.db.database import Tx
from cormorant.store.schema import site_fact

NAME: Final = "exposure"


def keep(tx: Tx, sites: SiteNumbers, source: int, site: str, found: ExposedFiles) -> None:
    """Store the count for the folder that is a source's site, instead of any older count."""
    tx.execute(sa.delete(site_fact).where(site_fact.c.scope == source, site_fact.c.name == NAME))
    number = sites.of(tx, {site})[site]
    host_facts.write(tx, [Fact(number, source, NAME, found.as_text().encode(), FOR_EVER)])


def newest(tx: Tx, source: int) -> ExposedFiles | None:
    """Return the newest count; None if there is none."""
    columns = site_fact.c
    rows = tx.rows(sa.select(columns.value).where(columns.scope == source, columns.name == NAME))
    return ExposedFiles.read(bytes(rows[0].value)) if rows else None
