"""The pages that readers get on errors, and the details that they do not get."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import cast

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import (
    CacheDamaged,
    CormorantError,
    IndexDamaged,
    NoRoom,
    NotFoundError,
    NotPermitted,
    StoreError,
    Unreachable,
    UsageError,
    every,
)
from cormorant.operate.installation import Installation
from cormorant.web import app, errors
from cormorant.web.shared_reader import SharedReader
from docs import api
from tests.web.asking import ask, ask_of


class AwayStore:
    """A database that cannot be read."""

    def read(self) -> None:
        raise StoreError("It is away.")


class Failing:
    """An installation whose index fails with a given error."""

    searchable = True

    def __init__(self, error: Exception) -> None:
        self.clock, self._error = SystemClock(), error
        self.store = AwayStore()

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
    ("error", "said"),
    [
        (Unreachable(f"{SECRET} is away."), "The database does not answer"),
        (NoRoom(SECRET), "A disk is full"),
    ],
)
def test_what_passes_by_itself_is_no_fault_of_the_programs(
    error: CormorantError, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    got = ask(Failing(error), "/search?q=kelp")
    assert (got.status, got.headers["retry-after"]) == (503, "60")
    assert "<h1>This page is not available now</h1>" in got.body
    assert said in got.body
    assert SECRET not in got.body
    (record,) = (each for each in caplog.records if each.name == errors.__name__)
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert record.__dict__["reason"] == error.sentence


@pytest.mark.parametrize(
    ("error", "reopened"),
    [(NotFoundError("No."), 0), (UsageError("No."), 0), (IndexDamaged("It is gone."), 1), (StoreError("No."), 1)],
)
def test_what_a_reader_asks_for_wrongly_leaves_the_index_open(
    error: CormorantError, reopened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[SharedReader] = []

    def forget(shelf: SharedReader, cause: CormorantError) -> None:
        assert cause is error
        forgotten.append(shelf)

    monkeypatch.setattr(SharedReader, "forget", forget)
    ask(Failing(error), "/search?q=kelp")
    assert len(forgotten) == reopened


def test_a_damaged_index_says_what_mends_it() -> None:
    got = ask(Failing(IndexDamaged("It is gone. `cormorant index rebuild` rebuilds it.")), "/search?q=kelp")
    assert got.status == 503
    assert "<code>cormorant index rebuild</code>" in got.body


def test_nothing_is_counted_that_cannot_be_read() -> None:
    got = ask(Failing(IndexDamaged("It is gone.")), "/")
    assert got.status == 200
    assert "0 documents" not in got.body
    assert "<footer" not in got.body


def test_the_theme_holds_when_a_page_fails() -> None:
    assert 'data-theme="dark"' in ask(Failing(IndexDamaged("It is gone.")), "/search?q=kelp", cookie="theme=dark").body


STOPS = [
    ("/status/1?cursor=x", {}, 404), ("/status/200?cursor=x", {}, 400), ("/explain", {"via": "a"}, 403),
    ("/nowhere", {}, 404), ("/search?q=a&why=x", {}, 422), ("/", {"content-length": "9999999"}, 413),
    ("/search?q=kelp", {}, 503),
]  # fmt: skip


@pytest.mark.parametrize(("path", "headers", "status"), STOPS)
def test_every_stop_says_what_to_do(path: str, headers: dict[str, str], status: int) -> None:
    got = ask(Failing(IndexDamaged("It is gone. `cormorant index rebuild` rebuilds it.")), path, **headers)
    assert got.status == status
    assert f'<p class="code-no">{status}</p><h1>' in got.body
    assert '<a class="btn main" href="/' in got.body
    assert "frame-ancestors 'none'" in got.headers["content-security-policy"]
    assert (got.headers.get("retry-after"), 'http-equiv="refresh" content="60"' in got.body) == (
        ("60", True) if status == 503 else (None, False)
    )


def test_a_way_that_is_not_taken_says_which_is() -> None:
    application = app.make(cast("Installation", Failing(RuntimeError("unused"))))
    for path in ("/search?q=a", "/api/v1/search?q=a"):
        got = ask_of(application, path, "DELETE")
        assert (got.status, got.headers["allow"]) == (405, "GET")
        assert "does not accept DELETE" in got.body


@pytest.mark.parametrize("error", every())
def test_every_code_is_explained_where_its_problem_leads(error: type[CormorantError]) -> None:
    page, _, anchor = str(error("It is so.").as_problem()["type"]).partition("#")
    got = ask(Failing(IndexDamaged("It is gone.")), page)
    assert got.status == 200
    assert f'<tr id="{anchor}"><th scope="row"><code>{error.code}</code>' in got.body


USAGE = [
    ("/api/v1/documents?cursor=x", "GET", {}, 400), ("/health/live", "POST", {}, 405),
    ("/api/v1/search?q=a", "GET", {"host": "evil.example"}, 421), ("/api/v1/search?q=a&limit=-1", "GET", {}, 422),
    ("/api/v1/parameters", "POST", {"content_type": "text/plain"}, 422),
]  # fmt: skip


@pytest.mark.parametrize(("path", "method", "headers", "status"), USAGE)
def test_a_status_of_usage_errors_is_listed_with_the_codes(
    path: str, method: str, headers: dict[str, str], status: int
) -> None:
    application = app.make(cast("Installation", Failing(RuntimeError("unused"))))
    assert ask_of(application, path, method, **headers).status == status
    assert {each for _, _, _, each in USAGE} == {*UsageError.statuses()}
    row = next(line for line in api.codes() if "`usage` |" in line)
    assert f"{status}" in row.split("|")[2]


@pytest.mark.parametrize("error", every())
def test_a_code_comes_only_with_documented_statuses(error: type[CormorantError]) -> None:
    got = ask(Failing(error("It is so.")), "/api/v1/search?q=kelp")
    assert (got.json["status"], got.json["code"]) == (got.status, error.code)
    assert got.status in error.statuses()
    page = ask(Failing(IndexDamaged("It is gone.")), "/help/errors").body
    row = page.partition(f'<tr id="{error.code}">')[2].partition("</tr>")[0]
    assert f">{', '.join(map(str, error.statuses()))}</td>" in row


def test_every_status_of_an_answer_is_documented() -> None:
    tree = {error.__name__: error for error in every()}
    found = []
    for file in sorted(Path(app.__file__).parent.glob("*.py")):
        text = file.read_text()
        assert 'as_problem() | {"status"' not in text, file
        found += re.findall(r"\b([A-Z]\w+)\(.*\)\.as_problem\((\d+)\)", text)
    assert found
    assert [(name, status) for name, status in found if int(status) not in tree[name].statuses()] == []


def test_another_host_gets_the_right_address_and_nothing_else() -> None:
    got = ask(Failing(RuntimeError("unused")), "/", host="evil.example")
    assert got.status == 421
    assert "serve --name HOST" in got.body
    assert "evil.example" not in got.body
