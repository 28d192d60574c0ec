"""Result of a replay, in which kept documents are sent to a receiver again: exit code and sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cormorant.base.errors import CacheDamaged, ConflictError, CormorantError, Unreachable
from cormorant.operate.installation import Installation
from cormorant.receivers.http_sender import is_unreached
from cormorant.receivers.protocol import DAMAGED
from cormorant.store.catalog import receivers, rejected_deliveries


class ReplayResult(NamedTuple):
    """The exit code and the problems; 0 and none if all was delivered."""

    code: int = 0
    problems: tuple[CormorantError, ...] = ()


def end(house: Installation, before: Mapping[str, Any], now: Mapping[str, Any]) -> ReplayResult:
    """Return the result of a replay, by the records of a receiver before and after. Raises NotFoundError."""
    if now["backlog"]:
        error = _untaken(now)
        return ReplayResult(error.exit_code, (error,))
    with house.store.read() as tx:
        number, place = receivers.named(tx, now["receiver"]).id, before["place"]
        lacking, damaged = (
            rejected_deliveries.since(tx, number, place),
            rejected_deliveries.since(tx, number, place, DAMAGED),
        )
    if not lacking:
        return ReplayResult()
    refused_all = not damaged and lacking >= (before["resending"] or before["backlog"])
    return ReplayResult(1 if refused_all else 3, tuple(_lacking(now["receiver"], lacking - damaged, damaged)))


def _untaken(now: Mapping[str, Any]) -> CormorantError:
    """Return why deliveries still wait."""
    count, name = now["backlog"], now["receiver"]
    waits = f"1 delivery waits for {name!r}" if count == 1 else f"{count:,} deliveries wait for {name!r}"
    if now["paused"]:
        return ConflictError(f"Deliveries are paused, so {waits}. `cormorant provider resume` resumes them.")
    later = f"{waits}, and the next crawl, or `cormorant serve`, tries again."
    if not now["error"]:
        return ConflictError(f"It is slow: {later}")
    said = f"{now['error']} {later[0].upper()}{later[1:]}"
    return Unreachable(said) if is_unreached(now["error"]) else ConflictError(said)


def _lacking(name: str, refused: int, damaged: int) -> Iterator[CormorantError]:
    """Yield errors for documents that a receiver rejected, and for those that could not be sent."""
    word = shlex.quote(name)
    if refused:
        what = "1 document" if refused == 1 else f"{refused:,} documents"
        yield ConflictError(
            f"{name!r} rejected {what}: `cormorant receiver faulty {word}` gives the reasons. After a repair, "
            f"`cormorant receiver resend {word} --faulty` sends them again."
        )
    if damaged:
        what = "The kept copy of 1 document is" if damaged == 1 else f"The kept copies of {damaged:,} documents are"
        yield CacheDamaged(
            f"{what} damaged, so {name!r} did not get the contents. The next `cormorant crawl` repairs that; if whole "
            f"copies are missing, run `cormorant cache repair` first. `cormorant receiver resend {word} --faulty` "
            "then sends the rest."
        )
