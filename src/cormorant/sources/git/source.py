"""A source that is one branch of a git repository."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import ClassVar, Final
from urllib.parse import quote, unquote_to_bytes

from cormorant.base.errors import CormorantError, LoginRefused, Unreachable
from cormorant.base.log import logger
from cormorant.model.content import Content, Value, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Resource
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.settings.secret_name import secret_name
from cormorant.model.status import Status
from cormorant.model.url import try_canonical
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.base import BaseFilters, BaseSource, Batches
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.git import git_program
from cormorant.sources.git.git_program import GitFault
from cormorant.sources.git.mirror import (
    FOLDER,
    SUBMODULE,
    SYMLINK,
    BlobCut,
    BlobReader,
    BranchMirror,
    RemoteHead,
    TreeEntry,
    addresses_of,
)
from cormorant.sources.git.settings import GitSettings
from cormorant.sources.kind import Tools, Unlisted
from cormorant.sources.trees.absence import UNREAD
from cormorant.sources.trees.globs import compile_patterns
from cormorant.sources.trees.tree_urls import mime_of

_log = logger(__name__)
BATCH: Final = 1_000
_LFS: Final = b"version https://git-lfs.github.com/spec/"
_LFS_BYTES: Final = 1_024
"""Bytes that a pointer of Git LFS has at the most (git-lfs specification)."""
_HIDDEN: Final = Ruling(False, Gate.BOUNDARY, "hidden = false", Status.OUTSIDE_BOUNDARY)


class GitFilters(BaseFilters):
    """Rulings about the files of a branch, by their paths."""

    def __init__(self, beginning: str, settings: GitSettings) -> None:
        super().__init__([beginning])
        self._beginning, self._hidden, self._levels = beginning, settings.hidden, settings.levels
        self._patterns = compile_patterns(settings.include, settings.exclude)
        self._too_deep = Ruling(False, Gate.DEPTH, f"depth = {settings.depth}", Status.TOO_DEEP)

    def follow(self, address: str, depth: int) -> Ruling:
        """Rule whether a file may be visited."""
        ruling = super().follow(address, depth)
        if not ruling.admitted:
            return ruling
        parts = _parts_of(address.removeprefix(self._beginning))
        if not self._hidden and any(each.startswith(b".") for each in parts):
            return _HIDDEN
        if self._levels is not None and len(parts) - 1 > self._levels:
            return self._too_deep
        return self._patterns.ruling(b"/".join(parts))

    def left_out(self, address: str) -> Ruling | None:
        """Return the rule that excludes everything below a folder; None without one."""
        return self._patterns.leaves_out(b"/".join(_parts_of(address.removeprefix(self._beginning).rstrip("/"))))


class GitSource(BaseSource[GitSettings]):
    """Files of a branch. Their addresses are like git://3/docs/guide.md."""

    kind: ClassVar[str] = "git"
    about: ClassVar[str] = "Files of a branch of a git repository."
    Settings = GitSettings
    noun: ClassVar[str] = "file"
    shows_otherwise = True
    tracks_moves = True

    def __init__(self, number: int, settings: GitSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._gates = self._filters = GitFilters(self._beginning, settings)
        self._mirror = BranchMirror(settings, tools.clock)
        self._lock = Lock()
        self._refused: LoginRefused | None = None
        self._pool: ConnectionPool[BlobReader] | None = None
        url = settings.repository
        self._consent = settings.consent(url.host, url.port) if url.host else None

    @classmethod
    def look(cls, settings: GitSettings) -> None:
        """See that git is there, and a repository of this machine. Raises BadSetting and Unreachable."""
        git_program.see(settings)
        url = settings.repository
        if url.scheme == "file" and not os.path.isdir(url.path):  # noqa: PTH112 - raises nothing where nobody may look
            raise Unreachable(f"There is no repository at {url.path}. Mount it, or correct the source's url.")

    @classmethod
    def meant_by(cls, number: int, settings: GitSettings, text: str) -> Sequence[str]:
        """Return the address of a path in the repository, or of one in a repository of this machine."""
        root = settings.repository.path.rstrip("/") + "/" if settings.repository.scheme == "file" else ""
        return super().meant_by(number, settings, text.removeprefix(root).removeprefix("./"))

    def address_of(self, key: str) -> str:
        """Return the address of a path; `os.fsencode` makes its bytes of the key."""
        return self._beginning + "/".join(_quoted(each) for each in os.fsencode(key).split(b"/"))

    def key_of(self, address: str) -> str:
        """Return the path that `address_of` was given."""
        return os.fsdecode(b"/".join(_parts_of(address.removeprefix(self._beginning))))

    def absence(self, address: str) -> Unlisted | None:
        """Return why no listing names a file, or a folder that a rule leaves out."""
        found = super().absence(address.rstrip("/") if address != self._beginning else address)
        if found is None or not found.ruling.admitted:
            return found
        rule = self._filters.left_out(address)
        return Unlisted(rule, UNREAD) if rule is not None else found

    def discover(self, cursor: str) -> Batches:
        """Yield the files of the branch. Raises Unreachable and LoginRefused when the repository cannot be read."""
        self.next_cursor = ""
        kept = self._remembered(cursor)
        try:
            with self._mirror.held():
                head = yield from self._synchronised()
                for _ in self._mirror.changes.update(head.commit):
                    yield []
            empty = yield from self._named(head)
        except GitFault as fault:
            raise Unreachable(f"The mirror {self._mirror.folder} cannot be read: {fault} Delete it.") from fault
        if empty and kept.get("empty") is False:
            raise Unreachable(
                f"The branch {head.branch} has no files, and had some before. Check it; if it was emptied on purpose, "
                "crawl with --force."
            )
        self.next_cursor = json.dumps({"url": self.settings.url, "commit": head.commit, "empty": empty})

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read a file out of the mirror, which is made first where another machine has listed the branch."""
        got = await asyncio.to_thread(self._visit, resource)
        if isinstance(got, Content):
            wire.received += len(got.body)
            wire.decoded += len(got.body)
        return got

    async def close(self) -> None:
        """End the processes of git."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.close)

    def _synchronised(self) -> Generator[list[DiscoveredUrl], None, RemoteHead]:
        """Ask for the newest commit and fetch it where it is new; returns it."""
        with self._way() as environment:
            yield []
            head = self._mirror.remote_head(environment)
            if not self._mirror.has(head.commit):
                for _ in self._mirror.fetch(head, environment):
                    yield []
                head = head._replace(commit=self._mirror.newest())  # it may have grown meanwhile
        return head

    def _named(self, head: RemoteHead) -> Generator[list[DiscoveredUrl], None, bool]:
        """Yield the files of a commit in batches; returns whether there were none."""
        batch, entries, left_out = list[DiscoveredUrl](), 0, 0
        for entry in self._mirror.files(head.commit):
            entries += 1
            if entry.mode == SUBMODULE:
                _log.info("submodule is not followed", extra={"path": os.fsdecode(entry.path), "commit": entry.object})
            left_out += entry.mode == SYMLINK
            if entry.mode not in (SUBMODULE, SYMLINK):
                batch.append(self._found(entry, head))
            if len(batch) >= BATCH:
                yield batch
                batch = []
        yield batch
        if left_out:
            _log.info("symbolic links are not followed", extra={"links": left_out})
        return entries == 0

    def _found(self, entry: TreeEntry, head: RemoteHead) -> DiscoveredUrl:
        key = os.fsdecode(entry.path)
        return self.found(key, f"{entry.object} {entry.mode}", self._display(entry.path, head.branch))

    def _display(self, path: bytes, branch: str) -> str:
        """Return the page that people are shown of a file, "" where none is known."""
        template = self.settings.display_url or self.settings.repository.blob_page
        if not template:
            return ""
        commit = ""
        if "{commit}" in template:
            change = self._mirror.changes.of(path)
            commit = change.commit if change is not None else self._mirror.newest()
        filled = template.replace("{branch}", quote(branch, safe="/")).replace("{commit}", commit)
        return try_canonical(filled.replace("{path}", quote(path, safe="/"))) or ""

    def _visit(self, resource: Resource) -> Content | Outcome:
        path = os.fsencode(self.key_of(resource.address))
        try:
            if not self._mirror.is_there:
                self._restore()
            name = resource.validator.partition(" ")[0] or self._looked_up(path)
            if not name:
                return Gone()
            try:
                got = self._read(name)
            except FileNotFoundError:
                self._restore()
                got = self._read(name)
        except FileNotFoundError:
            return Gone()
        except LoginRefused as error:
            return Deferred(Status.LOGIN_FAILED, error.sentence, whole_site=True)
        except (CormorantError, GitFault, OSError) as error:
            said = error.sentence if isinstance(error, CormorantError) else f"The mirror cannot be read: {error}"
            return Deferred(Status.IO_ERROR, said, whole_site=True)
        return self._content(resource, path, got)

    def _looked_up(self, path: bytes) -> str:
        """Return the object of a file in the newest commit, "" for none."""
        entry = self._mirror.entry(path)
        return entry.object if entry is not None and entry.mode not in (SYMLINK, SUBMODULE, FOLDER) else ""

    def _read(self, name: str) -> tuple[int, bytes]:
        """Return the size of a blob and its bytes, as many as are taken. Raises FileNotFoundError and OSError."""
        most = self.settings.max_size_bytes
        try:
            with self._pooled().connection() as reader:
                got = reader.read(name, most)
        except BlobCut as cut:
            return cut.size, cut.body
        if got is None:
            raise FileNotFoundError(name)
        return got

    def _restore(self) -> None:
        """Bring the mirror up to date, once no other process does. Raises what `discover` raises."""
        if self._refused is not None:
            raise self._refused
        try:
            with self._mirror.held():
                for _ in self._synchronised():
                    pass
        except LoginRefused as error:  # not tried again in this run: servers lock accounts
            self._refused = error
            raise

    def _content(self, resource: Resource, path: bytes, got: tuple[int, bytes]) -> Content | Outcome:
        size, body = got
        if size <= _LFS_BYTES and body.startswith(_LFS):
            rule = Ruling(False, Gate.TYPE, "a pointer of Git LFS, whose content is elsewhere", Status.TYPE_EXCLUDED)
            return Excluded(rule, Status.TYPE_EXCLUDED)
        if size > len(body) and self.settings.too_big == "drop":
            rule = Ruling(False, Gate.SIZE, f"max_size_bytes = {self.settings.max_size_bytes}", Status.TOO_BIG)
            return Excluded(rule, Status.TOO_BIG)
        change, name = self._mirror.changes.of(path), path.rpartition(b"/")[2]
        attributes: dict[str, Value] = {}
        if change is not None:
            attributes = {"Author": change.author, "Commit": change.commit, "CommitMessage": change.subject}
        return Content(
            resource.address,
            body,
            mime_of(name),
            validator=resource.validator,
            modified_at=change.at if change is not None else None,
            truncated=size > len(body),
            file_name=name.decode("utf-8", "replace"),
            attributes={name: value for name, value in attributes.items() if value},
            directives=("nofollow",),
        )

    @contextmanager
    def _way(self) -> Iterator[Mapping[str, str]]:
        """Judge the address of the repository, open the secrets, and yield the environment for git."""
        git_program.see(self.settings)
        url, addresses = self.settings.repository, list[str]()
        if self._consent is not None:
            if self.tools.egress is None:
                raise Unreachable(f"Nothing may be connected to here. Crawl the source, or test it: {url.host}.")
            pinned = Dialer(self.tools.egress, self._consent).pinned(url.host, url.port)
            addresses = addresses_of(pinned.addresses)
        named = {"password": self.settings.password, "key": self.settings.key}
        secrets = {name: self._reveal(secret_name(word)) for name, word in named.items() if word}
        with git_program.way(self.settings, addresses, secrets) as environment:
            yield environment

    def _reveal(self, name: str) -> str:
        if self.tools.secrets is None:
            raise Unreachable(f"The secret {name!r} cannot be opened here. Crawl the source, or test it.")
        return self.tools.secrets.reveal(name)

    def _pooled(self) -> ConnectionPool[BlobReader]:
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(self._mirror.reader, lambda each: each.close(), self.tools.clock)
            return self._pool

    def _remembered(self, cursor: str) -> Mapping[str, object]:
        """Read a cursor; nothing is remembered of another repository."""
        kept: Mapping[str, object] = json.loads(cursor) if cursor else {}
        return kept if kept.get("url") == self.settings.url else {}


def _quoted(part: bytes) -> str:
    """Write a part of a path so that no part names a folder above; one that begins with a tilde gets another."""
    return ("~" if part in (b"", b".", b"..") or part.startswith(b"~") else "") + quote(part, safe="")


def _parts_of(text: str) -> list[bytes]:
    return [unquote_to_bytes(each).removeprefix(b"~") for each in text.split("/")]
