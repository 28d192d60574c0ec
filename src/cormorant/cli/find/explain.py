"""`cormorant explain`: why an address is, or is not, in the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.terminal import show
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.schedule.timezones import localized, wall_time

app = new_app()


_KNOWN = {
    "mark": "by its byte-order mark", "header": "by the server's header", "page": "as it says itself",
    "default": "the source's default", "bytes": "by its bytes", "text": "by its text",
}  # fmt: skip
"""How charset or language was determined, in words."""


@app.command(
    epilog=examples("cormorant explain http://localhost:8000/", "cormorant explain http://localhost:8000/ --json")
)
def explain(
    context: typer.Context,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The address in full, or the path of a file.")],
) -> None:
    """Explain why an address is, or is not, in the index.

    Shows how it was found, the ruling of each gate, and every visit that changed it.
    """
    from cormorant.operate.explain import explain as operation

    say = terminal.of(context)
    with say.house() as house:
        records = operation.explain(house, address)
    for record in records:
        if say.json:
            say.record(record)
        else:
            _print(say, record)


def _print(say: terminal.Terminal, record: Mapping[str, Any]) -> None:
    """Print the explanation of one source."""
    verdict = record["verdict"].replace("_", " ")
    source = f", source {record['source']!r}" if record["source"] else ""
    say.print(record["address"])
    say.raw(f"  {say.bold(verdict)}{terminal.clean(source)}: {terminal.clean(localized(record['because']))}")
    no_text = (record["conversion"] or {}).get("no_text")
    if record.get("advice") and (no_text or record["refusals"] or record["verdict"] not in ("indexed", "pending")):
        say.print(f"  {record['advice']}")
    if renamed := record.get("renamed"):
        say.print(f"  {'Known as':<13} {renamed['fetched']}, shown as {renamed['shown']}, by {renamed['rule']}")
    for title, rows in (
        ("Taken down", _takedown(record.get("takedown"))),
        ("Found", [_path(each) for each in record["paths"]]),
        ("Gates", [_gate(each) for each in record["gates"]]),
        ("Visits", [_visit(each) for each in record["visits"]]),
        ("Read as", _read_as(record["conversion"] or {})),
        ("Services", _services(record["conversion"] or {})),
        ("Answered by", _elsewhere(record)),
        ("Same content", record["duplicates"]),
        ("Near copies", record["near_duplicates"]),
    ):
        for number, row in enumerate(rows):
            say.print(f"  {title if number == 0 else '':<13} {row}")
    if record["site"]:
        say.sentence(f"  {'Site':<13} {record['site']['said']}. {record['site']['advice']}")
    for name in ("sitemap", "access"):
        if record[name]:
            said = ", ".join(f"{key} {show(value)}" for key, value in record[name].items() if value not in ([], None))
            say.print(f"  {name.capitalize():<13} {said}")
    if record["next"]:
        say.print(f"  Next visit: {_next(record['next'])}.")


def _takedown(said: Mapping[str, Any] | None) -> list[str]:
    """Return a line on a takedown: its author, beginning, end and reason."""
    if said is None:
        return []
    until = f", until {wall_time(said['expires_at'])}" if said["expires_at"] else ""
    return [f"{wall_time(said['created_at'])} by {said['author']}{until}: {said['reason']} (takedown {said['id']})"]


def _next(said: Mapping[str, Any]) -> str:
    """Return when an address is visited next, as the end of a sentence."""
    parts = [str(said.get("when") or f"not before {wall_time(said['not_before'])}")]
    if said.get("attempts"):
        parts.append(f"after {plural(said['attempts'], 'try', 'tries')}")
    if said.get("level"):
        parts.append(f"at level {said['level']}")
    if said.get("holds_until"):
        parts.append(f"which is until {wall_time(said['holds_until'])}")
    return ", ".join(parts)


def _read_as(said: Mapping[str, Any]) -> list[str]:
    """Lines on the charset and language of a document, how they were determined, and its reader."""
    by = [f"by {said['read_by']}"] if said.get("read_by") else []
    if not (said.get("charset_from") or said.get("language_from") or by):
        return []
    known = [
        f"{said[name]} ({_KNOWN.get(how, how)})"
        for name in ("charset", "language")
        if (how := said.get(f"{name}_from"))
    ]
    cut = ["only its beginning"] if said.get("truncated") else []
    return [", ".join([said["mime"], *known, *by, *cut])]


def _services(said: Mapping[str, Any]) -> list[str]:
    """Return a line on the document services that it passed, with the time that each took."""
    passed = [f"{each['service']} ({each['took_s'] * 1000:,.1f} ms)" for each in said.get("services") or []]
    hidden = ["its original is shown to nobody"] if said.get("withheld") else []
    return [", ".join([*passed, *hidden])] if passed else []


def _elsewhere(record: Mapping[str, Any]) -> list[str]:
    """A line on the final address of a redirect, if it differs."""
    at = (record["conversion"] or {}).get("answered_from")
    return [f"{at}, where a redirect led"] if at and at != record["address"] else []


def _path(path: Mapping[str, Any]) -> str:
    origin = f" from {path['from']}" if path["from"] else ""
    return f"{path['how']}{origin}" + (f" “{path['text']}”" if path["text"] else "")


def _gate(gate: Mapping[str, Any]) -> str:
    """Return the ruling of a gate as text; `source` is present where several sources are shown at once."""
    source = f"{gate['source']}: " if gate.get("source") else ""
    return f"{source}{gate['gate']} {gate['ruling']}: {gate['rule']}"


def _visit(visit: Mapping[str, Any]) -> str:
    changed = f", changed {visit['changed']}" if visit["changed"] else ""
    reason = f", {visit['reason']}" if visit["reason"] else ""
    cost = f"{visit['status']}, {visit['bytes']:,} bytes"
    at = wall_time(visit["time"], precision="seconds")
    return f"{at} run {visit['run']}: {visit['outcome']} {cost}{changed}{reason}"
