"""The sweep at the end of a run, on every store."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.crawl.commit import counters
from cormorant.crawl.finish import sweep
from cormorant.frontier.sitemaps import lastmod_trust
from cormorant.frontier.sitemaps.lastmod_trust import ClaimVerdict, Trust
from cormorant.frontier.state import writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import Refresh
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import claim, resource
from tests.frontier.samples import SOURCE, a_content, admit, admitted, numbers, pages


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


def test_addresses_without_a_document_are_marked_in_pieces(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One lies in a folder that could not be listed."""
    monkeypatch.setattr(sweep, "CHUNK", 1)
    admitted(store, *pages(4))
    with store.begin() as tx:
        number = numbers(tx)
        for page, outcome in zip(pages(4), (OutcomeKind.FAILED, OutcomeKind.EXCLUDED) * 2, strict=True):
            tx.execute(sa.update(resource).where(resource.c.id == number[page]).values(outcome=int(outcome), run=8))
    assert sweep.hide_absent(store, SOURCE, 9, [pages(4)[2]]) == 0, "none of them is a document"
    with store.read() as tx:
        rows = tx.rows(sa.select(resource.c.id, resource.c.outcome, resource.c.run).order_by(resource.c.id))
    kept = (number[pages(4)[2]], OutcomeKind.FAILED, 8)
    assert [tuple(row) for row in rows] == sorted(
        [kept, *((number[page], OutcomeKind.GONE, 9) for page in pages(4) if page != pages(4)[2])]
    )
