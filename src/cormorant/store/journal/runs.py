"""Runs: one crawl of one source, from the order to the report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from cormorant.base import stored_json
from cormorant.base.clock import rfc3339
from cormorant.base.errors import NotFoundError
from cormorant.base.log import logger
from cormorant.model.run import ASKING_STATES, GENERATIONS, OPEN_STATES, Counters, Mode, Refresh, RunState
from cormorant.model.settings.bounded import MOST_COUNT, NUMBERS
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.journal import quota_claims
from cormorant.store.schema import run, run_count

_log = logger(__name__)
ITSELF = "conductor"
"""The name for the run controller's own counts, beside those of the visiting processes."""
KEPT_PER_SOURCE = 1_000
"""Ended runs that are kept of one source, nearly three years of nightly ones."""
_VISITING = (RunState.DISCOVERING, RunState.RETRIEVING)
_ENDED = (RunState.FINISHED, RunState.STOPPED, RunState.FAILED)


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. Times are epoch seconds; `asked` is a person's order that has not been carried out yet.

    It ends at `gives_up_at` if none of its remaining sites answers until then; None if it does not wait for that.
    A run with `queued_at` waits for its turn since then; `behind` is the number of running ones of which one has to end
    first. `goes_on` is the state in which it continues at its turn; None: it begins.
    `force`: no document counts as unchanged. The field behind it is true if settings were edited since the last whole
    run, so that unchanged documents are judged again. `mode`: the use of its findings. `forget`: it is deleted when
    finished.
    `overrides`: a person forced it, not just its refresh, and it accepts another folder than before. `cursor` is the
    next cursor of its source, once it is finished; None: no change.
    """

    id: int
    source_id: int
    state: RunState
    refresh: Refresh
    force: bool
    anew: bool
    generation: int
    settings: dict[str, Any]
    requested_at: float
    started_at: float | None
    finished_at: float | None
    complete: bool
    asked: str | None
    reason: str | None
    bottleneck: str | None
    lists: bool
    unlisted: list[str]
    error: str | None
    gives_up_at: float | None = None
    waits_since: float | None = None
    waited_s: float | None = None
    mode: Mode = Mode.ACCEPT
    forget: bool = False
    queued_at: float | None = None
    goes_on: RunState | None = None
    behind: int | None = None
    overrides: bool = False
    cursor: str | None = None
    unlisted_reason: str = ""

    @property
    def is_queued(self) -> bool:
        """Return whether the run waits for its turn."""
        return self.state is RunState.WAITING and self.queued_at is not None

    @property
    def is_under_way(self) -> bool:
        """Return whether the run has had its turn, and has neither ended nor stopped for a person since."""
        return self.state in OPEN_STATES and not self.is_queued

    @property
    def node(self) -> str:
        """The node that alone may carry it out; "" for any."""
        return str(self.settings.get("node", ""))

    @property
    def survives(self) -> bool:
        """Return whether the run continues after a restart of the program."""
        return bool(self.settings.get("survives_restart", True))

    def is_for(self, node: str) -> bool:
        """Return whether a node may carry out the run."""
        return self.node in ("", node)

    def seconds(self, now: float) -> float:
        """Return the seconds of work, less the waits for a person, and for a turn after them."""
        until = self.finished_at or self.waits_since or now
        return until - (self.started_at or self.requested_at) - (self.waited_s or 0.0)

    @property
    def is_visiting(self) -> bool:
        """Return whether the run, suspended or not, has more to visit according to its state."""
        return (self.goes_on or self.state) in (RunState.WAITING, RunState.SUSPENDED, *_VISITING)

    @property
    def new_of(self) -> int | None:
        """The run's own number if it visits only new resources, else None."""
        return self.id if self.refresh is Refresh.APPEND else None


def request(tx: Tx, source: int, settings: str, refresh: Refresh, *, force: bool, anew: bool = False) -> int:
    """Order a run of a source and return its number; the owner of the data folder carries it out, in its turn."""
    now = tx.now()
    values = {
        "source_id": source, "state": RunState.WAITING, "refresh": refresh, "force": force, "anew": anew,
        "settings": settings, "requested_at": now, "queued_at": now,
    }  # fmt: skip
    return int(tx.execute(sa.insert(run).values(**values).returning(run.c.id)).scalar_one())


_OPEN = sa.select(run).where(run.c.state.in_(OPEN_STATES)).order_by(run.c.id)


