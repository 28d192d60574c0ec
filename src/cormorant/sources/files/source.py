"""A files source: lists a folder and reads its files."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import ClassVar

from cormorant.base.clock import Clock
from cormorant.base.errors import BadSetting, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Outcome
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredUrl, Removal, Resource, Role
from cormorant.model.status import Status
from cormorant.sources.files.exposure import Closures
from cormorant.sources.files.file_url import Naming
from cormorant.sources.files.folder_watch import FolderWatch, is_possible, remote_mount
from cormorant.sources.files.openat import Identity, identity_of, open_root
from cormorant.sources.files.permissions import Names
from cormorant.sources.files.read import FileReader
from cormorant.sources.files.settings import FilesSettings
from cormorant.sources.files.walk import FolderWalk
from cormorant.sources.protocol import Discovery
from cormorant.sources.server_settings import MOST_PARALLEL
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.trees.tree_urls import readable

BATCH = 1_000
"""Files and folders met between two batches."""

READ_LIMIT_S = 120.0
"""Seconds one file may take: a share whose server is gone lets a reader wait for ever (fault F11)."""


def look(settings: FilesSettings) -> None:
    """See whether the folder is there. Raises BadSetting for a file in its place, Unreachable when it cannot be listed.

    The crawl may run under another account than the caller, and a share may be mounted later.
    """
    if os.path.isfile(settings.root):  # noqa: PTH113 - pathlib takes no bytes, and raises where nobody may look
        above = readable(os.path.dirname(settings.root))  # noqa: PTH120 - the same
        raise BadSetting(f"{readable(settings.root)} is a file. Name the folder it is in: {above}")
    os.close(open_root(settings.root))


def doubts(settings: FilesSettings) -> Sequence[str]:
    """Return why changes of the folder are not noticed, or not all, though they are to be."""
    if not settings.watch:
        return ()
    if not is_possible():
        return ("With watch=true nothing is noticed on this system: only Linux reports changes. Add a schedule.",)
    kind = remote_mount(settings.root)
    if not kind:
        return ()
    return (
        f"With watch=true only changes that this machine makes are noticed: the folder is a share ({kind}). Add a "
        "schedule for those that other machines make.",
    )


class FilesSource:
    """A folder of files.

    `unlisted` are what the last `discover` could not list, folders with a slash: what is absent at or below it is not
    gone. `closed` are those of them that the account may not enter, where the rights of files count. `next_cursor` is
    what the next `discover` is to be given: which folder this was, and whether it had anything in it. All are complete
    when `discover` has ended without an exception.
    """

    kind: ClassVar[str] = "files"
    discovery: ClassVar[Discovery] = Discovery.LISTING

    def __init__(
        self, number: int, settings: FilesSettings, clock: Clock, veto: Callable[[str], bool] | None = None
    ) -> None:
        self.number = number
        self._clock = clock
        self._veto = veto
        self.vetoed: list[str] = []
        self.blind = ""
        self.settings = settings
        self.unlisted: list[str] = []
        self.unlisted_reason = ""
        self.closed: list[str] = []
        self.next_cursor = ""
        self._naming = Naming(settings.root, settings.display_prefix)
        self.gates = TreeGates(settings, self._naming)
        self._names = Names()
        self._reader = FileReader(self.gates, self._naming, self._names)
        self._threads: ThreadPoolExecutor | None = None
        self._watch: FolderWatch | None = None
        self._ended = False

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        """Yield every regular file in batches, and what rules leave out, except below excluded folders.

        Raises Unreachable when the folder is missing, is another one than `cursor` remembers, or is suddenly empty.
        """
        self.unlisted, self.closed, self.vetoed, self.next_cursor = [], [], [], ""
        root = open_root(self.settings.root)
        try:
            identity = identity_of(root)
            before = self._remembered(cursor)
            if before is not None and not identity.is_same(before[0]):
                raise Unreachable(self._replaced())
            walk = FolderWalk(root, self._naming, self.gates, self._names, self._veto)
            if self.settings.exposes:
                walk.closures = Closures(self.settings.root, identity.device, self._names)
                self.blind = walk.closures.blind
            self.unlisted, self.closed, self.vetoed = walk.unlisted, walk.closed, walk.vetoed
            files = walk.files()
            while met := list(islice(files, BATCH)):
                yield [each for each in met if each is not None]
            self._check_end(identity, empty=walk.entries == 0, was_empty=before is None or before[1])
            self.next_cursor = self._remember(identity, empty=walk.entries == 0)
        finally:
            os.close(root)

    def _check_end(self, identity: Identity, *, empty: bool, was_empty: bool) -> None:
        """Raise Unreachable when the folder was taken away during the walk, or has lost everything since the last."""
        again = open_root(self.settings.root)
        try:
            if not identity_of(again).is_same(identity):
                raise Unreachable(self._replaced())
        finally:
            os.close(again)
        if empty and not was_empty:
            raise Unreachable(
                f"The folder {self._shown} is empty, and was not before. Mount its contents; if it was emptied on "
                "purpose, crawl with --force."
            )

    def _replaced(self) -> str:
        return (
            f"The folder {self._shown} is another one than before. Mount the right one; if it was replaced on "
            "purpose, crawl with --force."
        )

    @property
    def _shown(self) -> str:
        return readable(self.settings.root)

    def _remember(self, identity: Identity, *, empty: bool) -> str:
        return json.dumps({"path": self._naming.root, "folder": identity, "empty": empty})

    def _remembered(self, cursor: str) -> tuple[Identity, bool] | None:
        """Read a cursor: which folder it was and whether it was empty. None when it tells of another path."""
        kept = json.loads(cursor) if cursor else {}
        if kept.get("path") != self._naming.root:
            return None
        return Identity(*kept["folder"]), bool(kept["empty"])

    shows_otherwise: ClassVar[bool] = False
    tracks_moves: ClassVar[bool] = True
    rereads_moved: ClassVar[bool] = False

    def rename(self, address: str) -> None:
        """A file is known by its own path."""

    def display(self, address: str) -> str:
        """Return the address that readers are shown."""
        return self._naming.display(address)

    def leads(self, facts: Mapping[str, bytes]) -> Sequence[DiscoveredUrl]:  # noqa: ARG002 - there are none
        """Nothing but its listing leads to a file."""
        return ()

    def pace(self, site: str, facts: Mapping[str, bytes]) -> Pace:  # noqa: ARG002 - the same for every folder
        """Return the pace of its settings: four files at once, without a delay, if they say nothing else."""
        return self.settings.pace(self._clock.now())

    def lane(self, site: str) -> str:  # noqa: ARG002 - the same for every folder
        """A folder shares its pace with none."""
        return ""

    async def look_up(self, site: str) -> None:
        """Do nothing, as the location of a folder is known."""

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read a file. It is read even when its validator is known: what is unchanged is not asked for again.

        Requests are HTTP's, so none are counted; bytes received are those read.
        """
        if self._threads is None:
            self._threads = ThreadPoolExecutor(MOST_PARALLEL, thread_name_prefix="files")
        reading = asyncio.get_running_loop().run_in_executor(self._threads, self._reader.read, resource.address)
        try:
            async with asyncio.timeout(READ_LIMIT_S):  # wait_for may swallow that this task is to end
                outcome, size = await reading
        except TimeoutError:
            reason = f"The file was not read within {READ_LIMIT_S:.0f} seconds. Check the server of the share."
            return Deferred(Status.READ_TIMEOUT, reason, whole_site=True)
        wire.received += size
        wire.decoded += size
        return outcome

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:  # noqa: ARG002
        """A folder teaches nothing beside its files."""
        return None

    def wait_for_change(self, timeout_s: float) -> bool:
        """Wait until a file or folder that is listed has changed; False when the time is over.

        The first call begins to watch and returns True: nobody knows of changes before. Called from one thread. Raises
        Unreachable when the folder cannot be watched, or is away.
        """
        if self._watch is None:
            self._watch = FolderWatch(self.settings.root, self._concerns, rights=self.settings.owner_grants)
            return not self._let_go()
        try:
            changed = self._watch.wait(timeout_s)
        except BaseException:
            self._ended = True
            self._let_go()
            raise
        return changed and not self._let_go()

    def _let_go(self) -> bool:
        """Let go of the watches when the source was closed; returns whether it was."""
        if self._ended and self._watch is not None:
            self._watch.close()
            self._watch = None
        return self._ended

    def _concerns(self, path: bytes, is_folder: bool) -> bool:
        """Return whether a listing looks at a file, or into a folder, at this path below the root."""
        parts = path.split(b"/")
        if not is_folder:
            return self.gates.follow(self._naming.address(parts), 0).admitted
        return self.gates.enter(parts).admitted

    async def close(self) -> None:
        """Let go of the reading threads, and end a wait for changes. No descriptor outlives the call that opened it."""
        self._ended = True
        if self._watch is not None:
            self._watch.end()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None
