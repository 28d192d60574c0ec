"""The words of the bulk API of OpenSearch and Elasticsearch: what is sent of a delivery, and what an answer says of it.

Pure: bytes and values in, bytes and values out. What is written of a document tells nothing of any other: neither the
page that links to it nor the address behind the one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from cormorant.receivers.protocol import Delivery, DocumentRights

MOST_WORDS: Final = 500
"""Characters that are kept of a reason."""
_GONE: Final = frozenset(("deleted", "unvisited_deleted"))
_OF_DOCUMENT: Final = frozenset((400, 413, 422))
"""What is answered to one operation because of its document; anything else may be otherwise later."""
_OF_INDEX: Final = frozenset(("index_closed_exception", "cluster_block_exception", "invalid_index_name_exception"))
"""Errors that are answered with such a status all the same, and are of the index."""
_CONFLICT, _NOT_FOUND = 409, 404
_KEYWORD: Final = {"type": "keyword", "ignore_above": 8191}
"""An engine refuses a document with a term above 32,766 bytes, which are so many characters at the least."""
_PRINCIPAL: Final = {"type": "keyword"}
"""Never left out of the index for its length: a denial that is not there denies nobody."""
MAPPING: Final = msgspec.json.encode(
    {
        # Deletions are remembered so long, that a request which was given up and came late brings nothing back.
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
"""What an index is made with."""
_COPIED: Final = ("title", "mime", "language", "size_bytes", "depth", "fetched_at", "changed_at", "content_hash")
"""Fields of the document record that are written as they are."""


class Operation(NamedTuple):
    """The operation for one delivery, and its lines of a bulk request, each with its line ending."""

    delivery: Delivery
    lines: bytes


class Verdict(Enum):
    """The result of a bulk operation. KEPT also when the index has something newer, or never had what is to go."""

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
    """Of each document the newest delivery, by number."""
    newest = {each.id: each for each in sorted(batch, key=lambda each: each.seq)}
    return sorted(newest.values(), key=lambda each: each.seq)


def operation_of(delivery: Delivery, installation: str) -> Operation | None:
    """Return the operation for a delivery; None if the document is gone, as another delivery reports.

    Raises one of `record.UNFIT` for what cannot be written as JSON.
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
    """Take out what there is of a document."""
    return Operation(delivery, _action("delete", delivery, installation))


def _action(word: str, delivery: Delivery, installation: str) -> bytes:
    """The line that says what is done; the version is the number of the delivery."""
    about = {"_id": f"{installation}-{delivery.id}", "version": delivery.seq, "version_type": "external"}
    return msgspec.json.encode({word: about}) + b"\n"


def items(answer: bytes, count: int) -> list[tuple[Verdict, str]]:
    """Return the verdict on each of `count` operations, with the reason for what was not kept.

    Raises DecodeError, UnicodeDecodeError, RecursionError or ValueError for what is no answer to them.
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
