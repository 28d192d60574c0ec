from __future__ import annotations

import threading
import time

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.progress import remaining
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, Admitted, SiteNumbers
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Role, UrlState
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource, site
from tests.clocks import HANG_S
from tests.frontier.samples import SOURCE, admit, admitted, arrivals, found, numbers, pages, site_numbers, work_of
from tests.stores import within

HOME = "file:///srv/"


def listed(store: Store, run: int, *files: DiscoveredUrl, forced: bool = False, generation: int = 1) -> Admitted:
    with store.begin() as tx:
        return enqueue.admit_listing(tx, SiteNumbers(), Admission(SOURCE, generation, run, forced), files)


def a_file(name: str, validator: str) -> DiscoveredUrl:
    return DiscoveredUrl(HOME + name, "share", 1, DiscoveredBy.LISTING, validator=validator)


def test_a_run_for_what_is_new_leaves_what_is_known_as_it_is(store: Store) -> None:
    listed(store, 1, *(a_file(name, "v1") for name in ("same", "changed", "failed")))
    for name, outcome in (("same", OutcomeKind.OK), ("changed", OutcomeKind.OK), ("failed", OutcomeKind.FAILED)):
        settle(store, name, outcome)
    order_of = Admission(SOURCE, 1, 2, new_of=2)
    files = [a_file("same", "v1"), a_file("changed", "v2"), a_file("failed", "v1"), a_file("new", "v1")]
    with store.begin() as tx:
        assert enqueue.admit_listing(tx, SiteNumbers(), order_of, files) == Admitted(1, 0, 1)
        found = rows(tx)
        assert [found[name].state for name in ("same", "changed", "failed")] == [UrlState.SETTLED] * 3
        assert (found["changed"].validator, found["changed"].run, found["new"].state) == ("v1", 2, UrlState.READY)


def test_what_was_gone_and_is_listed_again_is_new(store: Store) -> None:
    listed(store, 1, *(a_file(name, "v1") for name in ("back", "gone")))
    for name in ("back", "gone"):
        settle(store, name, OutcomeKind.GONE)
    with store.begin() as tx:
        enqueue.admit_listing(tx, SiteNumbers(), Admission(SOURCE, 1, 2, new_of=2), [a_file("back", "v1")])
        back, gone = rows(tx)["back"], rows(tx)["gone"]
        assert (back.state, back.outcome, back.run) == (UrlState.READY, OutcomeKind.NONE, 2)
        assert (gone.state, gone.outcome) == (UrlState.SETTLED, OutcomeKind.GONE)
        assert remaining.to_fetch(tx, SOURCE, 1, 2) == 1, "a run for what is new visits it"


def settle(store: Store, name: str, outcome: OutcomeKind, state: UrlState = UrlState.SETTLED) -> None:
    """A visit ended."""
    with store.begin() as tx:
        values = {"outcome": int(outcome), "state": int(state), "not_before": 99.0}
        tx.execute(sa.update(resource).where(resource.c.address == HOME + name).values(values))


def rows(tx: Tx) -> dict[str, sa.Row[tuple[object, ...]]]:
    return {row.address.removeprefix(HOME): row for row in tx.rows(sa.select(resource))}


def test_a_link_becomes_a_row(store: Store) -> None:
    each = DiscoveredUrl(
        "https://a.example/x", "a.example", 3, DiscoveredBy.LINK, Role.DOCUMENT, referrer=7, priority=5
    )
    with store.begin() as tx:
        assert enqueue.admit(tx, SiteNumbers(), Admission(2, 4, 9), arrivals([each], 2)) == 1
        (row,) = tx.rows(sa.select(resource))
        assert (row.source_id, row.site_id, row.hash) == (2, site_numbers(tx)["a.example"], arrivals([each], 2)[0].key)
        assert (row.role, row.state, row.due, row.depth) == (0, UrlState.READY, priority.due(4, 5, 3), 3)
        assert (row.how, row.referrer, row.address, row.validator) == (
            DiscoveredBy.LINK,
            7,
            "https://a.example/x",
            None,
        )
        assert (row.attempts, row.outcome, row.run, row.visits, row.not_before) == (0, 0, 0, 0, 0.0)


