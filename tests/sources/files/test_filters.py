"""Which files may be taken, by address and by type."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.model.content import Content, Extraction
from cormorant.model.ruling import Gate
from tests.sources.files.listing import resource, source


def follow(address: str, **settings: object) -> tuple[bool, str, int]:
    ruling = source(Path("/srv/docs"), **settings).gates.follow(address, 0)
    return ruling.admitted, ruling.rule, ruling.status


@pytest.mark.parametrize(
    ("address", "settings", "said"),
    [
        ("file:///srv/docs/a/b.txt", {}, (True, "every file of the folder", 0)),
        ("file:///srv/docsx/a", {}, (False, "files of the folder", 964)),
        ("file:///etc/passwd", {}, (False, "files of the folder", 964)),
        ("file:///srv/docs/..%2Fx", {}, (False, "files of the folder", 964)),
        ("https://a.org/", {"include": "any"}, (False, "files of the folder", 964)),
        ("file:///srv/docs/.git/x", {}, (False, "hidden = false", 964)),
        ("file:///srv/docs/a/.x", {}, (False, "hidden = false", 964)),
        ("file:///srv/docs/a/.x", {"hidden": True}, (True, "every file of the folder", 0)),
        ("file:///srv/docs/a", {"depth": 0}, (True, "every file of the folder", 0)),
        ("file:///srv/docs/a/b", {"depth": 0}, (False, "depth = 0", 972)),
        ("file:///srv/docs/a/b/c", {"depth": 2}, (True, "every file of the folder", 0)),
        ("file:///srv/docs/a/x.tmp", {"exclude": "*.tmp"}, (False, "exclude *.tmp", 964)),
        ("file:///srv/docs/a/x.txt", {"include": "*.pdf"}, (False, "include *.pdf", 964)),
        ("file:///srv/docs/caf%E9.pdf", {"include": "caf?.pdf"}, (True, "include caf?.pdf", 0)),
        ("file:///srv/docs/a%5B1%5D.pdf", {}, (True, "every file of the folder", 0)),
        ("file:///srv/docs/a[1].pdf", {}, (False, "another spelling of a file's address", 964)),
        ("file:///srv/docs/caf%e9.pdf", {}, (False, "another spelling of a file's address", 964)),
        ("file:///srv/docs/%61.pdf", {}, (False, "another spelling of a file's address", 964)),
        ("file:///srv/docs/" + "a" * 4096, {}, (False, "an address has at most 4096 characters", 414)),
    ],
)
def test_follow(address: str, settings: dict[str, object], said: tuple[bool, str, int]) -> None:
    assert follow(address, **settings) == said


def test_the_same_is_asked_before_the_visit() -> None:
    gates = source(Path("/srv/docs"), exclude="*.tmp").gates
    assert gates.visit(resource("file:///srv/docs/a.tmp"), {}).status == 964
    assert gates.visit(resource("file:///srv/docs/a.txt"), {}).admitted


@pytest.mark.parametrize(
    ("types", "mime", "admitted"),
    [
        ([], "video/mp4", True),
        (["text/*", "application/pdf"], "text/html", True),
        (["text/*", "application/pdf"], "application/pdf", True),
        (["text/*", "application/pdf"], "image/png", False),
        (["text/*"], "textual/x", False),
        (["*/*"], "image/png", True),
        (["text/*"], "", True),
    ],
)
def test_types_are_judged_once_sniffed(types: list[str], mime: str, admitted: bool) -> None:
    ruling = source(Path("/srv/docs"), types=types).gates.read(Content("file:///srv/docs/a", b"", mime))
    assert ruling.admitted is admitted
    if not admitted:
        assert (ruling.gate, ruling.status, ruling.rule) == (Gate.TYPE, 962, f"types = {', '.join(types)}")


def test_what_was_read_is_delivered() -> None:
    assert (
        source(Path("/srv/docs")).gates.index(Content("file:///srv/docs/a", b"", "text/plain"), Extraction("")).admitted
    )
