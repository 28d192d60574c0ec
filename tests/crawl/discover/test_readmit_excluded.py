"""Excluded addresses that an edit admits, on every store."""

from __future__ import annotations

import asyncio

import pytest

from cormorant.crawl.discover import readmit_excluded
from cormorant.frontier.state.enqueue import Admission, SiteNumbers
from cormorant.model.run import Counters, Refresh
from cormorant.model.status import Status
from cormorant.model.url import fingerprint
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs, visits
from cormorant.store.journal.visits import Exclusion
from tests.crawl.samples import SOURCE, web_source
from tests.frontier.samples import numbers

PAGE = "https://a.example/kept-out"


@pytest.mark.parametrize(
    ("status", "enters"),
    [
        (Status.OUTSIDE_BOUNDARY, True), (Status.TOO_DEEP, True), (Status.NOFOLLOW_ONLY, False),
        (Status.NOT_UNIQUE, False), (Status.REDIRECT_LOOP, False),
    ],
)  # fmt: skip
def test_what_the_gates_let_in_now_comes_in(store: Store, status: Status, *, enters: bool) -> None:
    counters = Counters()
    with store.begin() as tx:
        while sources.add(tx, "web", f"docs-{len(sources.every(tx))}", {}) != SOURCE:
            pass
        run = runs.request(tx, SOURCE, "{}", Refresh.ALL, force=False)
        key = fingerprint(PAGE, SOURCE)
        visits.exclude(tx, [Exclusion(SOURCE, key, PAGE, "link", "a rule", status, run - 1, 1, referrer=1)])
    order = Admission(SOURCE, 2, run)
    asyncio.run(readmit_excluded.readmit(store, web_source(), order, SiteNumbers(), counters))
    with store.read() as tx:
        assert (PAGE in numbers(tx)) == enters
    assert counters.discovered == enters
