"""Subdomain limit: the number of hosts of one domain that links may add.

Without it a name server that resolves every name would make an endless site.

A domain is a registered name (`example.org`, `example.co.uk`), by the Public Suffix List of the library. Hosts that the
settings name are not counted, and neither are IP addresses.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import sqlalchemy as sa
from publicsuffixlist import PublicSuffixList

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import site, site_source, source

FEW = 8
"""Domains up to which each has its own query: 8 ms at 30,000 sites; a query of all sites takes 60 ms."""


def beyond(tx: Tx, number: int, sites: Collection[str], most: int, listed: Collection[str]) -> dict[str, str]:
    """Return the sites that would exceed the subdomain limit of their domain for the source: site key -> domain.

    Exact if several processes admit at the same time: on PostgreSQL they wait for each other at the source's row.
    """
    known = sa.select(site.c.key).join(site_source, site_source.c.site_id == site.c.id)
    known = known.where(site_source.c.source_id == number)
    new = [key for key in sorted(sites) if host_of(key) not in listed and domain_of(host_of(key))]
    met = [row[0] for row in bulk.select_in(tx, site, ("key", "id"), "key", new)]
    ours = {row.key for start in range(0, len(met), 1000)
            for row in tx.rows(known.where(site.c.key.in_(met[start : start + 1000])))}  # fmt: skip
    by_domain: dict[str, list[str]] = {}
    for key in new:
        if key not in ours:
            by_domain.setdefault(domain_of(host_of(key)), []).append(key)
    if by_domain and not tx.sqlite:
        tx.execute(sa.select(source.c.id).where(source.c.id == number).with_for_update())
    refused: dict[str, str] = {}
    for domain, hosts in _hosts(tx, known, by_domain).items():
        hosts.difference_update(listed)
        for key in by_domain[domain]:
            hosts.add(host_of(key))
            if len(hosts) > most:
                hosts.discard(host_of(key))
                refused[key] = domain
    return refused


def _hosts(tx: Tx, known: sa.Select[tuple[str]], domains: Collection[str]) -> dict[str, set[str]]:
    """Return the known hosts of these domains: by one query for each, or one of all sites for many domains."""
    if len(domains) <= FEW:
        return {each: {host_of(row.key) for row in tx.rows(known.where(_of_domain(each)))} for each in domains}
    found: dict[str, set[str]] = {domain: set() for domain in domains}
    for row in tx.execute(known):
        host = name = host_of(row.key)
        while name and name not in found:
            name = name.partition(".")[2]
        if name:
            found[name].add(host)
    return found


def _of_domain(domain: str) -> sa.ColumnElement[bool]:
    """Return the condition for the sites of a domain: the host of that name and those below it, at any port."""
    key, below = site.c.key, f".{domain}"
    return sa.or_(
        key == domain, key.startswith(f"{domain}:", autoescape=True), key.endswith(below, autoescape=True),
        key.contains(f"{below}:", autoescape=True),
    )  # fmt: skip


def host_of(key: str) -> str:
    """Return the host of a site's key, without its port."""
    host, colon, port = key.rpartition(":")
    return host if colon and port.isdigit() else key


@lru_cache(maxsize=10_000)
def domain_of(host: str) -> str:
    """Return the registered domain of a host, "" for an IP address or a name without one."""
    bare = host.rstrip(".")
    if host.startswith("[") or bare.rpartition(".")[2].isdigit():
        return ""
    return _suffixes().privatesuffix(bare) or ""


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """Return the list, read at the first use: 90 ms."""
    return PublicSuffixList()
