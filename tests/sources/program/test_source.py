"""Programs as sources: documents, faults and limits."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cormorant.base import secret_masking
from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.acl import ACL, NOBODY
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome, Unchanged
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.model.settings.source import parse_settings
from cormorant.plugins import Tools, source_kind
from cormorant.sources.program.settings import ProgramSettings
from cormorant.sources.program.source import ProgramSource
from cormorant.testing import ProgramSuite, tools
from cormorant.testing.sources import resource_of

DESK = Path(__file__).with_name("desk.py")


def put(folder: Path, name: str, **item: Any) -> None:
    (folder / f"{name}.json").write_text(json.dumps({"version": "1", "text": f"the text of {name}"} | item))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three documents."""
    folder = tmp_path / "place"
    folder.mkdir()
    for name in ("a", "b", "c"):
        put(folder, name)
    return folder


def settings(place: Path, *words: str, fault: str = "", **more: object) -> ProgramSettings:
    given = {"command": [sys.executable, str(DESK), *words], "timeout_s": 10,
             "parameter": [f"folder={place}", f"fault={fault}"]}  # fmt: skip
    return parse_settings(ProgramSettings, {**given, **more})


class Secrets:
    """One secret."""

    def reveal(self, name: str) -> str:
        value = f"value-of-{name}"
        secret_masking.hide(value)
        return value

    def seal(self, data: bytes) -> bytes:
        raise NotImplementedError

    def unseal(self, data: bytes) -> bytes | None:
        raise NotImplementedError


def source(place: Path, *words: str, **more: Any) -> ProgramSource:
    return ProgramSource(3, settings(place, *words, **more), Tools(None, SystemClock(), Secrets()))


def listed(made: ProgramSource, cursor: str = "") -> list[DiscoveredUrl | Removal]:
    return [each for batch in made.discover(cursor) for each in batch]


def keys(made: ProgramSource, cursor: str = "") -> list[str]:
    return [made.key_of(each.address) for each in listed(made, cursor)]


def fetched(made: ProgramSource, key: str, **known: Any) -> Content | Outcome:
    async def visit() -> Content | Outcome:
        found = made.found(key)
        try:
            return await made.fetch(resource_of(found, made)._replace(**known), VisitTrace())
        finally:
            await made.close()

    return asyncio.run(visit())


class TestDesk(ProgramSuite):
    """The program of these tests passes the suite, but for its parameters without a description."""

    @pytest.fixture(autouse=True)
    def folder(self, place: Path) -> None:
        put(place, "odd", key="a/b ü%2F?#\n..", version="é")
        type(self).command = (sys.executable, str(DESK))
        type(self).settings = {"parameter": [f"folder={place}"]}

    def test_it_introduces_itself_alike_each_time(self) -> None:
        with pytest.raises(AssertionError, match="limit, colour, tag, password"):
            super().test_it_introduces_itself_alike_each_time()


def test_documents_have_what_the_program_knows_of_them(place: Path) -> None:
    answer = {
        "type": "content", "base64": "PGgxPkhpPC9oMT4=", "media_type": "Text/HTML", "charset": "utf-8", "title": "A  b",
        "language": "de_AT", "modified_at": "2026-01-02T03:04:05Z", "file_name": "a.html", "unknown": 1,
        "attributes": {"Author": "Ada", "votes": 3, "Tags": ["x", "y"], "none": None, "sizes": [1, 2.5]},
        "acl": {"grants": ["user:ada", "group:staff"], "denies": ["user:bob"]}, "links": [{"key": "b", "text": "B"}],
    }  # fmt: skip
    put(place, "a", answer=answer)
    made = source(place, denies=["user:eve"])
    got = fetched(made, "a")
    assert isinstance(got, Content)
    assert (got.body, got.mime, got.charset, got.title) == (b"<h1>Hi</h1>", "text/html", "utf-8", "A b")
    assert (got.language, got.modified_at, got.file_name) == ("de-at", 1767323045.0, "a.html")
    assert got.attributes == {"Author": "Ada", "votes": 3, "Tags": ("x", "y"), "sizes": (1, 2.5)}
    assert got.acl == ACL.of(["user:ada", "group:staff"], ["user:bob", "user:eve"])
    assert [(each.address, each.text) for each in got.beside] == [("program://3/b", "B")]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"type": "gone"}, Gone()),
        ({"type": "failed", "reason": "no\nright", "status": 403}, Failed(403, "no right.")),
        ({"type": "failed", "reason": "x", "status": 7}, Failed(958, "x.")),
        ({"type": "deferred", "reason": "busy", "wait_s": 5, "whole_site": True}, Deferred(905, "busy.", 5.0, True)),
        ({"type": "unchanged"}, Failed(1005, "The program calls a document unchanged that was never read.")),
        ({"type": "content"}, Failed(1005, "The document cannot be taken: it has either text or base64.")),
        ({"type": "content", "text": "a", "acl": {"grants": ["root"]}}, 403),
    ],
)  # fmt: skip
def test_outcomes(place: Path, answer: dict[str, Any], expected: Outcome | int) -> None:
    put(place, "a", answer=answer)
    got = fetched(source(place), "a")
    if isinstance(expected, int):
        assert isinstance(got, Failed)
        assert (got.status, got.acl) == (expected, NOBODY)
    else:
        assert got == expected


