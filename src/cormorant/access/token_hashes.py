"""Values that nobody can guess, and what is kept of them.

A value has 160 random bits, so a plain hash of it keeps it: there is no list of likely values to try.
"""

from __future__ import annotations

import hashlib

from cormorant.base.clock import random_token

PREFIX = "cormorant_"
"""How tokens begin, so that whoever finds one in a file knows what it is."""
_BYTES = 20


def new_token() -> str:
    """The value of a new token, to be shown once."""
    return PREFIX + random_token(_BYTES)


def new_cookie() -> str:
    """What a browser keeps that has signed in."""
    return random_token(_BYTES)


def digest(value: str) -> bytes:
    """What is kept of a value."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
