"""A bare copy of one branch of a repository, from which its files are listed and read."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from platformdirs import user_cache_path

from cormorant.base.clock import Clock, pause
from cormorant.base.errors import BadSetting, Unreachable
from cormorant.sources.git.git_program import GitFault, GitProgram, explained
from cormorant.sources.git.last_changes import LastChanges
from cormorant.sources.git.settings import GitSettings

WAIT_S: Final = 120.0
"""Seconds that one process waits for another that brings the mirror up to date."""
POLL_S: Final = 0.2
SYMLINK, SUBMODULE, FOLDER = "120000", "160000", "040000"
"""Modes of entries that are no files [git-ls-tree(1), gitdatamodel]."""
_HEADS: Final = "refs/heads/"
_MOST_REFS: Final = 50


class TreeEntry(NamedTuple):
    """A file of the branch: its mode, its object, its size in bytes (-1 for none), and its path as bytes."""

    mode: str
    object: str
    size: int
    path: bytes


class RemoteHead(NamedTuple):
    """The newest commit of the branch, and the branch."""

    commit: str
    branch: str


class BranchMirror:
    """The mirror of one source. Several processes may read it; one at a time brings it up to date."""

    def __init__(self, settings: GitSettings, clock: Clock) -> None:
        self._clock = clock
        key = hashlib.sha256(f"{settings.url} {settings.branch}".encode()).hexdigest()[:24]
        base = Path(settings.mirror_folder) if settings.mirror_folder else user_cache_path("cormorant") / "git"
        self._settings, self.folder = settings, base / key
        self._git = GitProgram(self.folder)
        self.changes = LastChanges(self._git, self.folder / "changes")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the mirror, which is made when it is not there. Raises BadSetting when it cannot be."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.folder.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BadSetting(
                f"The mirror {self.folder} cannot be written: {error.strerror}. Let the account that crawls write "
                "there, or set mirror_folder."
            ) from error
        try:
            self._lock(lock)
            if not (self.folder / "HEAD").exists():
                self._git.run("init", "--quiet", "--bare", str(self.folder))
            yield
        finally:
            os.close(lock)

    def _lock(self, descriptor: int) -> None:
        """Take the lock. Raises Unreachable when another process keeps it."""
        until = self._clock.monotonic() + WAIT_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if self._clock.monotonic() > until:
                    raise Unreachable(
                        f"Another crawl has been at work in the mirror {self.folder} for {WAIT_S:g} seconds. Crawl "
                        "again when it has ended."
                    ) from None
            pause(POLL_S)

    def remote_head(self, environment: Mapping[str, str]) -> RemoteHead:
        """Ask the repository for the newest commit of the branch. Raises Unreachable and LoginRefused."""
        branch = self._settings.branch
        try:
            words = ("ls-remote", "--symref", "--", self._settings.url, "HEAD", f"{_HEADS}*")
            said = self._git.run(*words, environment=environment, limit_s=self._settings.timeout_s)
        except GitFault as fault:
            raise explained(fault, self._settings) from fault
        lines = [line.split("\t", 1) for line in said.decode("utf-8", "replace").splitlines() if "\t" in line]
        default = next((value.removeprefix(f"ref: {_HEADS}") for value, name in lines if name == "HEAD"
                        and value.startswith("ref: ")), "")  # fmt: skip
        heads = {name.removeprefix(_HEADS): value for value, name in lines if name.startswith(_HEADS)}
        wanted = branch or default
        if not heads:
            raise Unreachable("The repository has no commit yet. Commit something there, or check its address.")
        if wanted not in heads:
            known = ", ".join(sorted(heads)[:_MOST_REFS]) or "none"
            raise Unreachable(f"The repository has no branch {wanted or 'HEAD'}. It has: {known}. Set branch to one.")
        return RemoteHead(heads[wanted], wanted)

    def has(self, commit: str) -> bool:
        """Return whether the mirror has a commit, with everything in it."""
        try:
            self._git.run("rev-parse", "--quiet", "--verify", "--end-of-options", f"refs/mirrored/{commit}")
        except GitFault:
            return False
        return True

    def fetch(self, head: RemoteHead, environment: Mapping[str, str]) -> Iterator[None]:
        """Bring a commit into the mirror; yields while git is at it. Raises Unreachable and LoginRefused."""
        words = (
            "fetch", "--quiet", "--no-tags", "--force", "--no-recurse-submodules", "--no-write-fetch-head", "--",
            self._settings.url, f"+{_HEADS}{head.branch}:refs/branch",
        )  # fmt: skip
        try:
            yield from self._git.steps(*words, environment=environment)
            found = self._git.run("rev-parse", "--verify", "--end-of-options", "refs/branch").decode().strip()
            self._forget()
            self._git.run("update-ref", f"refs/mirrored/{found}", found)
        except GitFault as fault:
            raise explained(fault, self._settings) from fault

    def newest(self) -> str:
        """Return the newest commit that the mirror has, "" for none."""
        try:
            return self._git.run("rev-parse", "--quiet", "--verify", "--end-of-options", "refs/branch").decode().strip()
        except (GitFault, Unreachable):
            return ""

    def files(self, commit: str) -> Iterator[TreeEntry]:
        """Yield the entries of a commit's tree. Raises GitFault and Unreachable."""
        with self._git.started("ls-tree", "-r", "-z", "--long", "--full-tree", commit) as out:
            for record in _records(out):
                if (entry := _entry_of(record)) is not None:
                    yield entry

    def entry(self, path: bytes) -> TreeEntry | None:
        """Return one file of the newest commit, None when it is not there. Raises GitFault."""
        parts = path.split(b"/")
        if not {b"", b".", b".."}.intersection(parts):
            return self._entry("refs/branch", path)
        tree: str | None = "refs/branch"
        for part in parts[:-1]:  # git takes such a path for one of this machine
            found = self._entry(tree, part) if tree is not None else None
            tree = found.object if found is not None and found.mode == FOLDER else None
        return self._entry(tree, parts[-1]) if tree is not None else None

    def _entry(self, tree: str, path: bytes) -> TreeEntry | None:
        """Return an entry of a tree: by its path, or, for a part that is no usual name, by looking at all of them."""
        chosen = () if path in (b"", b".", b"..") else ("--", os.fsdecode(path))
        with self._git.started("ls-tree", "-z", "--long", "--full-tree", tree, *chosen) as out:
            return next(
                (each for each in map(_entry_of, _records(out)) if each is not None and each.path == path), None
            )

    @property
    def is_there(self) -> bool:
        """Return whether this machine has the mirror."""
        return (self.folder / "HEAD").exists()

    def reader(self) -> BlobReader:
        """Start a process that reads blobs."""
        return BlobReader(self._git.batch())

    def _forget(self) -> None:
        """Take away the references to older commits; what only they had is collected by git in time."""
        said = self._git.run("for-each-ref", "--format=%(refname)", "refs/mirrored/").decode().split()
        for name in said:
            self._git.run("update-ref", "-d", name)


