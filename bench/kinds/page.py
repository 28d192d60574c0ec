"""The tables as Markdown, for docs/reference."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, NamedTuple

Figures = Mapping[str, Any]

_ABOUT: Final = """\
# Kinds of sources, measured

`python -m bench.kinds` crawls a place of each kind: a real server where there is one, elsewhere a fake that answers as
the documentation of the interface says. Every figure was measured on a machine with {processors}, which other programs
used at the same time; CPU seconds count all processes of a crawl, servers not.
"""


class Table(NamedTuple):
    """A table of one command: its heading, the words above it, and its columns."""

    title: str
    about: str
    columns: Mapping[str, Callable[[Figures], str]]


def _edits(each: Figures) -> str:
    names = {"insert": "new", "edit": "edited", "delete": "deleted", "rename": "renamed", "readers": "other readers"}
    return ", ".join(f"{each['edits'][sort]} {name}" for sort, name in names.items() if sort in each["edits"])


def _peaks(each: Figures) -> str:
    return " / ".join("-" if peak is None else str(peak) for peak in each["memory_mb"])


TABLES: Final[Mapping[str, Table]] = {
    "rounds": Table(
        "Rounds of random edits",
        "After each round comes a crawl, then a search for every document: its text, its address, its "
        "attributes, its readers; and for whatever is gone. An unchanged document was read again if its time "
        "of fetch is another one.",
        {
            "rounds": lambda each: str(each["rounds"]),
            "edits": _edits,
            "wrong": lambda each: str(each["wrong"]),
            "unchanged, read again": lambda each: str(each["read_again"]),
            "bytes read a round (median)": lambda each: f"{each['bytes']:,.0f}",
        },
    ),
    "killed": Table(
        "Kills and restarts",
        "A crawl is killed with all its processes (`kill -9`) at random points, and at others its server is "
        "stopped and started three seconds later. Where there is no server, the place is gone for that time. "
        "While a program pushes, `cormorant serve` is killed and restarted, and the program sends a batch again that "
        "was not answered; the run that was left is finished before the next. The next crawl has to find everything, "
        "once.",
        {
            "documents": lambda each: str(each["documents"]),
            "kills": lambda each: str(each["kills"]),
            "restarts": lambda each: str(each["restarts"]),
            "in the midst of the crawl": lambda each: str(each["in_midst"]),
            "lost": lambda each: str(each["lost"]),
            "doubled": lambda each: str(each["doubled"]),
        },
    ),
    "scale": Table(
        "Many small documents",
        "Documents of one sentence, so that the figures are the price of a document besides its text. The "
        "peak of memory is that of all processes (PSS) up to a quarter, a half, three quarters and all of the "
        "documents. The second crawl finds the place unchanged. The names in a Maildir are kept in memory.",
        {
            "documents": lambda each: f"{each['items']:,}",
            "seconds": lambda each: f"{each['seconds']:,.0f}",
            "CPU s": lambda each: f"{each['cpu_s']:,.0f}",
            "documents a CPU s": lambda each: f"{each['per_cpu_s']:,}",
            "peak MB at 25 / 50 / 75 / 100 %": _peaks,
            "second crawl, CPU s": lambda each: f"{each['second_cpu_s']:,.1f}",
            "of the first, CPU": lambda each: f"{each['cpu_share']:.1%}",
            "of the first, seconds": lambda each: f"{each['wall_share']:.1%}",
        },
    ),
    "fresh": Table(
        "From a change to a hit",
        "`cormorant serve` runs, the source watches its place, and the search is asked over HTTP until the "
        "changed document is found.",
        {
            "documents": lambda each: f"{each['documents']:,}",
            "changes": lambda each: str(each["changes"]),
            "median s": lambda each: str(each["median_s"]),
            "95 of 100 within s": lambda each: str(each["p95_s"]),
        },
    ),
}


def written(measured: Mapping[str, Mapping[str, Figures]], order: Sequence[str]) -> str:
    """Return the whole page, of figures by command and place; places in this order."""
    processors = {1: "one core", 2: "two cores"}.get(os.cpu_count() or 0, f"{os.cpu_count()} cores")
    parts = [_ABOUT.format(processors=processors)]
    for command, table in TABLES.items():
        rows = measured.get(command, {})
        if rows:
            parts.append("\n".join(_table(command, table, [rows[place] for place in order if place in rows])))
    return "\n".join(parts).rstrip() + "\n"


def _table(command: str, table: Table, rows: Sequence[Figures]) -> list[str]:
    head = ["place", "counterpart", *table.columns, "day"]
    lines = [f"## {table.title}", "", *wrap(table.about, 118), "", f"Command: `python -m bench.kinds {command}`.", ""]
    lines += [_row(*head), _row(*["---"] * len(head))]
    for each in rows:
        cells = (column(each) for column in table.columns.values())
        lines.append(_row(each["place"], each["counterpart"], *cells, each["day"]))
    return [*lines, ""]


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
