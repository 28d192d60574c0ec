"""A PostgreSQL server for crawls on it: a real one that came with a package, as durable as one is by default.

Its processes are in no figure: what is measured is what Cormorant itself uses on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.stores import Postgres, served

_OPTIONS = "-c listen_addresses= -c max_connections=60 -c shared_buffers=512MB -c max_wal_size=4GB -k {folder}"


@dataclass(frozen=True, slots=True)
class Database:
    """One database of the server; it need not be there yet."""

    server: Postgres
    name: str

    @property
    def url(self) -> str:
        """Its address, for CORMORANT_STORE."""
        return self.server.url(self.name)

    def create(self, like: Database | None = None) -> None:
        """Create it again: empty, or as a copy of another database, to which there must be no connections."""
        self.server.run(
            f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)',
            f'CREATE DATABASE "{self.name}"' + (f' TEMPLATE "{like.name}"' if like else ""),
        )

    def analyze(self) -> None:
        """Have the server look at all rows, as it does by itself some time after so many were written."""
        self.server.run("VACUUM ANALYZE", database=self.name)

    @property
    def size_mb(self) -> float:
        """How large it is on the disk, in MB of 10^6 bytes."""
        return float(self.server.ask(f"SELECT pg_database_size('{self.name}')")) / 1e6


@contextmanager
def databases() -> Iterator[Postgres]:
    """The server, for the length of a block."""
    with served(_OPTIONS) as server:
        yield server
