"""Test crawl, which delivers nothing: it crawls a copy of the source without known documents and without receivers.

    crawl --test -> copy made -> crawled as if for the first time, nothing indexed -> inspected -> next crawl: copy gone

So the documents of a test never affect a later crawl. Hosts keep the pace and the robots.txt that all sources share.
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
"""Suffix of the name of a copy; no name of a source may contain it."""


def copy(tx: Tx, row: SourceRow, *, test: bool) -> SourceRow:
    """The source to crawl: for a test its copy, which is created unless there is one.

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
    """Raise ConflictError for the edit of a copy, which the next crawl of its source deletes."""
    if row.test_of is not None:
        name = shlex.quote(row.name.removesuffix(ENDING))
        raise ConflictError(
            f"{row.name!r} belongs to a test of its source and is deleted with the next crawl of it. Edit the source: "
            f"`cormorant source edit {name} --set ...`; then `cormorant crawl {name} --test` tests it."
        )


def clear(tx: Tx, number: int) -> None:
    """Delete the documents and the run of a test of a source, unless it is under way."""
    found = sources.copy_of(tx, number)
    if found is not None and runs.unfinished(tx, found.id) is None:
        delete.remove(tx, found)
