"""Rows of resources by address: one lookup in all sources, whose settings are parsed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.staging import pending_deletes
from cormorant.model.member import canonical_member
from cormorant.model.url import fingerprint, try_canonical
from cormorant.operate.documents.source_addresses import SourceAddresses
from cormorant.store.catalog import sources
from cormorant.store.db.database import Tx
from cormorant.store.journal import tombstones
from cormorant.store.schema import content, hidden, resource, site, source

ROWS: Final = sa.select(
    resource, content.c.url, content.c.title, content.c.mime, content.c.language, content.c.size_bytes,
    content.c.content_hash, content.c.fetched_at, content.c.changed_at, content.c.indexed, content.c.seq,
    source.c.name.label("source"), source.c.generation, pending_deletes.OUT_OF_SIGHT.label("hidden"),
).select_from(
    resource.join(source, source.c.id == resource.c.source_id)
    .outerjoin(content, content.c.id == resource.c.id)
    .outerjoin(hidden, hidden.c.id == resource.c.id)
)  # fmt: skip
_AT_ONCE: Final = 500
"""Keys of one statement."""


class _Meaning(NamedTuple):
    """A URL that an address may stand for in a source: the source, the key of the URL there, the key of its site.

    The site is "" for a file of this machine, which may be in any site of files.
    """

    source: int
    hash: int
    site: str


class AddressLookup:
    """The rows of addresses in one transaction.

    It reads the sources once and remembers the rows of each address, so make another after a write.
    """

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self._found: dict[str, list[Any]] = {}

    @cached_property
    def owners(self) -> dict[int, SourceAddresses]:
        """The addresses of each source, by its number, ordered by name."""
        return {each.id: SourceAddresses(each) for each in sources.every(self.tx)}

    @cached_property
    def _folders(self) -> frozenset[int]:
        """The sites that are folders of this machine."""
        return frozenset(row.id for row in self.tx.rows(sa.select(site.c.id).where(site.c.key.like("file:%"))))

    def at(self, address: str) -> list[Any]:
        """Return the rows of an address, or else of the documents with this display address: one for each source."""
        if address not in self._found:
            self._found[address] = self._rows(self.owners.values(), as_known(address))
        return self._found[address]

    def in_source(self, owner: SourceAddresses, address: str) -> list[Any]:
        """Return the rows of an address in one source."""
        return self._rows((owner,), as_known(address))

    def was_at(self, address: str) -> bool:
        """Return whether a source had a document at an address that has no row any more."""
        return tombstones.any_at(self.tx, [*self.owners], address)

    def _rows(self, owners: Iterable[SourceAddresses], address: str) -> list[Any]:
        """Return the rows of a canonical address: of its first meaning in each source that has one, else displayed."""
        meanings = {each.owner.id: [_meaning(each, meant) for meant in each.meanings(address)] for each in owners}
        places = self._places({each.site for some in meanings.values() for each in some})
        keyed = self._keyed([each for some in meanings.values() for each in some], places)
        first = {
            number: next((rows for each in some if (rows := _placed(keyed, each, places))), [])
            for number, some in meanings.items()
        }
        lacking = {number for number, rows in first.items() if not rows}
        for row in self.tx.rows(ROWS.where(resource.c.display == address)) if lacking else ():
            if row.source_id in lacking:
                first[row.source_id].append(row)
        return [row for rows in first.values() for row in rows]

    def _places(self, keys: set[str]) -> dict[str, frozenset[int]]:
        """Return the numbers of sites by their keys; "" for all folders of this machine."""
        named = {row.key: row.id for row in self._select_in(sa.select(site), site.c.key, sorted(keys - {""}))}
        places = {key: frozenset((number,)) for key, number in named.items()}
        return {**places, "": self._folders} if "" in keys else places

    def _keyed(
        self, meanings: Sequence[_Meaning], places: Mapping[str, frozenset[int]]
    ) -> dict[tuple[int, int], list[Any]]:
        """Return the rows with these keys in these sites, by source and key."""
        sites = sorted(frozenset[int]().union(*places.values()))
        rows: dict[tuple[int, int], list[Any]] = {}
        if sites:
            inside = ROWS.where(resource.c.site_id.in_(sites))
            for row in self._select_in(inside, resource.c.hash, sorted({each.hash for each in meanings})):
                rows.setdefault((row.source_id, row.hash), []).append(row)
        return rows

    def _select_in(self, statement: sa.Select[Any], column: sa.Column[Any], keys: Sequence[Any]) -> list[Any]:
        parts = [keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE)]
        return [row for part in parts for row in self.tx.rows(statement.where(column.in_(part)))]


def as_known(address: str) -> str:
    """Return the canonical form of an address, or the text itself if it has none."""
    return canonical_member(address) or try_canonical(address) or address


def _meaning(owner: SourceAddresses, meant: str) -> _Meaning:
    number = owner.owner.id
    return _Meaning(number, fingerprint(meant, number), "" if meant.startswith("file:") else owner.site_key(meant))


def _placed(
    keyed: Mapping[tuple[int, int], Sequence[Any]], each: _Meaning, places: Mapping[str, frozenset[int]]
) -> list[Any]:
    """Return the rows of a meaning that are in its site."""
    there = places.get(each.site, frozenset())
    return [row for row in keyed.get((each.source, each.hash), ()) if row.site_id in there]
