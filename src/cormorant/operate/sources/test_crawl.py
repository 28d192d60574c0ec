"""A crawl that delivers nothing: of a copy of the source, of which nothing is known and no receiver hears.

    crawl --test -> copy made -> crawled as if for the first time, nothing indexed -> looked at -> next crawl: copy gone

So what a test finds is never among what a later crawl goes by. Hosts keep the pace and the robots.txt that they share
with every source.
"""

from __future__ import annotations

import shlex

from cormorant.base.errors import ConflictError
from cormorant.operate.sources import delete
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs

ENDING = "/test"
"""The end of the name of a copy; no source can be called so."""


def copy(tx: Tx, row: SourceRow, *, test: bool) -> SourceRow:
    """The source that is to be crawled: for a test its copy, as it is or as the one that is under way.

    Raises ConflictError for the copy of a test that has ended.
    """
    if row.test_of is not None:
        if runs.unfinished(tx, row.id) is not None:
            return row
        name = row.name.removesuffix(ENDING)
        raise ConflictError(
            f"{row.name!r} is the result of a test that has ended. `cormorant crawl {shlex.quote(name)} --test` makes "
            "another."
        )
    if not test:
        return row
    found = sources.copy_of(tx, row.id)
    if found is not None:
        return found
    sources.add(tx, row.kind, row.name + ENDING, row.settings, row.id)
    return sources.named(tx, row.name + ENDING)


def refuse(row: SourceRow) -> None:
    """Raise ConflictError for a copy that is to be edited: it goes with the next crawl of its source."""
    if row.test_of is not None:
        name = shlex.quote(row.name.removesuffix(ENDING))
        raise ConflictError(
            f"{row.name!r} belongs to a test of its source and is deleted with the next crawl of it. Edit the source: "
            f"`cormorant source edit {name} --set ...`; then `cormorant crawl {name} --test` tests it."
        )


def clear(tx: Tx, number: int) -> None:
    """Let go of what a test of a source has found, with its run, unless it is under way."""
    found = sources.copy_of(tx, number)
    if found is not None and runs.unfinished(tx, found.id) is None:
        delete.remove(tx, found)
