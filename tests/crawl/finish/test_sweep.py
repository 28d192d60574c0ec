"""The sweep at the end of a run, on every store."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.crawl.commit import counters
from cormorant.frontier.sitemaps import lastmod_trust
from cormorant.frontier.sitemaps.lastmod_trust import ClaimVerdict, Trust
from cormorant.frontier.state import writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import Refresh
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import claim, resource
from tests.frontier.samples import a_content, admit, numbers, pages


@pytest.mark.parametrize(("force", "trust"), [(False, [Trust(0, 1, 1)]), (True, [])])
def test_a_forced_run_says_nothing_of_what_a_sitemap_claims(store: Store, *, force: bool, trust: list[Trust]) -> None:
    """It stores every page again, so that none is the same as before."""
    (page,) = pages(1)
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
        run = runs.request(tx, source, "{}", Refresh.ALL, force=force)
        admit(tx, page, source=source)
        number = numbers(tx)[page]
        made = a_content(number, source)
        writes.contents(tx, [made])
        visited = {"outcome": int(OutcomeKind.OK), "visited_at": made.changed_at, "run": run}
        tx.execute(sa.update(resource).where(resource.c.id == number).values(**visited))
        row = tx.rows(sa.select(resource.c.site_id, resource.c.hash))[0]
        said = {"source_id": source, "hash": row.hash, "site_id": row.site_id, "every_s": 0, "run": run}
        tx.execute(sa.insert(claim).values(**said, said=int(ClaimVerdict.SAME)))
        ordered = runs.get(tx, run)
    counters.finish(store, ordered)
    with store.read() as tx:
        assert list(lastmod_trust.trusts(tx, source).values()) == trust
