"""Tokens: add, list, edit, delete; and the scope of a visitor who has shown one.

If other machines reach the pages, a token lets its bearer do what its scope allows (`web/security/authentication.py`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cormorant.access import tokens
from cormorant.access.tokens import TokenRow
from cormorant.base.clock import rfc3339
from cormorant.base.errors import UsageError
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import MadeToken, Token

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
FIRST = "first"
"""The name of the token that is created automatically."""
NOTED_S = 60.0
"""Seconds between two updates of a token's last use, so that not every request writes."""


def add(house: Installation, name: str, scope: Scope = Scope.SEARCH) -> MadeToken:
    """Create a token; the record has its `value`, which cannot be shown again. Raises UsageError, ConflictError."""
    if NAME.fullmatch(name) is None:
        raise UsageError(f"{name!r} cannot be the name of a token: use letters, digits, dots, dashes and underscores.")
    value = tokens.new_token()
    with house.store.begin() as tx:
        tokens.add(tx, name, tokens.digest(value), scope)
        return {**_record(tokens.named(tx, name)), "value": value}


def first(house: Installation) -> str | None:
    """Create the first token, of scope `admin`, and return its value; None if there is one of that scope or name.

    Without it, earlier tokens of narrower scopes would leave the pages without an administrator.
    """
    value = tokens.new_token()
    with house.store.begin() as tx:
        if any(row.scope is Scope.ADMIN or row.name == FIRST for row in tokens.every(tx)):
            return None
        tokens.add(tx, FIRST, tokens.digest(value), Scope.ADMIN)
    return value


def listed(house: Installation) -> list[Token]:
    """All tokens: the scope of each, when it was made and last used; never a value."""
    with house.store.read() as tx:
        return [_record(row) for row in tokens.every(tx)]


def edit(house: Installation, name: str, scope: Scope) -> Token:
    """Give a token another scope, from the next request on, also of browsers signed in with it.

    Raises NotFoundError.
    """
    with house.store.begin() as tx:
        tokens.change(tx, name, scope)
        return _record(tokens.named(tx, name))


def delete(house: Installation, name: str) -> None:
    """Delete a token, which takes effect with the next request. Raises NotFoundError."""
    with house.store.begin() as tx:
        tokens.delete(tx, name)


class Bearer(NamedTuple):
    """Bearer of a token: its name and its scope."""

    name: str
    scope: Scope


def bearer_of_token(house: Installation, value: str) -> Bearer | None:
    """The bearer of the token with this value, which is then recorded as used; None for an unknown value."""
    with house.store.read() as tx:
        row = tokens.hashing_to(tx, tokens.digest(value))
    return _used(house, row)


def sign_in(house: Installation, value: str, lasts_s: float) -> str | None:
    """Return a session cookie for a token, valid for `lasts_s` seconds; None for an unknown value."""
    cookie = tokens.new_cookie()
    with house.store.begin() as tx:
        row = tokens.hashing_to(tx, tokens.digest(value))
        if row is None:
            return None
        tokens.begin(tx, row.name, tokens.digest(cookie), lasts_s)
        tokens.use(tx, row.name)
    return cookie


def bearer_of_session(house: Installation, cookie: str) -> Bearer | None:
    """The bearer of the token of a browser session, with the token's present scope; None if it has ended."""
    with house.store.read() as tx:
        name = tokens.token_of(tx, tokens.digest(cookie))
        row = tokens.named(tx, name) if name is not None else None
    return _used(house, row)


def sign_out(house: Installation, cookie: str) -> None:
    """End a browser session."""
    with house.store.begin() as tx:
        tokens.end(tx, tokens.digest(cookie))


def _used(house: Installation, row: TokenRow | None) -> Bearer | None:
    """The bearer of a token; its use is recorded every NOTED_S."""
    if row is None:
        return None
    if row.used_at is None or abs(house.clock.now() - row.used_at) >= NOTED_S:
        with house.store.begin() as tx:
            tokens.use(tx, row.name)
    return Bearer(row.name, row.scope)


def _record(row: TokenRow) -> Token:
    return {
        "token": row.name, "scope": row.scope,
        "created_at": rfc3339(row.created_at), "used_at": rfc3339(row.used_at),
    }  # fmt: skip
