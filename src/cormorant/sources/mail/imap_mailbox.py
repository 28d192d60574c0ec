"""An IMAP account: lists its folders, names their messages, reads them, waits for new ones.

Messages are listed by their numbers in windows, the last ones first. Then a message that others delete meanwhile moves
messages that were listed already into the next window, where their UIDs are known, and none out of sight.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from cormorant.base.errors import CormorantError, LoginRefused, Unreachable
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.status import Status
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.kind import Tools
from cormorant.sources.mail import fetch_answer
from cormorant.sources.mail.changes.account_watch import AccountWatch
from cormorant.sources.mail.changes.folder_delta import FolderDelta, folder_delta
from cormorant.sources.mail.fetch_answer import FetchedItem, ImapFolder
from cormorant.sources.mail.folder_name import readable_folder
from cormorant.sources.mail.mailbox import FolderState, MailboxChanges, MessageEntry, RawMessage
from cormorant.sources.mail.message_head import DAY_S, fields_of, message_id
from cormorant.sources.mail.settings import MailSettings
from cormorant.sources.mail.wire import BROKEN, REFUSED, ImapConnection, broken_sentence, quoted

WINDOW: Final = 1_000
"""Messages whose data is asked for at once."""
MAX_MESSAGES: Final = 20_000_000
"""Messages that a folder may claim to have."""
MAX_FOLDERS: Final = 100_000
MAX_KEPT: Final = 8
"""Kept connections that are tried before a new one would be made."""
_LEFT_OUT: Final = frozenset((r"\trash", r"\junk", r"\drafts"))
_CLOSED: Final = frozenset((r"\noselect", r"\nonexistent"))


class ImapMailbox:
    """An account on a server."""

    def __init__(self, settings: MailSettings, tools: Tools) -> None:
        self._settings, self._tools, self._clock = settings, tools, tools.clock
        server = settings.server
        self._named = f"{server.host}, port {server.port}"
        self._pool = ConnectionPool(self._connect, ImapConnection.leave, tools.clock)
        self._watch = AccountWatch(
            self._connect, lambda connection: self._chosen(fetch_answer.folders_of(connection.list_folders())),
            tools.clock, settings.watch_folders, self._named,
        )  # fmt: skip
        self.unlisted: list[tuple[str, ...]] = []
        self._seen: dict[str, FolderState] = {}
        if settings.since_days is not None:
            self._oldest = tools.clock.now() - settings.since_days * DAY_S

    @property
    def place(self) -> str:
        """Return server and account."""
        return f"{self._settings.url}{self._settings.user}"

    @property
    def seen(self) -> dict[str, FolderState]:
        """The state of each folder; one that was refused has no UIDVALIDITY."""
        return self._seen

    # ------------------------------------------------------- listing

    def changes(
        self, before: Mapping[str, FolderState]
    ) -> Generator[Sequence[MessageEntry], None, MailboxChanges | None]:
        """Compare each folder with its state before; None when one of them has to be listed."""
        self.unlisted, self._seen = [], {}
        if any(each.validity and not each.next_uid for each in before.values()):
            return None
        self._drop_dead()
        found = MailboxChanges([], [])
        with self._broken(), self._pool.connection() as connection:
            folders = self._chosen(fetch_answer.folders_of(connection.list_folders()))
            if {each.name for each in folders} != before.keys():
                return None
            for folder in folders:
                delta = self._delta(connection, folder.name, before[folder.name])
                if delta is None:
                    return None
                validity = delta.state.validity
                taken = self._taken(connection, {each.uid: each for each in delta.new if each.size_bytes})
                found.new.extend(self._entry(folder.name, validity, each) for each in taken)
                found.gone.extend((folder.name, validity, str(uid)) for uid in delta.gone)
                yield ()
        return found

    def _delta(self, connection: ImapConnection, folder: str, was: FolderState) -> FolderDelta | None:
        """Open a folder and compare it; one that is refused as before has no changes."""
        if connection.examine(folder):
            self.unlisted.append((folder, ""))
            self._seen[folder] = was
            return None if was.validity else FolderDelta(was, [], [])
        delta = folder_delta(connection, was, self._wanted)
        if delta is not None:
            self._seen[folder] = delta.state
        return delta

    def messages(self, before: Mapping[str, FolderState]) -> Iterator[Sequence[MessageEntry]]:
        """Yield the messages of all folders that are taken. Raises Unreachable, LoginRefused."""
        self.unlisted, self._seen = [], {}
        self._drop_dead()
        with self._broken(), self._pool.connection() as connection:
            folders = self._chosen(fetch_answer.folders_of(connection.list_folders()))
            for folder in folders:
                yield from self._in_folder(connection, folder, before)
                yield ()

    def _chosen(self, folders: Iterator[ImapFolder]) -> Sequence[ImapFolder]:
        chosen = dict[str, ImapFolder]()
        for folder in folders:
            path = self._path(folder)
            left_out = folder.attributes & _LEFT_OUT and not self._settings.choice.names(path)
            if not folder.attributes & _CLOSED and not left_out and self._settings.choice.takes(path):
                chosen[folder.name] = folder
            if len(chosen) > MAX_FOLDERS:
                raise Unreachable(f"{self._named} lists more than {MAX_FOLDERS:,} folders. Choose some by folders.")
        return list(chosen.values())

    @staticmethod
    def _path(folder: ImapFolder) -> str:
        name = readable_folder(folder.name)
        return name.replace(folder.separator, "/") if folder.separator else name

    def _in_folder(
        self, connection: ImapConnection, folder: ImapFolder, before: Mapping[str, FolderState]
    ) -> Iterator[Sequence[MessageEntry]]:
        """Yield the messages of one folder; one that cannot be opened is noted as not listed."""
        refusal = connection.examine(folder.name)
        if refusal:
            self.unlisted.append((folder.name, ""))
            self._seen[folder.name] = FolderState("", 0)
            return
        state, was = connection.folder_state, before.get(folder.name)
        if was is not None and was.messages and not state.messages and was.validity != state.validity:
            raise Unreachable(
                f"The folder {readable_folder(folder.name)!r} of {self._settings.user} was created again and is empty. "
                "Have its messages restored; if they were deleted on purpose, crawl with --force."
            )
        if state.messages > MAX_MESSAGES:
            raise Unreachable(
                f"{self._named} claims {state.messages:,} messages in a folder. Check that it is an IMAP server."
            )
        lowest, listed = 1 << 33, 0
        for last in range(state.messages, 0, -WINDOW):
            items = {uid: each for uid, each in self._window(connection, last).items() if uid < lowest}
            lowest = min(items, default=lowest)
            listed += sum(not state.next_uid or uid < state.next_uid for uid in items)
            taken = self._taken(connection, {uid: each for uid, each in items.items() if each.size_bytes})
            yield [self._entry(folder.name, state.validity, each) for each in taken]
        self._seen[folder.name] = state._replace(messages=listed)

    @property
    def _wanted(self) -> str:
        """The items that are fetched of a message that is listed."""
        wanted = "UID RFC822.SIZE INTERNALDATE"
        return f"{wanted} BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]" if self._settings.shows_ids else wanted

    def _window(self, connection: ImapConnection, last: int) -> dict[int, FetchedItem]:
        """Return the messages of a window by their UIDs."""
        first = max(1, last - WINDOW + 1)
        lines = connection.fetch_lines(f"{first}:{last}", self._wanted)
        items = {each.uid: each for each in fetch_answer.items_of(lines)}
        named = sum(bool(each.size_bytes) for each in items.values())
        if named < (last - first + 1) / 2:
            raise Unreachable(
                f"{self._named} named {named} of {last - first + 1} messages. The next crawl asks it again."
            )
        return items

    def _taken(self, connection: ImapConnection, items: dict[int, FetchedItem]) -> list[FetchedItem]:
        """Return the messages that belong to the lists and are not too old; exactly that is seen at their visit."""
        for found in self._searches(connection, items):
            items = {uid: each for uid, each in items.items() if uid in found}
        return [each for each in items.values() if self._is_recent(each)]

    def _searches(self, connection: ImapConnection, items: dict[int, FetchedItem]) -> Iterator[set[int]]:
        if not self._settings.mailing_lists or not items:
            return
        found = set[int]()
        uids = f"UID {min(items)}:{max(items)}"
        for each in self._settings.mailing_lists:
            for address in each.addresses:
                dotted = address.replace("@", ".")
                for key in (f"TO {quoted(address)}", f"CC {quoted(address)}", f"HEADER LIST-ID {quoted(dotted)}",
                            f"HEADER LIST-POST {quoted(address)}"):  # fmt: skip
                    found |= fetch_answer.numbers_of(connection.search_lines(f"{uids} {key}"))
        yield found

    def _is_recent(self, item: FetchedItem) -> bool:
        if self._settings.since_days is None:
            return True
        received = fetch_answer.epoch_of(item.received)
        return received is None or received >= self._oldest

    def _entry(self, folder: str, validity: str, item: FetchedItem) -> MessageEntry:
        identity = message_id(fields_of(item.literal)) if item.literal else ""
        received = fetch_answer.epoch_of(item.received)
        arrived = f"{received:.0f}" if received is not None else item.received
        return MessageEntry((folder, validity, str(item.uid)), f"{item.size_bytes}-{arrived}", identity)

    # ------------------------------------------------------- reading

    def read(self, parts: tuple[str, ...], seconds: float) -> tuple[RawMessage | Outcome, int]:
        """Return the message of a folder, a UIDVALIDITY and a UID. A kept connection that broke is replaced once."""
        if len(parts) != 3 or not parts[2].isdigit() or len(parts[2]) > 10:
            return Gone(), 0
        try:
            return self._read(parts, seconds)
        except TimeoutError as error:
            return Deferred(Status.READ_TIMEOUT, broken_sentence(self._named, error)), 0
        except BROKEN:
            return self._read_once_more(parts, seconds)
        except LoginRefused as error:
            return Deferred(Status.IO_ERROR, error.sentence, whole_site=True), 0
        except Unreachable as error:
            return Deferred(Status.CONNECTION_REFUSED, error.sentence, whole_site=True), 0

    def _read_once_more(self, parts: tuple[str, ...], seconds: float) -> tuple[RawMessage | Outcome, int]:
        try:
            return self._read(parts, seconds)
        except Unreachable as error:
            return Deferred(Status.CONNECTION_REFUSED, error.sentence, whole_site=True), 0
        except BROKEN as error:
            return Deferred(Status.BROKEN_STREAM, broken_sentence(self._named, error)), 0

    def _read(self, parts: tuple[str, ...], seconds: float) -> tuple[RawMessage | Outcome, int]:
        folder, validity, uid = parts
        limit = self._settings.max_size_bytes + 1
        with self._pool.connection() as connection:
            before = connection.received
            if connection.folder != folder:
                refusal = connection.examine(folder)
                if refusal:
                    reason = f"The server does not open the folder {readable_folder(folder)!r}: {refusal}."
                    return Failed(Status.FORBIDDEN, reason), 0
            if str(connection.validity) != validity:
                return Gone(), connection.received - before
            wanted = f"UID RFC822.SIZE INTERNALDATE BODY.PEEK[]<0.{limit}>"
            lines = connection.fetch_by_uid(int(uid), wanted, limit, seconds)
            items = [each for each in fetch_answer.items_of(lines) if each.uid == int(uid) and each.literal is not None]
            received = connection.received - before
        if not items or items[0].literal is None:
            return Gone(), received
        found = items[0]
        size = max(found.size_bytes, len(found.literal or b""))
        arrived = fetch_answer.epoch_of(found.received)
        return RawMessage(found.literal or b"", size, arrived, readable_folder(folder)), received

    # ------------------------------------------------------- waiting, connecting

    def wait(self, seconds: float) -> bool:
        """Wait until messages come or go in a folder that is taken. Raises Unreachable, LoginRefused."""
        return self._watch.wait(seconds)

    def _drop_dead(self) -> None:
        """Let go of kept connections that the server has dropped."""
        for _ in range(MAX_KEPT):
            try:
                with self._broken(), self._pool.connection() as connection:
                    connection.probe()
                    return
            except LoginRefused:
                raise
            except Unreachable:
                continue

    @contextmanager
    def _broken(self) -> Iterator[None]:
        """Turn what happens to a connection into one sentence."""
        try:
            yield
        except (*BROKEN, REFUSED) as error:
            raise Unreachable(broken_sentence(self._named, error)) from None

    def _connect(self) -> ImapConnection:
        tools, settings = self._tools, self._settings
        if tools.egress is None or tools.secrets is None:
            raise Unreachable(f"{self._named}, may not be asked from here.")
        server = settings.server
        dialer = Dialer(tools.egress, settings.consent(server.host, server.port))
        connected = dialer.connect(server.host, server.port, settings.connect_timeout_s)
        connection = ImapConnection(connected, settings, tools.clock)
        try:
            connection.sign_in(tools.secrets.reveal(next(iter(settings.secrets))))
        except CormorantError:
            connection.shutdown()
            raise
        return connection

    def close(self) -> None:
        """Close the connections that are kept, and end a wait."""
        self._watch.close()
        self._pool.close()