def open_runs(tx: Tx, source: int | None = None) -> list[RunRow]:
    """Return runs that are under way or wait for their turn, oldest first, without suspended and held ones."""
    statement = _OPEN if source is None else _OPEN.where(run.c.source_id == source)
    return [_row(row) for row in tx.rows(statement)]


def unfinished(tx: Tx, source: int) -> RunRow | None:
    """Return the run of a source that has not ended: open, suspended, or waiting for a person."""
    states = (*OPEN_STATES, *ASKING_STATES, RunState.SUSPENDED)
    statement = sa.select(run).where(run.c.source_id == source, run.c.state.in_(states)).order_by(run.c.id.desc())
    rows = tx.rows(statement.limit(1))
    return _row(rows[0]) if rows else None


def unfinished_runs(tx: Tx) -> list[RunRow]:
    """Return the runs of every source that have not ended: open, held or suspended."""
    states = (*OPEN_STATES, RunState.HELD, RunState.SUSPENDED)
    return [_row(row) for row in tx.rows(sa.select(run).where(run.c.state.in_(states)))]


def held(tx: Tx) -> dict[int, RunRow]:
    """Return the runs that wait for a person's answer, by source."""
    return {row.source_id: _row(row) for row in tx.rows(sa.select(run).where(run.c.state.in_(ASKING_STATES)))}


INDEX = "index"
"""The order to index the findings of an examined run."""
ACCEPT, REFUSE = "accept", "refuse"
"""Orders for a held run; `refuse` stays on its row after its end."""


def answers(row: RunRow) -> str:
    """Return one sentence with the possible answers to a run that waits for one."""
    if row.state is RunState.PENDING:
        return (
            f"`cormorant run index {row.id}` indexes its documents, `cormorant run prune {row.id} RULE` leaves out "
            f"some, `cormorant run stop {row.id}` all."
        )
    return f"Answer with `cormorant run accept {row.id}` or `cormorant run refuse {row.id}`."


def stands(row: RunRow) -> str:
    """Return the state of a run that waits for an answer, worded to follow its name."""
    return "is examined and not indexed yet" if row.state is RunState.PENDING else "is held"


_IS_WHOLE = sa.and_(run.c.complete, run.c.state == RunState.FINISHED, run.c.refresh.in_(GENERATIONS))
"""Whether a run visited all there was to visit."""


_IS_THROUGH = sa.and_(run.c.state == RunState.FINISHED, sa.or_(run.c.refresh.in_(GENERATIONS), run.c.anew))
"""Whether a run finished with settings that apply to all documents: validators of unread ones are not used then."""
LOOKED_BACK = 100
"""The most runs that the next one of a source is compared with, if none of them is of that kind."""


def last_whole(tx: Tx, source: int) -> RunRow | None:
    """Return the newest run of a source that visited all there was to visit."""
    statement = sa.select(run).where(run.c.source_id == source, _IS_WHOLE)
    rows = tx.rows(statement.order_by(run.c.id.desc()).limit(1))
    return _row(rows[0]) if rows else None


def whole_before(tx: Tx, row: RunRow, times: int) -> int | None:
    """Return the whole run so many whole runs before this one, itself for 0; None if there were fewer."""
    if times == 0:
        return row.id
    ids = sa.select(run.c.id).where(_IS_WHOLE, run.c.source_id == row.source_id, run.c.id < row.id)
    found = tx.rows(ids.order_by(run.c.id.desc()).offset(times - 1).limit(1))
    return int(found[0].id) if found else None


def before(tx: Tx, row: RunRow) -> RunRow | None:
    """Return the run of its source before this one."""
    mine = sa.select(run).where(run.c.source_id == row.source_id, run.c.id < row.id)
    rows = tx.rows(mine.order_by(run.c.id.desc()).limit(1))
    return _row(rows[0]) if rows else None


def since_whole(tx: Tx, row: RunRow) -> list[RunRow]:
    """Return the runs of its source before this one, back to and including the newest whole one."""
    last = last_whole(tx, row.source_id)
    mine = sa.and_(run.c.source_id == row.source_id, run.c.id < row.id, run.c.id >= (last.id if last else 0))
    return [_row(each) for each in tx.rows(sa.select(run).where(mine))]


