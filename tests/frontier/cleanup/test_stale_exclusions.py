from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.frontier.cleanup import stale_exclusions
from cormorant.frontier.links.codec import pack
from cormorant.frontier.state import writes
from cormorant.model.content import PageLink
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.ruling import Gate
from cormorant.model.url import fingerprint
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import visits
from cormorant.store.journal.visits import Exclusion
from cormorant.store.schema import resource
from tests.frontier.samples import SOURCE, admitted, pages

OLD, NOW = 3, 9
"""The run that met the exclusions last, and the newest one."""


def out(name: str) -> str:
    return f"https://a.example/out/{name}"


def exclude(tx: Tx, *names: str, referrer: int | None, run: int = OLD) -> None:
    visits.exclude(tx, [
        Exclusion(SOURCE, fingerprint(out(name), SOURCE), out(name), Gate.BOUNDARY, "x", 964, run, 1, referrer)
        for name in names
    ])  # fmt: skip


def page(tx: Tx, number: int, *linked: str) -> None:
    """A page that was read and leads there."""
    writes.links(tx, [(number, OLD, True, pack([PageLink(out(name)) for name in linked]))])


def mark(tx: Tx, number: int, **values: Any) -> None:
    tx.execute(sa.update(resource).where(resource.c.id == number).values(**values))


def left(store: Store, upto: int = OLD) -> list[str]:
    """What is left of them after those that nothing leads to were forgotten."""
    with store.begin() as tx:
        linked = set(stale_exclusions.linked(SOURCE, stale_exclusions.links(tx, SOURCE, 0)))
        some = [each for each in stale_exclusions.old(tx, SOURCE, upto, None) if each.key not in linked]
        before = len(visits.exclusions(tx, SOURCE))
        gone = stale_exclusions.forget(tx, SOURCE, some)
        names = [each.address.rpartition("/")[2] for each in visits.exclusions(tx, SOURCE)]
        assert len(names) == before - gone
    return names


@pytest.fixture
def two(store: Store) -> Store:
    """Two pages: 1 and 2."""
    admitted(store, *pages(2))
    return store


def test_what_a_page_leads_to_stays_however_old(two: Store) -> None:
    with two.begin() as tx:
        page(tx, 1, "kept", "other")
        page(tx, 2, "shared")
        exclude(tx, "kept", "gone", "shared", referrer=1)
    assert left(two) == ["kept", "shared"], "another page leads to the last"


def test_what_was_met_lately_stays(two: Store) -> None:
    with two.begin() as tx:
        page(tx, 1)
        exclude(tx, "late", referrer=1, run=OLD + 1)
    assert left(two) == ["late"]
    assert left(two, OLD + 1) == []


def test_what_nobody_names_any_more_goes(two: Store) -> None:
    with two.begin() as tx:
        exclude(tx, "start", referrer=None)
        exclude(tx, "forgotten", referrer=99)
    assert left(two) == []


@pytest.mark.parametrize(
    ("values", "stays"),
    [
        ({"outcome": OutcomeKind.MOVED, "run": OLD}, True),
        ({"outcome": OutcomeKind.MOVED, "run": NOW}, False),
        ({"outcome": OutcomeKind.DEFERRED, "run": NOW}, True),
        ({"outcome": OutcomeKind.UNCHANGED, "run": NOW, "role": Role.SITEMAP}, True),
        ({"outcome": OutcomeKind.OK, "run": NOW, "role": Role.SITEMAP}, False),
        ({"outcome": OutcomeKind.OK, "run": OLD, "role": Role.SITEMAP}, True),
    ],
)
def test_what_a_redirect_or_a_sitemap_says_still_stays(values: dict[str, int], stays: bool, two: Store) -> None:
    with two.begin() as tx:
        mark(tx, 1, **{name: int(value) for name, value in values.items()})
        exclude(tx, "said", referrer=1)
    assert left(two) == ["said"] * stays


def test_other_sources_are_left_alone(two: Store) -> None:
    with two.begin() as tx:
        exclude(tx, "mine", referrer=None)
        assert stale_exclusions.old(tx, SOURCE + 1, NOW, None) == []
        assert [each.run for each in stale_exclusions.old(tx, SOURCE, NOW, None)] == [OLD]
