from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.policy.host_errors import HostTrouble
from cormorant.frontier.progress import remaining
from cormorant.frontier.progress.remaining import Start
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Role, UrlState
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource, site, site_source
from tests.frontier.samples import SOURCE, a_content, admit, admitted, numbers, pages, site_numbers

HOSTS = ("https://a.example/", "https://b.example/", "https://c.example/")


def mark(tx: Tx, address: str, **values: object) -> None:
    tx.execute(sa.update(resource).where(resource.c.address == address).values(**values))


def left(tx: Tx, source: int, generation: int) -> tuple[int, float]:
    found = remaining.left(tx, source, generation)
    return found.sites, found.goes_on_at


def test_what_is_left_is_what_sites_are_not_done_with(store: Store) -> None:
    admitted(store, *HOSTS)
    admitted(store, *HOSTS[:1], source=2)
    with store.begin() as tx:
        assert left(tx, SOURCE, 1) == (3, 0.0)
        tx.driver("UPDATE site_source SET done_generation = 1 WHERE site_id IN (1, 2) AND source_id = 1")
        assert left(tx, SOURCE, 1) == (1, 0.0)
        assert left(tx, SOURCE, 2) == (3, 0.0)
        assert left(tx, 2, 1) == (1, 0.0)
        assert left(tx, 3, 1) == (0, 0.0)


def test_some_of_the_sites_that_are_left_are_named(store: Store) -> None:
    admitted(store, *HOSTS, *(f"https://host-{number}.example/" for number in range(9)))
    with store.begin() as tx:
        assert len(remaining.left(tx, SOURCE, 1).some) == 6
        tx.driver("UPDATE site_source SET done_generation = 1 WHERE site_id > 2")
        assert len(remaining.left(tx, SOURCE, 1).some) == 2
        assert remaining.left(tx, 2, 1).some == ()


def test_sites_that_rest_or_failed_are_in_trouble(store: Store) -> None:
    admitted(store, *HOSTS, "https://d.example/", "https://e.example/")
    with store.begin() as tx:
        soon = tx.now() + 60
        for key, rests, waits, failures, status in (
            ("b", soon, 0.0, 12, 906), ("c", 0.0, soon + 1, 0, 0), ("d", 0.0, 0.0, 3, 902), ("e", soon + 2, 0.0, 1, 503)
        ):  # fmt: skip
            there = site.c.key == f"{key}.example"
            tx.execute(sa.update(site).where(there).values(not_before=rests, failures=failures, trouble=status))
            at = site_source.c.site_id.in_(sa.select(site.c.id).where(there))
            tx.execute(sa.update(site_source).where(at).values(not_before=waits))
        mark(tx, HOSTS[2], outcome=int(OutcomeKind.DEFERRED), status=500)
        found = remaining.left(tx, SOURCE, 1)
        assert (found.sites, found.troubled) == (5, 4)
        want = [
            HostTrouble(f"{key}.example", status) for key, status in (("d", 902), ("b", 906), ("c", 500), ("e", 503))
        ]
        assert sorted(remaining.troubles(tx, SOURCE, found.some)) == sorted(want), "one of them works"
        tx.driver("UPDATE site_source SET done_generation = 1 WHERE site_id = 1")
        found = remaining.left(tx, SOURCE, 1)
        assert list(remaining.troubles(tx, SOURCE, found.some)) == want, "the first to go on stands first"
        remaining.awake(tx, SOURCE, 1)
        assert remaining.left(tx, SOURCE, 1).troubled == 3, "which of them did not answer is not known of their pages"


def test_sites_that_had_the_rest_they_asked_for_hide_none_that_is_silent(store: Store) -> None:
    admitted(store, *HOSTS)
    with store.begin() as tx:
        tx.execute(sa.update(site).values(not_before=tx.now() - 1, failures=20, trouble=503))
        tx.execute(sa.update(site).where(site.c.key == "c.example").values(failures=1, trouble=906))
        assert [each.key for each in remaining.in_trouble(tx, SOURCE, 2)] == ["c.example"]
        numbers = [site_numbers(tx)[key] for key in ("c.example", "a.example")]
        silent, rested = map(remaining.sites_in_trouble(tx, numbers).get, numbers)
        assert (silent is None, rested) == (False, None)


def test_it_goes_on_when_the_first_of_them_may(store: Store) -> None:
    admitted(store, *HOSTS)
    with store.begin() as tx:
        for number, (rests, waits) in enumerate([(50.0, 10.0), (0.0, 40.0), (60.0, 70.0)], 1):
            tx.execute(sa.update(site).where(site.c.id == number).values(not_before=rests))
            tx.execute(sa.update(site_source).where(site_source.c.site_id == number).values(not_before=waits))
        assert left(tx, SOURCE, 1) == (3, 40.0)
        remaining.awake(tx, SOURCE, 1)
        assert left(tx, SOURCE, 1) == (3, 0.0)
        remaining.awake(tx, 99, 1)


