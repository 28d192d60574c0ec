"""What a reader is told, and what is not, when a page fails."""

from __future__ import annotations

import json
import re

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import (
    CacheDamaged,
    CormorantError,
    IndexDamaged,
    NotFoundError,
    NotPermitted,
    StoreError,
    Unreachable,
    UsageError,
)
from cormorant.portal import site
from tests.portal.asking import ask


class Failing:
    """A house of which the index fails as it is told to."""

    searchable = True

    def __init__(self, error: Exception) -> None:
        self.clock, self._error = SystemClock(), error

    def index_reader(self) -> None:
        raise self._error


@pytest.mark.parametrize("error", [RuntimeError("boom"), StoreError("/srv/data/cormorant.db refused a statement.")])
def test_a_page_that_failed_is_guarded_like_any_other(error: Exception) -> None:
    got = ask(Failing(error), "/search?q=kelp")
    assert got.status == 500
    assert "frame-ancestors 'none'" in got.headers["content-security-policy"]
    assert got.headers["x-content-type-options"] == "nosniff"


SECRET = "postgresql://db.internal.example/cormorant"
FAULTS = [
    (RuntimeError(SECRET), 500, "error"), (StoreError(f"{SECRET} refused."), 500, "store"),
    (Unreachable(f"{SECRET} does not answer."), 503, "unreachable"),
    (NotPermitted(f"{SECRET} may only be read."), 500, "not_permitted"),
    (CacheDamaged(f"{SECRET} is torn."), 500, "cache_damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "status", "code"), FAULTS)
def test_what_failed_is_for_the_log_and_its_reference_for_the_reader(
    error: Exception, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    got = ask(Failing(error), "/search?q=kelp+%3Cforest%3E")
    assert got.status == status
    assert SECRET not in got.body
    found = re.search(r"reference (\w+)", got.body)
    assert found is not None
    assert found[1] in {getattr(record, "reference", "") for record in caplog.records}
    assert 'value="kelp &lt;forest&gt;"' in got.body
    assert 'href="/search?q=kelp+%3Cforest%3E"' in got.body
    problem = json.loads(ask(Failing(error), "/api/v1/search?q=kelp").body)
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["reference"] in problem["detail"]
    assert SECRET not in str(problem)


@pytest.mark.parametrize(
    ("error", "anew"),
    [(NotFoundError("No."), 0), (UsageError("No."), 0), (IndexDamaged("It is gone."), 1), (StoreError("No."), 1)],
)
def test_what_a_reader_asks_for_wrongly_leaves_the_index_open(
    error: CormorantError, anew: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[site.Shelf] = []

    def forget(shelf: site.Shelf) -> None:
        forgotten.append(shelf)

    monkeypatch.setattr(site.Shelf, "forget", forget)
    ask(Failing(error), "/search?q=kelp")
    assert len(forgotten) == anew


def test_a_damaged_index_says_what_mends_it() -> None:
    got = ask(Failing(IndexDamaged("It is gone. `cormorant index rebuild` makes it anew.")), "/search?q=kelp")
    assert got.status == 503
    assert "<code>cormorant index rebuild</code>" in got.body


def test_nothing_is_counted_that_cannot_be_read() -> None:
    got = ask(Failing(IndexDamaged("It is gone.")), "/")
    assert got.status == 200
    assert "0 documents" not in got.body
    assert "<footer" not in got.body


def test_the_theme_holds_when_a_page_fails() -> None:
    assert 'data-theme="dark"' in ask(Failing(IndexDamaged("It is gone.")), "/search?q=kelp", cookie="theme=dark").body
