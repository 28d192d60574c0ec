"""Whoever installs the wheel gets the whole product: templates, style sheets and the sample too."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.house.reading import PACKAGE, ROOT


def left_out(present: Iterable[str], shipped: Iterable[str]) -> list[str]:
    """Files of the package that the wheel does not have."""
    return sorted(set(present) - set(shipped))


@pytest.mark.slow
def test_wheel(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    top = ROOT / PACKAGE
    present = (
        path.relative_to(top.parent).as_posix() for path in top.rglob("*") if path.is_file() and path.suffix != ".pyc"
    )
    with zipfile.ZipFile(wheel) as archive:
        assert not left_out(present, archive.namelist())


def test_a_file_left_out_is_found() -> None:
    assert left_out(["cormorant/a.py", "cormorant/portal/page.html"], ["cormorant/a.py"]) == [
        "cormorant/portal/page.html"
    ]