def test_a_run_begins_with_the_sites_that_have_something_for_it(store: Store) -> None:
    admitted(store, *HOSTS)
    with store.begin() as tx:
        mark(tx, HOSTS[0], due=priority.due(2), outcome=int(OutcomeKind.OK))
        mark(tx, HOSTS[1], outcome=int(OutcomeKind.OK))
        assert [remaining.to_fetch(tx, SOURCE, 1, run) for run in (None, 9)] == [2, 1]
        for new_of, sites in ((9, 1), (None, 2), (9, 1)):
            remaining.awake(tx, SOURCE, 1, new_of)
            assert left(tx, SOURCE, 1) == (sites, 0.0)
        remaining.awake(tx, SOURCE, 2)
        assert left(tx, SOURCE, 2) == (3, 0.0)


def test_how_many_are_to_be_fetched(store: Store) -> None:
    admitted(store, *pages(5), *HOSTS[1:])
    admitted(store, *pages(3), source=2)
    with store.begin() as tx:
        assert [remaining.to_fetch(tx, source, 1) for source in (1, 2, 3)] == [7, 3, 0]
        mark(tx, pages(1)[0], due=priority.due(2))
        mark(tx, HOSTS[1], state=int(UrlState.SETTLED))
        assert [remaining.to_fetch(tx, SOURCE, generation) for generation in (1, 2)] == [5, 6]


def test_how_many_documents_a_run_left_so(store: Store) -> None:
    admitted(store, *pages(4))
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(run=5, outcome=int(OutcomeKind.DEFERRED)))
        mark(tx, pages(4)[1], outcome=int(OutcomeKind.FAILED))
        mark(tx, pages(4)[2], run=4)
        mark(tx, pages(4)[3], role=int(Role.ROBOTS))
        assert remaining.deferred(tx, SOURCE, 5, 1) == 1
        assert remaining.deferred(tx, 2, 5, 1) == 0


def test_what_would_leave_is_shown_and_hidden_when_a_person_accepts(store: Store) -> None:
    admitted(store, *pages(6))
    outcomes = ["GONE", "EXCLUDED", "MOVED", "GONE", "QUARANTINED", "GONE"]
    with store.begin() as tx:
        known = numbers(tx)
        for address, outcome in zip(pages(6), outcomes, strict=True):
            mark(tx, address, outcome=int(OutcomeKind[outcome]), status=400)
        writes.contents(tx, [a_content(known[address], indexed=n != 5) for n, address in enumerate(pages(6))])
        assert len(remaining.leaving(tx, SOURCE, 100)) == remaining.leaving_count(tx, SOURCE) == 4
        assert remaining.leaving(tx, SOURCE, 1) == [(f"https://a.example/{known[pages(6)[0]]}", 400)]
        pending_deletes.hide(tx, [(known[pages(6)[0]], SOURCE, 8)])
        assert remaining.hide_leaving(tx, SOURCE, 9) == 3
        assert pending_deletes.everything(tx) == {known[address] for address in pages(4)}
        assert remaining.hide_leaving(tx, SOURCE, 9) == 0
        assert remaining.hide_leaving(tx, 2, 9) == 0


def test_start_addresses_and_what_became_of_them(store: Store) -> None:
    admitted(store, DiscoveredUrl(HOSTS[0], "a.example", how=DiscoveredBy.SEED), HOSTS[1])
    with store.begin() as tx:
        mark(tx, HOSTS[0], outcome=int(OutcomeKind.GONE), status=404)
        assert remaining.starts(tx, SOURCE) == [Start(HOSTS[0], OutcomeKind.GONE, 404)]
        assert remaining.starts(tx, 2) == []


@pytest.mark.parametrize(
    ("outcome", "status", "said"),
    [
        (OutcomeKind.OK, 200, set()), (OutcomeKind.MOVED, 954, set()),
        (OutcomeKind.EXCLUDED, 971, {"bad", "forbidden"}),
        (OutcomeKind.HELD, 980, {"bad"}), (OutcomeKind.NONE, 0, set()), (OutcomeKind.GONE, 404, {"bad"}),
        (OutcomeKind.FAILED, 403, {"bad"}), (OutcomeKind.DEFERRED, 503, {"bad"}),
        (OutcomeKind.QUARANTINED, 981, {"bad"}), (OutcomeKind.DEFERRED, 906, {"bad", "unanswered"}),
        (OutcomeKind.FAILED, 1021, {"bad", "unanswered"}), (OutcomeKind.GONE, 1024, {"bad", "unanswered"}),
        (OutcomeKind.FAILED, 975, {"bad", "unanswered"}),
    ],
)  # fmt: skip
def test_what_is_bad_about_a_start_address(outcome: OutcomeKind, status: int, said: set[str]) -> None:
    start = Start("https://a.example/", outcome, status)
    assert {name for name in ("unanswered", "forbidden", "bad") if getattr(start, name)} == said


