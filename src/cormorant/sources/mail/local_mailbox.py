"""Mail on this machine: an mbox file, a Maildir, or a folder with any of both and folders below it."""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from threading import Event, Lock
from typing import Final, NamedTuple

from cormorant.base.errors import Unreachable
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.status import Status
from cormorant.sources.kind import Tools
from cormorant.sources.mail import mbox
from cormorant.sources.mail.beneath import file_beneath, folder_beneath, read_range
from cormorant.sources.mail.mailbox import FolderState, MailboxChanges, MessageEntry, RawMessage
from cormorant.sources.mail.maildir import PLACES, MaildirReader, is_maildir, messages_of_maildir
from cormorant.sources.mail.mailing_list import lists_of
from cormorant.sources.mail.message_head import DAY_S, MOST, fields_of, message_id, sent_at
from cormorant.sources.mail.settings import MailSettings

BATCH: Final = 1_000
MAX_DEPTH: Final = 64
"""Levels of folders that are gone down."""
POLL_S: Final = 5.0
"""Seconds between two looks for new messages."""
_KEPT: Final = 4
"""Mbox files of which it is remembered where their messages lie: some 100 bytes a message."""
_SIZE_BITS: Final = 36
_SIZE_MASK: Final = (1 << _SIZE_BITS) - 1
"""Place and size of a message are kept as one number."""


class _Folder(NamedTuple):
    """A Maildir, or the file of an mbox, by its names from the root down."""

    names: tuple[bytes, ...]
    is_maildir: bool

    @property
    def key(self) -> str:
        """The first part of the addresses of its messages."""
        return b"/".join(self.names).decode("utf-8", "surrogateescape")


