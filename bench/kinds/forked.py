"""Commands in processes that are forked with the program loaded, which is quicker than to start each."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cormorant.testing import Commands
from tests.cli import kept

_COMMAND_S = 1_800.0


class ForkedCommands(Commands):
    """An installation in a folder of its own; its crawls have one retriever."""

    def run(self, *words: str, fine: Sequence[int] = (0,), given: str = "") -> list[dict[str, Any]]:
        """Run a command with `--json`; returns the objects it prints. Raises AssertionError for another end."""
        with tempfile.TemporaryFile("w+") as entered:
            entered.write(given)
            entered.flush()
            entered.seek(0)
            begun = self._begun(words, stdin=entered)
            out, err = begun.communicate(timeout=_COMMAND_S)
        assert begun.wait() in fine, f"{' '.join(words)}: {begun.returncode}\n{out[-2_000:]}\n{err[-2_000:]}"
        return [json.loads(line) for line in out.splitlines() if line.startswith("{")]

    def begin(self, *words: str) -> Any:
        """Start a command in a session of its own, to be killed."""
        return self._begun(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _begun(self, words: Sequence[str], **files: Any) -> kept.Begun:
        environment = {**os.environ, "CORMORANT_RETRIEVERS": "1"}
        return kept.Begun(
            kept.PROGRAM, ["--data", str(self.folder), "--json", *words], environment, Path.cwd(), **files
        )
