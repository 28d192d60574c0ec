"""Changes of a folder since its state at the last listing (RFC 3501 2.3.1.1, RFC 7162).

UIDs only grow, so new messages are those from the next UID of that time on. How many of the others have gone follows
from the number of messages: a server with QRESYNC names them (VANISHED), and of another one everything is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cormorant.sources.mail import fetch_answer
from cormorant.sources.mail.fetch_answer import FetchedItem
from cormorant.sources.mail.mailbox import FolderState
from cormorant.sources.mail.wire import ImapConnection

WINDOW: Final = 1_000
"""UIDs of new messages that are asked for at once."""
MAX_NEW: Final = 20_000
"""New UIDs of a folder; of more, a listing is as quick."""
GONE_WINDOW: Final = 10_000
"""UIDs that are asked about at once: the answer stays within one line of 64 KiB, whatever has gone."""
MAX_GONE_WINDOWS: Final = 500
_RANGES: Final = re.compile(rb"\(EARLIER\) ([0-9:,]+)", re.IGNORECASE)


class FolderDelta(NamedTuple):
    """The state of a folder now, the messages that came since another state, and the UIDs of those that went."""

    state: FolderState
    new: list[FetchedItem]
    gone: list[int]


def folder_delta(connection: ImapConnection, was: FolderState, wanted: str) -> FolderDelta | None:
    """Compare the open folder with its state before; None when the whole folder has to be listed.

    `wanted` are the items that are fetched of a new message. Raises what the connection raises.
    """
    now = connection.folder_state
    same = now.validity == was.validity and 0 < was.next_uid <= now.next_uid
    if not same or now.next_uid - was.next_uid > MAX_NEW or (was.messages and not now.messages):
        return None
    new = list(_new(connection, was.next_uid, now.next_uid, wanted))
    lost = was.messages + len(new) - now.messages
    if lost < 0:
        return None
    gone = _gone(connection, was, lost) if lost else []
    return None if gone is None else FolderDelta(now, new, gone)


def _new(connection: ImapConnection, first: int, behind: int, wanted: str) -> Iterator[FetchedItem]:
    for start in range(first, behind, WINDOW):
        last = min(start + WINDOW, behind) - 1
        found = {each.uid: each for each in fetch_answer.items_of(connection.fetch_uids(start, last, wanted))}
        yield from (each for uid, each in found.items() if start <= uid <= last)


def _gone(connection: ImapConnection, was: FolderState, lost: int) -> list[int] | None:
    """Return the UIDs that the server says are gone, None when they are others than so many."""
    windows = range(1, was.next_uid, GONE_WINDOW)
    if not (connection.resyncs and was.modseq) or len(windows) > MAX_GONE_WINDOWS:
        return None
    found = list[int]()
    for first in windows:
        last = min(first + GONE_WINDOW, was.next_uid) - 1
        found += vanished(connection.vanished_lines(first, last, was.modseq), first, last)
        if len(found) > lost:
            return None
    return found if len(found) == lost else None


def vanished(lines: Sequence[bytes], first: int, last: int) -> list[int]:
    """Return the UIDs of answers VANISHED (EARLIER) that lie in a window; a range may claim four billion."""
    found = set[int]()
    for line in lines:
        match = _RANGES.match(line)
        for part in match[1].split(b",") if match is not None else ():
            low, _, high = part.partition(b":")
            ends = sorted(int(each) for each in (low, high or low) if each.isdigit() and len(each) <= 10)
            if ends:
                found.update(range(max(first, ends[0]), min(last, ends[-1]) + 1))
    return sorted(found)
