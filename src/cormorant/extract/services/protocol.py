"""Document service: the protocol, and the types of its arguments and results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec
from pydantic import Field

from cormorant.model.content import Value
from cormorant.model.settings.source import Settings

MOST_S = 600


class ServiceSettings(Settings):
    """Parameters that every document service has; a service derives its own from them."""

    on_failure: Literal["refuse", "keep"] = Field(
        default="refuse",
        description="The treatment of a document at which the service fails: refuse it, or keep it as it was before.",
    )
    time_s: float = Field(
        default=10.0, gt=0, le=MOST_S, description="The longest that the service may take for a document, in seconds."
    )


class ServiceDocument(msgspec.Struct, frozen=True):
    """A document as its services see it. A service returns it, or what `changed` makes of it.

    `attributes` are values by name: text or numbers, or tuples of them; dates are epoch seconds in attributes whose
    name ends `_at`. `language` is a tag like `de`, "" when it is not known. `anchors` are the texts of its links, which
    may be changed one by one. `address` and `mime` say what it is and cannot be changed.
    """

    text: str
    title: str = ""
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)
    language: str = ""
    anchors: tuple[str, ...] = ()
    address: str = ""
    mime: str = ""

    def changed(self, **values: Any) -> ServiceDocument:
        """Return the document with other values, by the names of its fields."""
        return msgspec.structs.replace(self, **values)


class DocumentVeto(NamedTuple):
    """A document must not be searchable; `reason` is for an administrator."""

    reason: str = ""


S = TypeVar("S", bound=ServiceSettings)


class DocumentService(ABC, Generic[S]):
    """A document service. One is made for its parameters, and processes one or many documents.

    `process` depends only on the document: equal documents give equal results, so that nothing counts as changed that
    is not. It may rely on being called with the values of one document of one source. It may not rely on earlier calls:
    a service of a package has a process of its own for each document, in the sandbox. An exception counts as a failure
    of this document. `withholds`: the original of a document that has passed it must not be shown or delivered.
    """

    about: ClassVar[str] = ""
    withholds: ClassVar[bool] = False
    Settings: ClassVar[type[ServiceSettings]] = ServiceSettings

    def __init__(self, settings: S) -> None:
        self.settings = settings

    @abstractmethod
    def process(self, document: ServiceDocument) -> ServiceDocument | DocumentVeto:
        """Return the document as it is to go on, or a veto."""
