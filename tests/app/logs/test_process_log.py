"""What stands in the log of a process, and what must not."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.logs import process_log
from cormorant.app.settings import InstallationSettings
from cormorant.base import secret_masking
from cormorant.base.log import logger

log = logger("cormorant.crawl.somewhere")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Logging as the test found it."""
    root, ours = logging.getLogger(), logging.getLogger("cormorant")
    handlers, levels, raising = root.handlers, (root.level, ours.level), logging.raiseExceptions
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers, logging.raiseExceptions = handlers, raising
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def keeping(folder: Path, **settings: Any) -> Path:
    """The log of a process of an installation in this folder."""
    (folder / "logs").mkdir(exist_ok=True)
    process_log.keep(BuildPlan(folder, InstallationSettings(**settings)), "provider")
    return folder / "logs" / "provider.log"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_line_is_an_object(tmp_path: Path) -> None:
    path = keeping(tmp_path)
    log.info("settled", extra={"run": 3, "visits": 250, "address": "file:///\udcff\n"})
    (line,) = lines(path)
    assert line.pop("at").endswith("Z")
    assert line == {
        "event": "settled", "level": "info", "logger": "cormorant.crawl.somewhere", "run": 3, "visits": 250,
        "address": "file:///\udcff\n",
    }  # fmt: skip


@pytest.mark.parametrize(("level", "kept"), [("debug", 3), ("info", 2), ("warning", 1), ("error", 0)])
def test_levels(level: str, kept: int, tmp_path: Path) -> None:
    path = keeping(tmp_path, log=level)
    log.debug("visited")
    log.info("settled")
    log.warning("refused")
    logging.getLogger("a.library").info("nobody wants to know")
    assert len(lines(path)) == kept


def test_a_fault_tells_where_it_happened(tmp_path: Path) -> None:
    path = keeping(tmp_path)
    try:
        raise ZeroDivisionError("in the depths")
    except ZeroDivisionError:
        log.exception("fault")
    (line,) = lines(path)
    assert "test_process_log.py" in line["exception"]
    assert line["exception"].endswith("ZeroDivisionError: in the depths")


@pytest.mark.parametrize(
    "store",
    ["postgresql://ada:p%40ss-word@db/crawl", "postgresql://ada@db/crawl?password=p%40ss-word", "://ada:p@ss-word"],
)
def test_a_database_password_never_stands_there(store: str, tmp_path: Path) -> None:
    path = keeping(tmp_path, store=store)
    try:
        raise ConnectionError(f"no answer from {store}")
    except ConnectionError:
        log.exception("away", extra={"store": store, "password": "p@ss-word"} if "//ada" in store[9:] else {})
    text = path.read_text()
    assert "away" in text
    assert "ss-word" not in text


def test_a_log_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_log, "MOST_BYTES", 2_000)
    path = keeping(tmp_path)
    for number in range(400):
        log.info("settled", extra={"visits": number})
    files = sorted(path.parent.iterdir())
    assert len(files) == process_log.KEPT + 1
    assert all(each.stat().st_size <= 2_000 for each in files)
    assert lines(path)[-1]["visits"] == 399


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = keeping(tmp_path)
    path.mkdir()
    log.info("settled")
    assert not capsys.readouterr().err


def test_a_secret_that_was_opened_stands_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_masking, "_hidden", ())
    path, secret = keeping(tmp_path, log="debug"), "canary-4720"
    secret_masking.hide(secret, "anna")
    try:
        raise ValueError(f"could not send {secret}")
    except ValueError:
        log.exception(
            "fault", extra={"address": f"http://x/?t={secret}", "deep": {"a": [secret, (secret,)], secret: 1}}
        )
    log.info(f"by {secret}", extra={"thing": Exception(secret)})  # noqa: G004 - as somebody may
    text = path.read_text()
    assert len(lines(path)) == 2
    assert "Traceback" in text
    assert secret not in text


def test_a_secret_in_an_address_stands_nowhere(tmp_path: Path) -> None:
    path, secret = keeping(tmp_path, log="debug"), "canary-4721"
    address = f"http://a.example/x?id=7&access_token={secret}"
    log.warning("at %s", address, extra={"address": address, "all": [address], "error": ValueError(address)})
    assert secret not in path.read_text()
    assert lines(path)[-1]["address"] == "http://a.example/x?id=7&access_token=***"
