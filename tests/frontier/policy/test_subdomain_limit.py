"""Hosts of one domain are counted, whoever admits them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy import subdomain_limit
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import site, site_source


def admit(store: Store, source: int, *keys: str) -> None:
    with store.begin() as tx:
        for key in keys:
            known = tx.rows(sa.select(site.c.id).where(site.c.key == key))
            number = (
                known[0].id if known else tx.execute(sa.insert(site).values(key=key).returning(site.c.id)).scalar_one()
            )
            tx.execute(sa.insert(site_source).values(site_id=number, source_id=source))


def beyond(store: Store, *keys: str, most: int = 3, listed: tuple[str, ...] = (), source: int = 1) -> dict[str, str]:
    with store.begin() as tx:
        return subdomain_limit.beyond(tx, source, set(keys), most, listed)


def test_hosts_of_a_domain_are_counted(store: Store) -> None:
    admit(store, 1, "a.example.org", "b.example.org:8080", "example.org", "xexample.org", "a.example.org:81")
    admit(store, 2, "z.example.org")
    assert beyond(store, "c.example.org") == {"c.example.org": "example.org"}
    assert beyond(store, "b.example.org", "a.example.org:82") == {}, "hosts that are there, at other ports"
    assert beyond(store, "z.example.org", source=2, most=1) == {}
    assert beyond(store, "www.xexample.org") == {}
    assert beyond(store, "c.example.org", most=4) == {}
    assert beyond(store, "c.example.org", "d.example.org", most=4) == {"d.example.org": "example.org"}


def test_many_domains_are_counted_by_one_look(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sitemap may name fifty thousand of them, and a look at all sites for each would take hours."""
    admit(store, 1, *(f"{name}.d{number}.example" for number in range(20) for name in "ab"), "d7.example:81", "x.org")
    new = [f"c.d{number}.example:{number + 1}" for number in range(20)]
    looks, execute, rows = list[sa.Executable](), Tx.execute, Tx.rows

    def executed(tx: Tx, statement: sa.Executable) -> sa.CursorResult[Any]:
        looks.append(statement)
        return execute(tx, statement)

    def looked(tx: Tx, statement: sa.Executable) -> Sequence[Any]:
        looks.append(statement)
        return rows(tx, statement)

    monkeypatch.setattr(Tx, "execute", executed)
    monkeypatch.setattr(Tx, "rows", looked)
    assert beyond(store, *new, "y.z.org", most=3) == {"c.d7.example:8": "d7.example"}
    assert len(looks) <= 3, "which are known at all, the lock, and all that the source has"
    assert beyond(store, *new, most=2) == {key: f"d{number}.example" for number, key in enumerate(new)}


def test_named_hosts_and_machines_are_not_counted(store: Store) -> None:
    admit(store, 1, "a.example.org", "b.example.org", "127.0.0.1", "127.0.0.2")
    assert beyond(store, "c.example.org", most=1, listed=("c.example.org",)) == {}
    assert beyond(store, "c.example.org", most=1, listed=("a.example.org", "b.example.org")) == {}
    assert beyond(store, "127.0.0.3", "[::1]:80", "intranet", most=1) == {}


def test_a_wildcard_cannot_be_named(store: Store) -> None:
    admit(store, 1, "a.example.org", "b.example.org")
    assert beyond(store, "a.ex_mple.org", "%.org", most=2) == {}


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.b.example.co.uk", "example.co.uk"), ("me.github.io", "me.github.io"), ("x.me.github.io", "me.github.io"),
        ("localhost", ""), ("10.0.0.1", ""), ("[::1]", ""), ("www.example.org.", "example.org"),
    ],
)  # fmt: skip
def test_a_domain_is_what_somebody_registered(host: str, domain: str) -> None:
    assert subdomain_limit.domain_of(host) == domain
