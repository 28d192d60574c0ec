"""Programs of others, installed into a folder of this machine: Python environments and Tika's jars."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

WORK: Final = Path(tempfile.gettempdir()) / "cormorant-formats"
"""The folder of all that this benchmark installs and makes."""
_LIMIT_S: Final = 900


class NotHere(Exception):
    """A program cannot be had on this machine; the message says which."""


def environment(name: str, *packages: str) -> Path:
    """Return the Python of an environment with these packages, made when it is missing. Raises NotHere."""
    folder = WORK / name
    python = folder / "bin" / "python"
    done = folder / "complete"
    wanted = "\n".join(packages)
    if done.exists() and done.read_text("utf-8") == wanted:
        return python
    _run(sys.executable, "-m", "venv", str(folder), what=name)
    _run(str(python), "-m", "pip", "install", "--quiet", *packages, what=name)
    done.write_text(wanted, encoding="utf-8")
    return python


def jars(name: str, project: Path) -> Path:
    """Return a folder with the jars that a Maven project depends on, fetched when they are missing. Raises NotHere."""
    folder = WORK / name
    done = folder / "complete"
    if done.exists() and done.read_text("utf-8") == project.read_text("utf-8"):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    goal = "dependency:copy-dependencies"
    _run("mvn", "-q", "-B", "-f", str(project), goal, f"-DoutputDirectory={folder}", what=name)
    done.write_text(project.read_text("utf-8"), encoding="utf-8")
    return folder


def _run(*command: str, what: str) -> None:
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=_LIMIT_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotHere(f"{what} cannot be installed here: {type(error).__name__}") from None
