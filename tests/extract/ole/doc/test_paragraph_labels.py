"""Numbers of lists and headings in Word documents."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import pytest

from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.word import extract_doc
from tests.extract.ole.binary_documents import Run, sprm, word_document

TASK = ExtractionTask("application/msword", "https://example.org/papers/plan.doc")
STYLES, DEFINITIONS, LISTS = 1, 73, 74
DECIMAL, UPPER_ROMAN, LOWER_LETTER, BULLET = 0, 1, 4, 23
DELETED = Run(0, 0, sprm(0x0800, b"\1"))


def level(code: int, text: str, start: int = 1, flags: int = 0, limit: int = 0) -> bytes:
    """Return a level with some formatting of characters; U+0000 in its text is the number of the first level."""
    head = struct.pack("<IBB9s9xBBBx", start, code, flags, b"\1", 3, 0, limit)
    return head + sprm(0x0835, b"\1") + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def definitions(*levels: Sequence[bytes], styles: Sequence[int] = ()) -> tuple[bytes, bytes]:
    """Return the definitions 1, 2 ... and the levels behind them; `styles` are linked to the levels of the first."""
    fixed, behind = struct.pack("<H", len(levels)), b""
    for number, each in enumerate(levels, 1):
        linked = [*(styles if number == 1 else ()), *[0xFFF] * 9][:9]
        fixed += struct.pack("<i4x9HBx", number, *linked, len(each) == 1)
        behind += b"".join(each) + (level(255, "") * (9 - len(each)) if len(each) > 1 else b"")
    return fixed, behind


def lists(*definition: int, overrides: Sequence[bytes] = ()) -> bytes:
    """Return lists by the number of their definition; the last one has the overrides."""
    counts = [0] * (len(definition) - 1) + [len(overrides)]
    fixed = b"".join(struct.pack("<i8xB3x", *each) for each in zip(definition, counts, strict=True))
    return struct.pack("<I", len(definition)) + fixed + b"\xff" * 4 * len(definition) + b"".join(overrides)


def style_sheet(*styles: tuple[int, bytes]) -> bytes:
    """Return paragraph styles: the number of the base, the formatting."""
    found = struct.pack("<HHH14x", 18, len(styles), 10)
    for base, formatting in styles:
        papx = struct.pack("<HH", 2 + len(formatting), 0) + formatting
        made = struct.pack("<HHHHH", 0, base << 4 | 1, 2, 0, 0) + struct.pack("<H", 1) + b"s\0\0\0" + papx
        found += struct.pack("<H", len(made)) + made + b"\0" * (len(made) & 1)
    return found


def in_list(number: int, place: int = 0) -> bytes:
    return sprm(0x460B, struct.pack("<h", number)) + sprm(0x260A, bytes((place,)))


def document(
    paragraphs: Sequence[tuple[str, bytes, int]],
    tables: tuple[tuple[bytes, bytes], bytes],
    *,
    styles: bytes = b"",
    runs: Sequence[Run] = (),
) -> bytes:
    text, formats = "", []
    for words, formatting, style in paragraphs:
        formats.append(Run(len(text), len(text) + len(words) + 1, formatting, style))
        text += words + "\r"
    structures: dict[int, bytes | tuple[bytes, bytes]] = {DEFINITIONS: tables[0], LISTS: tables[1]}
    if styles:
        structures[STYLES] = styles
    return word_document([text], paragraphs=formats, runs=runs, structures=structures)


def lines(*paragraphs: tuple[str, bytes], tables: tuple[tuple[bytes, bytes], bytes]) -> list[str]:
    return extract_doc(document([(*each, 0) for each in paragraphs], tables), TASK).text.split("\n")


LEVELS = [level(DECIMAL, "\0."), level(LOWER_LETTER, "\0\1)"), level(UPPER_ROMAN, "(\2)")]


def test_levels_count_and_restart() -> None:
    found = lines(
        ("a", in_list(1)), ("b", in_list(1, 1)), ("c", in_list(1, 1)), ("d", in_list(1, 2)), ("plain", b""),
        ("e", in_list(1)), ("f", in_list(1, 1)), ("g", in_list(0)),
        tables=(definitions(LEVELS), lists(1)),
    )  # fmt: skip
    assert found == ["1. a", "1a) b", "1b) c", "(I) d", "plain", "2. e", "2a) f", "g"]


def test_a_level_restarts_below_its_limit_alone() -> None:
    levels = [level(DECIMAL, "\0"), level(DECIMAL, "\0.\1"), level(DECIMAL, "\2", flags=8, limit=1)]
    found = lines(
        ("a", in_list(1)), ("b", in_list(1, 1)), ("c", in_list(1, 2)), ("d", in_list(1, 1)), ("e", in_list(1, 2)),
        ("f", in_list(1)), ("g", in_list(1, 2)), tables=(definitions(levels), lists(1)),
    )  # fmt: skip
    assert found == ["1 a", "1.1 b", "1 c", "1.2 d", "2 e", "2 f", "1 g"]


def test_bullets_empty_paragraphs_and_lists_that_are_missing_have_no_number() -> None:
    tables = (definitions([level(BULLET, "\uf0b7")], [level(DECIMAL, "\xa7 \0", start=7)]), lists(1, 2))
    found = lines(("a", in_list(1)), ("b", in_list(2)), ("", in_list(2)), ("c", in_list(2)), ("d", in_list(3)),
                  ("e", in_list(-1)), tables=tables)  # fmt: skip
    assert found == ["a", "\xa7 7 b", "", "\xa7 9 c", "d", "e"]


def test_lists_of_one_definition_go_on_or_start_at_a_number_of_their_own() -> None:
    again = struct.pack("<IB3x", 5, 0x10)
    tables = (definitions(LEVELS), lists(1, 1, 1, overrides=[again]))
    found = lines(("a", in_list(1)), ("b", in_list(2)), ("c", in_list(3)), ("d", in_list(3)), tables=tables)
    assert found == ["1. a", "2. b", "5. c", "6. d"]


def test_a_list_may_have_levels_of_its_own() -> None:
    own = struct.pack("<IB3x", 0, 0x30) + level(UPPER_ROMAN, "No. \0", start=4)
    tables = (definitions(LEVELS), lists(1, 1, overrides=[own]))
    found = lines(("a", in_list(1)), ("b", in_list(2)), ("c", in_list(2)), tables=tables)
    assert found == ["1. a", "No. IV b", "No. V c"]


def test_headings_are_numbered_by_their_styles() -> None:
    styles = style_sheet((0xFFF, b""), (0, in_list(1)[:4]), (1, sprm(0x260A, b"\1")), (1, b""))
    tables = (definitions([level(DECIMAL, "\0"), level(DECIMAL, "\0.\1")], styles=[1, 0xFFF]), lists(1))
    paragraphs = [("one", b"", 1), ("sub", b"", 2), ("text", b"", 0), ("two", b"", 3), ("none", in_list(0), 1)]
    body = document(paragraphs, tables, styles=styles)
    assert extract_doc(body, TASK).text.split("\n") == ["1 one", "1.1 sub", "text", "2 two", "none"]


def test_a_deleted_paragraph_is_not_counted() -> None:
    paragraphs = [("one", in_list(1), 0), ("gone", in_list(1), 0), ("two", in_list(1), 0)]
    body = document(paragraphs, (definitions(LEVELS), lists(1)), runs=[DELETED._replace(first=4, last=9)])
    assert extract_doc(body, TASK).text.split("\n") == ["1. one", "2. two"]


@pytest.mark.parametrize("count", [0xFFFF, 3])
def test_tables_that_declare_more_than_they_have_are_read_as_far_as_they_go(count: int) -> None:
    fixed, behind = definitions(LEVELS)
    tables = ((struct.pack("<H", count) + fixed[2:], behind), struct.pack("<I", count) + lists(1)[4:])
    assert lines(("a", in_list(1)), ("b", in_list(1)), tables=tables) == ["1. a", "2. b"]


def test_a_cycle_of_styles_ends() -> None:
    styles = style_sheet((1, b""), (0, b""))
    body = document([("one", b"", 1)], (definitions(LEVELS), lists(1)), styles=styles)
    assert extract_doc(body, TASK).text == "one"


def test_damaged_tables_are_survived() -> None:
    chance = random.Random(3)
    sheet = style_sheet((0xFFF, b""), (0, in_list(1)))
    (fixed, behind), listed = definitions(LEVELS, LEVELS), lists(1, 2, overrides=[struct.pack("<IB3x", 5, 0x10)])
    paragraphs = [(f"w{n}", in_list(1 + n % 2, n % 3), n % 3) for n in range(6)]

    def damaged(data: bytes) -> bytes:
        made = bytearray(data)
        made[chance.randrange(len(made))] = chance.randrange(256)
        return bytes(made[: chance.randrange(len(made)) or None] if chance.random() < 0.3 else made)

    for _ in range(200):
        tables = ((damaged(fixed), damaged(behind)), damaged(listed))
        text = extract_doc(document(paragraphs, tables, styles=damaged(sheet)), TASK).text
        assert all(f"w{number}" in text for number in range(6))
