"""Order runs, follow them, answer them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, cast

from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError, CormorantError, NotFoundError, UsageError
from cormorant.crawl.run import transitions
from cormorant.frontier.progress import remaining
from cormorant.frontier.staging import staged_versions, unreviewed
from cormorant.frontier.state import host_facts
from cormorant.model.run import ASKING_STATES, OPEN_STATES, Mode, Refresh, RunState
from cormorant.operate.checks import outcome, seeds
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import CounterRecord, LeavingDocument, OrderedRun, ReportedRun, Run
from cormorant.operate.runs import log, report as run_report, waiting_for
from cormorant.operate.search import index_consistency, reindex
from cormorant.operate.sources import test_crawl
from cormorant.plugins import source_kind
from cormorant.store.catalog import attributes, sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, schedule_firings, visits
from cormorant.store.journal.runs import RunRow

INTERRUPTED = "interrupted"
"""The state of a run that no process carries out, until the next crawl."""
MOST_LEAVING = 100
"""Documents to be deleted by a held run that its report names for programs."""
ENDED = (RunState.FINISHED, RunState.STOPPED, RunState.FAILED, *ASKING_STATES, RunState.SUSPENDED)
"""States in which a run does not continue by itself."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A run to follow.

    `resumed`: it was interrupted or suspended, and continues; `as_before`: it was ordered with other options. `mine`:
    it is under way because of this order alone, as a resumed one is, so that it ends if the order is withdrawn.
    `survives`: it continues after a restart of the program.
    """

    run: int
    source: str
    resumed: bool
    as_before: bool = False
    mine: bool = False
    survives: bool = True

    def record(self) -> OrderedRun:
        """Return the record of the ordered run, for output where the run is not followed."""
        return {"run": self.run, "source": self.source, "resumed": self.resumed, "as_before": self.as_before}


@dataclass(frozen=True, slots=True)
class RunOrder:
    """Run order: the resources that runs visit, the mode of the runs, and whether they are deleted at their end.

    `restart`: an interrupted run is not continued. `refresh` and `mode` None: as the settings of each source say.
    """

    refresh: Refresh | None = None
    force: bool = False
    restart: bool = False
    mode: Mode | None = None
    forget: bool = False

    def refresh_of(self, row: SourceRow) -> Refresh:
        """Return which resources a run of a source visits: as ordered, else as the source's settings say."""
        return self.refresh or Refresh(row.settings.get("refresh", Refresh.ALL))


AS_USUAL = RunOrder()
"""An order without options: the settings of each source apply."""


def order(
    house: Installation, names: Sequence[str], wish: RunOrder = AS_USUAL, resting: str | None = None
) -> list[Ordered]:
    """Order a run of each source (no names: of all) whose run is not held, or continue the interrupted one.

    `unanswered` returns the held ones. `resting` is a node without running processes, None if there may be some; the
    logs of its replaced runs are completed here. Raises NotFoundError for an unknown source or without any source,
    ConflictError if the database is older than the index, UsageError for a source that is asked at each search, if it
    is named or there is no other.
    """
    reindex.refuse_older_store(house)
    with house.store.begin() as tx:
        chosen = [sources.named(tx, name) for name in dict.fromkeys(names)] if names else sources.every(tx)
        if not chosen:
            raise NotFoundError(
                "There is no source yet. Add one: cormorant source add web NAME --set start=https://..."
            )
        chosen = _crawlable(chosen, named=bool(names))
        held = {} if wish.restart else runs.held(tx)
        ordered, left = list[Ordered](), list[RunRow]()
        for row in chosen:
            sources.claim(tx, row.id)
            test_crawl.clear(tx, row.id)
            crawled = test_crawl.copy(tx, row, test=wish.mode is Mode.TEST)
            if crawled.id not in held:
                before = runs.unfinished(tx, crawled.id) if wish.restart else None
                left += [before] if before is not None and before.is_under_way else []
                ordered.append(order_one(tx, crawled, wish))
        left = left if left and is_idle(tx, resting) else []
    for before in left:
        summarize(house, before.id, resting)
    return ordered


