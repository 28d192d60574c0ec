"""Why a listing of folders names neither a folder nor a file, asked without a request."""

from __future__ import annotations

import pytest

from cormorant.plugins import Unlisted, source_kind
from tests.sources.remote.listing import remote


def absence(address: str, **settings: object) -> Unlisted | None:
    given = {"url": "sftp://files.example.org/docs", "user": "u", "password": "secret:p", **settings}
    return source_kind("sftp").unlisted(remote("sftp", {"p": "w"}, **given), address)


@pytest.mark.parametrize(
    ("path", "settings", "admitted", "rule", "says"),
    [
        ("drafts", {"exclude": "drafts/**"}, False, "exclude drafts/**", "No file below this folder is read."),
        ("drafts/", {"exclude": "drafts/**"}, False, "exclude drafts/**", "No file below this folder is read."),
        ("a/drafts/", {"exclude": "drafts"}, False, "exclude drafts", "No file below this folder is read."),
        ("drafts/a.txt", {"exclude": "drafts/"}, False, "exclude drafts/", ""),
        (".git/", {}, False, "hidden = false", "No file below this folder is read."),
        ("a/b/", {"depth": 1}, False, "depth = 1", "No file below this folder is read."),
        ("a/b", {"depth": 1}, True, "every file of the folder", "There is no such file"),
        ("a/", {"include": "*.pdf"}, True, "folders are listed", "It is a folder"),
        ("", {"exclude": "drafts"}, True, "folders are listed", "It is a folder"),
        ("a.txt", {"include": "*.pdf"}, False, "include *.pdf", ""),
        ("a.pdf", {"include": "*.pdf"}, True, "include *.pdf", "There is no such file"),
    ],
)
def test_names_the_rule(path: str, settings: dict[str, object], admitted: bool, rule: str, says: str) -> None:
    found = absence(f"sftp://files.example.org/docs/{path}", **settings)
    assert found is not None
    assert (found.ruling.admitted, found.ruling.rule) == (admitted, rule)
    assert found.because.startswith(says)
    assert bool(found.because) == bool(says)


def test_the_folder_itself_is_named_without_its_slash() -> None:
    found = absence("sftp://files.example.org/docs")
    assert found is not None
    assert found.because == "It is a folder, and only files are documents."


@pytest.mark.parametrize("address", ["sftp://files.example.org/docsx/a", "sftp://other.example.org/docs/a", "x:"])
def test_knows_nothing_of_another_place(address: str) -> None:
    assert absence(address) is None
