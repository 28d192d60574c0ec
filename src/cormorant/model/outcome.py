"""Outcomes of a visit.

One of nine values, each with a status number and a reason.

    Ok            fetched, read, may be delivered
    Unchanged     the source, or equal text, says nothing is new
    Moved         it lives elsewhere; the target was judged on its own
    Gone          404 or 410: hidden at once, purged later
    Excluded      a gate said no; the ruling names its rule
    Deferred      try again, not before a time
    Failed        permanent for this run, with the reason
    Quarantined   harmful, or it killed a child
    Held          a person must decide

A visit ends as exactly one of them. `assert_never` closes every match.

`acl`, where an outcome has it, is who may read the document from now on, None when nothing was learned of that. A text
that was read before may be found still: after a fault, and while the deletion guard holds what would leave.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from cormorant.base.exhaustion import Shortage
from cormorant.model.acl import ACL
from cormorant.model.content import Content, Document, PageLink, Sitemap
from cormorant.model.member import MemberEntry
from cormorant.model.ruling import Ruling


class OutcomeKind(IntEnum):
    """The number under which the store keeps an outcome. NONE: not visited yet."""

    NONE = 0
    OK = 1
    UNCHANGED = 2
    MOVED = 3
    GONE = 4
    EXCLUDED = 5
    DEFERRED = 6
    FAILED = 7
    QUARANTINED = 8
    HELD = 9


class Ok(Struct, frozen=True):
    """Fetched and read. `follow` are the links to follow; `document` is None for roles other than document.

    `unfollowed` are links that ask not to be followed, here and in other outcomes. `sitemap` is what a sitemap names.
    `likeness` is the key of a text that takes the place of another one, by which it is seen that many become alike.
    `members` are the documents that lie in it, here and in `Unchanged`; None when nobody looked.
    """

    content: Content
    document: Document | None
    follow: tuple[PageLink, ...] = ()
    unfollowed: tuple[PageLink, ...] = ()
    status: int = 200
    sitemap: Sitemap | None = None
    likeness: int = 0
    members: tuple[MemberEntry, ...] | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.OK


class Unchanged(Struct, frozen=True):
    """Nothing new: 304, equal validator, or equal text. `content` is set when a body came (its validators are kept)."""

    status: int = 304
    content: Content | None = None
    document: Document | None = None
    follow: tuple[PageLink, ...] = ()
    unfollowed: tuple[PageLink, ...] = ()
    members: tuple[MemberEntry, ...] | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.UNCHANGED


MOVED_TO = "to "
"""What the reason of a resource that has moved begins with; the address follows."""


class Moved(Struct, frozen=True):
    """301, 308 (954) or meta refresh (953) to `target`."""

    target: str
    status: int = 954
    acl: ACL | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.MOVED


class Gone(Struct, frozen=True):
    """The source says it is no more."""

    status: int = 404
    kind: ClassVar[OutcomeKind] = OutcomeKind.GONE


class Excluded(Struct, frozen=True):
    """A gate said no. `follow` holds links of a page that may be followed though not indexed.

    `original` is the page that it calls itself a copy of, where that is why.
    """

    ruling: Ruling
    status: int
    follow: tuple[PageLink, ...] = ()
    content: Content | None = None
    unfollowed: tuple[PageLink, ...] = ()
    acl: ACL | None = None
    original: str = ""
    kind: ClassVar[OutcomeKind] = OutcomeKind.EXCLUDED


class Deferred(Struct, frozen=True):
    """Try again. `wait_s` is how long not to, None for the retry rule; `whole_site` slows the site, not just this.

    `elsewhere`: another site said so, where a redirect had led, so that it says nothing about the resource's own.
    `lack`: this process was short of something, so that the visit was not made and says nothing about anybody.
    """

    status: int
    reason: str
    wait_s: float | None = None
    whole_site: bool = False
    elsewhere: bool = False
    lack: Shortage | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.DEFERRED


class Failed(Struct, frozen=True):
    """It cannot be had or read; `reason` says why, in words for an administrator. `elsewhere` is as in `Deferred`."""

    status: int
    reason: str
    elsewhere: bool = False
    acl: ACL | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.FAILED


class Quarantined(Struct, frozen=True):
    """It harmed a child process; not tried again until content or converter changes."""

    reason: str
    content: Content | None = None
    status: int = 981
    acl: ACL | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.QUARANTINED


class Held(Struct, frozen=True):
    """A person must decide. `original` is what the version that waits calls itself a copy of, or ""."""

    reason: str
    status: int = 980
    acl: ACL | None = None
    original: str = ""
    kind: ClassVar[OutcomeKind] = OutcomeKind.HELD


CONVERTER_SAID = " The converter said: "
"""What stands in the reason of a document that could not be read, before words that are not for everybody."""
_WITH_RIGHTS = (Failed, Moved, Excluded, Quarantined, Held)
Outcome = Ok | Unchanged | Moved | Gone | Excluded | Deferred | Failed | Quarantined | Held


def with_rights(outcome: Outcome, acl: ACL | None) -> Outcome:
    """The outcome of what came with these rights: they hold, whatever became of its text."""
    return replace(outcome, acl=acl) if isinstance(outcome, _WITH_RIGHTS) else outcome
