"""Seen URLs: addresses of a site that are already known.

The set is exact, small, and kept only for sites that this process has leased.

A `set` up to 50,000 keys (81 bytes each). If a site has more when it is leased, each key is looked up in the store as
it is met, and some are cached. A set that grows beyond that later becomes a sorted array (8 bytes each) with a set of
new keys, merged when there are as many of them or a twentieth. It is exact on purpose: a false positive of a filter
would be a page that is never visited.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from cormorant.base.errors import CormorantError

if TYPE_CHECKING:
    from cormorant.model.content import PageLink

LARGE = 50_000
REMEMBERED = 200_000
"""Keys of a large site that are cached: 16 MB."""
_MERGE_SHARE = 20
_SHORT = 200
"""The longest address that is cached as familiar, in characters."""


class KnownUrls:
    """64-bit keys of one site: `add` and `in`, without removal. A sorted array of keys is taken over as it is."""

    __slots__ = ("_news", "_old")

    def __init__(self, keys: Iterable[int] = ()) -> None:
        self._old: array[int] = array("q")
        self._news: set[int] = set()
        if isinstance(keys, array) and len(keys) > LARGE:
            self._old = keys
            return
        self._news.update(keys)
        if len(self._news) > LARGE:
            self._merge()

    def __contains__(self, key: int) -> bool:
        if key in self._news:
            return True
        old = self._old
        if not old:
            return False
        place = bisect_left(old, key)
        return place < len(old) and old[place] == key

    def __len__(self) -> int:
        return len(self._news) + len(self._old)

    def add(self, key: int) -> None:
        """Add a key that is not yet known."""
        self._news.add(key)
        if len(self._news) > max(LARGE, len(self._old) // _MERGE_SHARE):
            self._merge()

    def _merge(self) -> None:
        """Copy the array, a slice for each new key: a list of all keys would be five times as large."""
        merged: array[int] = array("q")
        start = 0
        for key in sorted(self._news):
            end = bisect_left(self._old, key, start)
            merged += self._old[start:end]
            merged.append(key)
            start = end
        merged += self._old[start:]
        self._old, self._news = merged, set()


class HostUrls(Protocol):
    """URLs of a site that the store knows, by site number."""

    def among(self, site: int, keys: Sequence[int]) -> Collection[int]:
        """Return those of these keys that the store knows."""
        ...


class UrlLookup:
    """The keys of a large site, of which most crawls meet few.

    A key dropped from the cache is looked up again. Keys count as new while the store is unreachable: admitting a known
    URL again has no effect.
    """

    __slots__ = ("_absent", "_keys", "_met", "_site")

    def __init__(self, keys: HostUrls, site: int) -> None:
        self._keys, self._site = keys, site
        self._met: set[int] = set()
        self._absent: set[int] = set()

    def meet(self, keys: Iterable[int]) -> None:
        """Look up the uncached ones of these keys in one query."""
        fresh = set(keys) - self._met - self._absent
        if not fresh:
            return
        if len(self._met) + len(self._absent) + len(fresh) > REMEMBERED:
            self._met, self._absent = set(), set()
            fresh = set(keys)
        try:
            there = self._keys.among(self._site, sorted(fresh))
        except CormorantError:
            there = ()
        self._met.update(there)
        self._absent.update(fresh.difference(there))

    def __contains__(self, key: int) -> bool:
        self.meet((key,))
        return key in self._met

    def add(self, key: int) -> None:
        """Add a key that is not yet known."""
        self._met.add(key)


class SeenUrls:
    """The known keys of the sites this process has leased, and a bounded cache of links to others.

    Keys of other sites are cached only to spare repeated inserts: dropping one costs a statement, not a page.
    """

    ELSEWHERE = 200_000
    FAMILIAR = 20_000

    def __init__(self, keys: HostUrls) -> None:
        self._keys = keys
        self._sites: dict[str, KnownUrls | UrlLookup] = {}
        self._large: dict[str, UrlLookup] = {}
        self._elsewhere: set[int] = set()
        self._unfollowed: set[int] = set()
        self._familiar: dict[int, set[str]] = {}
        self._remembered = 0

    def open(self, site: str, keys: Iterable[int]) -> None:
        """Add a leased site with its keys."""
        self._large.pop(site, None)
        self._sites[site] = KnownUrls(keys)
        self._forget_familiar()

    def open_large(self, site: str, number: int) -> None:
        """Add a leased site that has many keys."""
        self._sites[site] = self._large[site] = UrlLookup(self._keys, number)
        self._forget_familiar()

    def close(self, site: str) -> None:
        """Remove a released site."""
        self._sites.pop(site, None)
        self._large.pop(site, None)
        self._forget_familiar()

    def strange(self, source: int, links: Iterable[PageLink]) -> list[PageLink]:
        """Return the links of a source to addresses that may be new; call `first_time` for each of them.

        Most links of a page stand on its neighbours too, and need no lookup by key.
        """
        familiar = self._familiar.setdefault(source, set())
        found = [link for link in links if link.address not in familiar]
        if found:
            short = [link.address for link in found if len(link.address) <= _SHORT]
            self._remembered += len(short)
            if self._remembered > self.FAMILIAR:
                self._forget_familiar()
            else:
                familiar.update(short)
        return found

    def _forget_familiar(self) -> None:
        self._familiar.clear()
        self._remembered = 0

    def meet(self, named: Iterable[tuple[str, int]]) -> None:
        """Look up keys of sites in one query, before `first_time` is called for each."""
        if not self._large:
            return
        met: dict[str, list[int]] = {}
        for site, key in named:
            if site in self._large:
                met.setdefault(site, []).append(key)
        for site, keys in met.items():
            self._large[site].meet(keys)

    def first_time(self, site: str, key: int) -> bool:
        """Return whether a key is new to this process, and mark it as known."""
        known = self._sites.get(site)
        if known is not None:
            if key in known:
                return False
            known.add(key)
            return True
        if key in self._elsewhere:
            return False
        if len(self._elsewhere) >= self.ELSEWHERE:
            self._elsewhere.clear()
        self._elsewhere.add(key)
        return True

    def first_unfollowed(self, site: str, key: int) -> bool:
        """Return whether a key is new that only a nofollow link names.

        It is not marked as known.
        """
        known = self._sites.get(site, self._elsewhere)
        if key in known or key in self._unfollowed:
            return False
        if len(self._unfollowed) >= self.ELSEWHERE:
            self._unfollowed.clear()
        self._unfollowed.add(key)
        return True

    def forget_elsewhere(self) -> None:
        """Clear the cache of other sites after a batch that was not written."""
        self._elsewhere.clear()
        self._unfollowed.clear()
        self._forget_familiar()