class BlobReader:
    """A process of git that reads one object after another."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, name: str, most: int) -> tuple[int, bytes] | None:
        """Return the size of an object and at most so many bytes of it; None where it is not there.

        Raises OSError when the process has ended, and BlobCut when the rest was left: the process is of no more use.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - asked for pipes
        assert stdout is not None  # noqa: S101 - the same
        stdin.write(name.encode("ascii") + b"\n")
        stdin.flush()
        words = stdout.readline(1_000).split()
        if len(words) == 2:
            return None
        if len(words) != 3 or words[1] != b"blob":
            raise OSError("git has ended")
        size = int(words[2])
        body = stdout.read(min(size, most))
        if size > most:
            raise BlobCut(size, body)
        stdout.read(1)
        return size, body

    def close(self) -> None:
        """End the process."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._process.kill()
        self._process.wait()


class BlobCut(Exception):
    """A blob has more bytes than were read."""

    def __init__(self, size: int, body: bytes) -> None:
        super().__init__(f"it has {size:,} bytes")
        self.size, self.body = size, body


def _entry_of(record: bytes) -> TreeEntry | None:
    """Read a record of `git ls-tree -z --long`."""
    head, _, path = record.partition(b"\t")
    words = head.decode("ascii", "replace").split()
    if len(words) != 4 or not path:
        return None
    return TreeEntry(words[0], words[2], int(words[3]) if words[3].isdigit() else -1, path)


def _records(out: IO[bytes]) -> Iterator[bytes]:
    """Yield what ends in a NUL character."""
    rest = b""
    while chunk := out.read(1 << 16):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def addresses_of(words: Sequence[str]) -> list[str]:
    """Return IPv4 addresses first: ssh is given one of them, and an intranet may not route the others."""
    return sorted(words, key=lambda each: ":" in each)
