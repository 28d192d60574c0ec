from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.frontier.queue import host_leases
from cormorant.frontier.queue.host_leases import LEASE_S, READ_AHEAD, LeasedSite, ReadWindow
from cormorant.frontier.state import refetch, writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, Resource, Role, UrlState
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import content, resource, site, source as sources
from tests.frontier.samples import (
    SOURCE,
    a_content,
    admit,
    admitted,
    numbers,
    pages,
    pass_time,
    site_numbers,
    use,
    work_of,
)  # fmt: skip

HOSTS = ("a.example", "b.example", "c.example")
NOW = {SOURCE: 1}


def leased(store: Store, owner: str, most: int = 10, **generations: int) -> list[LeasedSite]:
    wanted = {int(name[1:]): generation for name, generation in generations.items()} or NOW
    with store.begin() as tx:
        return host_leases.lease(tx, owner, wanted, most)


def keys(found: list[LeasedSite]) -> set[str]:
    return {each.lease.key for each in found}


def renewed(store: Store, owner: str, *sites: LeasedSite) -> set[int]:
    """Renew; returns those whose lease was lost."""
    with store.begin() as tx:
        kept = host_leases.renew(tx, owner, [use(each) for each in sites])
    return {each.lease.site for each in sites} - kept.keys()


@pytest.fixture
def three(store: Store) -> Store:
    """A store with work at three sites."""
    admitted(store, *(f"https://{host}/" for host in HOSTS))
    return store


def test_a_lease_says_what_its_owner_must_know(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        admit(tx, "https://a.example/more", source=2)
        admit(tx, "https://a.example/other", source=3)
        tx.execute(sa.update(site).values(failures=4, trouble=906, requested_at=17.5, not_before=3.0, epoch=6))
    (got,) = leased(store, "ada", s1=1, s2=1)
    with store.read() as tx:
        now = tx.now()
    assert (got.lease.key, got.lease.epoch) == ("a.example", 7)
    assert 0 < got.lease.until - now <= LEASE_S
    assert (got.not_before, got.failures, got.requested_at, got.trouble) == (3.0, 4, 17.5, 906)
    assert got.arrivals == {1: 1, 2: 1}, "only the sources that were asked for"


def test_two_owners_never_have_the_same_site(three: Store, other: Store) -> None:
    first, second = leased(three, "ada", 2), leased(other, "bob", 5)
    assert len(first) == 2
    assert keys(first) | keys(second) == set(HOSTS)
    assert not keys(first) & keys(second)
    assert leased(three, "ada") == leased(other, "eve") == []


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)  # on SQLite the second waits before it looks
def test_two_who_lease_at_the_same_moment_share(three: Store, other: Store) -> None:
    with three.begin() as tx:
        first = host_leases.lease(tx, "ada", NOW, 2)
        second = leased(other, "bob", 5)
    assert keys(first) | keys(second) == set(HOSTS)
    assert not keys(first) & keys(second)


def test_those_that_rested_longest_come_first(three: Store) -> None:
    with three.begin() as tx:
        for host, at in zip(HOSTS, (3.0, 1.0, 2.0), strict=True):
            tx.execute(sa.update(site).where(site.c.key == host).values(requested_at=at))
    assert [keys(leased(three, "ada", 1)) for _ in HOSTS] == [{"b.example"}, {"c.example"}, {"a.example"}]


def test_nothing_is_leased_for_nobody(three: Store) -> None:
    with three.begin() as tx:
        assert (
            host_leases.lease(tx, "ada", {}, 5)
            == host_leases.lease(tx, "ada", NOW, 0)
            == host_leases.lease(tx, "ada", NOW, -1)
            == []
        )
        assert host_leases.lease(tx, "ada", {7: 1}, 5) == [], "a source without work"
        assert host_leases.workable(tx, {}) == host_leases.workable(tx, {7: 1}) == 0
        assert host_leases.workable(tx, NOW) == 3


def test_a_lease_runs_out(three: Store, other: Store) -> None:
    first = leased(three, "ada")
    pass_time(three, LEASE_S - 5)
    assert leased(other, "bob") == []
    pass_time(three, 10)
    second = leased(other, "bob")
    assert keys(second) == set(HOSTS)
    assert {each.lease.epoch for each in second} == {first[0].lease.epoch + 1}


def test_a_renewed_lease_lasts(three: Store, other: Store) -> None:
    first = leased(three, "ada", 1)
    pass_time(three, LEASE_S - 1)
    assert renewed(three, "ada", *first) == set()
    pass_time(three, LEASE_S - 1)
    assert keys(first) & keys(leased(other, "bob")) == set()


