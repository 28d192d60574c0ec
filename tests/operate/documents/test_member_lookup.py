"""Lookups of documents in archives, and their cost: statements to the store and settings that are parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.model.url import fingerprint, origin_of
from cormorant.operate.documents import lookup, member_lookup
from cormorant.operate.documents.address_lookup import AddressLookup
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import tombstones
from cormorant.store.journal.tombstones import Tombstone
from cormorant.store.schema import resource

SOURCES = 26


def know(tx: Tx, source: int, *addresses: str, how: DiscoveredBy = DiscoveredBy.LISTING) -> None:
    found = [
        (each, "file:/srv" if each.startswith("file:") else origin_of(each).site, fingerprint(each, source))
        for each in addresses
    ]
    arrivals = [NewUrl(DiscoveredUrl(each, site, how=how), key) for each, site, key in found]
    enqueue.admit(tx, SiteNumbers(), Admission(source, 1, 1), arrivals)


def bury(tx: Tx, source: int, address: str) -> None:
    tombstones.write(tx, [Tombstone(source, fingerprint(address, source), address, 99, 1, 1.0, 404, None)])


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """A transaction in an installation with many sources, half of files and half of pages."""
    with store.begin() as begun:
        for number in range(SOURCES // 2):
            sources.add(begun, "files", f"files {number:02}", {"path": f"/srv/{number}"})
            sources.add(begun, "web", f"pages {number:02}", {"start": [f"https://example.org/{number}/"]})
        yield begun


@contextmanager
def counted(tx: Tx, patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Count statements and parsed settings, by name."""
    calls = list[str]()
    rows = Tx.rows

    def asked(self: Tx, statement: Any, parameters: Any = None) -> Sequence[Any]:
        calls.append("statement")
        return rows(self, statement, parameters)

    def parse(kind: type[SourceSettings], given: dict[str, object]) -> SourceSettings:
        calls.append("settings")
        return parse_settings(kind, given)

    with patch.context() as patched:
        patched.setattr(Tx, "rows", asked)
        patched.setattr("cormorant.operate.documents.source_addresses.parse_settings", parse)
        yield calls


@pytest.mark.parametrize(
    ("path", "containers"),
    [
        ("/srv/data/x.txt", 0),
        ("/srv/data.v1/x.txt", 1),
        ("/srv/data.v1/2024.01/a.b/x.txt", 3),
        ("/srv" + "/a.b" * 30 + "/x.txt", member_lookup.MOST_CONTAINERS),
        ("https://example.org/#/a", 1),
    ],
)
def test_the_cost_of_a_lookup(path: str, containers: int, tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    with counted(tx, monkeypatch) as calls:
        meant = lookup.address_of(tx, path)
    assert meant == (f"file://{path}" if path.startswith("/") else "https://example.org/")
    parsed, asked = calls.count("settings"), calls.count("statement")
    assert parsed == (SOURCES if containers else 0)
    # sources with their sets of settings; the sites of files; for each container its rows by key, by display address
    # and as a tombstone. No row is sought by key while no site is known.
    assert asked <= 3 + 3 * containers


def test_explanations_and_lookups_parse_settings_once(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    know(tx, 1, "file:///srv/data.v1/a.zip")
    with counted(tx, monkeypatch) as calls:
        known = AddressLookup(tx)
        meant = lookup.address_of(tx, "/srv/data.v1/a.zip/b.txt", known=known)
        assert meant == "file:///srv/data.v1/a.zip#/b.txt"
        assert [row.address for row in known.at("file:///srv/data.v1/a.zip")] == ["file:///srv/data.v1/a.zip"]
        before = len(calls)
        assert known.at(meant) == []
    assert calls.count("settings") == SOURCES
    assert len(calls) == before, "rows of an address are remembered"


@pytest.mark.parametrize("depth", [member_lookup.MOST_CONTAINERS - 1, member_lookup.MOST_CONTAINERS])
def test_a_container_is_found_behind_some_folders_with_a_dot(depth: int, tx: Tx) -> None:
    know(tx, 1, "file:///srv/a.zip")
    inner = "a.b/" * depth + "x.txt"
    found = member_lookup.of_path(AddressLookup(tx), f"/srv/a.zip/{inner}")
    assert found == (f"file:///srv/a.zip#/{inner}" if depth < member_lookup.MOST_CONTAINERS else None)
    assert member_lookup.of_text(AddressLookup(tx), f"/srv/a.zip#/{inner}") == f"file:///srv/a.zip#/{inner}"


def test_a_container_that_was_deleted_still_leads_to_its_members(tx: Tx) -> None:
    member = "file:///srv/a.zip#/x.txt"
    bury(tx, 1, member)
    assert member_lookup.of_path(AddressLookup(tx), "/srv/a.zip/x.txt") is None
    bury(tx, 3, "file:///srv/a.zip")
    assert member_lookup.of_path(AddressLookup(tx), "/srv/a.zip/x.txt") == member
    assert member_lookup.of_path(AddressLookup(tx), "/srv/a.zip/y.txt") is None


def test_rows_are_those_of_the_site_that_each_source_means(tx: Tx) -> None:
    page, file = "https://example.org/1/a", "file:///srv/a.txt"
    know(tx, 2, page)
    know(tx, 4, page)
    know(tx, 3, file)
    know(tx, 1, file)
    known = AddressLookup(tx)
    assert [(row.source, row.address) for row in known.at(page)] == [("pages 00", page), ("pages 01", page)]
    assert [(row.source, row.address) for row in known.at(file)] == [("files 00", file), ("files 01", file)]
    assert [row.source for row in known.in_source(known.owners[4], page)] == ["pages 01"]
    assert known.at("https://other.example/1/a") == []
    tx.execute(resource.update().where(resource.c.source_id == 4).values(display="https://shown.example/a"))
    assert [row.source for row in AddressLookup(tx).at("https://shown.example/a")] == ["pages 01"]


def test_a_tombstone_is_of_a_source_and_an_address(tx: Tx) -> None:
    bury(tx, 5, "file:///srv/a.zip")
    every = [*range(1, 1_200)]
    assert tombstones.any_at(tx, every, "file:///srv/a.zip")
    assert not tombstones.any_at(tx, [each for each in every if each != 5], "file:///srv/a.zip")
    assert not tombstones.any_at(tx, every, "file:///srv/b.zip")
    assert not tombstones.any_at(tx, [], "file:///srv/a.zip")
