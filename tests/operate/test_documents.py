from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.errors import NotFoundError
from cormorant.catalog import sources
from cormorant.frontier import admission
from cormorant.frontier.admission import Admission, Arrival, SiteNumbers
from cormorant.journal import visits
from cormorant.journal.visits import Exclusion
from cormorant.model.address import fingerprint, origin_of
from cormorant.model.resource import Found, How
from cormorant.operate import documents, explain
from cormorant.operate.documents import Wanted
from cormorant.operate.house import House
from cormorant.store.database import Store, Tx

FOLDER = "file:/srv/papers"


def unused(*_: object) -> NoReturn:
    raise AssertionError("a listing needs nothing but the store")


@pytest.fixture
def house(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An installation with two sources, and pages of two rows."""
    monkeypatch.setattr(documents, "PAGE", 2)
    with store.begin() as tx:
        for name in ("docs", "papers"):
            sources.add(tx, "web", name, {"start": ["https://a.example/"]})
    return House(tmp_path, store, SystemClock(), {}, unused, unused, unused, unused, searchable=False)


def know(tx: Tx, source: int, *addresses: str) -> None:
    arrivals = [
        Arrival(Found(each, FOLDER if each.startswith("file:") else origin_of(each).site, how=How.LINK), key)
        for each in addresses
        for key in [fingerprint(each, source)]
    ]
    assert admission.admit(tx, SiteNumbers(), Admission(source, 1, 1), arrivals) == len(addresses)


def exclude(tx: Tx, source: int, *addresses: str) -> None:
    rows = [Exclusion(source, fingerprint(x, source), x, "boundary", "a rule", 964, 1, 1, None) for x in addresses]
    visits.exclude(tx, rows)


def listed(house: House, **wanted: Any) -> list[str]:
    return [each["url"] for each in documents.listed(house, Wanted(**wanted))]


def quiet(other: Store) -> bool:
    """Does no transaction stand open, so that SQLite can begin its log anew and PostgreSQL clean up?"""
    if other.sqlite:
        with other.begin() as tx:
            tx.driver("INSERT INTO site (key) VALUES ('another')")
        with other._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
            return int(connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]) == 0
    with other.read() as tx:
        idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in %'"
        return int(tx.execute(sa.text(idle)).scalar_one()) == 0


@pytest.mark.parametrize("fill", [know, exclude])
def test_a_listing_left_open_holds_nothing_open(house: House, other: Store, fill: Callable[..., None]) -> None:
    addresses = [f"https://a.example/{number}" for number in range(5)]
    with house.store.begin() as tx:
        fill(tx, 1, *addresses)
    listing = documents.listed(house, Wanted(excluded=fill is exclude))
    first = next(listing)
    assert quiet(other)
    assert sorted([first["url"], *(each["url"] for each in listing)]) == addresses


def test_a_listing_of_one_source(house: House) -> None:
    with house.store.begin() as tx:
        know(tx, 1, "https://a.example/1", "https://a.example/2", "https://a.example/3")
        know(tx, 2, "https://a.example/4")
        exclude(tx, 1, "https://b.example/5")
        exclude(tx, 2, "https://b.example/6", "https://b.example/7")
    assert len(listed(house)) == 4
    assert listed(house, source="papers") == ["https://a.example/4"]
    assert len(listed(house, excluded=True)) == 3
    assert listed(house, source="docs", excluded=True) == ["https://b.example/5"]
    assert listed(house, status=404) == []


@pytest.mark.parametrize("front", ["https://a.example", "http://a.example:81", "file:///srv/papers"])
def test_what_is_a_resource_is_no_mere_exclusion(house: House, front: str) -> None:
    same = [f"{front}/{number}" for number in range(5)]
    with house.store.begin() as tx:
        exclude(tx, 1, *same, f"{front}/other", "https://b.example/x")
        know(tx, 1, *same)
        know(tx, 2, f"{front}/other")
    assert sorted(listed(house, source="docs", excluded=True)) == sorted([f"{front}/other", "https://b.example/x"])
    assert listed(house, source="docs") == same


def test_a_display_address_is_an_address(house: House) -> None:
    with house.store.begin() as tx:
        given = {"path": "/srv/papers", "display_prefix": "https://intra/docs"}
        files = sources.add(tx, "files", "files", given)
        know(tx, files, "file:///srv/papers/a%20b.txt")
        know(tx, 1, "https://intra/docs/page")
    for form in ("https://intra/docs/a%20b.txt", "https://INTRA/docs/a b.txt", "file:///srv/papers/a%20b.txt"):
        (record,) = documents.shown(house, form)
        assert (record["source"], record["access_url"]) == ("files", "file:///srv/papers/a%20b.txt")
        assert documents.links(house, form) == []
        (said,) = explain.explain(house, form)
        assert (said["source"], said["verdict"]) == ("files", "pending")
    assert [each["source"] for each in documents.shown(house, "https://intra/docs/page")] == ["docs"]
    (said,) = explain.explain(house, "https://intra/docs/none.txt")
    assert (said["source"], "There is no such file." in said["because"]) == ("files", True)
    with pytest.raises(NotFoundError):
        documents.shown(house, "https://intra/docs/none.txt")


def test_what_was_excluded_before_it_was_visited_has_every_field(house: House, store: Store) -> None:
    with store.begin() as tx:
        know(tx, 1, "https://a.example/known")
        exclude(tx, 1, "https://a.example/out")
    (known,) = documents.listed(house, Wanted())
    (record,) = documents.listed(house, Wanted(state="excluded", status=964))
    assert (record["url"], record["state"], record["attempts"]) == ("https://a.example/out", "excluded", 0)
    assert set(known) == set(record) - {"run"}
