"""Takedowns in a crawl: a document that was taken down is neither visited nor kept.

        before a visit --in force?--> Excluded, 986: no request is sent
        before a batch is settled, again: a visit that was under way when the takedown began ends the same

The rules are read with every batch. Frames that such a visit has written into a pack are erased at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cormorant.crawl.commit.batch import Batch, Visited
from cormorant.model.outcome import Excluded, Ok, OutcomeKind, Unchanged
from cormorant.model.resource import Role
from cormorant.model.ruling import Gate, Ruling, exclusion_reason
from cormorant.model.status import Status
from cormorant.sources.rules import Boundary, compile_rules
from cormorant.store.catalog import sources, takedowns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cormorant.model.resource import Resource
    from cormorant.store.catalog.takedowns import TakedownRow
    from cormorant.store.db.database import Tx

ADDRESS = "address:"
"""Begins a rule about one address. Such a rule is case-sensitive, other rules are not."""


class TakedownRules:
    """The takedowns in force for one source, compiled (None: only those that apply to every source)."""

    def __init__(self, rows: Iterable[TakedownRow], source: str | None) -> None:
        rules = [row.rule for row in rows if row.source in (None, source)]
        self._addresses = {rule.removeprefix(ADDRESS) for rule in rules if rule.startswith(ADDRESS)}
        others = [rule for rule in rules if not rule.startswith(ADDRESS)]
        self._rules: Boundary | None = compile_rules((), others, None) if others else None

    def __bool__(self) -> bool:
        return bool(self._addresses or self._rules)

    def ruling(self, *addresses: str | None) -> Ruling | None:
        """The takedown that hides a document known by any of these addresses; None when there is none."""
        for address in filter(None, addresses):
            if address in self._addresses:
                return _ruling(f"{ADDRESS}{address}")
            if self._rules is not None and not (found := self._rules.ruling(address)).admitted:
                return _ruling(found.rule.removeprefix("exclude "))
        return None


def _ruling(rule: str) -> Ruling:
    return Ruling(False, Gate.TAKEDOWN, rule, int(Status.TAKEN_DOWN), lasting=False)


NONE = TakedownRules((), None)
"""No takedown at all."""


class TakedownWatch:
    """The takedowns for a source as of the last check of the store."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._rows: list[TakedownRow] | None = None
        self._now = NONE

    def look(self, tx: Tx) -> None:
        """Read the takedowns, compile them if they changed, and lock them until `tx` ends."""
        takedowns.hold(tx, alone=False)
        rows = takedowns.in_force(tx)
        if rows != self._rows:
            name = sources.names(tx, [self._source]).get(self._source)
            self._rows, self._now = rows, TakedownRules(rows, name)

    def barred(self, resource: Resource) -> Ruling | None:
        """The takedown that keeps a document from being visited; None when there is none."""
        if not self._now or resource.role is not Role.DOCUMENT:
            return None
        return self._now.ruling(resource.address, resource.display)

    def applied(self, batch: Batch) -> Batch:
        """The batch with visits as Excluded if their document was taken down while they were under way."""
        if not self._now:
            return batch
        refused = {id(each): over for each in batch.visited if (over := self._refused(each)) is not None}
        if not refused:
            return batch
        numbers = {each.resource.id for each in batch.visited if id(each) in refused}
        return replace(
            batch,
            visited=[refused.get(id(each), each) for each in batch.visited],
            packed=[each for each in batch.packed if id(each.visited) not in refused],
            links={number: blob for number, blob in batch.links.items() if number not in numbers},
        )

    def _refused(self, visited: Visited) -> Visited | None:
        """The visit as Excluded; None if no takedown concerns its document."""
        resource, outcome = visited.resource, visited.report.outcome
        if resource.role is not Role.DOCUMENT or outcome.status == Status.TAKEN_DOWN:
            return None
        document = outcome.document if isinstance(outcome, Ok | Unchanged) else None
        shown = (document.url, document.access_url) if document is not None else ()
        ruling = self._now.ruling(resource.address, resource.display, *shown)
        if ruling is None:
            return None
        over = Excluded(ruling, ruling.status)
        reason = exclusion_reason(ruling.gate, ruling.rule)
        fate = visited.fate._replace(
            outcome=OutcomeKind.EXCLUDED, status=over.status, reason=reason, attempts=0, kept=False
        )
        return Visited(visited.report._replace(outcome=over), fate, visited.size)
