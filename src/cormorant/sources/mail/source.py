"""A mail source: names the messages of a mailbox, and hands them on as they were sent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from cormorant.base.errors import BadSetting, Unreachable
from cormorant.model.content import Content, Value, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import try_canonical
from cormorant.sources.base import BaseSource, Batches
from cormorant.sources.kind import OWNER, SourceKind, Tools, Unlisted
from cormorant.sources.mail.advice import ADVICE
from cormorant.sources.mail.changes.mail_cursor import MailCursor
from cormorant.sources.mail.folder_name import readable_folder
from cormorant.sources.mail.imap_mailbox import ImapMailbox
from cormorant.sources.mail.local_mailbox import LocalMailbox
from cormorant.sources.mail.mailbox import (
    Mailbox,
    MailboxChanges,
    MessageEntry,
    RawMessage,
    address_of_parts,
    parts_of_address,
)
from cormorant.sources.mail.maildir import PLACES, unique_name
from cormorant.sources.mail.mailing_list import lists_of
from cormorant.sources.mail.message_head import fields_of, sent_at, thread_root
from cormorant.sources.mail.settings import MailSettings, doubts
from cormorant.sources.protocol import Discovery, Source

MESSAGE: Final = "message/rfc822"
BATCH: Final = 1_000
"""Messages of a batch."""


class MailSource(BaseSource[MailSettings]):
    """Messages of an account or an archive."""

    kind: ClassVar[str] = "mail"
    about: ClassVar[str] = "Messages of IMAP accounts, mailing lists, mbox files and Maildirs."
    Settings = MailSettings
    advice: ClassVar[Mapping[int, str]] = ADVICE
    discovery: ClassVar[Discovery] = Discovery.LISTING
    names_all = False
    """Set before `discover`: everything is to be named, whatever a cursor says."""

    def __init__(self, number: int, settings: MailSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self.shows_otherwise = bool(settings.display_url)
        self.tracks_moves = not settings.url  # an account tells two messages of one second and size not apart
        self._mailbox: Mailbox = ImapMailbox(settings, tools) if settings.url else LocalMailbox(settings, tools)

    @classmethod
    def look(cls, settings: MailSettings) -> None:
        """See whether the path is there, and whether the file of authorities can be read."""
        if settings.ca and not os.path.isfile(settings.ca):  # noqa: PTH113 - a cheap question
            raise BadSetting(f"The setting ca: there is no file {settings.ca}. Name a PEM file of authorities.")
        if settings.path and not os.path.exists(settings.path):  # noqa: PTH110 - the same
            raise Unreachable(f"{settings.path} is not there. Check its spelling, or mount its disk or share.")

    def discover(self, cursor: str) -> Batches:
        """Yield every message in batches, or what changed since the cursor. Raises Unreachable, LoginRefused.

        A folder that the server does not open is in `unlisted`. A mailbox that is suddenly empty counts as unreachable.
        """
        self.unlisted, self.next_cursor = [], ""
        before, began = MailCursor.of(cursor, self._mailbox.place), self.tools.clock.now()
        is_recent = 0.0 <= began - before.listed_at < self._settings.listed_for_s
        if is_recent and not (self.names_all or before.empty) and before.selection == self._settings.selection:
            changes = yield from self._steps(self._mailbox.changes(before.folders))
            if changes is not None:
                self.discovery = Discovery.FEED  # type: ignore[misc]  # of this discovery, not of its class
                for start in range(0, len(changes.new), BATCH):
                    yield [self._named(each) for each in changes.new[start : start + BATCH]]
                yield from self._removed(changes.gone)
                self._keep(replace(before, folders=self._mailbox.seen))
                return
        self.discovery = Discovery.LISTING  # type: ignore[misc]  # as above
        total = 0
        for batch in self._mailbox.messages(before.folders):
            total += len(batch)
            yield [self._named(each) for each in batch]
        if not total and not before.empty:
            raise Unreachable(
                "The mailbox has no message left, and had some before. Check settings and account; if it was emptied "
                "on purpose, crawl with --force."
            )
        seen, selection = self._mailbox.seen, self._settings.selection
        self._keep(MailCursor(before.place, not total, selection, began, seen))

    def _steps(
        self, steps: Generator[Sequence[MessageEntry], None, MailboxChanges | None]
    ) -> Generator[list[DiscoveredUrl | Removal], None, MailboxChanges | None]:
        """Yield an empty batch for each step, and return what they lead to."""
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                found: MailboxChanges | None = stop.value
                return found
            yield []

    def _removed(self, gone: Sequence[tuple[str, ...]]) -> Batches:
        for start in range(0, len(gone), BATCH):
            yield [Removal(address_of_parts(self._beginning, each)) for each in gone[start : start + BATCH]]

    def _keep(self, cursor: MailCursor) -> None:
        """Note what could not be listed, and where the next discovery goes on."""
        self.unlisted = [address_of_parts(self._beginning, each) for each in self._mailbox.unlisted]
        self.next_cursor = str(cursor)

    def _named(self, entry: MessageEntry) -> DiscoveredUrl:
        address = address_of_parts(self._beginning, entry.parts)
        shown = self._settings.shown_address(entry.message_id, readable_folder(entry.parts[0]), entry.parts[-1])
        blank = self.found("", entry.version, try_canonical(shown) or "" if shown else "")
        return blank._replace(address=address)

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Return a message as it was sent, with its thread, its lists and its folder."""
        parts, seconds = parts_of_address(self._beginning, resource.address), self._settings.timeout_s
        try:
            async with asyncio.timeout(seconds):
                found, received = await asyncio.to_thread(self._mailbox.read, parts, seconds)
        except TimeoutError:
            reason = f"The message did not arrive within {seconds:g} seconds. Check the server; raise timeout_s."
            return Deferred(Status.READ_TIMEOUT, reason, whole_site=True)
        wire.received += received
        wire.decoded += received
        return self._content(resource, found) if isinstance(found, RawMessage) else found

    def _content(self, resource: Resource, message: RawMessage) -> Content | Outcome:
        limit = self._settings.max_size_bytes
        if message.size_bytes > limit and self._settings.too_big == "drop":
            return Excluded(Ruling(False, Gate.SIZE, f"max_size_bytes = {limit}", Status.TOO_BIG), Status.TOO_BIG)
        fields = fields_of(message.body)
        lists = lists_of(fields, self._settings.mailing_lists)
        if self._settings.mailing_lists and not lists:
            rule = Ruling(False, Gate.TYPE, "lists: it was sent to none of them", Status.TYPE_EXCLUDED)
            return Excluded(rule, Status.TYPE_EXCLUDED)
        moment = sent_at(fields, message.received_at)
        attributes: dict[str, Value] = {"MailFolder": message.folder}
        if lists:
            attributes["List"] = lists
        if root := thread_root(fields):
            attributes["Thread"] = root
        if moment is not None:
            attributes["sent_at"] = moment
        if message.received_at is not None:
            attributes["received_at"] = message.received_at
        return Content(
            resource.address, message.body[:limit], MESSAGE, validator=resource.validator, modified_at=moment,
            truncated=message.size_bytes > limit, attributes=attributes, directives=("nofollow",),
        )  # fmt: skip

    def wait_for_change(self, timeout_s: float) -> bool:
        """Wait until messages come or go: True then, False when the time is over or the source was closed.

        The first call begins to watch and returns True: nobody knows of messages before. It blocks its thread. Raises
        Unreachable, LoginRefused.
        """
        return self._mailbox.wait(timeout_s)

    async def close(self) -> None:
        """Let go of connections; ends `wait_for_change`."""
        await asyncio.to_thread(self._mailbox.close)


