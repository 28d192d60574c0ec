"""What a newcomer's words mean."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from cormorant.base.errors import BadAddress, CormorantError, NotFoundError, UsageError
from cormorant.operate.runs.quickstart import QuickstartSource, wish


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "https://www.example.org/docs/",
            QuickstartSource("web", "example.org", "start", "https://www.example.org/docs/"),
        ),
        ("HTTP://Example.ORG", QuickstartSource("web", "example.org", "start", "http://example.org/")),
        ("http://localhost:8000/", QuickstartSource("web", "localhost", "start", "http://localhost:8000/")),
        ("http://[::1]:80/", QuickstartSource("web", "--1", "start", "http://[::1]/")),
        ("https://user:secret@example.org/", QuickstartSource("web", "example.org", "start", "https://example.org/")),
    ],
)
def test_an_address(text: str, made: QuickstartSource) -> None:
    assert wish(text) == made


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "My papers, 2026"
    folder.mkdir()
    made = QuickstartSource("files", "My-papers--2026", "path", str(folder))
    assert wish(str(folder)) == wish(f"{folder}/") == wish(f"file://{folder}") == made
    assert wish("/").name == "root"


@pytest.mark.parametrize("begins", ["file://", "FILE://", "file://localhost", "File:"])
def test_a_folder_by_its_address(tmp_path: Path, begins: str) -> None:
    folder = tmp_path / "my docs é 100% #1?"
    folder.mkdir()
    assert wish(begins + quote(str(folder))) == QuickstartSource("files", "my-docs-é-100---1", "path", str(folder))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("https://", BadAddress),
        ("ftp://example.org/", BadAddress),
        ("example.org", UsageError),
        ("localhost:8000", UsageError),
        (__file__, UsageError),
        ("", UsageError),
        ("no-such-folder", NotFoundError),
        ("/no/such/folder", NotFoundError),
        ("file:///no/such%20folder", NotFoundError),
        ("file:///%00%ff%zz", NotFoundError),
        ("file:", UsageError),
        ("file://server/share", UsageError),
    ],
)
def test_what_is_neither(text: str, error: type[CormorantError]) -> None:
    with pytest.raises(error):
        wish(text)
