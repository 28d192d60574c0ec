"""A message as it is read: header, text with quoted parts apart, attachments.

All data comes through the one reader of documents, so readers see only messages that search finds for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from cormorant.base.clock import date_of
from cormorant.base.errors import NotFoundError
from cormorant.frontier.staging import member_rows
from cormorant.model.acl import ANYONE, Reader
from cormorant.model.member import path_within
from cormorant.operate.documents import cached_copy
from cormorant.operate.installation import Installation
from cormorant.operate.mail.mail_header import MESSAGE, HeaderFact, facts_of
from cormorant.operate.mail.mail_text import TextBlock, blocks_of, body_of
from cormorant.search.reader import Hit, Library

MOST_ATTACHMENTS: Final = 100


class MailAttachment(NamedTuple):
    """A document in a message, with its name there."""

    name: str
    hit: Hit


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A message. `facts` are fields of its header; `sent_at` is in epoch seconds."""

    hit: Hit
    facts: tuple[HeaderFact, ...]
    blocks: tuple[TextBlock, ...]
    attachments: tuple[MailAttachment, ...]

    @property
    def sent_at(self) -> float | None:
        """The time it was sent, in epoch seconds; None if unknown."""
        return self.hit.modified_at


def message(house: Installation, shelf: Library, number: int, reader: Reader = ANYONE) -> MailMessage:
    """Return one message. Raises NotFoundError for unknown and forbidden documents and non-messages; NotShown."""
    hit, text = cached_copy.text_of(house, shelf, number, reader)
    if hit.mime != MESSAGE:
        raise NotFoundError("There is no such message, or you have no access to it.")
    with house.store.read() as tx:
        members = member_rows.of_containers(tx, [number]).get(number, [])[:MOST_ATTACHMENTS]
    found = ((each, shelf.see(each.id, reader)) for each in members if each.indexed)
    attachments = tuple(MailAttachment(path_within(each.address), seen) for each, seen in found if seen is not None)
    body = body_of(text, [each.name for each in attachments])
    return MailMessage(hit, facts_of(hit.attributes), tuple(blocks_of(body)), attachments)


def month_of(moment: float | None) -> tuple[int, int] | None:
    """Return year and month of epoch seconds in UTC, None without a valid date."""
    found = date_of(moment) if moment is not None else None
    return (found.year, found.month) if found is not None else None
