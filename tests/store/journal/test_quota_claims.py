"""What processes have claimed of a run's limits, on each store."""

from __future__ import annotations

from cormorant.model.run import Counters, Refresh
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import quota_claims, runs
from cormorant.store.journal.quota_claims import QuotaClaim

LIVING = {"ada", "bob", "eve"}


def run(tx: Tx) -> int:
    return runs.request(tx, 1, "{}", Refresh.ALL, force=False)


def test_others_may_use_what_they_claimed_and_have_used_what_they_fetched(store: Store) -> None:
    with store.begin() as tx:
        number, other = run(tx), run(tx)
        assert quota_claims.of_others(tx, number, "ada", LIVING) == QuotaClaim()
        quota_claims.claim(tx, number, "ada", QuotaClaim(7, 700))
        quota_claims.claim(tx, number, "bob", QuotaClaim(10, 500))
        runs.count(tx, number, "bob", Counters(fetched=4, bytes=900))
        runs.count(tx, number, "eve", Counters(fetched=3, bytes=30))
        quota_claims.claim(tx, other, "bob", QuotaClaim(1_000, 1_000))
        assert quota_claims.of_others(tx, number, "ada", LIVING) == QuotaClaim(13, 930)
        assert quota_claims.of_others(tx, number, "new", LIVING) == QuotaClaim(20, 1_630)


def test_a_claim_is_replaced_and_that_of_the_dead_is_what_they_fetched(store: Store) -> None:
    with store.begin() as tx:
        number = run(tx)
        quota_claims.claim(tx, number, "bob", QuotaClaim(10, 500))
        quota_claims.claim(tx, number, "bob", QuotaClaim(6, 500))
        runs.count(tx, number, "bob", Counters(fetched=4, bytes=90))
        assert quota_claims.of_others(tx, number, "ada", LIVING) == QuotaClaim(6, 500)
        assert quota_claims.of_others(tx, number, "ada", {"ada"}) == QuotaClaim(4, 90)


def test_claims_are_no_counts(store: Store) -> None:
    with store.begin() as tx:
        number = run(tx)
        runs.count(tx, number, "bob", Counters(fetched=4, bytes=90))
        quota_claims.claim(tx, number, "bob", QuotaClaim(10, 500))
        assert runs.counters(tx, number) == runs.counted_by(tx, number, "bob") == Counters(fetched=4, bytes=90)
