"""Batch lookup of many resources, each by its site and its key.

`site IN (...) AND key IN (...)` looks up every key at every site. So it is asked for few sites at a time: a sitemap may
name pages of fifty thousand hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

SITES, KEYS = 32, 1_000
"""Sites and keys of one statement at the most."""


def chunks(places: Mapping[int, int]) -> Iterator[dict[str, list[int]]]:
    """The `sites` and `keys` to bind, a statement each; `places` are the numbers of the sites by key."""
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
