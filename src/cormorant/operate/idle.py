"""Which rules of a source match nothing that is known? A rule that was mistyped is most often one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from cormorant.journal import visits
from cormorant.model.resource import Role
from cormorant.plugins import Discovery, Source
from cormorant.store.database import Tx
from cormorant.store.schema import resource

OF_DOCUMENTS = ("mime:", "size:", "age:")
"""Rules that no address tells anything about."""
PAGE = 5_000
LOOKED = 200_000
"""Addresses that are looked at; a rule that none of so many matches is told of."""


class Watch:
    """The rules of a source that no address has matched so far.

    A listing does not look into folders that a rule leaves out, so of its exclude rules nothing can be said.
    """

    def __init__(self, source: Source) -> None:
        self._gates, self._looked = source.gates, 0
        sorts = ["include", "exclude", "index_include", "index_exclude"]
        if source.discovery is not Discovery.SEEDS:
            sorts = ["include"]
        self._rules = [
            f"{sort} {text}"
            for sort in sorts
            for text in getattr(source.settings, sort, ())
            if not text.strip().lower().startswith(OF_DOCUMENTS)
        ]
        self._unmet = set(self._rules)

    def look(self, addresses: Sequence[str]) -> bool:
        """See which rules match any of the addresses. False when there is nothing left to look for."""
        if self._unmet and self._looked < LOOKED:
            self._looked += len(addresses)
            self._unmet -= self._gates.met(self._unmet, addresses)
        return bool(self._unmet) and self._looked < LOOKED

    def left(self) -> list[str]:
        """The rules that nothing has matched, in the order in which they were given."""
        return [rule for rule in self._rules if rule in self._unmet]


def rules(tx: Tx, source: Source) -> list[str]:
    """The rules of a source that no known address matches. Looks until each was met, or at so many addresses."""
    watch = Watch(source)
    if watch.left():
        for addresses in _addresses(tx, source.number):
            if not watch.look(addresses):
                break
    return watch.left()


def _addresses(tx: Tx, source: int) -> Iterator[list[str]]:
    """Every known address of a source, those that were excluded first."""
    key: int | None = None
    while page := visits.exclusions_behind(tx, source, key, PAGE):
        yield [each.address for each in page]
        key = page[-1].hash
    columns, behind = resource.c, 0
    statement = sa.select(columns.id, columns.address).where(
        columns.source_id == source, columns.role == int(Role.DOCUMENT)
    )
    while rows := tx.rows(statement.where(columns.id > behind).order_by(columns.id).limit(PAGE)):
        yield [each.address for each in rows]
        behind = rows[-1].id
