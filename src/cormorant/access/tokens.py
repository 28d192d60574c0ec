"""The tokens of an installation, by name."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.base.clock import random_token
from cormorant.base.errors import ConflictError, NotFoundError, StoreError
from cormorant.model.scope import Scope
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import session, token


class TokenRow(NamedTuple):
    """A token as it lies in the store."""

    name: str
    digest: bytes
    created_at: float
    used_at: float | None
    scope: Scope


def add(tx: Tx, name: str, digest: bytes, scope: Scope) -> None:
    """Keep a new token with its scope. Raises ConflictError when the name is taken."""
    if _found(tx, name):
        raise ConflictError(
            f"There is a token {name!r} already. Choose another name, or `cormorant token delete {name}` first."
        )
    tx.execute(sa.insert(token).values(name=name, digest=digest, created_at=tx.now(), scope=scope))


def every(tx: Tx) -> list[TokenRow]:
    """All tokens by name."""
    return [_row(row) for row in tx.rows(sa.select(token).order_by(token.c.name))]


def named(tx: Tx, name: str) -> TokenRow:
    """The token of that name. Raises NotFoundError, with the names there are."""
    rows = _found(tx, name)
    if not rows:
        names = ", ".join(row.name for row in every(tx)) or f"none yet; `cormorant token add {name}` makes one"
        raise NotFoundError(f"There is no token {name!r}. There is: {names}.")
    return rows[0]


def hashing_to(tx: Tx, digest: bytes) -> TokenRow | None:
    """The token with that hash. All are compared in constant time, so that the time taken reveals nothing."""
    rows = every(tx)
    return next(
        (row for row, same in [(each, hmac.compare_digest(each.digest, digest)) for each in rows] if same), None
    )


def use(tx: Tx, name: str) -> None:
    """Record the present time as the token's last use."""
    tx.execute(sa.update(token).where(token.c.name == name).values(used_at=tx.now()))


def change(tx: Tx, name: str, scope: Scope) -> None:
    """Give a token another scope, which applies to its sessions from their next request on. Raises NotFoundError."""
    named(tx, name)
    tx.execute(sa.update(token).where(token.c.name == name).values(scope=scope))


def delete(tx: Tx, name: str) -> None:
    """Delete a token and its sessions. Raises NotFoundError."""
    named(tx, name)
    tx.execute(sa.delete(session).where(session.c.token == name))
    tx.execute(sa.delete(token).where(token.c.name == name))


def _found(tx: Tx, name: str) -> list[TokenRow]:
    if bulk.storable(name) != name:
        return []
    return [_row(row) for row in tx.rows(sa.select(token).where(token.c.name == name))]


def _row(row: sa.Row[Any]) -> TokenRow:
    """A row with its scope as a value. Raises StoreError for a scope that this version does not know."""
    try:
        return TokenRow(row.name, row.digest, row.created_at, row.used_at, Scope(row.scope))
    except ValueError:
        raise StoreError(
            f"Token {row.name!r} has the scope {row.scope!r}, which this version does not know, so no token works. "
            "Remove it from the table `token`, or install the version that wrote it."
        ) from None


PREFIX = "cormorant_"
"""How tokens begin, so that whoever finds one in a file knows what it is."""
_BYTES = 20


def new_token() -> str:
    """The value of a new token, to be shown once."""
    return PREFIX + random_token(_BYTES)


def new_cookie() -> str:
    """Return a new random session cookie value for a signed-in browser."""
    return random_token(_BYTES)


def digest(value: str) -> bytes:
    """Return the SHA-256 digest of a token or cookie value, which is stored instead of the value."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()


def begin(tx: Tx, token: str, digest: bytes, lasts_s: float) -> None:
    """Begin a browser session, and delete sessions that have expired."""
    now = tx.now()
    tx.execute(sa.delete(session).where(session.c.expires_at <= now))
    values = {"digest": digest, "token": token, "created_at": now, "expires_at": now + lasts_s}
    tx.execute(sa.insert(session).values(**values))


def token_of(tx: Tx, digest: bytes) -> str | None:
    """The name of the token that a browser signed in with, None without a session or once it has expired."""
    rows = tx.rows(sa.select(session.c.token).where(session.c.digest == digest, session.c.expires_at > tx.now()))
    return rows[0].token if rows else None


def end(tx: Tx, digest: bytes) -> None:
    """End a browser session."""
    tx.execute(sa.delete(session).where(session.c.digest == digest))
