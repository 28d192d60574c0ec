"""A data folder that was crawled once, and a copy of it for each test that changes something."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.operate.installation import Installation
from cormorant.store.schema import content
from tests.cli.world import InstalledCli


def crawled_once(base: Path, files: Mapping[str, str]) -> Path:
    """Crawl these files in a folder below `base`; returns the data folder."""
    (base / "docs").mkdir()
    for name, text in files.items():
        (base / "docs" / name).write_text(text)
    home = InstalledCli(base / "data")
    home.fine("source", "add", "files", "docs", "--set", f"path={base / 'docs'}")
    home.fine("crawl")
    return home.folder


def copied(folder: Path, there: Path) -> BuildPlan:
    """A copy of a data folder, to be opened."""
    shutil.copytree(folder, there / "data")
    return BuildPlan(there / "data", Settings())


def number_of(house: Installation, name: str) -> int:
    """The number of the document with this file name."""
    with house.store.read() as tx:
        return int(tx.rows(sa.select(content.c.id).where(content.c.url.like(f"%/{name}")))[0].id)
