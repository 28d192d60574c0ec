"""Access lists, each stored once for all documents that share it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import sqlalchemy as sa

from cormorant.model.acl import ACL, NOBODY
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import acl as acl_table


class ACLNumbers:
    """Row numbers of access lists and back, cached by the process."""

    def __init__(self) -> None:
        self._numbers: dict[ACL, int] = {}
        self._lists: dict[int, ACL] = {}

    def of(self, tx: Tx, acl: ACL) -> int:
        """Return the number of an access list; a new one gets a row."""
        number = self._numbers.get(acl)
        if number is None:
            number = self._number(tx, acl)
            self._numbers[acl] = number
        return number

    def prepare(self, tx: Tx, acls: Iterable[ACL]) -> None:
        """Insert the rows of several in a fixed order, so that two processes never deadlock."""
        for acl in sorted(set(acls) - self._numbers.keys(), key=lambda acl: (acl.grants, acl.denies)):
            self.of(tx, acl)

    def list_of(self, tx: Tx, number: int) -> ACL:
        """Return the access list of a number. An unknown number grants nothing."""
        found = self._lists.get(number)
        if found is None:
            rows = tx.rows(sa.select(acl_table).where(acl_table.c.id == number))
            if not rows:
                return NOBODY
            found = self._lists[number] = ACL.of(json.loads(rows[0].grants), json.loads(rows[0].denies))
        return found

    def forget(self) -> None:
        """Clear the cache: after a rollback it may hold numbers of rows that do not exist."""
        self._numbers.clear()
        self._lists.clear()

    @staticmethod
    def _number(tx: Tx, acl: ACL) -> int:
        grants, denies = json.dumps(acl.grants), json.dumps(acl.denies)
        digest = hashlib.sha256(f"{grants}\n{denies}".encode()).hexdigest()
        bulk.insert(tx, acl_table, ("grants", "denies", "digest"), [(grants, denies, digest)])
        return int(tx.execute(sa.select(acl_table.c.id).where(acl_table.c.digest == digest)).scalar_one())


class AclLookup:
    """Lookup of an access list (ACL) by its number, outside of any transaction."""

    def __init__(self, store: Store) -> None:
        self._store, self._acls = store, ACLNumbers()

    def __call__(self, number: int) -> ACL:
        """Return the access list of a number; an unknown number grants nothing."""
        with self._store.read() as tx:
            return self._acls.list_of(tx, number)