def _crawlable(rows: Sequence[SourceRow], *, named: bool) -> list[SourceRow]:
    """Return the sources that have documents to visit. Raises UsageError for a named source without any."""
    found = [row for row in rows if not is_live(row)]
    live = next((row for row in rows if is_live(row)), None)
    if live is not None and (named or not found):
        raise UsageError(
            f"{live.name!r} has nothing to crawl: its server is asked at each search. `cormorant source test "
            f"{shlex.quote(live.name)}` asks it once."
        )
    return found


def is_live(row: SourceRow) -> bool:
    """Return whether a source is asked at each search, and never crawled."""
    with suppress(CormorantError):
        return source_kind(row.kind).live
    return False


def order_one(tx: Tx, row: SourceRow, wish: RunOrder = AS_USUAL) -> Ordered:
    """Order a run of one source whose run is not held, or continue the one that has not ended."""
    before = runs.unfinished(tx, row.id)
    if before is not None and wish.restart:
        transitions.stop(tx, before, "replaced by a new run")
        before = None
    if before is None:
        survives = bool(row.settings.get("survives_restart", True))
        number = _request(tx, row, wish, anew=_edited(tx, row))
        return Ordered(number, row.name, resumed=False, mine=True, survives=survives)
    was = (before.refresh, before.overrides, before.forget, before.mode)
    otherwise = was != (wish.refresh or before.refresh, wish.force, wish.forget, wish.mode or before.mode)
    return _again(tx, before, row.name, as_before=otherwise)


def _again(tx: Tx, before: RunRow, source: str, *, as_before: bool) -> Ordered:
    """Follow a run that has not ended; a suspended one is resumed by this order."""
    suspended = before.state is RunState.SUSPENDED
    number = go_on(tx, before) if suspended else before.id
    resumed = before.state is not RunState.WAITING
    return Ordered(number, source, resumed, as_before, mine=suspended, survives=before.survives)


_IN_PLACE = "Its source was edited while it was suspended; run {} continues in its place."


def go_on(tx: Tx, row: RunRow) -> int:
    """Resume a suspended run; returns its number, or that of the run that continues in its place.

    A run that was still visiting continues under the present settings of its source. If these were edited, another run
    continues in its place: it requests visited documents conditionally, removes those that a rule now excludes, and may
    admit excluded ones. A run that has visited everything ends under the settings that it began with. Nothing happens
    if the run was resumed or stopped since the row was read.
    """
    sources.claim(tx, row.source_id)
    row = runs.claimed(tx, row.id)
    if row.state is not RunState.SUSPENDED:
        return in_place_of(tx, row) or row.id
    source = sources.numbered(tx, row.source_id)
    if source is None or dict(source.settings) == row.settings or not row.is_visiting:
        runs.go_on(tx, row)
        return row.id
    anew = row.anew or _edited(tx, source) or _judged_otherwise(row.settings, source)
    transitions.stop(tx, row, "Its source was edited while it was suspended.")
    number = _request(tx, source, RunOrder(row.refresh, row.overrides, mode=row.mode, forget=row.forget), anew=anew)
    runs.change(tx, row.id, reason=_IN_PLACE.format(number))
    schedule_firings.follow(tx, row.id, number)
    return number


def in_place_of(tx: Tx, row: RunRow) -> int | None:
    """The run that continues in the place of one whose source was edited; None if there is none."""
    after = runs.unfinished(tx, row.source_id)
    return after.id if after is not None and row.reason == _IN_PLACE.format(after.id) else None


def leave(house: Installation, ordered: Sequence[Ordered]) -> list[Ordered]:
    """Withdraw orders whose runs another process carries out: suspend those due to these orders alone, and return them.

    The other runs go on: they were ordered before too, or are already at their end.
    """
    with house.store.begin() as tx:
        return [each for each in ordered if each.mine and runs.suspend(tx, each.run, _why_left(each.source))]


