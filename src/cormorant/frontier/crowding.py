"""How many hosts of one domain may links lead to? So that a name server which knows every name is no endless site.

A domain is what somebody registered (`example.org`, `example.co.uk`), by the Public Suffix List that comes with the
library. Hosts that were named are not counted, and neither are addresses of machines.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import sqlalchemy as sa
from publicsuffixlist import PublicSuffixList

from cormorant.store import bulk
from cormorant.store.database import Tx
from cormorant.store.schema import site, site_source, source


def beyond(tx: Tx, number: int, sites: Collection[str], most: int, listed: Collection[str]) -> dict[str, str]:
    """Which of these sites would be one too many of their domain for the source? Site key -> domain.

    Exact whoever else admits at the same time: on PostgreSQL they wait for each other at the source's row.
    """
    known = sa.select(site.c.key).join(site_source, site_source.c.site_id == site.c.id)
    known = known.where(site_source.c.source_id == number)
    new = [key for key in sorted(sites) if host_of(key) not in listed and domain_of(host_of(key))]
    met = {row[0] for row in bulk.select_in(tx, site, ("key", "id"), "key", new)} if new else set[str]()
    if met:
        met = {row.key for row in tx.rows(known.where(site.c.key.in_(sorted(met))))}
    by_domain: dict[str, list[str]] = {}
    for key in new:
        if key not in met:
            by_domain.setdefault(domain_of(host_of(key)), []).append(key)
    if by_domain and not tx.sqlite:
        tx.execute(sa.select(source.c.id).where(source.c.id == number).with_for_update())
    refused: dict[str, str] = {}
    for domain, keys in by_domain.items():
        hosts = {host_of(row.key) for row in tx.rows(known.where(_of_domain(domain)))} - set(listed)
        for key in keys:
            hosts.add(host_of(key))
            if len(hosts) > most:
                hosts.discard(host_of(key))
                refused[key] = domain
    return refused


def _of_domain(domain: str) -> sa.ColumnElement[bool]:
    """Sites of a domain: the host of that name, those below it, and either at a port of its own."""
    key, below = site.c.key, f".{domain}"
    return sa.or_(
        key == domain, key.startswith(f"{domain}:", autoescape=True), key.endswith(below, autoescape=True),
        key.contains(f"{below}:", autoescape=True),
    )  # fmt: skip


def host_of(key: str) -> str:
    """The host of a site's key, without its port."""
    host, colon, port = key.rpartition(":")
    return host if colon and port.isdigit() else key


@lru_cache(maxsize=10_000)
def domain_of(host: str) -> str:
    """The domain that somebody registered to have this host, "" for an address or a name without one."""
    bare = host.rstrip(".")
    if host.startswith("[") or bare.rpartition(".")[2].isdigit():
        return ""
    return _suffixes().privatesuffix(bare) or ""


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """The list, read once when it is first needed: 90 ms."""
    return PublicSuffixList()
