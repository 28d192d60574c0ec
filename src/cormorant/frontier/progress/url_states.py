"""URL states: the set that a URL is in.

The sets are a view: the begin or end of a run moves nothing, numbers are compared. Pure.

    BEGUN --> todo --READ--> found --DELIVERED--> finished --ENDED--> old --BEGUN--> todo
               |  `--SAME, LEFT--------------------^
               |  `--FAILED--> error      `--EXCLUDED--> excluded          both --BEGUN--> todo
               `--PUT_OFF--> todo --ENDED--> error
    found, finished, old --REFUSED--> error --TAKEN--> where it was
    found (examined) --INDEXED--> found, --PRUNED--> excluded, or where it was, --DROPPED--> old, error

Four of the nine sets of the older systems have no rows of their own, since they are work in progress of a process:

    retrieving      todo, under a site's lease          providing        found, read by a receiver after its place
    postprocessing  old, in a chunk of the sweep        postprocessed    old, passed by it

So a restart resets them: the lease runs out, the place is unchanged, the chunk was not committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from cormorant.frontier.policy import priority
from cormorant.model.outcome import OutcomeKind


class Cause(StrEnum):
    """Cause that moves a URL from one set to another."""

    BEGUN = "a run begins"
    READ = "a visit brings something to deliver"
    SAME = "a visit brings nothing new"
    LEFT = "a visit finds it gone or moved"
    FAILED = "a visit fails, or is quarantined or held"
    PUT_OFF = "a visit is put off"
    EXCLUDED = "a gate says no at a visit"
    DELIVERED = "every receiver has come past it"
    REFUSED = "a receiver cannot take it"
    TAKEN = "a receiver takes what it could not, or is deleted"
    INDEXED = "a person has what was examined delivered"
    PRUNED = "a person leaves it out of what was examined"
    DROPPED = "the run that examined it is stopped"
    ENDED = "the run ends"


BY_OUTCOME: Final[Mapping[OutcomeKind, Cause]] = MappingProxyType({
    OutcomeKind.OK: Cause.READ, OutcomeKind.UNCHANGED: Cause.SAME, OutcomeKind.MOVED: Cause.LEFT,
    OutcomeKind.GONE: Cause.LEFT, OutcomeKind.EXCLUDED: Cause.EXCLUDED, OutcomeKind.DEFERRED: Cause.PUT_OFF,
    OutcomeKind.FAILED: Cause.FAILED, OutcomeKind.QUARANTINED: Cause.FAILED, OutcomeKind.HELD: Cause.FAILED,
})  # fmt: skip
"""The cause of a visit, by its outcome (`transition`). A visit that is HELD because a newer version was examined and
waits for delivery is READ.
"""
_SEEN = ("finished", "found", "error")
"""The sets after a visit that delivers nothing: found while an earlier version is being delivered, error if a receiver
could not take that version.
"""
TRANSITIONS: Final[Mapping[Cause, Mapping[str, tuple[str, ...]]]] = MappingProxyType({
    Cause.BEGUN: {
        "todo": ("todo",), "found": ("todo", "found"), "old": ("todo", "old"), "error": ("todo", "error"),
        "excluded": ("todo", "excluded"),
    },
    Cause.READ: {"todo": ("found",)},
    Cause.SAME: {"todo": _SEEN},
    Cause.LEFT: {"todo": _SEEN},
    Cause.FAILED: {"todo": ("error",)},
    Cause.PUT_OFF: {"todo": ("todo",)},
    Cause.EXCLUDED: {"todo": ("excluded",)},
    Cause.DELIVERED: {"found": ("finished", "old", "found")},
    Cause.REFUSED: {"found": ("error", "found"), "finished": ("error",), "old": ("error",)},
    Cause.TAKEN: {"error": ("found", "finished", "old", "error")},
    Cause.INDEXED: {"found": ("found",)},
    Cause.PRUNED: {"found": ("excluded", "old", "found", "error")},
    Cause.DROPPED: {"found": ("old", "error")},
    Cause.ENDED: {"todo": ("todo", "error"), "finished": ("old",)},
})  # fmt: skip
"""All transitions, by cause and set. A cause does not move URLs of a set that it does not name.

At BEGUN resources that every run visits go to todo, and a listed file stays in its set until its listing shows another
version. At ENDED deferred URLs go to error, and unvisited ones stay. At TAKEN a URL stays in error if its last visit
failed, or if another receiver could not take it either. An examined version stays in found while it waits, whatever
happens to the version before it.
"""


class Standing(NamedTuple):
    """Standing of a URL: data of the URL and its source, and the position of the slowest receiver.

    `run` visited it last; `running` is the run under way, None if there is none. `seq` is the number of its document's
    newest event, 0 for none; `refused` the newest number that a receiver could not take, None for none. `waits`: a
    version was examined and waits for approval.
    """

    due: int
    ready: bool
    visited: bool
    outcome: OutcomeKind
    run: int
    seq: int
    generation: int
    running: int | None
    place: int
    refused: int | None = None
    waits: bool = False


_ERRORS = (OutcomeKind.FAILED, OutcomeKind.QUARANTINED, OutcomeKind.DEFERRED, OutcomeKind.HELD)


def set_of(at: Standing) -> str:
    """Return the set that an address is in."""
    left = at.generation > 0 and at.ready and at.due < priority.limit(at.generation)
    put_off = at.running is None and at.outcome is OutcomeKind.DEFERRED
    if not at.visited or (left and not put_off):
        return "todo"
    if at.waits:
        return "found"
    if at.outcome in _ERRORS:
        return "error"
    if at.outcome is OutcomeKind.EXCLUDED:
        return "excluded"
    if at.refused is not None and at.refused >= at.seq:
        return "error"
    if at.seq > at.place:
        return "found"
    return "finished" if at.running is not None and at.run == at.running else "old"
