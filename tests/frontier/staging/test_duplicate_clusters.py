"""Classes of what is nearly the same, out of the store: who is in which, beside a plain model that compares all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations, count

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.base.clock import SystemClock
from cormorant.frontier.staging import duplicate_clusters
from cormorant.frontier.staging.duplicate_clusters import MOST_FILED, Classes, ClusterChange, Member
from cormorant.model.text.near_duplicates import ALIKE, FIGURES, PLACES, bands, likeness
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import metadata, near, near_band

PUBLIC, STAFF, BOARD = 1, 2, 3
_fresh = count(100)


def made(base: int, changed: int = 0, title: str = "") -> bytes:
    """A sketch of a text, of which so many places were changed from the end on."""
    texts = bytes((base * 37 + place * 11) % 256 for place in range(PLACES - changed))
    return (
        texts + bytes((base * 41 + place * 13 + 7) % 256 for place in range(changed)) + bytes(FIGURES) + title.encode()
    )


class Shelf:
    """Documents that are told, each with a new number of an event."""

    def __init__(self, store: Store) -> None:
        self.store, self._seq = store, count(1)

    def tell(self, *told: tuple[int, int, bytes]) -> set[int]:
        """Tell of documents: number, rights, sketch."""
        said = [ClusterChange(number, 1, acl, sketch, next(self._seq)) for number, acl, sketch in told]
        with self.store.begin() as tx:
            return Classes(tx, lambda acl: acl == PUBLIC, lambda: next(_fresh)).update(said)

    def members(self) -> dict[int, Member]:
        with self.store.read() as tx:
            return {row[0]: Member(*row) for row in tx.rows(near.select())}

    def parts(self) -> set[frozenset[int]]:
        """Classes of more than one, by their documents."""
        return parts(self.members().values())

    def shown(self) -> dict[int, int]:
        with self.store.read() as tx:
            return duplicate_clusters.labels(tx, self.members())


def parts(members: Iterable[Member]) -> set[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for each in members:
        found.setdefault(each.label, set()).add(each.id)
    return {frozenset(each) for each in found.values() if len(each) > 1}


@pytest.fixture
def shelf(store: Store) -> Shelf:
    return Shelf(store)


def test_what_is_alike_is_one_class_and_who_is_concerned_is_told(shelf: Shelf) -> None:
    assert shelf.tell((1, PUBLIC, made(1)), (2, PUBLIC, made(2))) == set(), "alone in a class is in none"
    assert shelf.tell((3, PUBLIC, made(1, 3))) == {1, 3}
    assert shelf.tell((4, PUBLIC, made(1, 5))) == {4}, "of those that were in it nothing changed"
    assert shelf.parts() == {frozenset((1, 3, 4))}
    with shelf.store.read() as tx:
        assert duplicate_clusters.members(tx, [3], 10) == [1, 4]
        assert duplicate_clusters.members(tx, [2], 10) == duplicate_clusters.members(tx, [9], 10) == []
        assert duplicate_clusters.members(tx, [2, 3, 4], 10) == [1]


def test_a_class_dissolves_when_its_members_change_or_go(shelf: Shelf) -> None:
    shelf.tell((1, PUBLIC, made(1)), (2, PUBLIC, made(1, 2)), (3, PUBLIC, made(1, 3)))
    assert shelf.tell((2, PUBLIC, made(5))) == {2}
    assert shelf.tell((1, PUBLIC, b"")) == {3, 1}, "who is left is in no class"
    assert shelf.parts() == set()
    assert shelf.shown() == {}
    shelf.tell((3, PUBLIC, b""), (2, PUBLIC, b""))
    with shelf.store.read() as tx:
        assert tx.rows(near_band.select()) == [], "nothing is filed for what is gone"


def test_when_its_leader_changes_the_others_stay_together(shelf: Shelf) -> None:
    shelf.tell(*((number, PUBLIC, made(1, number % 3)) for number in range(1, 9)))
    before = shelf.shown()
    assert shelf.tell((1, PUBLIC, made(7))) == {1}, "nobody else is told to the index anew"
    assert shelf.shown() == {number: before[number] for number in range(2, 9)}


def test_who_is_unlike_the_next_leader_enters_anew(shelf: Shelf) -> None:
    one, middle, other = made(1, 10), made(1), bytes(10) + made(1)[10:]
    assert likeness(one, middle) >= ALIKE <= likeness(middle, other)
    assert likeness(one, other) < ALIKE
    shelf.tell((1, PUBLIC, middle), (2, PUBLIC, one), (3, PUBLIC, other))
    assert shelf.parts() == {frozenset((1, 2, 3))}
    assert shelf.tell((1, PUBLIC, b"")) == {1, 2, 3}
    assert shelf.parts() == set()


def test_told_again_nothing_changes(shelf: Shelf) -> None:
    told = [(number, PUBLIC, made(number % 2, number)) for number in range(6)]
    shelf.tell(*told)
    before = shelf.members()
    assert shelf.tell(*told) == set()
    assert shelf.members() == before


def test_rights_part_what_is_alike(shelf: Shelf) -> None:
    shelf.tell((1, STAFF, made(1)), (2, BOARD, made(1)), (3, BOARD, made(1, 1)), (4, PUBLIC, made(1, 2)))
    assert shelf.parts() == {frozenset((2, 3))}
    shelf.tell((5, STAFF, made(1)), (6, PUBLIC, made(1)))
    assert shelf.parts() == {frozenset((1, 5)), frozenset((2, 3)), frozenset((4, 6))}
    assert shelf.tell((5, PUBLIC, made(1))) == {1, 5}, "it was opened to everyone"
    assert shelf.parts() == {frozenset((2, 3)), frozenset((4, 5, 6))}


def test_what_very_many_share_is_not_filed_under(shelf: Shelf) -> None:
    sketches = [made(1)[:20] + made(number + 2)[20:] for number in range(MOST_FILED + 9)]
    shelf.tell(*((number, PUBLIC, sketch) for number, sketch in enumerate(sketches)))
    with shelf.store.read() as tx:
        filed = tx.rows(near_band.select().where(near_band.c.key == bands(sketches[0], 0)[0]))
    assert len(filed) == MOST_FILED


# Texts of three families, with more or less of them changed, so that some are alike one and not another.
_SKETCHES = st.builds(
    lambda base, cut, title: made(1, cut) if base == 0 else bytes(cut) + made(base, 0, title)[cut:],
    st.integers(0, 2), st.integers(0, 24), st.sampled_from(("", "aa", "aabb", "cc")),
)  # fmt: skip
_TOLD = st.tuples(st.integers(1, 9), st.sampled_from((PUBLIC, STAFF, BOARD)), st.one_of(_SKETCHES, st.just(b"")))
_BATCHES = st.lists(st.lists(_TOLD, min_size=1, max_size=6, unique_by=lambda each: each[0]), max_size=8)


@contextmanager
def emptied(store: Store) -> Iterator[Shelf]:
    with store.begin() as tx:
        for table in (near, near_band):
            tx.execute(table.delete())
    yield Shelf(store)


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with these tables alone, used for every example."""
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('classes') / 'x.db'}", SystemClock())
    with store.begin() as tx:
        metadata.create_all(tx.connection, [near, near_band])
    yield store
    store.close()