def _through(mine: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return the query for the newest of these runs whose settings apply to all documents."""
    return sa.select(sa.func.max(run.c.id)).where(mine, _IS_THROUGH)


def since_through(tx: Tx, source: int, before: int | None = None) -> list[RunRow]:
    """Return the runs of a source, or those before one, back to and including the newest finished through one."""
    mine = sa.and_(run.c.source_id == source, run.c.id < before) if before is not None else run.c.source_id == source
    since = sa.select(run).where(mine, run.c.id >= sa.func.coalesce(_through(mine).scalar_subquery(), 0))
    return [_row(each) for each in tx.rows(since.order_by(run.c.id.desc()).limit(LOOKED_BACK))]


def every(tx: Tx, source: int | None = None, limit: int = 1000, before: int | None = None) -> list[RunRow]:
    """Return runs, newest first; those `before` a run are older than it."""
    statement = sa.select(run).order_by(run.c.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(run.c.id < min(before, MOST_COUNT))
    if source is not None:
        statement = statement.where(run.c.source_id == source)
    return [_row(row) for row in tx.rows(statement)]


def listed_before(tx: Tx, row: RunRow) -> RunRow | None:
    """Return the newest run of a source before this one with a complete listing; None without one."""
    statement = sa.select(run).where(run.c.source_id == row.source_id, run.c.id < row.id, run.c.lists)
    rows = tx.rows(statement.order_by(run.c.id.desc()).limit(1))
    return _row(rows[0]) if rows else None


def newest_before(tx: Tx, source: int, at: float) -> int:
    """Return the newest run of a source that had ended by then, 0 if there is none."""
    ended = run.c.source_id == source, run.c.finished_at < at
    return int(tx.execute(sa.select(sa.func.max(run.c.id)).where(*ended)).scalar_one() or 0)


def get(tx: Tx, number: int | None = None) -> RunRow:
    """Return one run, or the newest. Raises NotFoundError."""
    if number is not None and number not in NUMBERS:
        raise unknown(number)
    statement = sa.select(run) if number is None else sa.select(run).where(run.c.id == number)
    rows = tx.rows(statement.order_by(run.c.id.desc()).limit(1))
    if not rows and number is None:
        raise NotFoundError("There has been no run yet. `cormorant crawl` begins one.")
    if not rows:
        raise unknown(number)
    return _row(rows[0])


def unknown(number: int | None) -> NotFoundError:
    """Return the error for a number that is not that of a run."""
    return NotFoundError(f"There is no run {number}.")


def claimed(tx: Tx, number: int | None = None) -> RunRow:
    """Return one run, or the newest, locked until this transaction ends. Raises NotFoundError."""
    row = get(tx, number)
    if not tx.sqlite:  # SQLite has one writer
        tx.execute(sa.select(run.c.id).where(run.c.id == row.id).with_for_update())
        row = get(tx, row.id)
    return row


_NEWEST_ON_SQLITE = sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'run'")
_NEWEST_ON_POSTGRESQL = sa.text("SELECT CASE WHEN is_called THEN last_value END FROM run_id_seq")
"""The newest number that was assigned to a run."""


def was_there(tx: Tx, number: int) -> bool:
    """Return whether a run has ever had this number, even if it was deleted.

    Numbers are never assigned again.
    """
    newest = tx.execute(_NEWEST_ON_SQLITE if tx.sqlite else _NEWEST_ON_POSTGRESQL).scalar_one_or_none()
    return newest is not None and 0 < number <= int(newest)


_ONE = sa.select(run).where(run.c.id == sa.bindparam("number"))


def again(tx: Tx, row: RunRow) -> RunRow:
    """Return the present row of a run. A deleted run counts as stopped."""
    rows = tx.rows(_ONE, {"number": row.id})
    return _row(rows[0]) if rows else replace(row, state=RunState.STOPPED)


def is_newest(tx: Tx, row: RunRow) -> bool:
    """Return whether its source has had no other run since."""
    return every(tx, row.source_id, 1)[0].id == row.id


SUSPENDABLE = (RunState.WAITING, RunState.DISCOVERING, RunState.RETRIEVING)
"""States in which a run can be suspended; a run that has visited everything only has to be finished."""


_OUT_OF_TURN: Mapping[str, None] = {"queued_at": None, "behind": None}


def suspend(tx: Tx, number: int, reason: str) -> bool:
    """Suspend a run until `go_on`; returns False if nothing is left to suspend.

    A run that waited for its turn after a person's answer keeps the time since when it was held.
    """
    since = tx.execute(sa.select(run.c.waits_since).where(run.c.id == number)).scalar_one_or_none() or tx.now()
    for state in SUSPENDABLE:
        left = {"state": RunState.SUSPENDED, "gives_up_at": None, "waits_since": since, **_OUT_OF_TURN}
        begun = {} if state is RunState.WAITING else {"goes_on": state}
        if advance(tx, number, state, reason=reason, **left, **begun):
            return True
    return False


def hold(tx: Tx, number: int, reason: str) -> None:
    """Hold a run until a person answers, before it deletes anything."""
    advance(tx, number, RunState.SWEEPING, state=RunState.HELD, reason=reason, waits_since=tx.now())


def pend(tx: Tx, number: int) -> None:
    """Hold a run until a person has reviewed its findings, before any is indexed."""
    reason = "Indexing is pending: its documents are fetched, but not indexed yet."
    advance(tx, number, RunState.SWEEPING, state=RunState.PENDING, reason=reason, waits_since=tx.now())


def begin_indexing(tx: Tx, row: RunRow) -> bool:
    """Continue a run whose findings were examined; returns False if it was changed meanwhile."""
    return advance(tx, row.id, RunState.PENDING, asked=INDEX, reason=None, **_queued(tx, RunState.SWEEPING))


def compared(tx: Tx, source: int) -> set[int]:
    """Return the runs that the next one of a source is compared with: the newest whole and the newest through one.

    Runs since then with other settings are included; of those with the same settings the newest is enough.
    """
    since, last = since_through(tx, source), last_whole(tx, source)
    ends = {last.id if last is not None else None, tx.execute(_through(run.c.source_id == source)).scalar_one()}
    needed = {each.id for each in since if each is since[0] or each.settings != since[0].settings}
    return needed | {number for number in ends if number is not None}


def forget_done(tx: Tx, source: int) -> None:
    """Delete the runs of a source that are to be deleted when finished, and the oldest beyond KEPT_PER_SOURCE.

    Runs that the next one is compared with are kept.
    """
    ended = sa.and_(run.c.source_id == source, run.c.state.in_(_ENDED))
    done = sa.select(run.c.id).where(ended, run.c.forget, run.c.state == RunState.FINISHED)
    old = sa.select(run.c.id).where(ended).order_by(run.c.id.desc()).offset(KEPT_PER_SOURCE).limit(1_000)
    numbers = {row[0] for row in (*tx.rows(done), *tx.rows(old))} - compared(tx, source)
    tx.execute(sa.delete(run_count).where(run_count.c.run_id.in_(numbers)))
    tx.execute(sa.delete(run).where(run.c.id.in_(numbers)))


def answer(tx: Tx, row: RunRow, state: RunState, asked: str | None, reason: str) -> None:
    """Continue a held run in that state at its turn."""
    advance(tx, row.id, RunState.HELD, asked=asked, reason=reason, **_queued(tx, state))


def _queued(tx: Tx, goes_on: RunState | None) -> dict[str, object]:
    """Return the column values of a run that waits for its turn from now on.

    Its former wait lasts until then.
    """
    return {"state": RunState.WAITING, "queued_at": tx.now(), "goes_on": goes_on}


def waited(tx: Tx, row: RunRow) -> dict[str, float | None]:
    """Return the column values of a run that no longer waits.

    The wait of a run that was suspended before its start does not count.
    """
    waited = max(tx.now() - row.waits_since, 0.0) if row.waits_since and row.started_at else 0.0
    return {"waits_since": None, "waited_s": (row.waited_s or 0.0) + waited}


def go_on(tx: Tx, row: RunRow) -> None:
    """Continue a suspended run at its turn, in the state in which it was suspended."""
    advance(tx, row.id, RunState.SUSPENDED, reason=None, **_queued(tx, row.goes_on))


def give_turn(tx: Tx, row: RunRow) -> bool:
    """Begin or continue a run that waits for its turn; returns False if it was changed meanwhile."""
    asked_then = run.c.id == row.id, run.c.state == RunState.WAITING, run.c.queued_at == row.queued_at
    values = {"state": row.goes_on or row.state, "goes_on": None, **_OUT_OF_TURN, **waited(tx, row)}
    given = bool(tx.execute(sa.update(run).where(*asked_then).values(**values)).rowcount)
    if given:
        _say(row.id, values)
    return given


def set_behind(tx: Tx, row: RunRow, under_way: int) -> None:
    """Store the number of running runs of which one has to end before a run's turn."""
    asked_then = run.c.id == row.id, run.c.state == RunState.WAITING, run.c.queued_at == row.queued_at
    tx.execute(sa.update(run).where(*asked_then).values(behind=under_way))


def change(tx: Tx, number: int, **values: object) -> None:
    """Set columns of a run, such as its state or the end of its patience."""
    tx.execute(sa.update(run).where(run.c.id == number).values(**values))


def keep_problems(tx: Tx, number: int, problems: Sequence[Mapping[str, Any]]) -> None:
    """Keep the problems of a run as its report has them, for when another run has visited the same documents."""
    change(tx, number, problems=json.dumps(problems))


def kept_problems(tx: Tx, number: int) -> list[dict[str, Any]] | None:
    """Return the problems that were kept as a run ended, None where none were."""
    said = tx.execute(sa.select(run.c.problems).where(run.c.id == number)).scalar_one_or_none()
    return list(json.loads(said)) if said else None


def advance(tx: Tx, number: int, expected: RunState, **values: object) -> bool:
    """Set columns of a run that is still in this state; returns False if it was changed meanwhile.

    A run that waits for its turn does not begin.
    """
    statement = sa.update(run).where(run.c.id == number, run.c.state == expected).values(**values)
    if values.get("state") is RunState.DISCOVERING:
        statement = statement.where(run.c.queued_at.is_(None))
    changed = bool(tx.execute(statement).rowcount)
    if changed:
        _say(number, values)
    return changed


_TIMES = frozenset(("requested_at", "started_at", "finished_at", "gives_up_at", "queued_at", "waits_since"))


def _say(number: int, values: Mapping[str, object]) -> None:
    """Log the changes of a run: times as RFC 3339, lists as lists."""
    _log.info("run", extra={"run": number, **{name: _logged(name, value) for name, value in values.items()}})


def _logged(name: str, value: object) -> object:
    if name in _TIMES and isinstance(value, float):
        return rfc3339(value)
    return _unlisted(value)[0] if name == "unlisted" and isinstance(value, str) else value


def count(tx: Tx, number: int, process: str, counters: Counters) -> None:
    """Write the counts of one process for a run so far."""
    conflict = bulk.OnConflict(key=("run_id", "process"), columns=("counts",))
    counts = {name: value for name, value in asdict(counters).items() if value}
    bulk.insert(tx, run_count, ("run_id", "process", "counts"), [(number, process, json.dumps(counts))], conflict)


_COUNTED = sa.select(run_count.c.counts).where(
    run_count.c.run_id == sa.bindparam("run"), sa.not_(run_count.c.process.startswith(quota_claims.PREFIX))
)


def counters(tx: Tx, number: int) -> Counters:
    """Add up the counts of all processes for a run."""
    total = Counters()
    for row in tx.rows(_COUNTED, {"run": number}):
        total.add(stored_json.read(Counters, row.counts))
    return total


def counted_by(tx: Tx, number: int, process: str) -> Counters:
    """Return the counters of one process for a run so far; a resumed run continues them."""
    statement = sa.select(run_count.c.counts).where(run_count.c.run_id == number, run_count.c.process == process)
    rows = tx.rows(statement)
    return stored_json.read(Counters, rows[0].counts) if rows else Counters()


def unlisted_text(addresses: Sequence[str], reason: str) -> str:
    """Return the parts that a run could not list, and why, as the column holds them."""
    return json.dumps({"addresses": list(addresses), "reason": reason} if reason else list(addresses))


def _unlisted(text: str) -> tuple[list[str], str]:
    """Return the addresses that a run could not list, and why; "" where each speaks for itself."""
    kept = json.loads(text)
    return (kept["addresses"], kept["reason"]) if isinstance(kept, dict) else (kept, "")


def _row(row: Any) -> RunRow:
    below, reason = _unlisted(row.unlisted)
    return RunRow(
        row.id, row.source_id, RunState(row.state), Refresh(row.refresh),
        row.force or row.refresh == Refresh.SCRATCH, row.anew, row.generation, bulk.read_settings(row.settings),
        row.requested_at, row.started_at, row.finished_at, row.complete, row.asked,
        row.reason, row.bottleneck, row.lists, below, row.error, row.gives_up_at,
        row.waits_since, row.waited_s, Mode(row.mode), row.forget, row.queued_at,
        RunState(row.goes_on) if row.goes_on else None, row.behind, row.force, row.cursor, reason,
    )  # fmt: skip
