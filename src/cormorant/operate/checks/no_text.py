"""Documents of a source with no text, or almost none, and why: the report of a run counts them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator

import sqlalchemy as sa

from cormorant.model import no_text
from cormorant.model.no_text import NoTextReason
from cormorant.model.resource import Role
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.documents.listing import TEXTLESS
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource
from cormorant.store.schema.frontier import TROUBLED

EXAMPLES = 3
"""Documents that are named."""


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """Yield one line about documents without text, and one about applications that a script fills.

    For the newest run they count all present documents, for an older run those that it visited last.
    """
    tx, row, columns = context.tx, context.row, resource.c
    if context.has_failed and not context.counters.fetched:
        return
    here = sa.and_(TROUBLED, columns.source_id == row.source_id, columns.role == int(Role.DOCUMENT), TEXTLESS)
    if not context.is_newest:
        here = sa.and_(here, columns.run == row.id)
    groups = tx.rows(sa.select(columns.reason, sa.func.count().label("count")).where(here).group_by(columns.reason))
    if not groups:
        return
    counts: Counter[NoTextReason] = Counter()
    for each in groups:
        counts[no_text.reason_in(each.reason) or NoTextReason.NO_WORDS] += each.count
    of_source = f" --source {shlex.quote(context.owner.name)}" if context.owner is not None else ""
    command = f"`cormorant document list{of_source} --no-text` lists them, `cormorant explain` gives a remedy."
    shells = columns.reason.startswith(no_text.SHELL, autoescape=True)
    if filled := counts.pop(NoTextReason.SCRIPT, 0):
        yield _filled(filled, _examples(tx, sa.and_(here, shells)), command)
    if counts:
        yield _without(counts, _examples(tx, sa.and_(here, sa.not_(shells))), command)


def _examples(tx: Tx, wanted: sa.ColumnElement[bool]) -> list[str]:
    shown = tx.rows(sa.select(resource.c.address).where(wanted).order_by(resource.c.id).limit(EXAMPLES))
    return [each.address for each in shown]


def _filled(count: int, addresses: list[str], command: str) -> RunProblem:
    many = "1 page holds" if count == 1 else f"{count:,} pages hold"
    looks = "looks like an application" if count == 1 else "look like applications"
    return RunProblem(
        "script",
        f"{many} almost no text and {looks} that a script fills, for example {', '.join(addresses)}. Cormorant "
        f"runs no scripts, so search does not find words and links that they make. {command}",
        {"address": addresses[0], "examples": addresses, "addresses": count},
    )


def _without(counts: Counter[NoTextReason], addresses: list[str], command: str) -> RunProblem:
    total = counts.total()
    many = "1 document has no text" if total == 1 else f"{total:,} documents have no text"
    return RunProblem(
        "text",
        f"{many}: {', '.join(_words(each, counts[each]) for each in NoTextReason if counts[each])}. Search "
        f"finds such documents only by their names and addresses, for example {', '.join(addresses)}. {command}",
        {
            "address": addresses[0],
            "examples": addresses,
            "addresses": total,
            "reasons": {each.name.lower(): counts[each] for each in NoTextReason if counts[each]},
        },
    )


_ONE = {
    NoTextReason.PROTECTED: "is protected by a password", NoTextReason.EMPTY: "is empty",
    NoTextReason.PICTURES: "holds only pictures, like a scan",
    NoTextReason.UNREAD: "was read by Apache Tika, which found none in it",
    NoTextReason.NO_WORDS: "has nothing in it that is text",
}  # fmt: skip
_MORE = {
    NoTextReason.PROTECTED: "are protected by a password", NoTextReason.EMPTY: "are empty",
    NoTextReason.PICTURES: "hold only pictures, like scans",
    NoTextReason.UNREAD: "were read by Apache Tika, which found none in them",
    NoTextReason.NO_WORDS: "have nothing in them that is text",
}  # fmt: skip


def _words(reason: NoTextReason, count: int) -> str:
    return f"1 {_ONE[reason]}" if count == 1 else f"{count:,} {_MORE[reason]}"
