"""The bulk API of OpenSearch and Elasticsearch: requests for deliveries, and verdicts read from responses.

Pure: bytes and values in, bytes and values out. The record of a document reveals nothing about any other: neither the
page that links to it nor the address behind the displayed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from cormorant.receivers.protocol import Delivery, DocumentRights

MOST_WORDS: Final = 500
"""Characters of a reason that are kept."""
_GONE: Final = frozenset(("deleted", "unvisited_deleted"))
_OF_DOCUMENT: Final = frozenset((400, 413, 422))
"""Statuses of one operation that its document causes; an operation with another status may succeed later."""
_OF_INDEX: Final = frozenset(("index_closed_exception", "cluster_block_exception", "invalid_index_name_exception"))
"""Errors with one of these statuses that the index causes all the same."""
_CONFLICT, _NOT_FOUND = 409, 404
_KEYWORD: Final = {"type": "keyword", "ignore_above": 8191}
"""An engine refuses a document with a term above 32,766 bytes; 8,191 characters never have more."""
_PRINCIPAL: Final = {"type": "keyword"}
"""Indexed at any length: a missing denial would deny nobody."""
MAPPING: Final = msgspec.json.encode(
    {
        # Deletions are remembered so long that an abandoned request which arrives late restores nothing.
        "settings": {"index": {"gc_deletes": "1h"}},
        "mappings": {
            "dynamic": False,
            "properties": {
                "url": _KEYWORD,
                "title": {"type": "text", "fields": {"keyword": _KEYWORD}},
                "text": {"type": "text"},
                "source": _KEYWORD,
                "mime": _KEYWORD,
                "language": _KEYWORD,
                "size_bytes": {"type": "long"},
                "depth": {"type": "integer"},
                "fetched_at": {"type": "date"},
                "changed_at": {"type": "date"},
                "content_hash": _KEYWORD,
                "grants": _PRINCIPAL,
                "denies": _PRINCIPAL,
                "installation": _KEYWORD,
                "id": {"type": "long"},
                "seq": {"type": "long"},
            },
        },
    }
)
"""The body of the request that creates an index."""
_COPIED: Final = ("title", "mime", "language", "size_bytes", "depth", "fetched_at", "changed_at", "content_hash")
"""Fields of the document record that are written unchanged."""


class Operation(NamedTuple):
    """The operation for one delivery, and its lines of the bulk request, each with its line ending."""

    delivery: Delivery
    lines: bytes


class Verdict(Enum):
    """The result of a bulk operation.

    KEPT also when the index has a newer version, or never had the deleted document.
    """

    KEPT = "kept"
    REFUSED = "refused"
    AGAIN = "again"


class _Error(msgspec.Struct):
    type: str = ""
    reason: str | None = None


class _Item(msgspec.Struct):
    status: int
    error: _Error | None = None


class _Answer(msgspec.Struct):
    items: list[dict[str, _Item]]


def newest_in(batch: Sequence[Delivery]) -> list[Delivery]:
    """Return the newest delivery of each document, in the order of their numbers."""
    newest = {each.id: each for each in sorted(batch, key=lambda each: each.seq)}
    return sorted(newest.values(), key=lambda each: each.seq)


def operation_of(delivery: Delivery, installation: str) -> Operation | None:
    """Return the operation for a delivery; None if the document is gone, as another delivery reports.

    Raises one of `record.UNFIT` for a value that cannot be written as JSON.
    """
    document = delivery.document
    if delivery.event in _GONE or (document is not None and not document.get("indexed")):
        return withdrawal(delivery, installation)
    if document is None:
        return None
    rights = delivery.rights or DocumentRights((), ())
    fields = {
        "url": delivery.url, "source": delivery.source, **{name: document.get(name) for name in _COPIED},
        "text": delivery.text, "grants": rights.grants, "denies": rights.denies, "installation": installation,
        "id": delivery.id, "seq": delivery.seq,
    }  # fmt: skip
    return Operation(delivery, _action("index", delivery, installation) + msgspec.json.encode(fields) + b"\n")


def withdrawal(delivery: Delivery, installation: str) -> Operation:
    """Return the operation that deletes a document from the index."""
    return Operation(delivery, _action("delete", delivery, installation))


def _action(word: str, delivery: Delivery, installation: str) -> bytes:
    """Return the action line; the version is the number of the delivery."""
    about = {"_id": f"{installation}-{delivery.id}", "version": delivery.seq, "version_type": "external"}
    return msgspec.json.encode({word: about}) + b"\n"


def items(answer: bytes, count: int) -> list[tuple[Verdict, str]]:
    """Return the verdict on each of `count` operations, with the reason for those that were not kept.

    Raises DecodeError, UnicodeDecodeError, RecursionError or ValueError for a body that does not answer them.
    """
    found = msgspec.json.decode(answer, type=_Answer).items
    if len(found) != count or any(len(each) != 1 for each in found):
        raise ValueError("not of these operations")
    return [_judged(word, item) for each in found for word, item in each.items()]


def _judged(word: str, item: _Item) -> tuple[Verdict, str]:
    error = item.error or _Error()
    gone = word == "delete" and item.status == _NOT_FOUND and item.error is None
    if 200 <= item.status < 300 or item.status == _CONFLICT or gone:
        return Verdict.KEPT, ""
    reason = ": ".join(filter(None, (str(item.status), error.type, error.reason)))[:MOST_WORDS]
    if item.status in _OF_DOCUMENT and error.type not in _OF_INDEX:
        return Verdict.REFUSED, reason
    return Verdict.AGAIN, reason
