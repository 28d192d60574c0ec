from __future__ import annotations

from collections import defaultdict
from itertools import product

from hypothesis import given, settings, strategies as st

from cormorant.frontier.policy import priority
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.progress.url_states import BY_OUTCOME, TRANSITIONS, Cause, Standing, set_of
from cormorant.model.outcome import (
    Deferred,
    Excluded,
    Failed,
    Gone,
    Held,
    Moved,
    Ok,
    Outcome,
    OutcomeKind,
    Quarantined,
    Unchanged,
)
from cormorant.model.resource import SETS, UrlState
from cormorant.model.ruling import Gate, Ruling
from tests.crawl.samples import a_content
from tests.frontier.samples import a_resource

ENDS: dict[Cause, tuple[Outcome, ...]] = {
    Cause.READ: (Ok(a_content(), None),),
    Cause.SAME: (Unchanged(),),
    Cause.LEFT: (Gone(), Moved("https://a.example/new")),
    Cause.FAILED: (Failed(403, "no"), Quarantined("killed"), Held("held")),
    Cause.PUT_OFF: (Deferred(503, "busy"),),
    Cause.EXCLUDED: (Excluded(Ruling(False, Gate.BOUNDARY, "a rule", 964), 964),),
}
"""How visits end, by the cause that it is."""


class Life:
    """An address in a source, as the columns that the view looks at change; the decisions are the product's."""

    def __init__(self, *, lists: bool, examines: bool = False) -> None:
        self.lists, self.examines, self.head = lists, examines, 0
        self.at = Standing(priority.due(1), True, False, OutcomeKind.NONE, 0, 0, 1, 1, 0)

    def causes(self) -> list[Cause]:
        """What may happen now: visits in a run while it is due, deliveries at any time, one run after the other."""
        at = self.at
        due = at.ready and at.due < priority.limit(at.generation)
        asked = [Cause.INDEXED, Cause.PRUNED, Cause.DROPPED] if at.waits else [Cause.BEGUN]
        run = [Cause.ENDED, *(ENDS if due else ())] if at.running is not None else asked
        refused = [Cause.TAKEN] if at.refused is not None else [Cause.REFUSED] if at.seq else []
        return [*run, *([Cause.DELIVERED] if at.place < self.head else ()), *refused]

    def happen(self, cause: Cause, which: int) -> Cause:
        """Change what is stored as the product does; returns what it was: a visit is what its fate makes of it."""
        if cause is Cause.BEGUN:
            self.at = self.at._replace(generation=self.at.generation + 1, running=self.at.generation + 1)
        elif cause is Cause.ENDED:
            self.at = self.at._replace(running=None)
        elif cause is Cause.DELIVERED:  # what is taken takes the place of an older one that was not
            self.at = self.at._replace(place=self.head, refused=self.at.seq if self.at.refused == self.at.seq else None)
        elif cause in (Cause.REFUSED, Cause.TAKEN):
            self.at = self.at._replace(refused=self.at.seq if cause is Cause.REFUSED else None)
        elif cause in (Cause.INDEXED, Cause.PRUNED, Cause.DROPPED):
            self._answer(cause)
        else:
            return self._visit(ENDS[cause][which % len(ENDS[cause])])
        return cause

    def _answer(self, cause: Cause) -> None:
        """What waited is delivered, left out, or dropped."""
        at = self.at._replace(waits=False)
        if cause is Cause.INDEXED:
            self.head += 1
            at = at._replace(seq=self.head, outcome=OutcomeKind.OK)
        elif cause is Cause.PRUNED:
            at = at._replace(outcome=OutcomeKind.UNCHANGED if at.seq else OutcomeKind.EXCLUDED)
        self.at = at

    def _visit(self, outcome: Outcome) -> Cause:
        at = self.at
        before = a_resource()._replace(outcome=int(at.outcome))
        become = fate(before, outcome, VisitConditions(at.generation, self.lists, 1.0))
        seq, kind = at.seq, become.outcome
        waits = isinstance(outcome, Ok) and self.examines
        if waits:
            kind = OutcomeKind.HELD if seq else OutcomeKind.OK
        elif isinstance(outcome, Ok):
            self.head += 1
            seq = self.head
        self.at = at._replace(
            due=become.due, ready=become.state is UrlState.READY, visited=True, outcome=kind,
            run=at.running or 0, seq=seq, waits=waits,
        )  # fmt: skip
        return BY_OUTCOME[become.outcome]


steps = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2)), max_size=40)


@settings(max_examples=200)
@given(steps=steps, lists=st.booleans(), examines=st.booleans())
def test_every_step_is_one_of_the_table(steps: list[tuple[int, int]], *, lists: bool, examines: bool) -> None:
    life = Life(lists=lists, examines=examines)
    for chosen, which in steps:
        may = life.causes()
        before = set_of(life.at)
        cause = life.happen(may[chosen % len(may)], which)
        after = set_of(life.at)
        ways = TRANSITIONS[cause].get(before)
        assert after == before if ways is None else after in ways, (cause, before, after)


def ways() -> dict[str, set[str]]:
    found = defaultdict[str, set[str]](set)
    for moves in TRANSITIONS.values():
        for start, to in moves.items():
            found[start].update(set(to) - {start})
    return found


def test_every_set_has_a_way_out_and_a_way_in() -> None:
    led = ways()
    assert set(led) == set(SETS), "no set is an end"
    assert set().union(*led.values()) == set(SETS)


def test_every_way_of_the_table_is_taken() -> None:
    """Some life takes each, so the table promises nothing that never happens."""
    taken = set[tuple[Cause, str, str]]()
    lives = [Life(lists=lists, examines=examines) for lists, examines in product((False, True), repeat=2)]
    waiting = [(life.at, life.head, life.lists, life.examines) for life in lives]
    met = set(waiting)
    while waiting:
        at, head, lists, examines = waiting.pop()
        life = Life(lists=lists, examines=examines)
        life.at, life.head = at, head
        for cause, which in product(life.causes(), range(3)):
            after = Life(lists=lists, examines=examines)
            after.at, after.head = at, head
            what = after.happen(cause, which)
            taken.add((what, set_of(at), set_of(after.at)))
            new = (after.at, after.head, lists, examines)
            if after.at.generation <= 2 and after.head <= 2 and new not in met:
                met.add(new)
                waiting.append(new)
    named = ((cause, start, many) for cause, moves in TRANSITIONS.items() for start, many in moves.items())
    assert {(cause, start, to) for cause, start, many in named for to in many} <= taken
