"""Test query to a search server, with a report of the answer. Nothing is stored."""

from __future__ import annotations

from typing import Final

from cormorant.base.clock import Clock
from cormorant.model.status import Status, describe
from cormorant.operate.records.sources import QueryTest
from cormorant.plugins import LiveAnswer, LiveFault, LiveSource

WORD: Final = "test"
"""The query, unless another is given."""
TITLES: Final = 3
_NOT_FOR: Final = "route does not send this query; it was sent for this test alone"
_REFUSALS: Final = (Status.UNAUTHORIZED, Status.FORBIDDEN, Status.FORBIDDEN_NETWORK, Status.PROTOCOL_ERROR)


async def ask_once(name: str, source: LiveSource, query: str | None, clock: Clock) -> QueryTest:
    """Ask the server of a source, and return the record of its answer or of its fault."""
    words = query or WORD
    routed = source.routed(words)
    started = clock.monotonic()
    try:
        answer, fault = await source.ask(routed or words, ()), None
    except LiveFault as error:
        answer, fault = LiveAnswer(()), error
    status = fault.status if fault is not None else Status.OK
    return {
        "source": name, "query": routed or words, "route": None if routed else _NOT_FOR,
        "address": answer.asked or getattr(source.settings, "url", "").partition("?")[0], "form": answer.form or None,
        "status": int(status), "status_text": describe(status).text if fault else "Answered",
        "reason": fault.reason if fault else None,
        "results": len(answer.hits), "total": answer.total, "titles": [each.title for each in answer.hits[:TITLES]],
        "took_s": round(clock.monotonic() - started, 3), "exit_code": _exit_code(fault),
    }  # fmt: skip


def _exit_code(fault: LiveFault | None) -> int:
    """Return 0 for an answer, 3 for one that was refused or cannot be read, 6 if no server answered."""
    if fault is None:
        return 0
    return 3 if fault.status in _REFUSALS or 400 <= fault.status < 500 else 6
