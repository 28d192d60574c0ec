"""Words are found in the languages that people write, and the documentation tells what was found as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import languages as page
from tests.search.index.shelves import entry, shelf
from tests.search.languages import LANGUAGES, Spoken


@pytest.mark.parametrize("spoken", LANGUAGES, ids=lambda each: each.name)
def test_what_is_found(spoken: Spoken, tmp_path: Path) -> None:
    with shelf("embedded", tmp_path) as index:
        index.put(*(entry(n, text, language=spoken.tag) for n, text in enumerate(spoken.documents, 1)))
        for asked in spoken.asked:
            got = set(index.ids(asked.query))
            expected = asked.expected if asked.found is None else asked.found
            assert got == set(expected), asked.query


def test_there_are_enough() -> None:
    assert len({each.tag for each in LANGUAGES}) >= 10
    assert {"zh", "ja", "ko", "th"} <= {each.tag for each in LANGUAGES}


def test_the_page_is_what_was_found() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "run: .venv/bin/python -m docs.languages"