@pytest.mark.parametrize(
    ("outcome", "status", "forgiven"),
    [
        (OutcomeKind.DEFERRED, 902, True), (OutcomeKind.FAILED, 906, True), (OutcomeKind.FAILED, 1021, True),
        (OutcomeKind.DEFERRED, 503, False), (OutcomeKind.DEFERRED, 429, False), (OutcomeKind.OK, 200, False),
    ],
)  # fmt: skip
def test_a_new_run_tries_again_what_did_not_answer(
    store: Store, outcome: OutcomeKind, status: int, forgiven: bool
) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        assert sources.add(tx, "web", "docs", {}) == SOURCE
        later = tx.now() + 3600
        mark(tx, pages(1)[0], outcome=int(outcome), status=status, not_before=later)
        tx.execute(sa.update(site).values(not_before=later, failures=12))
        remaining.awake(tx, SOURCE, 1)
        (rests,) = tx.rows(sa.select(site.c.not_before, site.c.failures))
        assert tuple(rests) == ((0.0, 0) if forgiven else (later, 12))
        (waits,) = tx.rows(sa.select(resource.c.not_before).where(resource.c.address == pages(1)[0]))
        silent = outcome is OutcomeKind.DEFERRED and forgiven
        assert waits.not_before == (0.0 if silent else later)


@pytest.mark.parametrize(
    ("status", "failures", "put_off", "forgiven"),
    [(500, 12, 500, True), (500, 3, 500, False), (503, 12, 503, False), (500, 12, 503, False)],
)
def test_a_new_run_asks_a_site_anew_where_one_page_after_the_other_failed(
    store: Store, status: int, failures: int, put_off: int, forgiven: bool
) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        assert sources.add(tx, "web", "docs", {}) == SOURCE
        later = tx.now() + 3600
        mark(tx, pages(1)[0], outcome=int(OutcomeKind.DEFERRED), status=put_off, not_before=later)
        tx.execute(sa.update(site).values(not_before=later, failures=failures, trouble=status))
        remaining.awake(tx, SOURCE, 1)
        (rests,) = tx.rows(sa.select(site.c.not_before, site.c.failures, site.c.trouble))
        assert tuple(rests) == ((0.0, 0, 0) if forgiven else (later, failures, status))
        (waits,) = tx.rows(sa.select(resource.c.not_before).where(resource.c.address == pages(1)[0]))
        assert waits.not_before == later, "the page waits on"


def test_a_busy_site_rests_on_for_a_source_that_it_did_not_answer(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        busy = sources.add(tx, "web", "one", {})
        away = sources.add(tx, "web", "two", {})
        admit(tx, *pages(2), source=away)
        assert busy == SOURCE
        mark(tx, pages(1)[0], outcome=int(OutcomeKind.FAILED), status=906)
        silent = sa.and_(resource.c.address == pages(2)[1], resource.c.source_id == busy)
        tx.execute(sa.update(resource).where(silent).values(outcome=int(OutcomeKind.DEFERRED), status=429))
        tx.execute(sa.update(site).values(not_before=1e12, failures=1))
        remaining.awake(tx, away, 1)
        assert tx.execute(sa.select(site.c.not_before)).scalar_one() == 1e12


def test_only_documents_are_counted_as_such(store: Store) -> None:
    admitted(store, *pages(3))
    with store.begin() as tx:
        mark(tx, pages(3)[2], role=int(Role.ROBOTS))
        assert (remaining.to_fetch(tx, SOURCE, 1), remaining.documents_to_fetch(tx, SOURCE, 1)) == (3, 2)


def test_all_that_is_left_is_deferred_when_only_resting_sites_are_left(store: Store) -> None:
    admitted(store, *pages(4))
    with store.begin() as tx:
        mark(tx, pages(4)[0], run=5, outcome=int(OutcomeKind.DEFERRED))
        mark(tx, pages(4)[3], role=int(Role.ROBOTS))
        assert remaining.deferred(tx, SOURCE, 5, 1) == 1, "the others were left since the run was to end"
        tx.execute(sa.update(site).values(not_before=tx.now() + 60))
        assert remaining.deferred(tx, SOURCE, 5, 1) == 3, "with those it never came to"
        mark(tx, pages(4)[1], run=4, outcome=int(OutcomeKind.OK))
        assert remaining.to_fetch(tx, SOURCE, 1, new_of=5) == 3, "one of them is a robots.txt"
        assert remaining.deferred(tx, SOURCE, 5, 1, new_of=5) == 2, "a run for what is new leaves nothing known"
