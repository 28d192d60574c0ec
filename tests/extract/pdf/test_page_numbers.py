"""How are pages named that could not be read?"""

from __future__ import annotations

import pytest

from cormorant.extract.pdf.page_numbers import PageFaults, pages_named


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([3], "Page 3"),
        ([3, 4, 5], "Pages 3-5"),
        ([1, 3, 4, 9], "Pages 1, 3-4 and 9"),
        ([*range(1, 40, 2)], "Pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 10 more"),
    ],
)
def test_runs_are_named_together_and_not_too_many(numbers: list[int], words: str) -> None:
    assert pages_named(numbers) == words


def test_faults_are_sentences() -> None:
    assert PageFaults().sentence() == ""
    assert not PageFaults(garbled=[1]).truncated
    faults = PageFaults(damaged=[2], left_out=1200, cut_short=True)
    assert faults.truncated
    assert faults.sentence() == (
        "The file has lost its end. Page 2 cannot be read. It is too long: nothing from page 1,200 on was read."
    )
