"""Content of a file. Read once, safely, and with what the file system says about it."""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple

from msgspec.structs import replace

from cormorant.base.errors import Unreachable
from cormorant.base.exhaustion import of_files
from cormorant.model.acl import ACL, NOBODY, PUBLIC
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.sources.files.file_url import Naming
from cormorant.sources.files.openat import (
    DENIED,
    GONE,
    MOMENTARY,
    SCARCE,
    Astray,
    Identity,
    identity_of,
    is_empty,
    located,
    open_root,
    opened_file,
    read_up_to,
)
from cormorant.sources.files.permissions import Chain, Names, readers
from cormorant.sources.files.walk import validator_of
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.trees.rights import within
from cormorant.sources.trees.tree_urls import mime_of, readable

CHANGED = "changed while it was read"
"""Status line of a copy that is of no one moment; its validator is the older one, so the next listing has it again."""


class FileContent(NamedTuple):
    """The result of reading a file, and the number of bytes read for it."""

    outcome: Content | Outcome
    size: int = 0


class _Bytes(NamedTuple):
    """The beginning of a file, and what was known of it before. `steady`: nothing changed meanwhile."""

    status: os.stat_result
    body: bytes
    size: int
    steady: bool


class FileReader:
    """Reads files of one source, in any thread. Remembers which folder the root was when it was first opened."""

    def __init__(self, gates: TreeGates, naming: Naming, names: Names) -> None:
        self._gates, self._naming, self._names = gates, naming, names
        self._settings = gates.settings
        self._root: Identity | None = None

    def read(self, address: str) -> FileContent:
        """Read the file at `address`. Never raises for what the file system does."""
        parts = self._naming.parts(address)
        if parts is None:
            return FileContent(Failed(Status.BAD_REQUEST, "This is not the address of a file in the folder."))
        mime = mime_of(parts[-1])
        refusal = self._gates.of_type(mime)
        if refusal is not None:
            return FileContent(Excluded(refusal, refusal.status))
        try:
            root = open_root(self._naming.folder)
        except Unreachable as error:
            return FileContent(_wait(error.sentence))
        try:
            directives = () if self._settings.follow_links else ("nofollow",)
            blank = Content(address, b"", mime, directives=directives, file_name=readable(parts[-1]))
            return self._below(root, parts, blank)
        finally:
            os.close(root)

    def _below(self, root: int, parts: list[bytes], blank: Content) -> FileContent:
        """Read a file below the open root."""
        identity = identity_of(root)
        self._root = self._root or identity
        if not identity.is_same(self._root):
            return FileContent(_wait("The folder has been replaced by another one. Mount the right one."))
        chain = Chain(self._names, PUBLIC if self._settings.owner_grants else None)
        way = located((root, self._naming.folder), parts, self._settings.symlinks, chain.through)
        try:
            with way as (folder, name), opened_file(name, folder) as fd:
                return self._content(fd, blank, chain.rights)
        except Astray as astray:
            return FileContent(_strayed(astray))
        except OSError as error:
            return FileContent(_fault(error, root, NOBODY if self._settings.owner_grants else None))

    def _content(self, fd: int, blank: Content, folders: ACL | None) -> FileContent:
        """Read an open file. `folders` is who may come as far as it, None when rights are not asked for."""
        limit = self._settings.max_size_bytes
        taken = _take(fd, limit, cut=self._settings.too_big == "cut")
        acl = None if folders is None else within(folders, readers(fd, taken.status, self._names))
        if acl is not None and self._settings.denies:
            acl = ACL.of(acl.grants, (*acl.denies, *self._settings.denies))
        too_big = max(taken.status.st_size, len(taken.body)) > limit
        if too_big and self._settings.too_big == "drop":
            rule = Ruling(False, Gate.SIZE, f"max_size_bytes = {limit}", Status.TOO_BIG)
            return FileContent(Excluded(rule, Status.TOO_BIG, acl=acl), taken.size)
        content = replace(
            blank,
            body=taken.body[:limit],
            status_line="" if taken.steady else CHANGED,
            validator=validator_of(taken.status, folders),
            modified_at=taken.status.st_mtime,
            acl=acl,
            truncated=too_big,
        )
        return FileContent(content, taken.size)


def _take(fd: int, limit: int, *, cut: bool) -> _Bytes:
    """Read a file, and once more when it changed meanwhile (fault F6). One that is too big is not read unless cut."""
    first = _take_once(fd, limit, cut=cut)
    if first.steady:
        return first
    second = _take_once(fd, limit, cut=cut)
    return second._replace(size=first.size + second.size)


def _take_once(fd: int, limit: int, *, cut: bool) -> _Bytes:
    before = os.fstat(fd)
    if before.st_size > limit and not cut:
        return _Bytes(before, b"", 0, steady=True)
    os.lseek(fd, 0, os.SEEK_SET)
    body = read_up_to(fd, limit + 1)
    return _Bytes(before, body, len(body), steady=_version(before) == _version(os.fstat(fd)))


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _wait(reason: str) -> Deferred:
    """The outcome while the folder as a whole is away: nothing is said about its files."""
    return Deferred(Status.IO_ERROR, reason, whole_site=True)


def _strayed(astray: Astray) -> Excluded:
    """The outcome for what is not a regular file reached without forbidden links."""
    gate, status = Gate.BOUNDARY, Status.OUTSIDE_BOUNDARY
    if astray.kind:
        gate, status = Gate.TYPE, Status.COLLECTION if stat.S_ISDIR(astray.kind) else Status.TYPE_EXCLUDED
    return Excluded(Ruling(False, gate, astray.rule, status), status)


def _fault(error: OSError, root: int, unknown: ACL | None) -> Outcome:
    """The outcome of a call that failed. `unknown` is who may read a file whose rights the account cannot learn."""
    said = error.strerror or "unknown error"
    if error.errno in GONE:
        if is_empty(root):
            return _wait("The folder is empty, so its share is probably not mounted.")
        return Gone(Status.NOT_FOUND)
    if error.errno in DENIED:
        return Failed(Status.FORBIDDEN, f"{said}: the crawler's account may not read this file.", acl=unknown)
    if error.errno == errno.ELOOP:
        return _strayed(Astray("symlinks = false"))
    if error.errno == errno.ENAMETOOLONG:
        rule = Ruling(False, Gate.ADDRESS, "no file system takes such a name", Status.ADDRESS_TOO_LONG)
        return Excluded(rule, Status.ADDRESS_TOO_LONG)
    if error.errno in MOMENTARY:
        return _wait(f"{said}: the disk or the server of the share does not answer as it should.")
    if (lack := of_files(error)) is not None:
        return Deferred(Status.OUT_OF_MEMORY, lack.said, lack=lack)
    if error.errno in SCARCE:
        return Deferred(Status.OUT_OF_MEMORY, f"{said}: the machine is short of memory or open files.")
    return Failed(Status.UNREADABLE, f"{said}.")
