"""Remote client protocol: what an adapter does over one connection, and how it says what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from cormorant.model.acl import ACL
from cormorant.model.content import Value


class EntryKind(Enum):
    """The kind of an entry of a folder. OTHER: a device, a socket, whatever is no document."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


class RemoteEntry(NamedTuple):
    """An entry of a folder.

    `parts` are its names from the listed folder down: one, but in a store that has no folders. `version` is another one
    when the file is, with a number that the server gives it where a move is to be recognised by that. `acl` is who may
    read the file, or pass through the folder, by its own rights alone; None where they are not asked for. `display`
    is the address that readers see where it is not made of the parts.
    """

    parts: tuple[bytes, ...]
    kind: EntryKind
    version: str = ""
    acl: ACL | None = None
    display: str = ""


class RemoteFile(NamedTuple):
    """The bytes of a file as far as they were asked for, and what the server says about it.

    `size` is that of the whole file, in bytes. `acl` is who may read it by its own rights and those of the folders
    above it; None where they are not asked for. `received` are bytes that came over the network.
    """

    body: bytes
    size: int
    modified_at: float | None = None
    mime: str = ""
    acl: ACL | None = None
    received: int = 0
    charset: str = ""
    attributes: Mapping[str, Value] = {}


class RemoteRefusal(Exception):
    """The server answered that it does not do what was asked; the connection is good for the next request.

    `status` is of the status table; `sentence` says what happened, without an address.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class ConnectionBroken(Exception):
    """The connection ended, or nothing came over it in time; a new one may do. `sentence` says what happened."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class ServerFull(ConnectionBroken):
    """The server takes no further connection beside those that are open."""


class RemoteClient(Protocol):
    """One connection to a server, used by one thread at a time.

    Every method raises RemoteRefusal, ConnectionBroken, or Unreachable where another try is of no use. Names are bytes
    of UTF-8, or whatever bytes the server has where they are none.
    """

    def identity(self) -> str:
        """Return by what the root is known, "" where the protocol does not say. It differs for another folder."""
        ...

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield what is in a folder, by its names from the root down, as it comes."""
        ...

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return a file's first `limit` bytes, or one more to show that it has more."""
        ...

    def close(self) -> None:
        """Let go of the connection. Raises nothing."""
        ...
