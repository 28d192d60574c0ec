"""Browsers that signed in: each has a cookie of its own, which ends with its token, its time, or by signing out."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.store.db.database import Tx
from cormorant.store.schema import session


def begin(tx: Tx, token: str, digest: bytes, lasts_s: float) -> None:
    """Know a browser from now on; those whose time is over are forgotten."""
    now = tx.now()
    tx.execute(sa.delete(session).where(session.c.expires_at <= now))
    values = {"digest": digest, "token": token, "created_at": now, "expires_at": now + lasts_s}
    tx.execute(sa.insert(session).values(**values))


def token_of(tx: Tx, digest: bytes) -> str | None:
    """The name of the token a browser signed in with, None when it did not, or no longer counts."""
    rows = tx.rows(sa.select(session.c.token).where(session.c.digest == digest, session.c.expires_at > tx.now()))
    return rows[0].token if rows else None


def end(tx: Tx, digest: bytes) -> None:
    """Forget a browser."""
    tx.execute(sa.delete(session).where(session.c.digest == digest))