def check(shelf: Shelf, docs: dict[int, tuple[int, bytes]]) -> None:
    """Everything that is promised of classes, by comparing all with all."""
    members = shelf.members()
    assert {n: (each.acl, each.sketch) for n, each in members.items()} == {n: d for n, d in docs.items() if d[1]}
    leaders = [each for each in members.values() if each.leads]
    assert len({each.label for each in leaders}) == len(leaders) == len({each.label for each in members.values()})
    led = {each.label: each for each in leaders}
    for each in members.values():
        leader = led[each.label]
        assert leader is each or (leader.acl in (each.acl, PUBLIC) and likeness(leader.sketch, each.sketch) >= ALIKE)
    for one, other in combinations(leaders, 2):
        if one.acl == other.acl and set(bands(one.sketch, 0)) & set(bands(other.sketch, 0)):
            assert likeness(one.sketch, other.sketch) < ALIKE, "two classes that are one"
    with shelf.store.read() as tx:
        filed = {tuple(row) for row in tx.rows(near_band.select())}
    seeds = {each.id: 0 if each.acl == PUBLIC else each.acl for each in leaders}
    assert filed == {(key, each.id) for each in leaders for key in bands(each.sketch, seeds[each.id])}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_BATCHES)
def test_classes_are_as_promised_whatever_is_told(light: Store, batches: list[list[tuple[int, int, bytes]]]) -> None:
    docs: dict[int, tuple[int, bytes]] = {}
    with emptied(light) as shelf:
        for batch in batches:
            before = shelf.shown()
            changed = shelf.tell(*batch)
            docs |= {number: (acl, sketch) for number, acl, sketch in batch}
            after = shelf.shown()
            assert changed == {n for n in docs if before.get(n) != after.get(n)}, "who is shown otherwise is told"
            check(shelf, docs)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_BATCHES)
def test_what_a_reader_may_not_read_joins_and_parts_nothing(
    light: Store, batches: list[list[tuple[int, int, bytes]]]
) -> None:
    """The classes of those a reader may read are the same with and without the others, step by step."""
    seen = (PUBLIC, STAFF)
    with emptied(light) as shelf:
        whole = []
        for batch in batches:
            shelf.tell(*batch)
            whole.append({frozenset(e.id for e in some) for some in _seen(shelf, seen)})
    with emptied(light) as shelf:
        for batch, expected in zip(batches, whole, strict=True):
            shelf.tell(*((number, acl, sketch if acl in seen else b"") for number, acl, sketch in batch))
            assert {frozenset(e.id for e in some) for some in _seen(shelf, seen)} == expected


def _seen(shelf: Shelf, acls: tuple[int, ...]) -> list[list[Member]]:
    found: dict[int, list[Member]] = {}
    for each in shelf.members().values():
        if each.acl in acls:
            found.setdefault(each.label, []).append(each)
    return list(found.values())


def test_a_lookup_reads_no_more_among_many(shelf: Shelf) -> None:
    """Every statement that looks for a document goes by an index."""
    with shelf.store.begin() as tx:
        plans = [
            _plan(tx, "SELECT key, id FROM near_band WHERE key IN (1, 2)"),
            _plan(tx, "SELECT id FROM near WHERE label = 1 LIMIT 2"),
        ]
    assert not any("Seq Scan" in plan or "SCAN near" in plan for plan in plans), plans


def _plan(tx: Tx, sql: str) -> str:
    if not tx.sqlite:
        tx.driver("SET LOCAL enable_seqscan = off")
    rows = tx.driver(f"EXPLAIN {'QUERY PLAN ' if tx.sqlite else ''}{sql}").fetchall()
    return "\n".join(str(row[-1]) for row in rows)
