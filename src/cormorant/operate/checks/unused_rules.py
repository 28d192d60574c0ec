"""Unused rules: rules of a source that match no known address, most often because they are mistyped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import sqlalchemy as sa

from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.ruling import Gate, exclusion_reason
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.plugins import Discovery, Source
from cormorant.store.db.database import Tx
from cormorant.store.journal import visits
from cormorant.store.schema import exclusion, resource

OF_DOCUMENTS = ("mime:", "size:", "age:")
"""Rules that are not about addresses."""
PAGE = 5_000
LOOKED = 200_000
"""Addresses that a report compares with the rules."""


class UnusedRules:
    """The rules of a source that no address has matched so far. At most `most` addresses are compared, None: all.

    A listing skips folders that a rule excludes, so its exclude rules are not checked.
    """

    def __init__(self, source: Source, most: int | None = LOOKED) -> None:
        self._gates, self._looked, self._most = source.gates, 0, most
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
        """Record which rules match any of the addresses. False once no rule or no budget is left."""
        if self._unmet and not self.is_full:
            self._looked += len(addresses)
            self._unmet -= self._gates.met(self._unmet, addresses)
        return bool(self._unmet) and not self.is_full

    @property
    def is_full(self) -> bool:
        """Return whether the limit of addresses is reached."""
        return self._most is not None and self._looked >= self._most

    def notes(self) -> Iterator[tuple[str, str]]:
        """Yield the rules that nothing has matched, each with a sentence."""
        what = (
            f"none of the {self._looked:,} addresses that were looked at" if self.is_full else "nothing that was found"
        )
        for rule in self.left():
            yield rule, f"The rule {rule!r} matches {what}. Check its spelling."

    def named(self, rules: Collection[str]) -> None:
        """Mark these rules as matched, as they are known to have decided."""
        self._unmet -= {*rules}

    def left(self) -> list[str]:
        """The rules that nothing has matched, in the order in which they were given."""
        return [rule for rule in self._rules if rule in self._unmet]


def watched(tx: Tx, source: Source, most: int = LOOKED) -> UnusedRules:
    """The rules of a source that no known address matches, compared with at most `most` addresses."""
    watch = UnusedRules(source, most)
    if watch.left():
        watch.named(_decided(tx, source.number, watch.left()))
    if watch.left():
        for addresses in _addresses(tx, source.number):
            if not watch.look(addresses):
                break
    return watch


def _decided(tx: Tx, source: int, rules: Sequence[str]) -> set[str]:
    """Return which of these rules kept an address out, when it was discovered or when it was visited."""
    gates = (Gate.BOUNDARY, Gate.INDEX)
    columns, reasons = resource.c, {exclusion_reason(gate, rule): rule for rule in rules for gate in gates}
    met = sa.select(exclusion.c.rule).where(exclusion.c.source_id == source, exclusion.c.rule.in_(rules))
    visited = sa.select(columns.reason).where(
        columns.source_id == source, columns.outcome == int(OutcomeKind.EXCLUDED), columns.reason.in_(reasons)
    )
    named = {each.rule for each in tx.rows(met.distinct())}
    return named | {reasons[each.reason] for each in tx.rows(visited.distinct())}


def _addresses(tx: Tx, source: int) -> Iterator[list[str]]:
    """Yield every known address of a source: admitted ones, then those that were excluded when discovered."""
    columns, behind = resource.c, 0
    statement = sa.select(columns.id, columns.address).where(
        columns.source_id == source, columns.role == int(Role.DOCUMENT)
    )
    while rows := tx.rows(statement.where(columns.id > behind).order_by(columns.id).limit(PAGE)):
        yield [each.address for each in rows]
        behind = rows[-1].id
    key: int | None = None
    while page := visits.exclusions_behind(tx, source, key, PAGE):
        yield [each.address for each in page]
        key = page[-1].hash


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the rules that nothing has matched so far."""
    if context.source is not None:
        for rule, sentence in watched(context.tx, context.source).notes():
            yield RunProblem("rule", sentence, {"rule": rule})
