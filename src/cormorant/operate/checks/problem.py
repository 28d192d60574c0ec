"""A problem of a run, and the context for the checks of a run."""

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
    """A problem that a person should know of: its kind, a sentence, and its data for programs, by name."""

    kind: str
    sentence: str
    about: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> RunProblemRecord:
        """The record for programs: the fields of `about` beside kind and sentence."""
        return cast("RunProblemRecord", {"kind": self.kind, **self.about, "sentence": self.sentence})


@dataclass(frozen=True)
class CheckContext:
    """A run that is checked, its source (None: it was deleted), and data for checks, which is read on first use.

    Without `of_today` only problems of the run itself are found, and none of the present state.
    """

    house: Installation
    tx: Tx
    row: RunRow
    owner: SourceRow | None
    of_today: bool = True

    @classmethod
    def of(cls, house: Installation, tx: Tx, number: int, *, of_today: bool = True) -> CheckContext:
        """The context of a run. Raises NotFoundError."""
        row = runs.get(tx, number)
        return cls(house, tx, row, sources.numbered(tx, row.source_id), of_today)

    @cached_property
    def counters(self) -> Counters:
        """The figures of the run."""
        return runs.counters(self.tx, self.row.id)

    @cached_property
    def is_newest(self) -> bool:
        """Return whether its source has no newer run, so that the present state is reported for this run."""
        return self.of_today and runs.is_newest(self.tx, self.row)

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
        """The receivers that fail to take events of the source; empty unless this is its newest run."""
        notified = receivers.of_source(self.tx, self.row.source_id) if self.is_newest else ()
        return [each for each in notified if each.error]
