"""Batch lookup of many resources, each by its site and its key.

`site IN (...) AND key IN (...)` looks up every key at every site, so each statement gets few sites: a sitemap may name
pages of fifty thousand hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

SITES, KEYS = 32, 1_000
"""Sites and keys of one statement at the most."""


def chunks(places: Mapping[int, int]) -> Iterator[dict[str, list[int]]]:
    """Yield the `sites` and `keys` to bind, one mapping for each statement; `places` maps keys to numbers of sites."""
    sites, keys = list[int](), list[int]()
    for key, site in sorted(places.items(), key=lambda each: each[1]):
        is_new = not sites or sites[-1] != site
        if len(keys) == KEYS or (is_new and len(sites) == SITES):
            yield {"sites": sites, "keys": keys}
            sites, keys, is_new = [], [], True
        if is_new:
            sites.append(site)
        keys.append(key)
    if keys:
        yield {"sites": sites, "keys": keys}
