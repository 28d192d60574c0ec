"""Schema migration: finds the revision of a database and upgrades it to the current one.

A new database is created in one transaction and stamped with the newest revision; an older one is backed up (SQLite: a
file beside it, else by the caller's `keep`, ADR 0053) and upgraded by Alembic; a newer one is refused, since the
meaning of its rows is unknown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import sqlalchemy as sa

from cormorant.base.errors import DataFolderError
from cormorant.store.schema import SCHEMA_VERSION, metadata, source, stream_head

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.store.db.database import Store, Tx

    Keep: TypeAlias = Callable[[Tx, str], Path]
    """Backs up the rows of a database of this version, which is no file, before its upgrade; returns the path."""

_VERSION = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
MIGRATIONS = Path(__file__).parents[1] / "migrations"
NAMED = 3
"""Missing tables and columns that a message names."""
_COLUMNS_OF_SQLITE = """
    SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table'
"""
_COLUMNS_OF_POSTGRESQL = """
    SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND pg_table_is_visible(attrelid)
"""


class Upgraded(NamedTuple):
    """A database was upgraded from one version to another; `backup` is a copy of the former."""

    before: str
    now: str
    backup: Path


def prepare(store: Store, keep: Keep, new: Callable[[], None] = lambda: None) -> Upgraded | None:
    """Create or upgrade the schema; returns the upgrade, None if there was none.

    Check, backup and upgrade are one write transaction: no other process writes rows that the backup would lack, and
    the second of two concurrent upgrades finds it done. `new` is called for a database that was never used; if it
    raises, the database stays as it is. The same holds for DataFolderError, raised if a newer version wrote the
    database, or if its tables do not match its version.
    """
    upgraded: Upgraded | None = None
    with store.begin() as tx:
        _one_at_a_time(tx)
        version = _version(tx)
        if version is None:
            new()
            _make(tx)
        elif version > SCHEMA_VERSION:
            raise DataFolderError(
                f"The database is of version {version}, and this program knows {SCHEMA_VERSION}. "
                "Install the version of cormorant that wrote it, or a newer one."
            )
        elif version < SCHEMA_VERSION:
            backup = _back_up(store) if store.sqlite else _kept(tx, version, keep)
            _upgrade(tx)
            upgraded = Upgraded(version, SCHEMA_VERSION, backup)
        _check_columns(tx)
        if version is not None and _is_unused(tx):
            new()
    return upgraded


def _one_at_a_time(tx: Tx) -> None:
    """Wait for another process that creates or upgrades the schema. On SQLite the transaction itself does that."""
    if not tx.sqlite:
        tx.driver("SELECT pg_advisory_xact_lock(hashtext('cormorant schema'))")


def _version(tx: Tx) -> str | None:
    """Return the revision that the database is stamped with, None for an empty database."""
    if not sa.inspect(tx.connection).has_table("alembic_version"):
        return None
    return tx.execute(sa.select(_VERSION.c.version_num)).scalar_one_or_none()


def _is_unused(tx: Tx) -> bool:
    """Return whether all tables are empty, as after a restore that was killed after creating them."""
    heads = [tuple(row) for row in tx.rows(sa.select(stream_head.c.seq, stream_head.c.installation))]
    return heads == [(0, None)] and not tx.rows(sa.select(source.c.id).limit(1))


def _make(tx: Tx) -> None:
    metadata.create_all(tx.connection, checkfirst=True)
    _VERSION.create(tx.connection, checkfirst=True)
    tx.execute(sa.insert(_VERSION).values(version_num=SCHEMA_VERSION))
    tx.execute(sa.insert(stream_head).values(id=1, seq=0))


def _check_columns(tx: Tx) -> None:
    """Raise DataFolderError when a table or column is missing; one statement, about a millisecond."""
    there = set(map(tuple, tx.driver(_COLUMNS_OF_SQLITE if tx.sqlite else _COLUMNS_OF_POSTGRESQL)))
    tables = {table for table, _ in there}
    lacking = [table.name for table in metadata.tables.values() if table.name not in tables]
    lacking += [
        f"{table.name}.{column.name}"
        for table in metadata.tables.values() if table.name in tables
        for column in table.columns if (table.name, column.name) not in there
    ]  # fmt: skip
    if lacking:
        more = f" and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
        raise DataFolderError(
            f"The database says that it is of version {SCHEMA_VERSION}, but lacks {', '.join(lacking[:NAMED])}{more}: "
            "an unreleased version of cormorant made it, or another program changed it. Restore a backup, or crawl "
            "again into another data folder (--data) or database (CORMORANT_STORE)."
        )


def recreate(tx: Tx, version: str) -> None:
    """Drop all our tables, then create those of `version`, which the caller has checked."""
    _one_at_a_time(tx)
    there = sa.MetaData()
    there.reflect(bind=tx.connection, only=lambda name, _: name in metadata.tables or name == _VERSION.name)
    there.drop_all(tx.connection)
    if version == SCHEMA_VERSION:
        _make(tx)
    else:
        _upgrade(tx, version)


def bring_up(tx: Tx, version: str) -> None:
    """Upgrade tables of `version` to the present schema. Raises DataFolderError if they do not match it then."""
    if version < SCHEMA_VERSION:
        _upgrade(tx)
    _check_columns(tx)


def _upgrade(tx: Tx, version: str = "head") -> None:
    """Run the migrations, up to this one."""
    from alembic import command  # noqa: PLC0415 - costs 0.8 s, and is needed once a version
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = tx.connection
    command.upgrade(config, version)


def _kept(tx: Tx, version: str, keep: Keep) -> Path:
    """Have `keep` back up the rows while no other process reads or writes any."""
    there = sorted(set(sa.inspect(tx.connection).get_table_names()) & metadata.tables.keys())
    tx.driver(f"LOCK TABLE {', '.join(there)} IN ACCESS EXCLUSIVE MODE")
    return keep(tx, version)


def _back_up(store: Store) -> Path:
    """Copy the database to a file beside it, named after the version it is upgraded to.

    It is made on a connection of its own, which reads the state before the upgrading transaction. An interrupted copy
    is not used.
    """
    path = Path(store.url.removeprefix("sqlite:///"))
    target = path.with_suffix(f".before-{SCHEMA_VERSION}.db")
    partial = target.with_suffix(".part")
    partial.unlink(missing_ok=True)
    store.copy_to(partial)
    partial.replace(target)
    return target
