"""Schema migration: finds the revision of a database and upgrades it to the current one.

A new database is made in one transaction and stamped with the newest revision; an older one is backed up (SQLite: a
file beside it, else by whoever opens it, ADR 0053) and brought up by Alembic; a newer one is refused, since nobody can
know what its rows mean.
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
    """Keeps the rows of a database of this version, which is no file, before it is upgraded; returns where."""

_VERSION = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
MIGRATIONS = Path(__file__).parents[1] / "migrations"
NAMED = 3
"""Tables and columns that are named when some are missing."""
_COLUMNS_OF_SQLITE = """
    SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table'
"""
_COLUMNS_OF_POSTGRESQL = """
    SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND pg_table_is_visible(attrelid)
"""


class Upgraded(NamedTuple):
    """A database was brought from one version to another; a copy of what it was is in `backup`."""

    before: str
    now: str
    backup: Path


def prepare(store: Store, keep: Keep, new: Callable[[], None] = lambda: None) -> Upgraded | None:
    """Make or upgrade the schema, and say so if it was upgraded; does nothing when it is today's.

    Look, backup and upgrade are one write transaction: nobody writes what the backup would lack, and of two that
    upgrade at once the second finds it done. `new` is called for a database in which nothing ever was, and may raise:
    it is left as it is then. So it is when DataFolderError is raised, as the database was written by a newer version,
    or is not what its version says.
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
    """Wait for another process that is making or upgrading the schema. On SQLite the transaction itself does that."""
    if not tx.sqlite:
        tx.driver("SELECT pg_advisory_xact_lock(hashtext('cormorant schema'))")


def _version(tx: Tx) -> str | None:
    """The revision the database is stamped with, None for an empty database."""
    if not sa.inspect(tx.connection).has_table("alembic_version"):
        return None
    return tx.execute(sa.select(_VERSION.c.version_num)).scalar_one_or_none()


def _is_unused(tx: Tx) -> bool:
    """Return whether there are only empty tables, as after a restore that was killed once it had made them."""
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


def make_anew(tx: Tx, version: str) -> None:
    """Remove every table of ours, then make those of `version`. Whoever calls has made sure that it is known."""
    _one_at_a_time(tx)
    there = sa.MetaData()
    there.reflect(bind=tx.connection, only=lambda name, _: name in metadata.tables or name == _VERSION.name)
    there.drop_all(tx.connection)
    if version == SCHEMA_VERSION:
        _make(tx)
    else:
        _upgrade(tx, version)


def bring_up(tx: Tx, version: str) -> None:
    """Bring tables of `version` up to today's. Raises DataFolderError when they then are not."""
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
    """Have the rows kept while nobody else reads or writes any."""
    there = sorted(set(sa.inspect(tx.connection).get_table_names()) & metadata.tables.keys())
    tx.driver(f"LOCK TABLE {', '.join(there)} IN ACCESS EXCLUSIVE MODE")
    return keep(tx, version)


def _back_up(store: Store) -> Path:
    """Copy the database to a file beside it, named after the version it is upgraded to.

    Made on a connection of its own, which reads what was there before the transaction that upgrades. An interrupted
    copy is no copy.
    """
    path = Path(store.url.removeprefix("sqlite:///"))
    target = path.with_suffix(f".before-{SCHEMA_VERSION}.db")
    partial = target.with_suffix(".part")
    partial.unlink(missing_ok=True)
    store.copy_to(partial)
    partial.replace(target)
    return target
