"""A problem of a run, and the context in which the checks of a run look for some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from cormorant.base.errors import CormorantError
from cormorant.model.run import Counters, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import RunProblemRecord
from cormorant.plugins import Source
from cormorant.store.catalog import receivers, sources
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow


@dataclass(frozen=True, slots=True)
class RunProblem:
    """Something that a person should know of a run: its kind, a sentence, and what it is about, by name."""

    kind: str
    sentence: str
    about: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> RunProblemRecord:
        """Return its record: the fields of `about` beside kind and sentence."""
        return cast("RunProblemRecord", {"kind": self.kind, **self.about, "sentence": self.sentence})


@dataclass(frozen=True)
class CheckContext:
    """A run that is checked, its source (None: it was deleted), and what else checks need, read when asked for."""

    house: Installation
    tx: Tx
    row: RunRow
    owner: SourceRow | None

    @classmethod
    def of(cls, house: Installation, tx: Tx, number: int) -> CheckContext:
        """The context of a run. Raises NotFoundError."""
        row = runs.get(tx, number)
        return cls(house, tx, row, sources.numbered(tx, row.source_id))

    @cached_property
    def counters(self) -> Counters:
        """The figures of the run."""
        return runs.counters(self.tx, self.row.id)

    @cached_property
    def is_newest(self) -> bool:
        """Return whether its source has no newer run, so that the present state is its own."""
        return runs.is_newest(self.tx, self.row)

    @property
    def has_failed(self) -> bool:
        """Return whether the run could not go on."""
        return self.row.state is RunState.FAILED

    @cached_property
    def source_or_fault(self) -> Source | CormorantError | None:
        """The source by the settings of the run, or why these make none; None of a failed run and a deleted source."""
        if self.owner is None or self.has_failed:
            return None
        try:
            return self.house.source(self.owner, self.row.settings)
        except CormorantError as error:
            return error

    @property
    def source(self) -> Source | None:
        """The source by the settings of the run, where there is one."""
        found = self.source_or_fault
        return None if isinstance(found, CormorantError) else found

    @cached_property
    def failing_receivers(self) -> Sequence[ReceiverRow]:
        """The receivers that do not take the events of the source; of its newest run, since it is so now."""
        told = receivers.told_of(self.tx, self.row.source_id) if self.is_newest else ()
        return [each for each in told if each.error]
