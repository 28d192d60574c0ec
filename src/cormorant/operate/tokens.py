"""Tokens: add, list, delete; and who has shown one.

Where others reach the pages, a token is what lets somebody do more than search (`portal/door.py`).
"""

from __future__ import annotations

import re
from typing import Any

from cormorant.access import keys, sessions, tokens
from cormorant.access.tokens import TokenRow
from cormorant.base.clock import rfc3339
from cormorant.base.errors import UsageError
from cormorant.operate.house import House

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
FIRST = "first"
"""The name of the token that is made by itself."""
NOTED_S = 60.0
"""How exactly it is known when a token was last used: not every request writes."""


def add(house: House, name: str) -> dict[str, Any]:
    """Make a token; the record has its `value`, which nothing can show again. Raises UsageError, ConflictError."""
    if NAME.fullmatch(name) is None:
        raise UsageError(f"{name!r} cannot be the name of a token: use letters, digits, dots, dashes and underscores.")
    value = keys.new_token()
    with house.store.begin() as tx:
        tokens.add(tx, name, keys.digest(value))
        return _record(tokens.named(tx, name)) | {"value": value}


def first(house: House) -> str | None:
    """Make the first token where there is none, and return its value; None where there is one."""
    value = keys.new_token()
    with house.store.begin() as tx:
        if tokens.every(tx):
            return None
        tokens.add(tx, FIRST, keys.digest(value))
    return value


def listed(house: House) -> list[dict[str, Any]]:
    """All tokens, when each was made and last used; never a value."""
    with house.store.read() as tx:
        return [_record(row) for row in tokens.every(tx)]


def delete(house: House, name: str) -> None:
    """Forget a token: from the next request on it opens nothing. Raises NotFoundError."""
    with house.store.begin() as tx:
        tokens.delete(tx, name)


def known(house: House, value: str) -> bool:
    """Whether this is the value of a token, which is then noted as used."""
    with house.store.read() as tx:
        row = tokens.hashing_to(tx, keys.digest(value))
    return row is not None and _noted(house, row)


def sign_in(house: House, value: str, lasts_s: float) -> str | None:
    """What a browser is given for a token's value, to be kept for so long; None for what is no token."""
    cookie = keys.new_cookie()
    with house.store.begin() as tx:
        row = tokens.hashing_to(tx, keys.digest(value))
        if row is None:
            return None
        sessions.begin(tx, row.name, keys.digest(cookie), lasts_s)
        tokens.use(tx, row.name)
    return cookie


def signed_in(house: House, cookie: str) -> bool:
    """Whether a browser that keeps this has signed in, and not out since."""
    with house.store.read() as tx:
        name = sessions.token_of(tx, keys.digest(cookie))
        row = tokens.named(tx, name) if name is not None else None
    return row is not None and _noted(house, row)


def sign_out(house: House, cookie: str) -> None:
    """Forget what a browser was given."""
    with house.store.begin() as tx:
        sessions.end(tx, keys.digest(cookie))


def _noted(house: House, row: TokenRow) -> bool:
    """Note now and then that a token is in use. Always true."""
    if row.used_at is None or abs(house.clock.now() - row.used_at) >= NOTED_S:
        with house.store.begin() as tx:
            tokens.use(tx, row.name)
    return True


def _record(row: TokenRow) -> dict[str, Any]:
    return {"token": row.name, "created_at": rfc3339(row.created_at), "used_at": rfc3339(row.used_at)}
