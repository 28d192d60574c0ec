"""Filter fields: the exact values under which a document is indexed."""

from __future__ import annotations

import hashlib
import ipaddress
from functools import lru_cache
from typing import Final
from urllib.parse import unquote, urlsplit

from cormorant.model.text import display_directives
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.query import Field, Key
from cormorant.search.index.tokenizer import clean, words

UNKNOWN = "und"
"""The language tag of documents in an unknown language (BCP 47 section 4.1, from ISO 639-2)."""
_HEADINGS = ("Headline1", "Headline2")
_LONGEST_ORDER: Final = 200
"""Characters of a title that are used for sorting."""
STEPS: Final = 4
_OWN_PAGES = frozenset(("index", "default", "home", "welcome"))
MOST_LEVELS = 99


def keys(entry: IndexedDocument) -> dict[Key, tuple[str, ...]]:
    """Return every exact value that finds this entry."""
    return {
        Key.SOURCE: (entry.source,),
        Key.SITE: site_keys(entry.url),
        Key.MIME: (entry.mime.lower(),) if entry.mime else (),
        Key.LANGUAGE: language_keys(entry.language),
    }


def site_keys(url: str) -> tuple[str, ...]:
    """Return the host of `url`, and before it with its port when it names one, and every domain the host is part of.

    So `example.org` finds `docs.example.org` too. An IP address is part of nothing.
    """
    parts = url.split("/", 3)
    return _authority_keys(parts[2]) if len(parts) > 2 and not parts[1] else ()


def own_value(entry: IndexedDocument, key: Key | None) -> str | None:
    """Return the value of a key that an entry is filed under first, None for none."""
    values = keys(entry)[key] if key else ()
    return exact(values[0]) if values else None


def filed_under(key: Key, own: str | None) -> tuple[str, ...]:
    """Return all values of a key for a document, given the first of them; none for one that has none."""
    if own is None:
        return ()
    if key is Key.LANGUAGE:
        return language_keys(own)
    if key is not Key.SITE:
        return (own,)
    host, _, _ = own.rpartition(":")
    if ":" not in host:
        return _authority_keys(own) or (own,)
    return (own, host) if _is_address(host) else (own,)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(4096)
def _authority_keys(authority: str) -> tuple[str, ...]:
    """Return the keys of an authority (host and port); cached, because documents come from few of them."""
    try:
        parts = urlsplit(f"//{authority}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return ()
    if not host:
        return ()
    with_port = (f"{host}:{port}",) if port else ()
    labels = host.split(".")
    if ":" in host or labels[-1].isdigit():
        return (*with_port, host)
    return (*with_port, *(".".join(labels[start:]) for start in range(max(1, len(labels) - 1))))


@lru_cache(4096)
def language_keys(language: str) -> tuple[str, ...]:
    """Return the tag in lower case and its language alone: `de-CH` is filed under `de-ch` and `de`."""
    tag = language.lower() or UNKNOWN
    return tuple(dict.fromkeys((tag, tag.partition("-")[0])))


def headings(entry: IndexedDocument) -> tuple[str, ...]:
    """Return its headings, the largest first."""
    found = (entry.attributes.get(name, ()) for name in _HEADINGS)
    return tuple(each for some in found if not isinstance(some, str | float | int) for each in map(str, some))


def url_text(url: str) -> str:
    """Return an address as searchable text: its host and path without escapes, and the values of its query."""
    bare = url.partition("://")[2] or url
    return unquote(bare.replace("+", " "))


def called(entry: IndexedDocument) -> str:
    """Return its address as searchable text, and the file name that its server gives it, if any."""
    name = entry.attributes.get(display_directives.FILE_NAME, "")
    return f"{url_text(entry.url)} {name}" if isinstance(name, str) and name else url_text(entry.url)


def fold_key(content_hash: bytes) -> int | None:
    """Return 64 bits of the hash, signed, under which equal documents fold; None for a document without a hash.

    Among a hundred million documents two different ones share a key with a probability of 1 in 3,700.
    """
    return int.from_bytes(content_hash[:8], "big", signed=True) if content_hash else None


def title_order(title: str) -> str:
    """Return the sort key of a kept title: its words as the index has them, "" when it has none."""
    return " ".join(words(title[:_LONGEST_ORDER]))


def title_steps(title: str) -> tuple[int, ...]:
    """Return the beginning of the sort key as numbers to compare in turn, eight bytes each; () for no words."""
    order = title_order(title).encode()
    if not order:
        return ()
    padded = order[: 8 * STEPS].ljust(8 * STEPS, b"\0")
    found = [int.from_bytes(padded[at : at + 8], "big") - (1 << 63) for at in range(0, len(padded), 8)]
    return tuple(found)


def is_cut(last: float | None) -> bool:
    """Say whether the sort key of a title may be longer than its steps."""
    return last is not None and (int(last) + (1 << 63)) % 256 > 0


@lru_cache(4096)
def mark_of(value: str) -> int:
    """Return a signed 64-bit hash of a value, by which values are distinguished in a column of numbers."""
    return int.from_bytes(hashlib.blake2b(value.encode(), digest_size=8).digest(), "big", signed=True)


def standing(entry: IndexedDocument) -> int:
    """Return a number that is least for the representative of equal documents; at a tie, the oldest represents them.

    A document that calls itself canonical comes first, then the one with the shortest address.
    """
    return (display_directives.CANONICAL not in entry.attributes) << 32 | min(len(clean(entry.url)), (1 << 32) - 1)


def exact(value: str) -> str:
    """Return `value` as an exact term: unchanged, but for halves of surrogate pairs, which no term can hold."""
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def level(url: str) -> int:
    """Return the depth of an address below its host: one for each folder or page, and one more for a query.

    The index page of a folder has the depth of the folder.
    """
    path, _, query = (url.partition("://")[2] or url).partition("#")[0].partition("?")
    steps = [step for step in path.split("/")[1:] if step]
    if steps and steps[-1].partition(".")[0].lower() in _OWN_PAGES:
        steps.pop()
    return min(len(steps) + bool(query), MOST_LEVELS)


def read(entry: IndexedDocument) -> dict[Field, str]:
    """Return the text of each analysed field."""
    return {
        Field.TITLE: entry.title, Field.HEADINGS: "\n".join(headings(entry)), Field.TEXT: entry.text,
        Field.ANCHORS: "\n".join(entry.anchors), Field.ADDRESS: called(entry),
    }  # fmt: skip
