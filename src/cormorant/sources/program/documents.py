"""Documents as a program hands them over, made into content that can be read, or an outcome."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from cormorant.model.acl import ACL, EVERYONE, NOBODY
from cormorant.model.content import Content, PageLink, Value
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome, Unchanged
from cormorant.model.resource import Resource
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.sources.program.messages import (
    ContentReply,
    DeferredReply,
    DocumentReply,
    FailedReply,
    GoneReply,
    Hello,
    Rights,
    UnchangedReply,
)
from cormorant.sources.program.session import plain
from cormorant.sources.program.settings import ProgramSettings

MOST_ATTRIBUTES: Final = 500
"""Attributes of a document; further ones are left out."""
LONGEST_NAME: Final = 100
MOST_LINKS: Final = 10_000
LONGEST_WAIT_S: Final = 86_400.0
_PRINCIPAL: Final = re.compile(r"(?:user|group):\S.*")
_MEDIA_TYPE: Final = re.compile(r"[a-z0-9][\w.+-]{0,100}/[a-z0-9][\w.+-]{0,100}", re.ASCII)
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,3}")
_STATUSES: Final = frozenset(map(int, Status))


def rights_of(said: Rights) -> ACL | None:
    """Return the access list that a program gave; None for one with a principal that no reader can have."""
    names = (*said.grants, *said.denies)
    if not all(name == EVERYONE or _PRINCIPAL.fullmatch(name) for name in names):
        return None
    return ACL.of(said.grants, said.denies)


class DocumentMaker:
    """Makes outcomes of the answers of one program. `address_of` gives the address of a key."""

    def __init__(self, settings: ProgramSettings, hello: Hello) -> None:
        self._settings, self._hello = settings, hello

    def outcome(self, reply: DocumentReply, resource: Resource, links: tuple[PageLink, ...]) -> Content | Outcome:
        """Return what a visit ends as."""
        match reply:
            case ContentReply():
                return self._content(reply, resource, links)
            case UnchangedReply() if resource.validator and resource.indexed:
                return Unchanged()
            case UnchangedReply():
                return Failed(Status.PROTOCOL_ERROR, "The program calls a document unchanged that was never read.")
            case GoneReply():
                return Gone()
            case FailedReply():
                return Failed(_status(reply.status, Status.UNREADABLE), _reason(reply.reason))
            case DeferredReply():
                status = _status(reply.status, Status.IO_ERROR)
                return Deferred(status, _reason(reply.reason), _wait(reply.wait_s), reply.whole_site)

    def _content(self, reply: ContentReply, resource: Resource, links: tuple[PageLink, ...]) -> Content | Outcome:
        acl = self._acl(reply)
        if isinstance(acl, Failed):
            return acl
        try:
            body = _body(reply)
        except ValueError as error:
            return Failed(Status.PROTOCOL_ERROR, f"The document cannot be taken: {error}.", acl=acl)
        if len(body) > self._settings.max_size_bytes:
            return too_big(self._settings, acl)
        mime = reply.media_type.strip().lower()
        text = reply.text is not None
        return Content(
            resource.address,
            body,
            mime if _MEDIA_TYPE.fullmatch(mime) else "text/plain" if text else "",
            "utf-8" if text else reply.charset[:LONGEST_NAME],
            validator=resource.validator or reply.version,
            modified_at=_moment(reply.modified_at),
            language=reply.language.replace("_", "-").lower() if _LANGUAGE.fullmatch(reply.language) else "",
            acl=acl,
            file_name=reply.file_name[:1_000],
            title=" ".join(reply.title.split())[:1_000],
            attributes=_attributes(reply.attributes),
            beside=links,
        )

    def _acl(self, reply: ContentReply) -> ACL | Failed | None:
        """Return its rights, None where those of the source hold. Nobody reads a document whose rights are unclear."""
        if reply.acl is None:
            if self._hello.access == "source":
                return None
            why = "The program declares rights for each document, and this one has none (acl)."
            return Failed(Status.FORBIDDEN, why, acl=NOBODY)
        acl = rights_of(reply.acl)
        if acl is None:
            why = "Its rights name a reader who can be none. Readers are everyone, user:NAME and group:NAME."
            return Failed(Status.FORBIDDEN, why, acl=NOBODY)
        return ACL.of(acl.grants, (*acl.denies, *self._settings.denies))


def too_big(settings: ProgramSettings, acl: ACL | None = None) -> Excluded:
    """Return the outcome of a document that is larger than the source takes."""
    rule = Ruling(False, Gate.SIZE, f"max_size_bytes = {settings.max_size_bytes}", Status.TOO_BIG)
    return Excluded(rule, Status.TOO_BIG, acl=acl)


def _body(reply: ContentReply) -> bytes:
    """Return the bytes of a document. Raises ValueError."""
    if (reply.text is None) == (reply.base64 is None):
        raise ValueError("it has either text or base64")
    if reply.text is not None:
        return reply.text.encode("utf-8", "replace")
    try:
        return base64.b64decode(reply.base64 or "", validate=True)
    except binascii.Error as error:
        raise ValueError(f"its base64 is none ({str(error).lower()})") from error


def _attributes(given: Mapping[str, str | float | list[str | float] | None]) -> dict[str, Value]:
    """Return the attributes that have a name and a value."""
    found = dict[str, Value]()
    for name, value in given.items():
        usable = 0 < len(name) <= LONGEST_NAME and name.isprintable()
        if usable and value is not None and value != [] and len(found) < MOST_ATTRIBUTES:
            found[name] = _several(value) if isinstance(value, list) else value
    return found


def _several(values: list[str | float]) -> Value:
    """Return several values, all of them numbers or all of them text."""
    numbers = [each for each in values if not isinstance(each, str)]
    return tuple(numbers) if len(numbers) == len(values) else tuple(map(str, values))


def _moment(said: float | str | None) -> float | None:
    """Read epoch seconds or a date of RFC 3339; None for what is neither."""
    if isinstance(said, str):
        try:
            at = datetime.fromisoformat(said.strip())
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    return said if said is not None and math.isfinite(said) else None


def _status(said: int, usual: Status) -> int:
    return said if said in _STATUSES and said >= 400 else usual


def _wait(said: float | None) -> float | None:
    return min(max(said, 0.0), LONGEST_WAIT_S) if said is not None else None


def _reason(text: str) -> str:
    reason = plain(text) or "The program gave no reason"
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."
