"""Does a reader stop before its process is killed?"""

from __future__ import annotations

import math
import resource
import subprocess
import sys

import pytest

from cormorant.extract.pdf import cpu_time, pdf
from cormorant.extract.pdf.cpu_time import cpu_is_short, cpu_left
from tests.extract import writers
from tests.extract.pdf.pdf_writer import TASK


def test_without_a_limit_nothing_is_short() -> None:
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY
    assert cpu_left() == math.inf
    assert not cpu_is_short(0.0)


LIMITED = """
import resource
from cormorant.extract.pdf.cpu_time import cpu_is_short, cpu_left, cpu_seconds
limit = int(cpu_seconds()) + 100
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
print(90 < cpu_left() <= 100, cpu_is_short(0.99), cpu_is_short(0.0))
"""


def test_the_limit_of_the_process_counts() -> None:
    said = subprocess.run((sys.executable, "-c", LIMITED), capture_output=True, text=True, check=True).stdout
    assert said.split() == ["True", "False", "True"]


def test_pages_beyond_the_time_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, False, True])
    monkeypatch.setattr(pdf, "cpu_is_short", lambda: next(answers))
    found = pdf.extract_pdf(writers.pdf("one", "two", "three"), TASK)
    assert found.text == "one\n\ntwo"
    assert (found.truncated, found.fault) == (True, "It is too long: nothing from page 3 on was read.")
    assert cpu_time.SHARE < 1
