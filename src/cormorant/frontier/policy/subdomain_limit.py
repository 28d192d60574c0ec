"""Subdomain limit: how many hosts of one domain links may lead to.

So that a name server which knows every name is no endless site.

A domain is what somebody registered (`example.org`, `example.co.uk`), by the Public Suffix List that comes with the
library. Hosts that were named are not counted, and neither are addresses of machines.
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
"""Domains up to which the database looks for the hosts of each: 8 ms at 30,000 sites; one look at all takes 60 ms."""


def beyond(tx: Tx, number: int, sites: Collection[str], most: int, listed: Collection[str]) -> dict[str, str]:
    """Return the sites that would exceed the subdomain limit of their domain for the source.

    Site key -> domain.

    Exact whoever else admits at the same time: on PostgreSQL they wait for each other at the source's row.
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
    """The hosts of these domains among the known sites: by a look for each, or one at all sites for many domains."""
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
