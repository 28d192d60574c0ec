"""Lines of listings as servers print them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.ftp.listing import of_facts, of_line, time_of
from cormorant.sources.remote.protocol import EntryKind

FILE, FOLDER, LINK, OTHER = EntryKind.FILE, EntryKind.FOLDER, EntryKind.LINK, EntryKind.OTHER


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            b"type=file;size=12;modify=20261128120000;unique=1g2; a b.txt",
            (b"a b.txt", FILE, "12", "20261128120000", "1g2"),
        ),
        (b"Type=Dir;Modify=20261128120000; caf\xe9", (b"caf\xe9", FOLDER, "", "20261128120000", "")),
        (b"type=OS.unix=slink:/etc; link", (b"link", LINK, "", "", "")),
        (b"type=device; dev", (b"dev", OTHER, "", "", "")),
    ],
)
def test_facts(line: bytes, found: tuple[object, ...]) -> None:
    assert of_facts(line) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"-rw-r--r--   1 ada staff  1234 Nov 28 12:00 a b.txt", (b"a b.txt", FILE, "1234", "Nov 28 12:00", "")),
        (
            b"drwxr-xr-x+  2 ada domain users 4096 Jan  3  2025 caf\xc3\xa9",
            (b"caf\xc3\xa9", FOLDER, "4096", "Jan 3 2025", ""),
        ),
        (b"lrwxrwxrwx 1 0 0 3 Nov 28 12:00 link -> /etc", (b"link", LINK, "3", "Nov 28 12:00", "")),
        (b"-rw-r--r-- 1 a b 7 2026-11-28 12:00 iso.txt", (b"iso.txt", FILE, "7", "2026-11-28 12:00", "")),
        (b"11-28-26  12:00PM       <DIR>          docs and", (b"docs and", FOLDER, "", "11-28-26 12:00PM", "")),
        (b"11-28-2026  12:00                 1,234 a.txt", (b"a.txt", FILE, "1,234", "11-28-2026 12:00", "")),
        (b"-rw-r--r-- 1 a b 7 Nov 28 12:00  blank first", (b" blank first", FILE, "7", "Nov 28 12:00", "")),
    ],
)
def test_lines(line: bytes, found: tuple[object, ...]) -> None:
    assert of_line(line) == found


@pytest.mark.parametrize("line", [b"total 12", b"", b"drwxr-xr-x 2 a b 4096 Jan  3  2025 ."])
def test_lines_that_name_nothing(line: bytes) -> None:
    assert of_line(line) is None


@pytest.mark.parametrize("line", [b"Permission denied", b"-rw-r--r-- 1 a b", b"\x00\x01"])
def test_lines_of_no_known_form(line: bytes) -> None:
    with pytest.raises(ValueError, match="form"):
        of_line(line)


@pytest.mark.parametrize("line", [b"type=file;size=1;", b"size=1; x", b" x"])
def test_facts_of_no_known_form(line: bytes) -> None:
    with pytest.raises(ValueError, match="without"):
        of_facts(line)


def test_times() -> None:
    assert time_of("20261128120000.500") == 1795867200.5
    assert time_of("20261328120000") is time_of("yesterday") is None


@given(st.binary(max_size=300))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    for read in (of_line, of_facts):
        try:
            read(line)
        except ValueError:
            continue