def _why_left(source: str) -> str:
    return f"The command that ordered it interrupted it. `cormorant crawl {shlex.quote(source)}` continues it."


def left_out(house: Installation, names: Sequence[str], wish: RunOrder = AS_USUAL) -> list[ConflictError]:
    """Return why `order` of these sources (no names: of all) leaves some of them out. Raises NotFoundError."""
    return [] if wish.restart or wish.mode is Mode.TEST else unanswered(house, names)


def unanswered(house: Installation, names: Sequence[str]) -> list[ConflictError]:
    """Return why some of these sources (no names: of all) wait: their runs are held. Raises NotFoundError."""
    with house.store.read() as tx:
        held = runs.held(tx)
        chosen = [sources.named(tx, name) for name in dict.fromkeys(names)] or sources.every(tx)
        return [_held(tx, held[row.id], row.name) for row in chosen if row.id in held]


def _held(tx: Tx, run: RunRow, source: str) -> ConflictError:
    """Return the error for a held run that blocks the next one, with documents to be deleted for programs."""
    sentence = f"Run {run.id} of {source!r} {runs.stands(run)}: {run.reason} {runs.answers(run)}"
    if run.state is not RunState.HELD:
        return ConflictError(sentence)
    return ConflictError(sentence, leaving=[url for url, _ in remaining.leaving(tx, run.source_id, MOST_LEAVING)])


def _request(tx: Tx, row: SourceRow, wish: RunOrder, *, anew: bool) -> int:
    """Order a new run with the present settings; a forced one discards the known facts of sites too."""
    refresh = wish.refresh_of(row)
    if wish.force or refresh is Refresh.SCRATCH:  # a run from scratch takes no document for unchanged
        host_facts.expire(tx, row.id)
    settings = json.dumps(dict(row.settings), sort_keys=True)
    number = runs.request(tx, row.id, settings, refresh, force=wish.force, anew=anew)
    runs.change(tx, number, mode=wish.mode or Mode(row.settings.get("mode", Mode.ACCEPT)), forget=wish.forget)
    return number


def _edited(tx: Tx, row: SourceRow) -> bool:
    """Return whether settings that affect kept documents were edited since a run last completed."""
    before = runs.since_through(tx, row.id)
    changed = attributes.judged_from(tx)  # the types of attributes affect kept documents too
    return any(each.requested_at < changed or _judged_otherwise(each.settings, row) for each in before)


def _judged_otherwise(before: Mapping[str, Any], row: SourceRow) -> bool:
    """Return whether changed settings affect the kept documents of a source."""
    return bool(_differing(row.kind, before, row.settings))


