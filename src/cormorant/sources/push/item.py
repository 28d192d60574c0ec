"""Pushed items: what a program says of one, checked; and the record that is kept of it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal, TypeAlias

import msgspec

from cormorant.base.clock import FIRST_S, LAST_S
from cormorant.model.acl import ACL
from cormorant.model.url import try_canonical

MAX_ID: Final = 1_000
"""Bytes of the UTF-8 of an identifier: with every one escaped it still fits into an address."""
MAX_NAME: Final = 255
"""The same of the name of an attachment."""
MAX_ATTACHMENTS: Final = 100
MAX_ATTRIBUTES: Final = 200
MAX_VALUES: Final = 1_000
"""Values of one attribute."""
MAX_TEXT: Final = 10_000
"""Characters of a title, an address or a value."""
MAX_PRINCIPALS: Final = 10_000
MAX_VERSION: Final = 2**63 - 1
TEXT_TYPE: Final = "text/plain"
BYTES_TYPE: Final = "application/octet-stream"

_ATTRIBUTE: Final = re.compile(r"[A-Za-z][\w .:-]{0,99}")
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_PRINCIPAL: Final = re.compile(r"everyone|(?:user|group):\S.{0,999}", re.DOTALL)
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}")
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


_Given: TypeAlias = str | float | bool | list[str | float | bool]
_Kept: TypeAlias = str | float | list[str | float]


class PushedRights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Readers of an item: `everyone`, `user:NAME` or `group:NAME`; without grants nobody finds it."""

    grants: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()


class PushedBytes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attachment. One without `content` is named to stay as it is."""

    name: str
    content: str | None = None
    encoding: Literal["text", "base64"] = "base64"
    media_type: str = ""


class PushedItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item as a program says it.

    `version` counts the changes of an item at its sender: an older one changes nothing.
    `attachments` None: those of before stay; a list: the item has these and no others. `modified_at` is epoch seconds
    or a date of RFC 3339 or RFC 5322. `url` is the address that readers see.
    """

    id: str
    action: Literal["insert", "delete"] = "insert"
    version: int | None = None
    url: str = ""
    title: str = ""
    content: str | None = None
    encoding: Literal["text", "base64"] = "text"
    media_type: str = ""
    file_name: str = ""
    language: str = ""
    attributes: dict[str, _Given] = {}
    acl: PushedRights | None = None
    modified_at: str | float | None = None
    attachments: tuple[PushedBytes, ...] | None = None


class ItemRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item, or an attachment, as it is kept beside its bytes. `grants` None: it has no rights of its own."""

    media_type: str
    title: str = ""
    file_name: str = ""
    language: str = ""
    is_text: bool = False
    attributes: dict[str, _Kept] = {}
    grants: tuple[str, ...] | None = None
    denies: tuple[str, ...] = ()
    modified_at: float | None = None

    @property
    def acl(self) -> ACL | None:
        """The rights of its own."""
        return None if self.grants is None else ACL.of(self.grants, self.denies)


def check_id(text: str) -> str:
    """Return an identifier as it is kept. Raises ValueError, with what is wrong, for one that cannot be."""
    return _short(text, MAX_ID, "id")


def check_name(text: str) -> str:
    """Return the name of an attachment as it is kept. Raises ValueError."""
    return _short(text, MAX_NAME, "the name of an attachment")


def _short(text: str, most: int, what: str) -> str:
    if not text or _UNSTORABLE.search(text):
        raise ValueError(f"{what} needs at least one character, and none with the code 0")
    if len(text.encode()) > most:
        raise ValueError(f"{what} has at most {most:,} bytes")
    return text


def record_of(pushed: PushedItem) -> ItemRecord:
    """Return the record of an item. Raises ValueError, with the field and what is wrong with it."""
    rights = pushed.acl
    for name, text in (("title", pushed.title), ("file_name", pushed.file_name)):
        _text(text, name)
    if pushed.language and not _LANGUAGE.fullmatch(pushed.language):
        raise ValueError("language is a tag like de or pt-BR")
    return ItemRecord(
        media_type_of(pushed.media_type, is_text=pushed.encoding == "text"), pushed.title, pushed.file_name,
        pushed.language.lower(), pushed.encoding == "text", _attributes(pushed.attributes),
        None if rights is None else _principals(rights.grants), _principals(rights.denies) if rights else (),
        moment(pushed.modified_at),
    )  # fmt: skip


def media_type_of(text: str, *, is_text: bool) -> str:
    """Return a media type without parameters, in small letters. Raises ValueError for what is none."""
    bare = text.partition(";")[0].strip().lower()
    if bare and not _TYPE.fullmatch(bare):
        raise ValueError("media_type is a type like text/html or application/pdf")
    return bare or (TEXT_TYPE if is_text else BYTES_TYPE)


def bytes_of(content: str | None, encoding: str) -> bytes:
    """Return the bytes of a content. Raises ValueError for text that cannot be kept and for what is no base64."""
    if encoding == "text":
        return (content or "").encode(errors="replace")
    try:
        return base64.b64decode("".join((content or "").split()), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("content is no base64, as its encoding says") from None


def shown_as(url: str) -> str:
    """Return the address that readers see, canonical; "" for none. Raises ValueError for what they cannot open."""
    if not url:
        return ""
    address = try_canonical(_text(url, "url"))
    if address is None or not address.startswith(("https://", "http://")):
        raise ValueError("url is an address that begins with https:// or http://")
    return address


def moment(given: str | float | None) -> float | None:
    """Return epoch seconds of a date. Raises ValueError for what is none."""
    if given is None or given == "":
        return None
    if isinstance(given, str):
        given = _parsed(given.strip()[:100])
    if not FIRST_S <= given <= LAST_S:
        raise ValueError("modified_at lies within the years 1 to 9999")
    return float(given)


def _parsed(text: str) -> float:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = read(text)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    raise ValueError("modified_at is a date like 2026-11-28T09:30:00Z, or seconds since 1970")


def _text(text: str, name: str) -> str:
    if len(text) > MAX_TEXT or _UNSTORABLE.search(text):
        raise ValueError(f"{name} has at most {MAX_TEXT:,} characters, and none with the code 0")
    return text


def _attributes(given: Mapping[str, _Given]) -> dict[str, _Kept]:
    if len(given) > MAX_ATTRIBUTES:
        raise ValueError(f"attributes are {MAX_ATTRIBUTES} at most")
    return {_attribute(name): _value(name, value) for name, value in given.items()}


def _attribute(name: str) -> str:
    if not _ATTRIBUTE.fullmatch(name):
        raise ValueError(f"the attribute {name[:40]!r} has to begin with a letter and to have letters, digits, . _ - :")
    return name


def _value(name: str, given: _Given) -> _Kept:
    if isinstance(given, str):
        return _text(given, f"attribute {name}")
    if isinstance(given, int | float):
        return _number(given)
    if len(given) > MAX_VALUES:
        raise ValueError(f"attribute {name} has at most {MAX_VALUES:,} values")
    if all(isinstance(each, str) for each in given):
        return [_text(str(each), f"attribute {name}") for each in given]
    if any(isinstance(each, str) for each in given):
        raise ValueError(f"attribute {name} mixes texts and numbers")
    return [_number(each) for each in given if not isinstance(each, str)]


def _number(given: float) -> float:
    return float(given)


def _principals(given: Sequence[str]) -> tuple[str, ...]:
    if len(given) > MAX_PRINCIPALS:
        raise ValueError(f"acl has at most {MAX_PRINCIPALS:,} readers")
    for name in given:
        if not _PRINCIPAL.fullmatch(name) or _UNSTORABLE.search(name):
            raise ValueError(f"{name[:40]!r} in acl is no reader. Write everyone, user:NAME or group:NAME")
    return tuple(sorted(set(given)))
