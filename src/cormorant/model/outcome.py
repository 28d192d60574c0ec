"""Outcomes of a visit.

An outcome is one of nine values, each with a status number and a reason.

    Ok            fetched, read, may be delivered
    Unchanged     the source or an equal text shows no change
    Moved         it is at another address, which is judged separately
    Gone          404 or 410: hidden at once, purged later
    Excluded      a gate excluded it; the ruling names its rule
    Deferred      it is retried, not before a time
    Failed        it failed, which is final for this run; with the reason
    Quarantined   harmful, or it killed a child
    Held          a person must decide

A visit ends as exactly one of them. `assert_never` closes every match.

`acl`, where an outcome has it, is the new ACL of the document, None if unknown. An earlier version may still be
searchable: after a failure, and while the deletion guard holds a deletion.
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
    """The stored number of an outcome. NONE: not visited yet."""

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

    `unfollowed` are nofollow links, here and in other outcomes. `sitemap` are the entries of a sitemap. `likeness` is
    the key of a text that replaces another one, by which a mass change is detected. `members` are the documents inside
    it, here and in `Unchanged`; None if unknown.
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
"""Prefix of the reason of a redirect; the target follows."""


class Moved(Struct, frozen=True):
    """301, 308 (954) or meta refresh (953) to `target`."""

    target: str
    status: int = 954
    acl: ACL | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.MOVED


class Gone(Struct, frozen=True):
    """The source reports that it does not exist any more."""

    status: int = 404
    kind: ClassVar[OutcomeKind] = OutcomeKind.GONE


class Excluded(Struct, frozen=True):
    """A gate excluded it. `follow` holds links of a page that may be followed though not indexed.

    `original` is the page that it names as its original, if that is the reason.
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
    """To be retried. `wait_s` is the least wait, None for the retry rule; `whole_site` delays the whole site.

    `elsewhere`: another site, the target of a redirect, answered so; the resource's own site is not affected. `lack`:
    this process lacked a resource and did not make the visit; no site is affected.
    """

    status: int
    reason: str
    wait_s: float | None = None
    whole_site: bool = False
    elsewhere: bool = False
    lack: Shortage | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.DEFERRED


class Failed(Struct, frozen=True):
    """It cannot be fetched or read; `reason` is for an administrator. `elsewhere` is as in `Deferred`."""

    status: int
    reason: str
    elsewhere: bool = False
    acl: ACL | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.FAILED


class Quarantined(Struct, frozen=True):
    """It harmed a child process; not retried until content or converter changes."""

    reason: str
    content: Content | None = None
    status: int = 981
    acl: ACL | None = None
    kind: ClassVar[OutcomeKind] = OutcomeKind.QUARANTINED


class Held(Struct, frozen=True):
    """A person must decide. `original` is the page that the waiting version names as its original, or ""."""

    reason: str
    status: int = 980
    acl: ACL | None = None
    original: str = ""
    kind: ClassVar[OutcomeKind] = OutcomeKind.HELD


CONVERTER_SAID = " The converter said: "
"""In the reason of a document that could not be read, before text that only administrators may see."""
_WITH_RIGHTS = (Failed, Moved, Excluded, Quarantined, Held)
Outcome = Ok | Unchanged | Moved | Gone | Excluded | Deferred | Failed | Quarantined | Held


def with_rights(outcome: Outcome, acl: ACL | None) -> Outcome:
    """Return the outcome with these rights, which apply whatever happened to its text."""
    return replace(outcome, acl=acl) if isinstance(outcome, _WITH_RIGHTS) else outcome