def test_a_late_writer_is_told_which_sites_it_lost(three: Store, other: Store) -> None:
    first = leased(three, "ada")
    pass_time(three, LEASE_S + 1)
    assert renewed(three, "ada", *first) == set(), "late, but nobody came"
    pass_time(three, LEASE_S + 1)
    (taken,) = leased(other, "bob", 1)
    assert renewed(three, "ada", *first) == {taken.lease.site}
    assert renewed(other, "bob", taken) == set()
    assert renewed(three, "bob", *first) >= {taken.lease.site}, "the name alone is not enough, the epoch counts"


def test_a_renewal_writes_back_what_was_learnt(three: Store) -> None:
    (got,) = leased(three, "ada", 1)
    with three.begin() as tx:
        host_leases.renew(tx, "ada", [use(got, not_before=2.0, failures=3, requested_at=1.5)._replace(trouble=503)])
        row = tx.rows(sa.select(site).where(site.c.id == got.lease.site))[0]
    assert (row.not_before, row.failures, row.requested_at, row.trouble) == (2.0, 3, 1.5, 503)


@pytest.mark.parametrize("written", ["renewed", "released"])
def test_a_rest_that_was_forgiven_meanwhile_is_not_written_back(three: Store, written: str) -> None:
    with three.begin() as tx:
        tx.execute(sa.update(site).values(not_before=2.0, failures=12))
    (got,) = leased(three, "ada", 1)
    with three.begin() as tx:
        tx.execute(sa.update(site).values(not_before=0.0, failures=0))
        late = use(got, not_before=1e12, failures=13, requested_at=1.5)
        if written == "renewed":
            assert host_leases.renew(tx, "ada", [late]) == {got.lease.site: (0.0, 0)}
        else:
            host_leases.release(tx, "ada", late)
        row = tx.rows(sa.select(site).where(site.c.id == got.lease.site))[0]
    assert (row.not_before, row.failures, row.requested_at) == (0.0, 0, 1.5)


@pytest.mark.parametrize("written", ["renewed", "released"])
def test_a_rest_that_the_server_asked_for_is_written_back_whoever_forgave_the_one_before(
    three: Store, written: str
) -> None:
    (got,) = leased(three, "ada", 1)
    with three.begin() as tx:
        tx.execute(sa.update(site).values(failures=12))
        wish = use(got, not_before=1e12, failures=4)._replace(trouble=503)
        if written == "renewed":
            host_leases.renew(tx, "ada", [wish])
        else:
            host_leases.release(tx, "ada", wish)
        row = tx.rows(sa.select(site).where(site.c.id == got.lease.site))[0]
    assert (row.not_before, row.failures, row.trouble) == (1e12, 4, 503)


def test_a_late_writer_writes_nothing_back(three: Store) -> None:
    (got,) = leased(three, "ada", 1)
    pass_time(three, LEASE_S + 1)
    leased(three, "bob")
    with three.begin() as tx:
        host_leases.renew(tx, "ada", [use(got, failures=9)])
        host_leases.release(tx, "ada", use(got))
        assert set(tx.execute(sa.select(site.c.failures)).scalars()) == {0}
        assert set(tx.execute(sa.select(site.c.owner)).scalars()) == {"bob"}


def test_what_is_given_back_can_be_leased_at_once(three: Store, other: Store) -> None:
    for each in leased(three, "ada"):
        with three.begin() as tx:
            host_leases.release(tx, "ada", use(each))
    assert keys(leased(other, "bob")) == set(HOSTS)


def test_a_process_that_begins_anew_frees_what_it_had(three: Store, other: Store) -> None:
    leased(three, "ada", 2)
    kept = leased(other, "bob", 1)
    with three.begin() as tx:
        assert host_leases.disown(tx, "ada") == 2
        paces = tx.execute(sa.select(site.c.requested_at).where(site.c.owner.is_(None))).scalars().all()
        assert all(tx.now() - at < 60 for at in paces), "whoever is next keeps the pace"
    assert keys(leased(other, "eve")) == set(HOSTS) - keys(kept)


@pytest.mark.parametrize("rests", ["site", "work"])
def test_what_rests_is_not_leased(three: Store, rests: str) -> None:
    with three.begin() as tx:
        later = tx.now() + 100
        tx.driver(f"UPDATE {'site' if rests == 'site' else 'site_source'} SET not_before = {later}")
        assert host_leases.workable(tx, NOW) == 0
        assert host_leases.lease(tx, "ada", NOW, 5) == []
    pass_time(three, 200)
    with three.begin() as tx:
        assert host_leases.workable(tx, NOW) == 3
    assert keys(leased(three, "ada")) == set(HOSTS)