class LocalMailbox:
    """Messages below a path."""

    def __init__(self, settings: MailSettings, tools: Tools) -> None:
        self._settings = settings
        self._root = os.fsencode(settings.path)
        self._oldest = tools.clock.now() - settings.since_days * DAY_S if settings.since_days is not None else None
        self._clock = tools.clock
        self._maildirs = MaildirReader()
        self._places: OrderedDict[str, dict[int, int]] = OrderedDict()
        self._lock = Lock()
        self._ended = Event()
        self.unlisted: list[tuple[str, ...]] = []
        self._seen: dict[str, FolderState] = {}
        self._known: int | None = None

    @property
    def place(self) -> str:
        """Return the path."""
        return self._settings.path

    @property
    def seen(self) -> dict[str, FolderState]:
        """The number of messages of each folder."""
        return self._seen

    def changes(
        self,
        before: Mapping[str, FolderState],  # noqa: ARG002 - as all
    ) -> Generator[Sequence[MessageEntry], None, MailboxChanges | None]:
        """Know of no changes: a disk is listed as quickly."""
        yield from ()
        return None

    def messages(self, before: Mapping[str, FolderState]) -> Iterator[Sequence[MessageEntry]]:  # noqa: ARG002 - as all
        """Yield all messages. Raises Unreachable when a folder cannot be listed."""
        self.unlisted, self._seen = [], {}
        for folder in self._folders():
            count = 0
            entries = self._maildir(folder) if folder.is_maildir else self._mbox(folder)
            try:
                while batch := list(islice(entries, BATCH)):
                    named = [each for each in batch if each is not None]
                    count += len(named)
                    yield named
            except OSError as error:
                if folder.is_maildir:
                    raise Unreachable(self._sentence(folder.names, error)) from None
                self.unlisted.append((folder.key, ""))
            self._seen[folder.key] = FolderState("", count)

    # ------------------------------------------------------- folders

    def _folders(self) -> Iterator[_Folder]:
        """Yield Maildirs and mbox files, folders last. Raises Unreachable."""
        try:
            root = os.stat(self._root)  # noqa: PTH116 - pathlib takes no bytes
        except OSError as error:
            raise Unreachable(self._sentence((), error)) from None
        if not stat.S_ISDIR(root.st_mode):
            yield _Folder((), is_maildir=False)
            return
        ahead: list[tuple[bytes, ...]] = [()]
        while ahead:
            names = ahead.pop()
            try:
                with folder_beneath(self._root, names) as fd:
                    found, below = self._inside(fd, names)
            except OSError as error:
                raise Unreachable(self._sentence(names, error)) from None
            ahead += below
            yield from found

    def _inside(self, fd: int, names: tuple[bytes, ...]) -> tuple[Sequence[_Folder], Sequence[tuple[bytes, ...]]]:
        """Return what lies in an open folder: itself as a Maildir, mbox files, and the folders below it."""
        as_maildir = is_maildir(fd)
        found = [_Folder(names, is_maildir=True)] if as_maildir and self._takes(names) else []
        below = list[tuple[bytes, ...]]()
        with os.scandir(fd) as entries:
            for entry in entries:
                inner = (*names, os.fsencode(entry.name))
                if entry.is_dir(follow_symlinks=False) and self._enters(inner, as_maildir):
                    below.append(inner)
                elif not as_maildir and entry.is_file(follow_symlinks=False) and self._is_mbox(inner):
                    found.append(_Folder(inner, is_maildir=False))
        return found, below

    def _takes(self, names: Sequence[bytes]) -> bool:
        return self._settings.choice.takes(readable_path(names))

    def _enters(self, names: Sequence[bytes], of_maildir: bool) -> bool:
        """Say whether to go down: in a Maildir folders of its own begin with a dot, elsewhere none is taken."""
        passed = names[-1] in (*PLACES, b"tmp") if of_maildir else names[-1].startswith(b".")
        return not passed and len(names) <= MAX_DEPTH and self._settings.choice.enters(readable_path(names))

    def _is_mbox(self, names: Sequence[bytes]) -> bool:
        if names[-1].startswith(b".") or not self._takes(names):
            return False
        try:
            with file_beneath(self._root, names) as fd:
                return mbox.begins_as_mbox(fd)
        except FileNotFoundError:
            return False
        except OSError:
            return True  # it is noted as not listed when it is read

    # ------------------------------------------------------- messages

    def _mbox(self, folder: _Folder) -> Iterator[MessageEntry | None]:
        with file_beneath(self._root, folder.names) as fd:
            for each in mbox.messages_of(fd):
                out = self._settings.mailing_lists and not lists_of(each.fields, self._settings.mailing_lists)
                if out or not self._is_recent(sent_at(each.fields, None)):
                    yield None
                else:
                    yield MessageEntry((folder.key, each.name), each.version, message_id(each.fields))

    def _maildir(self, folder: _Folder) -> Iterator[MessageEntry | None]:
        with folder_beneath(self._root, folder.names) as fd:
            for each in messages_of_maildir(fd):
                if each is None or not self._is_recent(each.modified_at):
                    yield None
                    continue
                name = each.name.decode("utf-8", "surrogateescape")
                identifier = ""
                if self._settings.shows_ids:
                    body, _ = self._maildir_bytes(fd, each.name, MOST)
                    identifier = message_id(fields_of(body))
                yield MessageEntry((folder.key, name), each.version, identifier)

    def _is_recent(self, moment: float | None) -> bool:
        return self._oldest is None or moment is None or moment >= self._oldest

    # ------------------------------------------------------- reading

    def read(self, parts: tuple[str, ...], seconds: float) -> tuple[RawMessage | Outcome, int]:  # noqa: ARG002 - a disk
        """Return the message of a folder and a name."""
        if len(parts) != 2 or not parts[1] or "/" in parts[1]:
            return Gone(), 0
        key, name = parts
        names = tuple(each for each in key.encode("utf-8", "surrogateescape").split(b"/") if each)
        try:
            if not stat.S_ISDIR(os.stat(self._root).st_mode):  # noqa: PTH116 - pathlib takes no bytes
                names = ()
            elif self._is_folder(names):
                return self._read_maildir(names, name)
            return self._read_mbox(names, key, name)
        except FileNotFoundError:
            return self._missing()
        except PermissionError:
            return Failed(Status.FORBIDDEN, "The crawler's account may not read this message."), 0
        except OSError as error:
            reason = f"{error.strerror or error}: the disk or the server of the share does not answer as it should."
            return Deferred(Status.IO_ERROR, reason, whole_site=True), 0

    def _missing(self) -> tuple[Outcome, int]:
        """Return the outcome for a message that is not there: gone, unless everything is."""
        if os.path.exists(self._root):  # noqa: PTH110 - pathlib takes no bytes
            return Gone(), 0
        return Deferred(Status.IO_ERROR, f"{self._shown} is not there. Mount its disk or share.", whole_site=True), 0

    def _is_folder(self, names: tuple[bytes, ...]) -> bool:
        try:
            with folder_beneath(self._root, names):
                return True
        except NotADirectoryError:
            return False

    def _read_maildir(self, names: tuple[bytes, ...], name: str) -> tuple[RawMessage | Outcome, int]:
        with folder_beneath(self._root, names) as folder:
            body, status = self._maildir_bytes(
                folder, name.encode("utf-8", "surrogateescape"), self._settings.max_size_bytes + 1
            )
        return RawMessage(body, status.st_size, status.st_mtime, readable_path(names)), len(body)

    def _maildir_bytes(self, folder: int, name: bytes, limit: int) -> tuple[bytes, os.stat_result]:
        fd = self._maildirs.open(folder, name)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise FileNotFoundError(2, "no regular file")
            return read_range(fd, 0, limit), status
        finally:
            os.close(fd)

    def _read_mbox(self, names: tuple[bytes, ...], key: str, name: str) -> tuple[RawMessage | Outcome, int]:
        with file_beneath(self._root, names) as fd:
            place = self._found(fd, key, name)
            if place is None:
                return Gone(), 0
            body = mbox.read_message(fd, *place, self._settings.max_size_bytes + 1)
        folder = readable_path(names or (os.path.basename(self._root),))  # noqa: PTH119 - pathlib takes no bytes
        return RawMessage(body, place[1] - place[0], None, folder), len(body)

    def _found(self, fd: int, key: str, name: str) -> tuple[int, int] | None:
        """Return where a message lies; the file is looked through again when it is not where it was."""
        place = self._kept_place(key, name)
        if place is not None and mbox.is_at(fd, *place, name):
            return place
        with self._lock:
            place = self._kept_place(key, name)
            if place is None or not mbox.is_at(fd, *place, name):
                self._look_through(fd, key)
        return self._kept_place(key, name)

    def _kept_place(self, key: str, name: str) -> tuple[int, int] | None:
        packed = self._places.get(key, {}).get(mbox.name_key(name))
        return None if packed is None else (packed >> _SIZE_BITS, (packed >> _SIZE_BITS) + (packed & _SIZE_MASK))

    def _look_through(self, fd: int, key: str) -> None:
        self._places[key] = {
            mbox.name_key(each.name): each.start << _SIZE_BITS | min(each.end - each.start, _SIZE_MASK)
            for each in mbox.messages_of(fd)
        }
        self._places.move_to_end(key)
        while len(self._places) > _KEPT:
            self._places.popitem(last=False)

    # ------------------------------------------------------- waiting

    def wait(self, seconds: float) -> bool:
        """Wait until a file of a mailbox changes, looking at it from time to time. Raises Unreachable.

        The first wait begins the watch and returns True at once: messages may have come before. A change between two
        waits ends the second one.
        """
        until = self._clock.monotonic() + seconds
        if self._known is None and not self._ended.is_set():
            self._known = self._state()
            return True
        while (left := until - self._clock.monotonic()) > 0:
            if self._ended.wait(min(left, POLL_S)):
                return False
            before, self._known = self._known, self._state()
            if self._known != before:
                return True
        return False

    def _state(self) -> int:
        """Return a digest of what changes when messages come or go: size and time of mbox files, times of folders."""
        state = 0
        for folder in self._folders():
            names = [(*folder.names, each) for each in PLACES] if folder.is_maildir else [folder.names]
            for each in names:
                try:
                    status = os.stat(os.path.join(self._root, *each))  # noqa: PTH116, PTH118 - pathlib takes no bytes
                    state ^= hash((each, status.st_size, status.st_mtime_ns))
                except OSError:
                    state ^= hash(each)
        return state

    def close(self) -> None:
        """End a wait."""
        self._ended.set()

    @property
    def _shown(self) -> str:
        return readable_path((self._root,))

    def _sentence(self, names: Sequence[bytes], error: OSError) -> str:
        shown = readable_path((self._root, *names))
        if isinstance(error, PermissionError):
            return f"{shown} may not be listed by the crawler's account. Let it, or leave it out by exclude_folders."
        return f"{shown} cannot be listed: {(error.strerror or str(error)).lower()}. Check its disk or mount."


def readable_path(names: Sequence[bytes]) -> str:
    """Return the path of a folder as people read it; of a Maildir its name is .Archive.2026 for Archive/2026."""
    text = b"/".join(names).decode("utf-8", "replace")
    if len(names) == 1 and text.startswith(".") and not text.startswith("./"):
        text = text[1:].replace(".", "/")
    text = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    return text or "INBOX"
