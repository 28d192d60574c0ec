"""Upgrade backup: all rows of a database before its upgrade, as an archive for the program of its version."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from cormorant.operate.storage import archive
from cormorant.operate.storage.archive import About
from cormorant.store.db import dump
from cormorant.store.db.database import Tx
from cormorant.store.schema import SCHEMA_VERSION


def keep(folder: Path, tx: Tx, schema: str) -> Path:
    """Write the rows of a database of this schema to an archive in a folder, and verify that; returns its path.

    Raises ConflictError if the path is another file, DataFolderError and NotPermitted if it cannot be written.
    """
    target = folder.absolute() / f"cormorant.before-{SCHEMA_VERSION}.tar"
    about = About(schema, version("cormorant"), tx.now(), copies=False, store="postgresql")
    tables = dump.reflected(tx)
    with archive.writing(target, about) as writer:
        for table, some in dump.every(tx, tables):
            writer.rows(table.name, table.columns.keys(), some)
        writer.manifest.counters = dump.counters(tx, tables)
    return target
