"""The log of a run: what comes into it, from whom, and what never does."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.app.build import BuildPlan
from cormorant.app.logs import process_log, run_log
from cormorant.app.settings import InstallationSettings
from cormorant.base import run_context, secret_masking
from cormorant.base.log import logger
from cormorant.base.run_context import RunLogSettings
from cormorant.base.secret_masking import TOKENS
from cormorant.sources.web.exchange_log import PLAIN, shown

log = logger("cormorant.crawl.somewhere")
SECRETS = st.from_regex(r"zq[A-Za-z0-9]{8,20}", fullmatch=True)


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Logging as the test found it."""
    named = [logging.getLogger(name) for name in ("", "cormorant", run_context.ROOT)]
    before = [(each, each.handlers, each.level, each.propagate) for each in named]
    raising = logging.raiseExceptions
    monkeypatch.setattr(secret_masking, "_hidden", ())
    yield
    for run in list(run_context.followed()):
        run_context.leave(run)
    for each, handlers, level, propagate in before:
        for handler in each.handlers:
            if handler not in handlers:
                handler.close()
        each.handlers, each.propagate = handlers, propagate
        each.setLevel(level)
    logging.raiseExceptions = raising


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a process writes its logs at the level `info`."""
    (tmp_path / "logs").mkdir()
    process_log.keep(BuildPlan(tmp_path, InstallationSettings()), "retriever-1")
    return tmp_path / "logs"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def of_run(folder: Path, run: int) -> list[dict[str, Any]]:
    return lines(folder / "runs" / str(run) / "retriever-1.log")


def test_what_is_said_of_a_run_comes_into_its_log_and_that_of_the_process(folder: Path) -> None:
    process_log.follow(3, RunLogSettings("docs"))
    log.info("settled", extra={"run": 3})
    log.info("settled", extra={"run": 4})
    with run_context.within(3):
        log.warning("conversion.failed")
    log.warning("of no run")
    said = [(each["event"], each["run"], each["source"]) for each in of_run(folder, 3)]
    assert said == [("settled", 3, "docs"), ("conversion.failed", 3, "docs")]
    assert not of_run(folder, 4), "nobody follows it here"
    ours = [each for each in lines(folder / "retriever-1.log") if each["logger"] == log.name]
    assert len(ours) == 4


@pytest.mark.parametrize(("level", "kept"), [("DEBUG", 3), ("INFO", 2), ("WARNING", 1), ("ERROR", 0)])
def test_a_run_has_a_level_of_its_own(level: str, kept: int, folder: Path) -> None:
    process_log.follow(3, RunLogSettings("docs", logging.getLevelNamesMapping()[level]))
    for each in (log.debug, log.info, log.warning):
        each("said", extra={"run": 3})
    assert len(of_run(folder, 3)) == kept
    assert len(lines(folder / "retriever-1.log")) == 2, "that of the process stays"
    process_log.leave(3)
    assert logging.getLogger("cormorant").level == logging.INFO, "nothing more is said than somebody wants"


@pytest.mark.parametrize("kind", run_context.KINDS)
def test_what_is_much_is_only_written_for_who_asked(kind: str, folder: Path) -> None:
    process_log.follow(3, RunLogSettings("docs", kinds=frozenset((kind,))))
    process_log.follow(4, RunLogSettings("wiki"))
    assert [each for each in run_context.KINDS if run_context.wants(each)] == [kind]
    for run in (3, 4, 5):
        for each in run_context.KINDS:
            run_context.said(each, run, address=f"http://a.example/{run}")
    assert [(each["event"], each["address"]) for each in of_run(folder, 3)] == [(kind, "http://a.example/3")]
    assert not of_run(folder, 4)
    assert not lines(folder / "retriever-1.log"), "it is for the run alone"


def test_a_log_of_a_run_is_bounded(folder: Path) -> None:
    process_log.follow(3, RunLogSettings("docs", most_bytes=2_000, backlog=2))
    for number in range(200):
        log.info("settled", extra={"run": 3, "visits": number})
    files = sorted((folder / "runs" / "3").iterdir())
    assert [each.name for each in files] == ["retriever-1.log", "retriever-1.log.1", "retriever-1.log.2"]
    assert all(each.stat().st_size <= 2_000 for each in files)
    assert of_run(folder, 3)[-1]["visits"] == 199


def test_logs_of_older_runs_go(folder: Path) -> None:
    for run in range(1, 6):
        process_log.follow(run, RunLogSettings("docs"))
        log.info("run", extra={"run": run})
    (folder / "runs" / "notes").mkdir()
    run_log.tidy(folder, {4, 5})
    assert {each.name for each in (folder / "runs").iterdir()} == {"4", "5", "notes"}


def test_a_disk_that_refuses_stops_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "runs").write_text("no folder")
    process_log.follow(3, RunLogSettings("docs"))
    log.info("settled", extra={"run": 3})
    assert len(lines(folder / "retriever-1.log")) == 1
    assert not capsys.readouterr().err


def test_what_is_said_a_thousand_times_fills_no_disk(folder: Path) -> None:
    record = logging.LogRecord("cormorant.a", logging.WARNING, "", 1, "away", None, None)
    (own,) = [each for each in logging.getLogger().handlers if isinstance(each, logging.FileHandler)]
    for number in range(2_000):
        record.created = 100.0 + number * 0.001
        own.handle(record)
    record.created = 100.0 + process_log.WITHIN_S
    own.handle(record)
    written = [each for each in lines(folder / "retriever-1.log") if each["logger"] == record.name]
    assert len(written) == process_log.MOST_LINES + 1
    assert written[-1]["left_out"] == 2_000 - process_log.MOST_LINES


def _percent(text: str) -> str:
    return "".join(f"%{ord(each):02x}" for each in text)


PLACES = {
    "password": "http://anna:{}@a.example/x", "user": "ftp://{}@a.example/x", "query": "http://a.example/?{name}={}",
    "later": "http://a.example/?a=1&{name}={}&b=2", "fragment": "http://a.example/cb#{name}={}",
    "path": "http://a.example/x;{name}={}?a=1", "capitals": "http://a.example/?{NAME}={}",
    "written": "http://a.example/?{percent}={}", "within": "http://a.example/go?to={inner}",
    "words": "It redirects to http://a.example/?{name}={} -> 'http://b.example/'",
}  # fmt: skip


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    secret=SECRETS, place=st.sampled_from(sorted(PLACES)), name=st.sampled_from(TOKENS),
    kind=st.sampled_from([*run_context.KINDS, "run"]),
)  # fmt: skip
def test_no_address_brings_a_secret_into_a_log(secret: str, place: str, name: str, kind: str, folder: Path) -> None:
    inner = quote(f"http://b.example/?a=1&{name}={secret}", safe="")
    address = PLACES[place].format(secret, name=name, NAME=name.upper(), percent=_percent(name), inner=inner)
    process_log.follow(
        3, RunLogSettings("docs", logging.DEBUG, frozenset(run_context.KINDS), most_bytes=1_000, backlog=1)
    )
    what = {"address": address, "deep": {"a": [address]}, address: 1, "error": ValueError(address)}
    if kind == "run":
        log.info("at %s", address, extra={"run": 3, **what})
    else:
        run_context.said(kind, 3, **what)
    for path in (folder / "retriever-1.log", folder / "runs" / "3" / "retriever-1.log"):
        assert not path.exists() or secret not in path.read_text(), (place, address)
    assert of_run(folder, 3)[-1]["address"].count("***") >= 1


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,30}", fullmatch=True).filter(lambda each: each.lower() not in PLAIN)
KNOWN = st.sampled_from(
    ("Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization", "X-Api-Key", "WWW-Authenticate")
)
FORMS = st.sampled_from(
    ("{}", "Bearer {}", "Basic {}", "sid={}", "sid={}; Path=/; HttpOnly", "a=1; sid={}", 'Digest nonce="{}"', "{}; {}")
)


@given(KNOWN | NAMES, FORMS, SECRETS)
def test_no_header_brings_a_secret_into_a_log(name: str, form: str, secret: str) -> None:
    (line,) = shown([f"{name}: {form.format(secret, secret)}"])
    addressed = name.lower() in ("location", "content-location", "link", "referer", "refresh")
    assert addressed or secret not in line
    assert line.startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Content-Type: text/html; charset=utf-8", "Content-Type: text/html; charset=utf-8"),
        ("Authorization: Basic YW5uYTpwdw==", "Authorization: Basic ***"),
        ("Cookie: sid=42; theme=dark", "Cookie: sid=***; theme=***"),
        ("Set-Cookie: sid=42; Path=/; HttpOnly; Key=9", "Set-Cookie: sid=***; Path=/; HttpOnly"),
        ("Location: http://a.example/?token=42&a=1", "Location: http://a.example/?token=***&a=1"),
        ("X-Hers: 42\x1b[2J", "X-Hers: ***"),
        ("Server: a\x1b[2Jb", "Server: a [2Jb"),
    ],
)
def test_what_is_shown_of_a_header(line: str, told: str) -> None:
    assert shown([line]) == [told]


@given(SECRETS, st.sampled_from(["{}", "{}\n", "a {} b", "x={}"]))
def test_a_secret_that_was_opened_is_nowhere(secret: str, form: str) -> None:
    secret_masking.hide(secret, "anna")
    assert secret not in secret_masking.masked(form.format(secret))
