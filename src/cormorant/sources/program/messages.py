"""Messages of the program protocol, version 1: one object of JSON a line, whose `type` says which message it is.

    Cormorant           program
    hello        -->    hello                               what it is called, the parameters that it takes
    settings     -->    ready
    discover     -->    item, removed, progress ..., done
    fetch        -->    content | unchanged | gone | failed | deferred
                        log at any time, error in place of any answer

Fields that are not known are ignored, so that newer programs can be read. Texts have their limits where they are used.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

VERSION: Final = 1
"""The version of the protocol that is spoken here."""

Scalar = str | bool | int | float
"""A value of a parameter."""


class AskHello(msgspec.Struct, tag="hello", frozen=True):
    """Ask the program to introduce itself. It must not connect to anything before it got its settings."""

    protocol: int = VERSION


class GiveSettings(msgspec.Struct, tag="settings", frozen=True):
    """Hand over the values of its parameters, secret ones among them."""

    values: dict[str, Scalar | list[Scalar]]


class AskDiscovery(msgspec.Struct, tag="discover", frozen=True):
    """Ask for the documents that there are, or those that changed since the cursor ("": all)."""

    cursor: str


class AskDocument(msgspec.Struct, tag="fetch", frozen=True):
    """Ask for a document. `version` is the one that was read last, "" for none."""

    key: str
    version: str
    max_bytes: int


class ValueChoice(msgspec.Struct, frozen=True):
    """One of the values that a parameter may have, and the words that people see in its place."""

    value: Scalar
    display: str = ""


class ProgramParameter(msgspec.Struct, frozen=True):
    """A parameter that a program declares. `values`: it takes these and no others."""

    name: str
    type: Literal["string", "integer", "number", "boolean"] = "string"
    description: str = ""
    default: Scalar | list[Scalar] | None = None
    required: bool = False
    secret: bool = False
    multiple: bool = False
    values: tuple[Scalar | ValueChoice, ...] = ()

    @property
    def choices(self) -> tuple[ValueChoice, ...]:
        """The values that it may have, () for any."""
        return tuple(each if isinstance(each, ValueChoice) else ValueChoice(each) for each in self.values)


class Hello(msgspec.Struct, tag="hello", frozen=True):
    """The answer of a program that introduces itself.

    `change_model` is what its discovery proves. With the access "document" each content has its own rights.
    """

    protocol: int
    name: str
    version: str = ""
    change_model: Literal["listing", "feed", "seeds"] = "listing"
    access: Literal["source", "document"] = "source"
    parameters: tuple[ProgramParameter, ...] = ()


class ReadyReply(msgspec.Struct, tag="ready", frozen=True):
    """It has its settings and can be asked for documents."""


class Rights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Readers of a document: principals like everyone, user:ada and group:staff."""

    grants: tuple[str, ...]
    denies: tuple[str, ...] = ()


class ItemLine(msgspec.Struct, tag="item", frozen=True):
    """A document that there is. It is fetched when its version or its rights are others than before."""

    key: str
    version: str = ""
    display: str = ""
    acl: Rights | None = None


class RemovedLine(msgspec.Struct, tag="removed", frozen=True):
    """A document is gone; of a feed."""

    key: str


class ProgressLine(msgspec.Struct, tag="progress", frozen=True):
    """It goes on, and has nothing to name yet."""


class DoneLine(msgspec.Struct, tag="done", frozen=True):
    """The end of a discovery: everything was named. `cursor` is where a feed goes on the next time."""

    cursor: str = ""


class LinkEntry(msgspec.Struct, frozen=True):
    """A document of the same program that a document leads to."""

    key: str
    text: str = ""


class ContentReply(msgspec.Struct, tag="content", frozen=True):
    """A document: its text, or its bytes in base 64, and what the program knows of it beside them."""

    text: str | None = None
    base64: str | None = None
    media_type: str = ""
    charset: str = ""
    file_name: str = ""
    title: str = ""
    language: str = ""
    modified_at: float | str | None = None
    version: str = ""
    attributes: dict[str, str | float | list[str | float] | None] = {}
    acl: Rights | None = None
    links: tuple[LinkEntry, ...] = ()


class UnchangedReply(msgspec.Struct, tag="unchanged", frozen=True):
    """The version that was asked with is the newest."""


class GoneReply(msgspec.Struct, tag="gone", frozen=True):
    """There is no such document any more."""


class FailedReply(msgspec.Struct, tag="failed", frozen=True):
    """The document cannot be had, and asking again in this run is no use."""

    reason: str
    status: int = 0


class DeferredReply(msgspec.Struct, tag="deferred", frozen=True):
    """The document cannot be had now. `whole_site`: nor can any other of the program's."""

    reason: str
    status: int = 0
    wait_s: float | None = None
    whole_site: bool = False


class ProgramMessage(msgspec.Struct, tag="log", frozen=True):
    """A line for the log of the run."""

    text: str
    level: Literal["debug", "info", "warning", "error"] = "info"


class ErrorReply(msgspec.Struct, tag="error", frozen=True):
    """The program cannot do what it was asked to. `parameter` names the one that is wrong."""

    reason: str
    code: Literal["bad_setting", "login_refused", "unreachable"] = "unreachable"
    parameter: str = ""


DiscoveryLine = ItemLine | RemovedLine | ProgressLine | DoneLine
DocumentReply = ContentReply | UnchangedReply | GoneReply | FailedReply | DeferredReply
Reply = Hello | ReadyReply | DiscoveryLine | DocumentReply | ProgramMessage | ErrorReply
REPLIES: Final[msgspec.json.Decoder[Reply]] = msgspec.json.Decoder(Reply)
"""Reads a line of a program. Raises DecodeError, UnicodeDecodeError and RecursionError for nonsense."""
