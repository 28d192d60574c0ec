"""The programs that the guide shows pass the suite for programs, and read what they are said to read."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from cormorant.model.content import Content, VisitTrace
from cormorant.plugins import Source, make_source
from cormorant.testing import ProgramSuite, tools
from cormorant.testing.sources import resource_of
from tests.house.reading import ROOT, text_of

EXAMPLES = ROOT / "examples" / "programs"
PAGE = b""".TH LOFT 7 2026-01-01
.SH NAME
loft \\- rooms for pigeons
.SH DESCRIPTION
A loft keeps \\fBpigeons\\fR dry.
"""
STATUS = """Package: loft
Status: install ok installed
Architecture: all
Version: 1.0-2
Section: birds
Description: rooms for "pigeons" \\o/
 They are kept dry.
 \tmore

Package: gone
Status: deinstall ok config-files
Architecture: all
Version: 1.0
Description: nothing

Package: roost
Status: install ok installed
Architecture: amd64
Version: 2.0
Description: places
"""


def fetched(source: Source) -> dict[str, Content]:
    """All documents by their title."""

    async def visits() -> list[object]:
        try:
            return [
                await source.fetch(resource_of(each, source), VisitTrace())  # type: ignore[arg-type]
                for batch in source.discover("")
                for each in batch
            ]
        finally:
            await source.close()

    return {each.title: each for each in asyncio.run(visits()) if isinstance(each, Content)}


@pytest.mark.skipif(shutil.which("man") is None, reason="the program man is not there")
class TestManualPages(ProgramSuite):
    command: ClassVar[Sequence[str]] = (sys.executable, str(EXAMPLES / "manual_pages.py"))

    @pytest.fixture(autouse=True)
    def manual(self, tmp_path: Path) -> None:
        (tmp_path / "man7").mkdir()
        (tmp_path / "man3").mkdir()
        (tmp_path / "man7" / "loft.7").write_bytes(PAGE)
        (tmp_path / "man7" / "roost.7.gz").write_bytes(gzip.compress(PAGE.replace(b"LOFT", b"ROOST")))
        (tmp_path / "man3" / "pigeon.3").write_bytes(PAGE)
        type(self).settings = {"parameter": [f"folder={tmp_path}", "section=1", "section=7"]}

    def test_pages_become_text(self) -> None:
        found = fetched(self.make())
        assert set(found) == {"loft(7)", "roost(7)"}
        assert b"A loft keeps pigeons dry." in found["loft(7)"].body
        assert found["loft(7)"].attributes == {"Section": "7"}


class TestPackages(ProgramSuite):
    command: ClassVar[Sequence[str]] = ("sh", str(EXAMPLES / "packages.sh"))

    @pytest.fixture(autouse=True)
    def status(self, tmp_path: Path) -> None:
        (tmp_path / "status").write_text(STATUS)
        type(self).settings = {"parameter": [f"status={tmp_path}/status"]}

    def test_installed_packages_have_their_descriptions(self) -> None:
        found = fetched(self.make())
        assert set(found) == {"loft 1.0-2", "roost 2.0"}
        assert found["loft 1.0-2"].body.decode() == 'rooms for "pigeons" \\o/\n They are kept dry.\n \tmore'

    @pytest.mark.skipif(not Path("/var/lib/dpkg/status").exists(), reason="this is no Debian")
    def test_the_packages_of_this_machine(self) -> None:
        made = make_source("program", 3, {"command": list(self.command)}, tools())
        keys = [each.address for batch in made.discover("") for each in batch]
        assert len(keys) > 20


def test_the_guide_shows_the_example() -> None:
    assert (EXAMPLES / "packages.sh").read_text("utf-8") in text_of("docs/how-to/program.md")
