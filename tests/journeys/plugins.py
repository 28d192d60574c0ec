"""Packages that add something, installed into a folder of their own as a person installs them, without a network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.journeys.crawling import ROOT

EXAMPLES = ROOT / "examples" / "plugins"


def install(package: Path, site: Path) -> None:
    """Install a package into a folder, with the build back end that is here and nothing that would be fetched."""
    given = ("--quiet", "--offline", "--no-cache", "--no-deps", "--no-build-isolation", "--target", str(site))
    command = (sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable, *given, str(package))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def announce(site: Path, package: str, group: str, entries: dict[str, str], **modules: str) -> None:
    """Put modules and what announces them into a folder, as an installer leaves them there."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {reference}" for name, reference in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    for name, text in modules.items():
        (site / f"{name}.py").write_text(text)