def test_only_what_is_new_is_counted(store: Store) -> None:
    assert admitted(store, *pages(3)) == 3
    assert admitted(store, *pages(5)) == 2
    assert admitted(store, *pages(5)) == 0
    assert admitted(store) == 0
    assert admitted(store, *pages(5), source=2) == 5, "another source has its own"


def test_what_is_known_can_be_told_from_what_is_new(store: Store) -> None:
    admitted(store, *pages(3))
    admitted(store, *pages(5), source=2)
    with store.begin() as tx:
        met = arrivals([*pages(5), "https://b.example/"])
        got = enqueue.unknown(tx, SiteNumbers(), met)
        assert got == met[3:]
        assert enqueue.unknown(tx, SiteNumbers(), []) == []


def test_a_known_address_keeps_its_row(store: Store) -> None:
    admitted(store, found("https://a.example/x", depth=5))
    admitted(store, found("https://a.example/x", depth=1))
    with store.read() as tx:
        assert tx.rows(sa.select(resource.c.depth))[0].depth == 5


def test_sites_get_one_row_each(store: Store) -> None:
    admitted(store, "https://b.example/", "https://a.example/", "https://b.example:8443/")
    admitted(store, "https://a.example/1", "https://c.example/")
    with store.read() as tx:
        assert set(site_numbers(tx)) == {"a.example", "b.example", "b.example:8443", "c.example"}


def test_site_numbers_are_remembered_until_forgotten(store: Store) -> None:
    known = SiteNumbers()

    def work(tx: Tx) -> None:
        known.of(tx, {"a", "b"})
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        within(store, work)
    assert len(known.of_known({"a", "b", "c"})) == 2
    known.forget()
    assert known.of_known({"a", "b"}) == []
    with store.begin() as tx:
        assert set(known.of(tx, {"a"})) == {"a"}
        assert known.of(tx, {"a"}) == site_numbers(tx)


def test_an_arrival_wakes_its_site_for_its_source(store: Store) -> None:
    with store.begin() as tx:
        admit(tx, *pages(2))
        assert work_of(tx) == (1, 0, 0.0)
        enqueue.wake(tx, SOURCE, {site_numbers(tx)["a.example"]}, 1)
        assert work_of(tx) == (2, 0, 0.0)
        admit(tx, *pages(1), source=2)
        assert work_of(tx) == (2, 0, 0.0)


@pytest.mark.parametrize(("done", "after"), [(0, 0), (4, 4), (5, 4), (6, 4)])
def test_a_site_that_was_done_with_a_generation_is_done_no_more(store: Store, done: int, after: int) -> None:
    admitted(store, *pages(1))
    with store.begin() as tx:
        tx.driver(f"UPDATE site_source SET done_generation = {done}, not_before = 1e12")
        admit(tx, "https://a.example/new", generation=5)
        assert work_of(tx) == (2, after, 0.0)


def test_a_listing_is_admitted_once(store: Store) -> None:
    files = [a_file("a", "1"), a_file("b", "1"), a_file("b", "1")]
    assert listed(store, 1, *files) == Admitted(2, 0, 0)
    assert listed(store, 1, *files) == Admitted(0, 0, 0), "they wait for their visit still"
    for name in ("a", "b"):
        settle(store, name, OutcomeKind.OK)
    assert listed(store, 2, *files) == Admitted(0, 0, 2)
    assert listed(store, 2) == Admitted(0, 0, 0)
    with store.read() as tx:
        assert {(row.state, row.run, row.validator) for row in rows(tx).values()} == {(UrlState.SETTLED, 2, "1")}


def test_what_shows_another_validator_is_visited_again(store: Store) -> None:
    listed(store, 1, a_file("a", "1"), a_file("b", "1"))
    for name in ("a", "b"):
        settle(store, name, OutcomeKind.OK)
    assert listed(store, 2, a_file("a", "2"), a_file("b", "1"), generation=3) == Admitted(0, 1, 1)
    with store.read() as tx:
        a, b = rows(tx)["a"], rows(tx)["b"]
        assert (a.state, a.due, a.validator, a.run, a.not_before) == (
            UrlState.READY,
            priority.due(3, 128, 1),
            "2",
            2,
            0.0,
        )
        assert (b.state, b.validator, b.run, b.not_before) == (UrlState.SETTLED, "1", 2, 99.0)
        assert work_of(tx, key="share").arrivals == 2


