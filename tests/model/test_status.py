"""The table of statuses is complete, and every row can be read by a person."""

from __future__ import annotations

import pytest

from cormorant.model.outcome import OutcomeKind
from cormorant.model.status import TABLE, Status, StatusText, describe

HTTP = {*range(400, 411), 414, *range(500, 506)}
READING = {*range(902, 912)}
VISITS = {*range(951, 961), 962, 964}
OURS = {*range(970, 986)}
DATA = {*range(1001, 1012), *range(1020, 1025), 1111}
RESERVED = {957, 1007, 1008, 1011}


def test_the_table_has_every_number_that_is_promised() -> None:
    assert {0, 200, *HTTP, *READING, *VISITS, *OURS, *DATA} <= set(TABLE)


def test_every_name_has_a_row_and_every_row_a_name() -> None:
    assert {int(status) for status in Status} == set(TABLE)
    assert all(row.number == number for number, row in TABLE.items())


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: str(row.number))
def test_a_row_says_what_is_the_case_why_and_what_to_do(row: StatusText) -> None:
    assert 0 < len(row.text) <= 60
    assert not row.text.endswith(".")
    for sentence in (row.cause, row.advice):
        assert sentence.endswith(".")
        assert ". " not in sentence, "one sentence"
        assert sentence[0].isupper()


def test_no_two_rows_have_one_text_beside_the_reserved() -> None:
    texts = [row.text for row in TABLE.values() if not row.reserved]
    assert len(texts) == len(set(texts))


def test_reserved_numbers_are_marked() -> None:
    assert {row.number for row in TABLE.values() if row.reserved} == RESERVED


@pytest.mark.parametrize(
    ("number", "outcome"),
    [
        (200, OutcomeKind.OK), (304, OutcomeKind.UNCHANGED), (404, OutcomeKind.GONE), (410, OutcomeKind.GONE),
        (403, OutcomeKind.FAILED), (429, OutcomeKind.DEFERRED), (503, OutcomeKind.DEFERRED),
        (954, OutcomeKind.MOVED), (964, OutcomeKind.EXCLUDED), (970, OutcomeKind.EXCLUDED),
        (911, OutcomeKind.FAILED), (1001, OutcomeKind.EXCLUDED),
        (980, OutcomeKind.HELD), (981, OutcomeKind.QUARANTINED), (0, OutcomeKind.NONE),
    ],
)  # fmt: skip
def test_what_a_visit_usually_ends_as(number: int, outcome: OutcomeKind) -> None:
    assert describe(number).outcome is outcome


def test_only_200_is_indexed() -> None:
    indexed = {row.number for row in TABLE.values() if row.outcome is OutcomeKind.OK}
    assert indexed == {200, 952}, "952 is read and not delivered"


@pytest.mark.parametrize(
    ("number", "text", "outcome"),
    [
        (418, "Refused by the server (418)", OutcomeKind.FAILED),
        (599, "Server failure (599)", OutcomeKind.DEFERRED),
        (399, "Unusual redirect (399)", OutcomeKind.FAILED),
        (299, "Answered without a document (299)", OutcomeKind.FAILED),
        (101, "Interim answer (101)", OutcomeKind.FAILED),
        (7777, "Unknown status (7777)", OutcomeKind.FAILED),
        (-1, "Unknown status (-1)", OutcomeKind.FAILED),
    ],
)
def test_a_number_without_a_row_gets_the_sentence_of_its_class(number: int, text: str, outcome: OutcomeKind) -> None:
    row = describe(number)
    assert (row.number, row.text, row.outcome, row.reserved) == (number, text, outcome, False)
    assert len(row.text) <= 60


def test_who_mends_robots_txt_is_told_how_long_the_old_one_holds() -> None:
    said = describe(Status.ROBOTS).advice
    assert "kept for a day" in said
    assert "`cormorant crawl --force`" in said


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: str(row.number))
def test_commands_stand_in_backticks(row: StatusText) -> None:
    assert "'" not in row.advice.replace("`cormorant", "").replace("'s", "")
