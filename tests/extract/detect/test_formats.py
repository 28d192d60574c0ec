"""Formats that packages add: what they may be, and how their documents are told from others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cormorant.extract.detect import formats
from cormorant.extract.detect.format import Format
from cormorant.extract.detect.formats import Formats, check_format
from cormorant.extract.detect.media_types import FormatReader
from cormorant.extract.detect.sniff import is_text, sniff
from cormorant.extract.router import ReadMode, reading_of, task_of
from cormorant.sandbox.limits import Limits
from tests.journeys.plugins import announce

MODULE = """
from cormorant.extract.detect.format import Format
from cormorant.sandbox.limits import Limits
BIN = Format("Chart", ("application/x-chart",), "none:none", ("chart",), (b"CHART1",), Limits(cpu_s=3))
TEXT = Format("Calendar", ("text/calendar", "text/x-vcalendar"), "none:none", ("ics",))
AGAIN = Format("Calendar too", ("text/calendar",), "none:none")
"""


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Formats:
    monkeypatch.syspath_prepend(tmp_path)
    entries = {"chart": "charts_of_test:BIN", "ics": "charts_of_test:TEXT"}
    announce(tmp_path, "charts", formats.GROUP, entries, charts_of_test=MODULE)
    announce(tmp_path, "later", formats.GROUP, {"zz": "charts_of_test:AGAIN"})
    made = Formats()
    for module in ("cormorant.extract.detect.formats", "cormorant.extract.router"):
        monkeypatch.setattr(f"{module}.FORMATS", made)
    return made


def test_documents_are_told_by_extension_signature_and_declaration(added: Formats) -> None:
    chart = b"CHART1\0\1\2" * 20
    assert sniff("", chart) == sniff("text/plain", chart, "a.bin") == "application/x-chart"
    assert sniff("", b"no chart at all", "a.chart") == "text/plain", "what has a signature proves itself"
    assert sniff("", b"BEGIN:VCALENDAR", "a.ics") == sniff("text/calendar", b"BEGIN:VCALENDAR") == "text/calendar"
    assert is_text("text/calendar")
    assert not is_text("application/x-chart")
    assert sniff("", b"%PDF-1.7", "a.chart") == "application/pdf"


def test_they_are_read_in_a_child_of_their_own(added: Formats) -> None:
    assert formats.reader_of("text/calendar") is FormatReader.DECLARED
    assert reading_of("text/calendar", 10) is ReadMode.CHILD
    assert task_of("text/calendar") == ("convert by ics", None, True)
    assert task_of("application/x-chart") == ("convert by chart", Limits(cpu_s=3), True)
    assert task_of("text/csv").added is False
    assert formats.reader_of("text/x-other") is FormatReader.TEXT


def test_a_type_that_two_packages_read_is_the_first_ones(added: Formats) -> None:
    wrong = {entry.name: error.sentence for entry, error in added.looked_at() if error is not None}
    assert "reads text/calendar, as charts 1.0 does" in wrong["zz"]
    assert added.name_of("text/calendar") == "ics"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"media_types": ("text/html",)}, "has a built-in converter"),
        ({"media_types": ("Text/X",)}, "is no media type"),
        ({"media_types": "text/x"}, "is no tuple"),
        ({"media_types": ()}, "no media types"),
        ({"converter": "function"}, "is not written module:function"),
        ({"converter": "module:function more:more"}, "is not written module:function"),
        ({"extensions": (".x",)}, "is no extension"),
        ({"extensions": ("pdf",)}, "stands for application/pdf"),
        ({"signatures": (b"ab",)}, "fewer than 4 bytes"),
    ],
)
def test_what_cannot_be_a_format_is_refused(given: dict[str, Any], said: str) -> None:
    whole: dict[str, Any] = {"label": "X", "media_types": ("text/x-x",), "converter": "a.b:c", **given}
    with pytest.raises((TypeError, ValueError), match=said):
        check_format(Format(**whole))
