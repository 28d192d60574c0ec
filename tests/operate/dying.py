"""Compacts copies of a data folder and dies at every step on the way, by SIGKILL; then says what is left of each.

    python -m tests.operate.dying DATA WORK   a JSON object a line: the step, what `cache check` says then, and later

A process of its own, with one thread, so that it may fork. A step is a moment before or after a copy is written, a
transaction, a pack that goes, the database's own part.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.operate.storage import check, compact as compaction
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.pack_folder import PackFolder
from cormorant.store.db.database import Store, Tx

MOST_STEPS = 200


class Steps:
    """Counts the steps of this process, and kills it at one of them."""

    def __init__(self, last: int) -> None:
        self._left = last

    def step(self) -> None:
        """One more."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str) -> None:
        """Have a step before and after each call."""
        real: Callable[..., Any] = getattr(owner, name)

        def called(*given: Any, **more: Any) -> Any:
            self.step()
            answer = real(*given, **more)
            self.step()
            return answer

        setattr(owner, name, called)

    def within(self, owner: Any, name: str) -> None:
        """Have a step before a transaction, before it commits, and after."""
        real: Callable[..., Any] = getattr(owner, name)

        @contextmanager
        def opened(*given: Any) -> Iterator[Tx]:
            self.step()
            with real(*given) as tx:
                yield tx
                self.step()
            self.step()

        setattr(owner, name, opened)


def compact(folder: Path, last: int) -> None:
    """Compact, and die at that step if there are as many."""
    steps = Steps(last)
    steps.around(LocalCache, "keep")
    steps.around(PackFolder, "remove")
    steps.around(Store, "compact")
    steps.within(Store, "begin")
    house = open_house(BuildPlan(folder, InstallationSettings()))
    compaction.compact(house)


def left(folder: Path) -> dict[str, Any]:
    """What is kept in a folder, and after it has been compacted at last."""
    house = open_house(BuildPlan(folder, InstallationSettings()))
    before = check.copies(house)
    compaction.compact(house)
    after = {**check.copies(house), **check.copies_size(house)}
    house.store.close()
    return {"live": before["live"], "damaged": before["damaged"], "damaged_after": after["damaged"],
            "unused_after": after["unused_bytes"]}  # fmt: skip


def main(data: Path, work: Path) -> None:
    """Die at the first step, the second, and so on, until none is left."""
    for last in range(1, MOST_STEPS):
        folder = work / str(last)
        shutil.copytree(data, folder)
        pid = os.fork()
        if pid == 0:
            compact(folder, last)
            os._exit(0)
        killed = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        sys.stdout.write(json.dumps({"step": last, "killed": killed, **left(folder)}) + "\n")
        sys.stdout.flush()
        shutil.rmtree(folder)
        if not killed:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
