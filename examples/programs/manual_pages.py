#!/usr/bin/env python3
"""The manual of a Unix system as a source: each page of `man` is a document. Needs nothing but that program."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

MAN = shutil.which("man") or "man"
HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "manual-pages",
    "version": "1.0",
    "change_model": "listing",
    "parameters": [
        {"name": "folder", "description": "The folder of the pages.", "default": "/usr/share/man"},
        {
            "name": "section",
            "type": "integer",
            "multiple": True,
            "description": "The sections of the manual that are read.",
            "default": [1, 5, 7, 8],
            "values": [
                {"value": 1, "display": "Commands"},
                {"value": 2, "display": "System calls"},
                {"value": 3, "display": "Functions of libraries"},
                {"value": 5, "display": "Formats of files"},
                {"value": 7, "display": "Overviews"},
                {"value": 8, "display": "Commands for administrators"},
            ],
        },
    ],
}


def say(**message: object) -> None:
    """Write a message; whatever else is printed belongs on standard error."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def discover(values: dict[str, Any]) -> None:
    """Name every page. A fault is reported, or nothing would be known to be missing."""
    folder = Path(values["folder"])
    if not folder.is_dir():
        say(type="error", code="bad_setting", parameter="folder", reason=f"there is no folder {folder}")
        return
    for section in values["section"]:
        for path in sorted(folder.glob(f"man{section}/*.{section}*")):
            say(type="item", key=f"{path.parent.name}/{path.name}", version=f"{path.stat().st_mtime_ns}")
    say(type="done")


def fetch(values: dict[str, Any], key: str) -> None:
    """Hand over one page as text."""
    path = Path(values["folder"]) / key
    if not path.is_file() or ".." in path.parts:
        say(type="gone")
        return
    environment = {**os.environ, "MANWIDTH": "100", "MAN_KEEP_FORMATTING": "", "MANROFFOPT": "-c"}
    shown = subprocess.run(  # noqa: S603 - a page of the manual
        [MAN, "--local-file", str(path)], capture_output=True, env=environment, timeout=60, check=False
    )
    if shown.returncode:
        say(type="failed", reason=shown.stderr.decode("utf-8", "replace")[-200:])
        return
    name, section = path.name.removesuffix(".gz").rsplit(".", 1)
    text = shown.stdout.decode("utf-8", "replace")
    say(
        type="content",
        text=text,
        title=f"{name}({section})",
        modified_at=path.stat().st_mtime,
        attributes={"Section": section},
    )


def main() -> None:
    """Answer one line after the other, until there are no more."""
    values: dict[str, Any] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["type"] == "hello":
            say(**HELLO)
        elif asked["type"] == "settings":
            values = asked["values"]
            say(type="ready")
        elif asked["type"] == "discover":
            discover(values)
        elif asked["type"] == "fetch":
            fetch(values, asked["key"])


main()
