"""What is advised for a file is about files."""

from __future__ import annotations

import re

import pytest

from cormorant.model.status import TABLE, Status
from cormorant.operate.checks.remedies import advice

OF_FILES = (
    Status.FORBIDDEN, Status.NOT_FOUND, Status.READ_TIMEOUT, Status.CONVERSION_FAILED, Status.IO_ERROR,
    Status.NO_CONVERTER, Status.DUPLICATE_IGNORED, Status.EMPTY, Status.NOT_UNIQUE, Status.UNREADABLE, Status.TOO_BIG,
    Status.TYPE_EXCLUDED, Status.OUTSIDE_BOUNDARY, Status.TOO_DEEP, Status.INDEX_RULES, Status.HELD,
    Status.QUARANTINED, Status.NOT_HTML, Status.BINARY_AS_TEXT, *(status for status in Status if 1020 <= status < 1030),
)  # fmt: skip
"""What the visit or listing of a file can end with."""
OF_SITES = re.compile(r"\b(server|site|link|links|login|browser|host|start address|timeout_s|account's credentials)\b")


@pytest.mark.parametrize("status", OF_FILES)
def test_a_file_has_no_server(status: Status) -> None:
    assert not OF_SITES.search(advice(status, "file:///srv/papers/a.txt"))


def test_a_page_is_advised_by_the_table() -> None:
    assert {status: advice(status, "https://a.example/") for status in TABLE} == {
        status: row.advice for status, row in TABLE.items()
    }
