"""What the README shows works: its `$ cormorant ...` blocks are run in order, in one empty folder.

A block that cannot run here (it needs the internet, or never ends) has `<!-- not run: why -->` before its fence.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.reading import text_of

BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+-->\s*)?^```(?:console|sh)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
PROMPT = "$ "


def commands(markdown: str) -> list[str]:
    """The commands of the blocks that begin with `$ cormorant`, lines that end in a backslash joined."""
    found = []
    for block in BLOCK.finditer(markdown):
        body = block["body"].replace("\\\n", "")
        if not block["skip"] and body.startswith(f"{PROMPT}cormorant"):
            found += [line.removeprefix(PROMPT) for line in body.splitlines() if line.startswith(PROMPT)]
    return found


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one line as a reader would, without a terminal, on an installation of its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "CORMORANT_DATA": str(folder / "data")}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_readme(tmp_path: Path) -> None:
    shown = commands(text_of("README.md"))
    assert shown, "README.md shows no command that can be run"
    for command in shown:
        done = run(command, tmp_path)
        assert done.returncode == 0, f"$ {command}\nended {done.returncode}\n{done.stdout}{done.stderr}"


def test_commands_are_read_from_blocks() -> None:
    markdown = (
        "```console\n$ cormorant search one \\\n    --json\n{}\n$ cat x\n```\n"
        "<!-- not run: needs the internet -->\n```sh\n$ cormorant crawl\n```\n"
        "```sh\n$ make run\n```\n```python\n$ cormorant no\n```\n```sh\n$ cormorant version\n```\n"
    )
    assert commands(markdown) == ["cormorant search one     --json", "cat x", "cormorant version"]


def test_a_failing_command_is_seen(tmp_path: Path) -> None:
    assert run("exit 3", tmp_path).returncode == 3
    assert run("echo $CORMORANT_DATA", tmp_path).stdout.strip() == str(tmp_path / "data")
