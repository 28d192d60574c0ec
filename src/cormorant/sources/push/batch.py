"""Batches of pushed items, as JSON or as XML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from cormorant.base.errors import UsageError
from cormorant.sources.push.item import MAX_ATTACHMENTS, MAX_VERSION, PushedItem, check_id
from cormorant.sources.xml_answer import parse_answer

MAX_ITEMS: Final = 1_000
"""Items of one batch."""
MAX_BATCH_BYTES: Final = 32 << 20
"""Bytes of one batch; a larger document goes as an attachment, or in a batch of its own that is not in base64."""
XML_TYPES: Final = ("application/xml", "text/xml")
_LONGEST_FEED: Final = 200
_FORM: Final = "Send an object with `items`, a list of objects that each have an `id`."


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A batch before its items are read."""

    items: list[msgspec.Raw] = []
    mode: Literal["incremental", "full"] = "incremental"
    feed: str = ""
    sequence: int | None = None
    end: bool = False


@dataclass(frozen=True, slots=True)
class RefusedItem:
    """An item that cannot be taken: its identifier as far as it is known, and what is wrong."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class PushBatch:
    """A batch. `feed` names the feed that it belongs to, `sequence` counts the batches of that feed from 1.

    A full feed names everything there is, in one batch or several; `end` says that this is its last one.
    """

    items: Sequence[PushedItem | RefusedItem]
    is_full: bool = False
    feed: str = ""
    sequence: int | None = None
    end: bool = False


def read_batch(body: bytes, media_type: str = "") -> PushBatch:
    """Read a batch, as XML where the media type says so or it begins so. Raises UsageError for what is none.

    An item that is wrong is refused by itself.
    """
    bare = media_type.partition(";")[0].strip().lower()
    is_xml = bare in XML_TYPES or bare.endswith("+xml") or (not bare and body.lstrip()[:1] == b"<")
    batch = _read_xml(body) if is_xml else _read_json(body)
    if len(batch.items) > MAX_ITEMS:
        raise UsageError(f"The batch has {len(batch.items):,} items, and {MAX_ITEMS:,} is the limit. Send several.")
    if len(batch.feed) > _LONGEST_FEED or "\0" in batch.feed:
        raise UsageError(f"`feed` has at most {_LONGEST_FEED} characters.")
    if batch.sequence is not None and not 1 <= batch.sequence <= MAX_VERSION:
        raise UsageError("`sequence` is a whole number from 1.")
    if batch.is_full and not batch.feed:
        raise UsageError("A full feed needs a name of its own. Send `feed`, like the time at which it was begun.")
    if batch.end and not batch.is_full:
        raise UsageError("Only a full feed has an end. Send `mode`: full, or leave `end` out.")
    return batch


def _read_json(body: bytes) -> PushBatch:
    try:
        said = msgspec.json.decode(body, type=_Envelope)
        found = [_item(each) for each in said.items]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"The batch cannot be read: {_plain(error)}. {_FORM}") from None
    return PushBatch(found, said.mode == "full", said.feed, said.sequence, said.end)


def _item(raw: msgspec.Raw) -> PushedItem | RefusedItem:
    try:
        return _checked(msgspec.json.decode(raw, type=PushedItem))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return RefusedItem(_named(raw), f"{_plain(error)}.")


def _checked(read: PushedItem) -> PushedItem:
    """Raise ValueError for an item whose identifier or numbers cannot be kept."""
    check_id(read.id)
    if read.version is not None and not 0 <= read.version <= MAX_VERSION:
        raise ValueError("version is a whole number from 0")
    if read.attachments is not None and len(read.attachments) > MAX_ATTACHMENTS:
        raise ValueError(f"an item has at most {MAX_ATTACHMENTS} attachments")
    return read


def _named(raw: msgspec.Raw) -> str:
    try:
        found = json.loads(bytes(raw))
    except (ValueError, RecursionError):
        return ""
    said = found.get("id") if isinstance(found, dict) else None
    return said[:200].encode(errors="replace").decode() if isinstance(said, str) else ""


def _plain(error: Exception) -> str:
    """Return what is wrong as the end of a sentence."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    text = str(error)
    return (text[:1].lower() + text[1:]).rstrip(".")


def _read_xml(body: bytes) -> PushBatch:
    try:
        root = parse_answer(body)
        envelope = {
            "items": [], **{name: value for name, value in root.attrib.items() if name in ("mode", "feed")},
            "end": root.get("end", "false") == "true",
            "sequence": _whole(root.get("sequence")),
        }  # fmt: skip
        if root.tag != "feed":
            raise ValueError(f"its root is {str(root.tag)[:40]!r} and has to be 'feed'")
        said = msgspec.convert(envelope, type=_Envelope)
    except (ValueError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"The batch cannot be read: {_plain(error)}. Send a `feed` element with `item` in it."
        ) from None
    found = [_xml_item(each) for each in root.iterchildren("item")]
    return PushBatch(found, said.mode == "full", said.feed, said.sequence, said.end)


def _whole(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ValueError("a number is expected")
    return int(text[:30])


def _xml_item(element: Any) -> PushedItem | RefusedItem:
    try:
        return _checked(msgspec.convert(_fields(element), type=PushedItem, strict=False))
    except (msgspec.MsgspecError, ValueError) as error:
        return RefusedItem(str(element.get("id", ""))[:200], f"{_plain(error)}.")


_TEXTS: Final = ("url", "title", "file_name", "language", "modified_at")


def _fields(element: Any) -> dict[str, Any]:
    """Return the fields of an item element."""
    said: dict[str, Any] = {name: element.get(name) for name in ("id", "action") if element.get(name) is not None}
    if element.get("version") is not None:
        said["version"] = _whole(element.get("version"))
    attributes: dict[str, list[str]] = {}
    attachments: list[dict[str, Any]] = []
    for child in element.iterchildren():
        if child.tag in _TEXTS:
            said[child.tag] = (child.text or "").strip()
        elif child.tag == "content":
            said |= dict(_content(child))
        elif child.tag == "attribute":
            attributes.setdefault(child.get("name", ""), []).append(child.text or "")
        elif child.tag == "acl":
            said["acl"] = _rights(child)
        elif child.tag == "attachment":
            attachments.append({"name": child.get("name", ""), **dict(_content(child, absent="base64"))})
        else:
            raise ValueError(f"the element {str(child.tag)[:40]!r} is not known here")
    if attachments or element.get("attachments") == "none":
        said["attachments"] = attachments
    if attributes:
        said["attributes"] = {name: each[0] if len(each) == 1 else each for name, each in attributes.items()}
    return said


def _content(element: Any, absent: str = "text") -> Iterator[tuple[str, str]]:
    yield "content", element.text or ""
    yield "encoding", element.get("encoding", absent)
    yield "media_type", element.get("type", "")


def _rights(element: Any) -> dict[str, list[str]]:
    return {
        "grants": [(each.text or "").strip() for each in element.iterchildren("grant")],
        "denies": [(each.text or "").strip() for each in element.iterchildren("deny")],
    }
