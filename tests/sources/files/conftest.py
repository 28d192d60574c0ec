"""Folders for the tests of the files source."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    made = tmp_path / "docs"
    made.mkdir()
    return made


@pytest.fixture
def shared() -> Iterator[Path]:
    """An empty folder that every user may enter, which pytest's own are not."""
    made = Path(tempfile.mkdtemp(prefix="cormorant-test-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)
