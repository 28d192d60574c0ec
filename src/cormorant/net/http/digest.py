"""Digest authentication: the response to a challenge (RFC 7616, and RFC 2617 for older servers). Pure.

WWW-Authenticate -> Challenge -> answer(user, request, use count, client nonce) -> Authorization
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]"
_PAIR = re.compile(rf"(?<!{_WORD})({_WORD}++)\s*+=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s,\"]++))")
_SCHEME = re.compile(r"(?:^|,)\s*([A-Za-z][A-Za-z0-9-]*)(?=\s|,|$)(?!\s*=)")
_QUOTATION = re.compile(r"\"(?:[^\"\\]|\\.)*+\"?")
"""An unclosed quotation extends to the end: searching again from each of its marks would take unlimited time."""
_ALGORITHMS = {"SHA-256": hashlib.sha256, "MD5": hashlib.md5}
"""Supported algorithms of RFC 7616, the better one first."""


MOST_CHARACTERS = 8_192
"""Characters of one field that are read."""


class Challenge(NamedTuple):
    """The digest challenge of a server.

    `algorithm` is as written there; `quality` is auth, or "" for a server by RFC 2069.
    """

    realm: str
    nonce: str
    algorithm: str = "MD5"
    quality: str = ""
    opaque: str | None = None
    stale: bool = False


class DigestRequest(NamedTuple):
    """The request of a digest response: its target, the use count of the nonce, and the client's nonce."""

    target: str
    times: int
    nonce: str
    method: str = "GET"


def schemes(values: Sequence[str]) -> tuple[str, ...]:
    """The schemes in WWW-Authenticate fields, lower case, in order (RFC 9110 section 11.6.1)."""
    found = (name.lower() for value in values for name in _SCHEME.findall(_unquoted(value[:MOST_CHARACTERS])))
    return tuple(dict.fromkeys(found))


def challenge_of(values: Sequence[str]) -> Challenge | None:
    """The best digest challenge that is supported, None if there is none."""
    found = [each for value in values for each in _challenges(value[:MOST_CHARACTERS])]
    order = list(_ALGORITHMS)
    return min(found, key=lambda each: order.index(_base(each.algorithm)), default=None)


def answer(challenge: Challenge, user: str, password: str, asked: DigestRequest) -> str:
    """The value of the Authorization field (RFC 7616 section 3.4)."""
    hashed = _hash(challenge.algorithm)
    secret = hashed(f"{user}:{challenge.realm}:{password}")
    if challenge.algorithm.lower().endswith("-sess"):
        secret = hashed(f"{secret}:{challenge.nonce}:{asked.nonce}")
    request = hashed(f"{asked.method}:{asked.target}")
    times = f"{asked.times:08x}"
    middle = f"{times}:{asked.nonce}:{challenge.quality}:" if challenge.quality else ""
    fields = [
        f"username={_quoted(user)}", f"realm={_quoted(challenge.realm)}", f"nonce={_quoted(challenge.nonce)}",
        f"uri={_quoted(asked.target)}", f"algorithm={challenge.algorithm}",
        f'response="{hashed(f"{secret}:{challenge.nonce}:{middle}{request}")}"',
    ]  # fmt: skip
    if challenge.quality or challenge.algorithm.lower().endswith("-sess"):
        fields += [f'cnonce="{asked.nonce}"']
    if challenge.quality:
        fields += [f"qop={challenge.quality}", f"nc={times}"]
    if challenge.opaque is not None:
        fields.append(f"opaque={_quoted(challenge.opaque)}")
    return "Digest " + ", ".join(fields)


def _challenges(value: str) -> list[Challenge]:
    """Every digest challenge of one field, which may contain challenges of other schemes, too."""
    plain = _unquoted(value)
    starts = [(found.start(1), found[1].lower()) for found in _SCHEME.finditer(plain)]
    ends = [*(start for start, _ in starts[1:]), len(value)][: len(starts)]
    parts = [value[start:end] for (start, scheme), end in zip(starts, ends, strict=True) if scheme == "digest"]
    return [each for part in parts if (each := _challenge(part)) is not None]


def _challenge(text: str) -> Challenge | None:
    said = {name.lower(): re.sub(r"\\(.)", r"\1", quoted) or bare for name, quoted, bare in _PAIR.findall(text)}
    algorithm = said.get("algorithm", "MD5")
    qualities = [each.strip().lower() for each in said.get("qop", "").split(",") if each.strip()]
    if "nonce" not in said or _base(algorithm) not in _ALGORITHMS or (qualities and "auth" not in qualities):
        return None
    stale = said.get("stale", "").lower() == "true"
    quality = "auth" if qualities else ""
    return Challenge(said.get("realm", ""), said["nonce"], algorithm, quality, said.get("opaque"), stale)


def _unquoted(value: str) -> str:
    """The value with all quoted text blanked, so that no scheme is found in it."""
    return _QUOTATION.sub(lambda found: '"' + "x" * (len(found[0]) - 1), value)


def _base(algorithm: str) -> str:
    return algorithm.upper().removesuffix("-SESS")


def _hash(algorithm: str) -> Callable[[str], str]:
    made = _ALGORITHMS[_base(algorithm)]
    return lambda text: made(text.encode(), usedforsecurity=False).hexdigest()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