def _differing(kind: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The changed settings that affect kept documents, in the order of their names."""
    judged = sorted(source_kind(kind).settings.JUDGED)
    return [
        name for name in judged
        if json.dumps(before.get(name), sort_keys=True) != json.dumps(now.get(name), sort_keys=True)
    ]  # fmt: skip


def answer(house: Installation, number: int | None, *, accept: bool) -> RunRow:
    """Answer a held run: accept carries out its deletions and new texts, refuse leaves both to the next run.

    A repeated answer has no effect. Raises ConflictError if the run is not held, or was answered otherwise.
    """
    with house.store.begin() as tx:
        row = runs.claimed(tx, number)
        if row.state is not RunState.HELD:
            if row.asked != (runs.ACCEPT if accept else runs.REFUSE):
                raise _not_held(row)
        elif accept:
            runs.answer(tx, row, RunState.SWEEPING, runs.ACCEPT, "the deletion was accepted")
        else:
            what = "the change" if staged_versions.waiting_count(tx, row.source_id) else "the deletion"
            staged_versions.forget(tx, row.source_id)
            runs.answer(tx, row, RunState.DELIVERING, runs.REFUSE, f"{what} was refused")
        return runs.get(tx, row.id)


def _not_held(row: RunRow) -> ConflictError:
    answered = {runs.ACCEPT: "accepted", runs.REFUSE: "refused"}.get(row.asked or "")
    if answered:
        return ConflictError(f"Run {row.id} was {answered} before; it is {row.state}. The next crawl checks again.")
    return ConflictError(f"Run {row.id} is not held; it is {row.state}. `cormorant status` lists held runs.")


def listed(
    house: Installation,
    name: str | None = None,
    resting: str | None = None,
    *,
    before: int | None = None,
    most: int = 1000,
) -> list[Run]:
    """Runs, newest first, as reports, without finished ones that were ordered to be deleted.

    `resting` is a node without running processes. Raises NotFoundError.
    """
    with house.store.read() as tx:
        source = sources.named(tx, name).id if name is not None else None
        idle = is_idle(tx, resting)
        found = runs.every(tx, source, most, before)
        there = [row for row in found if not (row.forget and row.state is RunState.FINISHED)]
        return [_report(house, row, resting, idle=idle) for row in there]


def report(house: Installation, number: int | None = None, resting: str | None = None) -> Run:
    """The report of a run, or of the newest. `resting` is a node without running processes. Raises NotFoundError."""
    with house.store.read() as tx:
        return _report(house, runs.get(tx, number), resting, idle=is_idle(tx, resting))


def summarize(house: Installation, number: int, resting: str | None) -> None:
    """Append the report of a run to its log. A deleted run or an unavailable database is ignored."""
    with suppress(CormorantError):
        log.summarize(house, report(house, number, resting))


def shown(house: Installation, number: int | None = None, resting: str | None = None) -> ReportedRun:
    """The report of a run with its problems and notices, and for a held one the documents to be deleted.

    A notice is something that a person should know although the run went well.
    """
    found = report(house, number, resting)
    record: ReportedRun = {
        **found,
        "problems": run_report.of_run(house, found["run"]),
        "notices": run_report.notices(house, found["run"]),
        "leaving": None,
    }
    if record["state"] == RunState.HELD:
        record["leaving"] = leaving(house, record["run"])
    else:
        del record["leaving"]
    return record


def is_idle(tx: Tx, resting: str | None) -> bool:
    """Return whether no process is running; the node `resting` is idle even if killed processes left heartbeats."""
    return resting is not None and all(each.name.rpartition("@")[2] == resting for each in heartbeats.alive(tx))


def state_of(row: RunRow, *, idle: bool) -> str:
    """Return the state of a run, or INTERRUPTED if it has begun and not ended while no process is running."""
    begun = row.is_under_way and row.state is not RunState.WAITING
    return INTERRUPTED if idle and begun else row.state.value


def _report(house: Installation, row: RunRow, resting: str | None, *, idle: bool) -> Run:
    """The Run report record of the interfaces."""
    with house.store.read() as tx:
        source = sources.numbered(tx, row.source_id)
        counters = cast("CounterRecord", asdict(runs.counters(tx, row.id)))
        if row.state is RunState.HELD:
            counters["held"] += remaining.leaving_count(tx, row.source_id)
        left = to_fetch(tx, row)
        to_index = unreviewed.waiting_count(tx, row.source_id) if row.state is RunState.PENDING else 0
        waits, reason = waiting_for.waits(house, tx, row, resting), waiting_for.reason(house, tx, row, resting)
        edited = _edited_before(tx, row, source)
    seconds = max(row.seconds(house.clock.now()), 0.001)
    return {
        "run": row.id, "source": source.name if source else None, "state": state_of(row, idle=idle), "to_fetch": left,
        "to_index": to_index, **counters,
        "started_at": rfc3339(row.started_at), "finished_at": rfc3339(row.finished_at), "seconds": round(seconds, 3),
        "pages_per_s": round(counters["fetched"] / seconds, 2), "bottleneck": row.bottleneck, "complete": row.complete,
        "reason": reason, "error": row.error,
        "gives_up_at": rfc3339(row.gives_up_at) if row.state is RunState.RETRIEVING else None,
        "refresh": row.refresh.value, "force": row.force, "mode": row.mode.value,
        "forget": row.forget, "edited": edited, "waits": waits, "node": row.node or None,
    }  # fmt: skip


def _edited_before(tx: Tx, row: RunRow, source: SourceRow | None) -> list[str]:
    """The edited settings because of which a run fetches all documents in full."""
    if source is None or not row.anew:
        return []
    before = runs.since_through(tx, row.source_id, row.id)
    return sorted({name for each in before for name in _differing(source.kind, each.settings, row.settings)})


def to_fetch(tx: Tx, row: RunRow) -> int:
    """Return the number of resources that a run has still to visit, or has left to the next run."""
    return remaining.to_fetch(tx, row.source_id, row.generation, row.new_of) if _goes_on(tx, row) else 0


def _goes_on(tx: Tx, row: RunRow) -> bool:
    """Return whether a run has work left. It is under way, or ended early and no other run of its source has begun."""
    if row.state in OPEN_STATES:
        return True
    return not row.complete and row.generation > 0 and runs.is_newest(tx, row)


def leaving(house: Installation, number: int | None, most: int = MOST_LEAVING) -> list[LeavingDocument]:
    """The documents that a held run would delete: address and status of the last visit."""
    with house.store.read() as tx:
        row = runs.get(tx, number)
        return [{"url": url, "status": status} for url, status in remaining.leaving(tx, row.source_id, most)]


def leaving_count(house: Installation, number: int) -> int:
    """Return the number of documents that a held run would delete."""
    with house.store.read() as tx:
        return remaining.leaving_count(tx, runs.get(tx, number).source_id)


_CUT_SHORT = (RunState.HELD, RunState.SUSPENDED, RunState.STOPPED)
"""States of runs that did not do all that was ordered."""


def are_over(house: Installation, numbers: Sequence[int], node: str) -> bool:
    """Return whether these runs have ended, as far as this node may carry them out."""
    with house.store.read() as tx:
        rows = [runs.get(tx, number) for number in numbers]
    return all(row.state in ENDED or not row.is_for(node) for row in rows)


def exit_code(house: Installation, numbers: Sequence[int]) -> int:
    """Return the exit code of `start`.

    0: all went well. 3: some documents failed that had not failed before, no start address of some runs answered, a run
    is held, was stopped or suspended before its end, or waits for another node, or search does not find the new
    documents. 6: no start address of any run answered. 1: a run failed.
    """
    code = worst([_exit_code(house, number) for number in numbers])
    return code or (0 if index_consistency.is_healthy(house) else 3)


def worst(codes: Sequence[int]) -> int:
    """The gravest exit code of several runs; 6 only if all of them ended with it, else it counts as 3."""
    if set(codes) == {6}:
        return 6
    return max((3 if code == 6 else code for code in codes), key=(0, 3, 1).index, default=0)


def _exit_code(house: Installation, number: int) -> int:
    with house.store.read() as tx:
        row = runs.get(tx, number)
        if row.state in OPEN_STATES:
            return 3
        ends = seeds.ends(house, tx, row)
        turned_away = not row.lists and visits.starts_excluded(tx, row.source_id, number)
        counters = runs.counters(tx, number)
        if row.state is RunState.PENDING:  # an examination was requested, so these documents are no failure
            counters.held -= staged_versions.held_count(tx, row.source_id)
    if row.state is RunState.FAILED:
        return 6 if row.error == "unreachable" else 1
    if seeds.none_answered([each.start for each in ends], counters):
        return 6
    bad = counters.failed + counters.quarantined + counters.held + counters.deferred
    bad -= outcome.unreported(row, counters)
    well = not (bad or turned_away or row.unlisted or any(each.bad for each in ends))
    return 0 if well and row.state not in _CUT_SHORT else 3
