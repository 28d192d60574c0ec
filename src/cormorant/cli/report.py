"""What a run came to, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cormorant.cli.figures import duration, plural, size

if TYPE_CHECKING:
    from cormorant.app.build import Plan
    from cormorant.cli.terminal import Terminal

COUNTERS = (
    "to_fetch",
    "fetched",
    "fetch_failures",
    "rejected",
    "discovered",
    "indexed",
    "non_indexable",
    "conversion_failures",
)
"""The eight classic ones, in their order."""

_MORE = (
    "new",
    "changed",
    "unchanged",
    "moved",
    "gone",
    "excluded",
    "unlinked",
    "deferred",
    "failed",
    "quarantined",
    "held",
)


def tell(say: Terminal, plan: Plan, numbers: Sequence[int]) -> int:
    """Print the report of every run, and return the exit code of them all."""
    from cormorant.app.opening import opened
    from cormorant.operate import crawl, problems

    with opened(plan) as house:
        for number in numbers:
            _tell(say, crawl.report(house, number) | {"problems": problems.of_run(house, number)})
        return crawl.exit_code(house, numbers)


def _tell(say: Terminal, record: Mapping[str, Any]) -> None:
    if say.json:
        say.record(record)
        return
    for line in lines(record):
        say.print(line)


def lines(record: Mapping[str, Any]) -> Iterator[str]:
    """The report of one run, as a person reads it."""
    took = duration(record["seconds"])
    head = f"Run {record['run']} of {record['source']!r}: {record['state']} after {took}"
    yield f"{head}, {record['pages_per_s']:g} pages a second"
    if record["reason"]:
        yield f"  {record['reason']}"
    yield ""
    for name in COUNTERS:
        yield f"  {name.replace('_', ' '):<20}{record[name]:>12,}"
    yield ""
    yield f"  {plural(record['requests'], 'request')}, {size(record['bytes'])} over the wire"
    outcomes = [f"{record[name]:,} {name}" for name in _MORE if record[name]]
    if outcomes:
        yield f"  {', '.join(outcomes)}"
    if record["problems"]:
        yield ""
        yield "  Problems:"
    for problem in record["problems"]:
        yield f"    {problem['sentence']}"
    if record["state"] == "held":
        run = record["run"]
        yield ""
        yield "  Nothing has left the index yet. What now?"
        yield f"    cormorant run show {run}      shows which documents would go"
        yield f"    cormorant run accept {run}    lets them go"
        yield f"    cormorant run refuse {run}    keeps them until the next crawl"
    yield ""
