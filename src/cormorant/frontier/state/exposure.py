"""Exposure of files: the number that everyone finds in a source though the source closes them to others.

Kept as a fact of its folder.

The newest count holds: of a look before the first crawl, or of the newest listing. Each run counts them as well.
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
    """Keep what was counted in the folder that is a source's site, in the place of any older count."""
    tx.execute(sa.delete(site_fact).where(site_fact.c.scope == source, site_fact.c.name == NAME))
    number = sites.of(tx, {site})[site]
    host_facts.write(tx, [Fact(number, source, NAME, found.as_text().encode(), FOR_EVER)])


def newest(tx: Tx, source: int) -> ExposedFiles | None:
    """Return what was counted last; None when nothing was."""
    columns = site_fact.c
    rows = tx.rows(sa.select(columns.value).where(columns.scope == source, columns.name == NAME))
    return ExposedFiles.read(bytes(rows[0].value)) if rows else None