def test_broken_base64_is_a_failure(place: Path) -> None:
    put(place, "a", answer={"type": "content", "base64": "%%%"})
    got = fetched(source(place), "a")
    assert isinstance(got, Failed)
    assert "base64" in got.reason


def test_a_program_that_declares_rights_gives_them_for_each_document(place: Path) -> None:
    got = fetched(source(place, "listing", "rights"), "a")
    assert isinstance(got, Failed)
    assert got.acl == NOBODY


def test_a_version_is_another_one_when_rights_change(place: Path) -> None:
    first = {each.address: each.validator for each in listed(source(place)) if isinstance(each, DiscoveredUrl)}
    put(place, "a", acl={"grants": ["user:ada"]})
    second = {each.address: each.validator for each in listed(source(place)) if isinstance(each, DiscoveredUrl)}
    assert first["program://3/a"] != second["program://3/a"]
    assert first["program://3/b"] == second["program://3/b"]
    assert len(set(first.values())) == 3, "documents of one version are not taken for one another"


def test_the_address_shown_is_one_that_people_can_open(place: Path) -> None:
    put(place, "a", display="HTTPS://Desk.example/a b")
    put(place, "b", display="javascript:alert(1)")
    shown = [each.display for each in listed(source(place)) if isinstance(each, DiscoveredUrl)]
    assert shown == ["https://desk.example/a%20b", "", ""]


def test_a_feed_names_changes_and_removals(place: Path) -> None:
    made = source(place, "feed", change_model="feed")
    assert keys(made) == ["a", "b", "c"]
    put(place, "b", version="2")
    put(place, "c", removed=True)
    later = source(place, "feed", change_model="feed")
    got = listed(later, made.next_cursor)
    assert [type(each) for each in got] == [DiscoveredUrl, Removal]
    assert listed(source(place, "feed", change_model="feed"), later.next_cursor) == []


def test_other_parameters_are_another_place(place: Path) -> None:
    made = source(place, "feed", change_model="feed")
    keys(made)
    other = source(place, "feed", change_model="feed", parameter=[f"folder={place}", "limit=3"])
    assert keys(other, made.next_cursor) == ["a", "b", "c"]


def test_a_seed_is_asked_for_by_its_version(place: Path) -> None:
    made = source(place, "seeds", change_model="seeds")
    assert keys(made) == ["a", "b", "c"]
    assert isinstance(fetched(made, "a", validator="1", indexed=True), Unchanged)
    got = fetched(made, "a", validator="0", indexed=True)
    assert isinstance(got, Content)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("dies", "ended with exit code 3"),
        ("hangs", "did not write a line for 1 seconds"),
        ("no end", "closed its standard output"),
    ],
)
def test_a_listing_without_its_end_deletes_nothing(place: Path, fault: str, said: str) -> None:
    made = source(place, fault=fault, timeout_s=1)
    with pytest.raises(Unreachable, match=said):
        listed(made)
    assert made.next_cursor == ""


