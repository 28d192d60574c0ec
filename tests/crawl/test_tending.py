"""How are rows adapted to their run?"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.crawl.tending import plan_of
from cormorant.frontier.admission import Admission
from tests.crawl.samples import INDEXED, OLD_BODY, OLD_TEXT, RUN, SOURCE

BARE = INDEXED._replace(etag="", modified="", content_hash=b"")


@pytest.mark.parametrize(
    ("forced", "anew", "want"),
    [
        (False, False, INDEXED),
        (False, True, BARE),
        (True, False, BARE._replace(text_hash=b"", before=OLD_TEXT)),
        (True, True, BARE._replace(text_hash=b"", before=OLD_TEXT)),
    ],
)
def test_a_row_forgets_what_its_run_may_not_rely_on(forced: bool, anew: bool, want: object) -> None:
    assert (INDEXED.content_hash, INDEXED.text_hash) == (OLD_BODY, OLD_TEXT)
    run: Any = SimpleNamespace(order=Admission(SOURCE, 4, RUN, forced, anew))
    plan = plan_of({SOURCE: run})
    assert plan.generations == {SOURCE: 4}
    assert plan.prepare(INDEXED) == want