def test_what_is_done_is_not_leased_before_the_next_generation(three: Store) -> None:
    with three.begin() as tx:
        for host, number in site_numbers(tx).items():
            assert host_leases.finish(tx, number, SOURCE, 1, work_of(tx, key=host).arrivals, 0.0)
        assert host_leases.workable(tx, NOW) == 0
    assert leased(three, "ada", s1=1) == []
    assert len(leased(three, "ada", s1=2)) == 3


def test_a_site_counts_once_however_many_sources_want_it(store: Store) -> None:
    for source in (1, 2, 3):
        admitted(store, *pages(1), source=source)
    with store.begin() as tx:
        assert host_leases.workable(tx, {1: 1, 2: 1, 3: 1}) == 1


def test_reading_gives_what_was_known_of_a_page(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        number = numbers(tx)["https://a.example/0"]
        row = a_content(number)._replace(etag='"e"', modified="Mon", acl_id=5)
        writes.contents(tx, [row])
        values = {"attempts": 2, "outcome": 1, "status": 200, "depth": 3, "validator": "v", "role": int(Role.ROBOTS)}
        tx.execute(sa.update(resource).where(resource.c.id == number).values(values))
        place = site_numbers(tx)["a.example"]
        read = host_leases.read(tx, ReadWindow(place, SOURCE, 1))
        assert host_leases.at_address(tx, place, SOURCE, "https://a.example/0") == read[0]
    assert read[0] == Resource(
        number, SOURCE, place, "https://a.example/0", Role.ROBOTS, 3, 2, OutcomeKind.OK, 200, '"e"', "Mon", "v",
        b"c" * 32, b"t" * 32, 5, indexed=True,
    )  # fmt: skip
    assert isinstance(read[0].role, Role)
    assert read[1][4:] == (Role.DOCUMENT, 0, 0, 0, 0, "", "", "", b"", b"", 0, False, b"", "", False)


def test_what_is_to_be_kept_anew_is_compared_with_nothing_and_known_by_what_it_said(store: Store) -> None:
    admitted(store, *pages(3))
    with store.begin() as tx:
        row = {"id": SOURCE, "name": "a", "kind": "web", "settings": "{}", "generation": 1, "created_at": 0.0}
        tx.execute(sa.insert(sources).values(row))
        known = numbers(tx)
        said, unsaid = known["https://a.example/0"], known["https://a.example/1"]
        writes.contents(tx, [a_content(said), a_content(unsaid)._replace(text_hash=b"")])
        for _ in range(2):
            refetch.renew(tx, [said, unsaid])
        found = {each.id: each for each in host_leases.read(tx, ReadWindow(site_numbers(tx)["a.example"], SOURCE, 1))}
        awaited = {row[0] for row in tx.rows(sa.select(content.c.id).where(refetch.AWAITED))}
    assert (found[said].text_hash, found[said].before, found[said].renewed) == (b"", b"t" * 32, True)
    assert (found[unsaid].text_hash, found[unsaid].before, found[unsaid].renewed) == (b"", b"", False)
    assert found[said].content_hash == found[unsaid].content_hash == b""
    assert awaited == {said, unsaid}


def test_what_is_fetched_since_its_copy_is_damaged_waits_as_long_as_its_server_wants(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        row = {"id": SOURCE, "name": "a", "kind": "web", "settings": "{}", "generation": 1, "created_at": 0.0}
        tx.execute(sa.insert(sources).values(row))
        patient, due = numbers(tx)["https://a.example/0"], numbers(tx)["https://a.example/1"]
        writes.contents(tx, [a_content(patient), a_content(due)])
        tx.execute(sa.update(resource).where(resource.c.id == patient).values(not_before=tx.now() + 60.0))
        tx.execute(sa.update(resource).where(resource.c.id == due).values(state=int(UrlState.SETTLED)))
        refetch.mend(tx, [patient, due])
        window = ReadWindow(site_numbers(tx)["a.example"], SOURCE, 1)
        assert [each.id for each in host_leases.read(tx, window)] == [due]
        assert refetch.awaited(tx, [patient, due]) == {patient, due}


def test_reading_goes_on_behind_what_is_held(store: Store) -> None:
    admitted(store, *pages(READ_AHEAD + 50))
    with store.read() as tx:
        window = ReadWindow(site_numbers(tx)["a.example"], SOURCE, 1)
        first, second = host_leases.read(tx, window), host_leases.read(tx, window, READ_AHEAD + 100)
    assert len(first) == READ_AHEAD
    assert [each.address for each in second] == pages(READ_AHEAD + 50)
    assert second[:READ_AHEAD] == first


def test_reading_can_begin_behind_the_newest(store: Store) -> None:
    admitted(store, *pages(3))
    with store.read() as tx:
        place, known = site_numbers(tx)["a.example"], numbers(tx)
        newest = known["https://a.example/1"]
        assert [each.address for each in host_leases.read(tx, ReadWindow(place, SOURCE, 1, newest))] == pages(3)[2:]


def test_what_is_new_to_a_run_was_visited_by_no_other(store: Store) -> None:
    admitted(store, *pages(5))
    with store.begin() as tx:
        known = numbers(tx)
        for page, outcome, run in zip(
            pages(5)[1:], (OutcomeKind.OK, OutcomeKind.DEFERRED, OutcomeKind.DEFERRED, OutcomeKind.GONE), (1, 1, 2, 2),
            strict=True,
        ):  # fmt: skip
            values = {"outcome": int(outcome), "run": run, "not_before": float(run)}
            tx.execute(sa.update(resource).where(resource.c.id == known[page]).values(values))
        everything = ReadWindow(site_numbers(tx)["a.example"], SOURCE, 1)
        new = everything._replace(new_of=2)
        assert [each.address for each in host_leases.read(tx, everything)] == pages(5)
        assert [each.address for each in host_leases.read(tx, new)] == [pages(5)[0], pages(5)[3]]
        assert host_leases.earliest(tx, new) == 0.0
        tx.execute(sa.update(resource).where(resource.c.id == known[pages(5)[0]]).values(outcome=int(OutcomeKind.OK)))
        assert host_leases.earliest(tx, new) == 2.0
        assert host_leases.earliest(tx, new._replace(new_of=3)) is None


def test_a_settled_row_is_not_read_and_is_found_by_its_address(store: Store) -> None:
    admitted(store, *pages(1))
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(state=int(UrlState.SETTLED), how=int(DiscoveredBy.PREREQUISITE)))
        place = site_numbers(tx)["a.example"]
        assert host_leases.read(tx, ReadWindow(place, SOURCE, 1)) == []
        assert host_leases.at_address(tx, place, SOURCE, "https://a.example/0") is not None
        assert host_leases.at_address(tx, place, SOURCE, "https://a.example/nothing") is None
        assert host_leases.at_address(tx, place, 2, "https://a.example/0") is None


def test_the_earliest_of_what_is_left(store: Store) -> None:
    admitted(store, *pages(3))
    with store.begin() as tx:
        place = site_numbers(tx)["a.example"]
        assert host_leases.earliest(tx, ReadWindow(place, SOURCE, 1)) == 0.0
        for number, at in zip(sorted(numbers(tx).values()), (50.0, 30.5, 70.0), strict=True):
            tx.execute(sa.update(resource).where(resource.c.id == number).values(not_before=at))
        assert host_leases.earliest(tx, ReadWindow(place, SOURCE, 1)) == 30.5
        assert host_leases.earliest(tx, ReadWindow(place, SOURCE, 0)) is None
        tx.execute(sa.update(resource).values(state=int(UrlState.SETTLED)))
        assert host_leases.earliest(tx, ReadWindow(place, SOURCE, 1)) is None


def owner_of(tx: Tx, key: str) -> str:
    return str(tx.execute(sa.select(site.c.owner).where(site.c.key == key)).scalar_one())


def test_giving_back_twice_is_harmless(three: Store) -> None:
    first = leased(three, "ada", 3)
    with three.begin() as tx:
        host_leases.release(tx, "ada", use(first[0]))
        again = host_leases.lease(tx, "bob", NOW, 1)
        host_leases.release(tx, "ada", use(first[0]))
        assert owner_of(tx, again[0].lease.key) == "bob"


def test_giving_back_keeps_what_the_next_owner_must_know(three: Store, other: Store) -> None:
    (got,) = leased(three, "ada", 1)
    with three.begin() as tx:
        host_leases.release(tx, "ada", use(got, not_before=2.0, failures=3, requested_at=1.5)._replace(trouble=503))
    (again,) = [each for each in leased(other, "bob") if each.lease.site == got.lease.site]
    assert (again.not_before, again.failures, again.requested_at, again.trouble) == (2.0, 3, 1.5, 503)
