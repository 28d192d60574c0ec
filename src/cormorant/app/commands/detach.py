"""Have ordered runs carried out when this command has ended: by whoever owns the data folder, or by a process of ours.

The process is the same command without being watched: it goes on with what was ordered, and ends when that has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan
from cormorant.operate.runs.start import Ordered

LOG = "detached.log"
"""What such a process says, in the folder of the logs."""


def carry_out_later(plan: BuildPlan, ordered: Sequence[Ordered], config: str | None = None) -> Path | None:
    """Start a process that carries these runs out, unless one is at work already.

    Returns where it says how it goes, None when another command carries them out. No store may be open here.
    """
    if not ordered or not data_dir.is_free(plan.folder):
        return None
    names = list(dict.fromkeys(each.source for each in ordered))
    said = plan.folder / "logs" / LOG
    options = ["--config", str(Path(config).resolve())] if config else []
    command = [sys.executable, "-m", "cormorant", "--data", str(plan.folder.resolve()), *options, "crawl", *names]
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    files += [(os.POSIX_SPAWN_OPEN, number, str(said), flags, 0o600) for number in (1, 2)]
    os.posix_spawn(command[0], command, os.environ, file_actions=files, setsid=True)
    return said