def unlisted(source: Source, address: str) -> Unlisted | None:
    """Say why no listing names a message of the source, None for what is no address of one."""
    if not address.startswith(f"mail://{source.number}/"):
        return None
    ruling = source.gates.follow(address, 0)
    if not ruling.admitted:
        return Unlisted(ruling)
    return Unlisted(
        ruling,
        "The mailbox had no such message when it was listed: it was deleted or moved, or folders, lists or since_days "
        "leave it out.",
        f"Look for it in the mailbox; if it arrived since, run `cormorant crawl {OWNER}`.",
    )


def meant_by(number: int, settings: MailSettings, text: str) -> Sequence[str]:
    """Return the address of the message in a file of a Maildir, whose name changes with the flags of the message."""
    root = settings.path.rstrip("/") + "/"
    names = text.removeprefix(root).split("/")
    if not settings.path or not text.startswith(root) or len(names) < 2 or os.fsencode(names[-2]) not in PLACES:
        return ()
    name = os.fsdecode(unique_name(os.fsencode(names[-1])))
    return (address_of_parts(f"mail://{number}/", ("/".join(names[:-2]), name)),)


MAIL: Final = SourceKind(
    MailSource.kind,
    MailSource.about,
    MailSettings,
    MailSource,
    MailSource.look,
    doubts,
    "mail:",
    MailSource.advice,
    unlisted,
    meant_by=meant_by,
    noun="message",
)