def test_a_line_of_nonsense_costs_the_proof_and_no_document(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = source(place, fault="nonsense")
    with caplog.at_level(logging.WARNING, "cormorant"):
        assert keys(made) == ["a", "b", "c"]
    assert made.unlisted == ["program://3/"]
    assert made.unlisted_reason.endswith("wrote 1 line that is no message; the log of the run shows the first ones.")
    assert any("this is no message" in str(getattr(each, "text", "")) for each in caplog.records)


def test_a_feed_with_a_line_of_nonsense_is_asked_again_from_where_it_was(place: Path) -> None:
    made = source(place, "feed", change_model="feed", fault="nonsense")
    assert keys(made) == ["a", "b", "c"]
    assert keys(source(place, "feed", change_model="feed", fault="nonsense"), made.next_cursor) == ["a", "b", "c"]


def test_a_banner_before_the_greeting_is_skipped(place: Path) -> None:
    assert keys(source(place, "listing", "banner")) == ["a", "b", "c"]


def test_a_place_that_is_suddenly_empty_is_away(place: Path) -> None:
    made = source(place)
    keys(made)
    for each in place.iterdir():
        each.unlink()
    with pytest.raises(Unreachable, match="names no document, and did before"):
        listed(source(place), made.next_cursor)
    assert keys(source(place)) == [], "with --force nothing is remembered"


def test_errors_of_the_program_are_typed(place: Path) -> None:
    with pytest.raises(LoginRefused) as refused:
        listed(source(place, fault="refuses", secret=["password=secret:desk"]))
    assert "value-of-desk" not in refused.value.sentence
    assert "***" in refused.value.sentence
    with pytest.raises(Unreachable, match="there is no folder /nowhere"):
        listed(source(Path("/nowhere")))


@pytest.mark.parametrize(
    ("fault", "expected"), [("crashes", Deferred), ("hangs", Deferred), ("long", Excluded), ("eats", Deferred)]
)
def test_faults_cost_one_document(place: Path, fault: str, expected: type[Outcome]) -> None:
    got = fetched(source(place, fault=fault, timeout_s=2 if fault == "hangs" else 20), "a")
    assert isinstance(got, expected)
    if isinstance(got, Deferred):
        assert {"crashes": "SIGABRT", "hangs": "within 2 seconds", "eats": "exit code 1"}[fault] in got.reason
    else:
        assert got.status == 960


def test_secrets_go_through_standard_input_alone(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.environ["CORMORANT_TEST_SECRET"] = "of the environment"
    try:
        with caplog.at_level(logging.INFO, "cormorant"):
            keys(source(place, secret=["password=secret:desk"]))
    finally:
        del os.environ["CORMORANT_TEST_SECRET"]
    wrote = next(str(getattr(each, "text", "")) for each in caplog.records if each.getMessage() == "program wrote")
    assert '"password": "value-of-desk"' in wrote, "masked where the log is written"
    assert "value-of-desk" not in secret_masking.masked(wrote)
    assert "CORMORANT_TEST_SECRET" not in wrote


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"parameter": []}, "needs the parameter 'folder'"),
        ({"parameter": ["folder=x", "folders=y"]}, "Did you mean 'folder'"),
        ({"parameter": ["folder=x", "limit=many"]}, "of the type integer"),
        ({"parameter": ["folder=x", "colour=green"]}, r"one of red \(Red\), blue"),
        ({"parameter": ["folder=x", "password=typed"]}, "is secret"),
        ({"parameter": ["folder=x", "limit=1", "limit=2"]}, "takes one value"),
        ({"parameter": ["folder=x"], "change_model": "feed"}, "change_model=listing"),
        ({"command": ["/nowhere/program"]}, "no program that can be started"),
    ],
)
def test_settings_are_checked_when_a_source_is_added(place: Path, more: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        ProgramSource.look(settings(place, **more))


def test_a_newer_program_is_named(place: Path) -> None:
    with pytest.raises(Unreachable, match="speaks version 2 of the protocol"):
        ProgramSource.look(settings(place, "listing", "newer"))


@pytest.mark.parametrize(
    "given",
    [{"parameter": ["x"]}, {"secret": ["password"]}, {"secret": ["password=open"]}, {"command": []}, {"command": [""]}],
)
def test_what_is_typed_wrongly_is_refused_and_not_repeated(given: dict[str, Sequence[str]]) -> None:
    with pytest.raises(BadSetting) as refused:
        parse_settings(ProgramSettings, {"command": [sys.executable], **given})
    assert "open" not in refused.value.sentence


def test_declared_parameters_are_shown(place: Path) -> None:
    declared = {each.name: each for each in source_kind("program").declared(settings(place))}
    assert declared["folder"].needed
    assert declared["password"].setting == "secret"
    assert declared["colour"].about == "(string) One of red (Red), blue."


def test_programs_end_with_the_process_that_started_them(place: Path) -> None:
    script = (
        "import sys, os; sys.path[:0] = sys.argv[1:3]\n"
        "from pathlib import Path\n"
        "from tests.sources.program.test_source import source\n"
        "made = source(Path(sys.argv[3]), fault='hangs')\n"
        "session = made.session()\n"
        "print(session._process._process.pid, flush=True)\n"
        "next(iter(session.discover('')), None); os.kill(os.getpid(), 9)\n"
    )
    paths = [each for each in sys.path if each.endswith("/src")] or [""]
    started = subprocess.run(
        [sys.executable, "-c", script, str(Path(__file__).parents[3]), paths[0], str(place)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert started.returncode == -signal.SIGKILL, started.stderr
    group, clock = int(started.stdout), SystemClock()
    until = clock.monotonic() + 10
    while _is_alive(group) and clock.monotonic() < until:
        pause(0.05)
    assert not _is_alive(group)


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return not all(
        _is_zombie(int(each.name)) for each in Path("/proc").glob("[0-9]*") if _group(int(each.name)) == group
    )


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_closing_ends_what_is_at_work(place: Path) -> None:
    async def late() -> float:
        made = source(place, fault="hangs", timeout_s=60)
        visit = asyncio.create_task(made.fetch(resource_of(made.found("a"), made), VisitTrace()))
        await asyncio.sleep(0.5)
        began = SystemClock().monotonic()
        await made.close()
        got = await visit
        assert isinstance(got, Deferred)
        return SystemClock().monotonic() - began

    assert asyncio.run(late()) < 5


def test_tools_of_nobody(place: Path) -> None:
    made = ProgramSource(3, settings(place, secret=["password=secret:desk"]), tools())
    with pytest.raises(Unreachable, match="'desk' cannot be opened here"):
        listed(made)