def test_another_address_to_show_comes_with_another_validator(store: Store) -> None:
    def shown() -> object:
        with store.read() as tx:
            return tx.execute(sa.select(resource.c.display)).scalar_one()

    listed(store, 1, a_file("a", "1")._replace(display="https://desk.example/old"))
    settle(store, "a", OutcomeKind.OK)
    listed(store, 2, a_file("a", "1")._replace(display="https://desk.example/other"))
    assert shown() == "https://desk.example/old"
    listed(store, 3, a_file("a", "2")._replace(display="https://desk.example/new"))
    assert shown() == "https://desk.example/new"
    settle(store, "a", OutcomeKind.OK)
    listed(store, 4, a_file("a", "3"))
    assert shown() is None


AGAIN = {OutcomeKind.NONE, OutcomeKind.DEFERRED, OutcomeKind.FAILED, OutcomeKind.GONE}


@pytest.mark.parametrize("outcome", list(OutcomeKind), ids=lambda each: each.name)
def test_what_failed_is_visited_again_though_nothing_changed(store: Store, outcome: OutcomeKind) -> None:
    listed(store, 1, a_file("a", "1"))
    settle(store, "a", outcome)
    again, excluded = outcome in AGAIN, outcome is OutcomeKind.EXCLUDED
    assert listed(store, 2, a_file("a", "1")) == Admitted(0, int(again), int(not again and not excluded))


def test_a_forced_run_takes_nothing_for_unchanged(store: Store) -> None:
    listed(store, 1, a_file("a", "1"))
    settle(store, "a", OutcomeKind.OK)
    assert listed(store, 2, a_file("a", "1"), forced=True) == Admitted(0, 1, 0)


def test_a_listing_that_changes_nothing_wakes_nobody(store: Store) -> None:
    listed(store, 1, a_file("a", "1"))
    settle(store, "a", OutcomeKind.OK)
    listed(store, 2, a_file("a", "1"))
    with store.read() as tx:
        assert work_of(tx, key="share").arrivals == 1


def test_a_large_listing(store: Store) -> None:
    files = [a_file(f"{number}", "1") for number in range(2500)]
    assert listed(store, 1, *files) == Admitted(2500, 0, 0)
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(state=int(UrlState.SETTLED), outcome=int(OutcomeKind.OK)))
    changed = [each._replace(validator="2") for each in files[:700]]
    assert listed(store, 2, *changed, *files[700:]) == Admitted(0, 700, 1800)
    with store.read() as tx:
        assert len(numbers(tx)) == 2500


def test_two_who_admit_the_same_in_opposite_orders_wait_for_each_other(store: Store, other: Store) -> None:
    """On PostgreSQL this was a deadlock as long as rows were written before their site was woken."""
    chunks = [[f"https://{host}.example/{at}-{n}" for n in range(100) for host in "abcdefgh"] for at in range(4)]
    together = threading.Barrier(2, timeout=HANG_S)
    counts: list[int] = []

    def bring(where: Store, step: int) -> None:
        for chunk in chunks:
            together.wait()
            counts.append(admitted(where, *chunk[::step]))

    threads = [threading.Thread(target=bring, args=pair) for pair in ((store, 1), (other, -1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 3200
    with store.read() as tx:
        assert len(numbers(tx)) == 3200
        assert len(tx.rows(sa.select(site.c.id))) == 8


def test_of_two_that_come_at_the_same_time_one_is_shown_as_an_address(store: Store) -> None:
    """Whoever is second waits for the first to be written, and knows of it then."""
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
    both = [found(each)._replace(display="https://a.example/shown") for each in pages(2)]
    first, second = arrivals(both, source)
    began, taken = threading.Event(), dict[int, str]()

    def late() -> None:
        with store.begin() as tx:
            began.set()
            taken.update(enqueue.shown_already(tx, source, [second]))

    other = threading.Thread(target=late)
    with store.begin() as tx:
        assert enqueue.shown_already(tx, source, [first]) == {}
        other.start()
        began.wait(0.3)  # on SQLite it does not even begin
        time.sleep(0.1)
        enqueue.admit(tx, SiteNumbers(), Admission(source, 1, 1), [first])
    other.join(HANG_S)
    assert taken == {second.key: first.found.address}
