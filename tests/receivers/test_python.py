from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.receivers import python
from cormorant.receivers.plugin_process import Apart, Died, Make
from cormorant.receivers.protocol import Delivery, NotTaken, Refusal, Stop
from cormorant.receivers.python import PythonReceiver, PythonSettings, veto
from tests.clocks import until
from tests.receivers import taking
from tests.receivers.events import deliveries
from tests.receivers.tools import tools

HERE = "tests.receivers.taking"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(taking.FOLDER, str(tmp_path))
    yield
    taking.forget()


def opened(call: str, **settings: object) -> PythonReceiver:
    receiver = PythonReceiver(PythonSettings.model_validate({"call": f"{HERE}:{call}", **settings}), tools())
    receiver.open()
    return receiver


def test_a_batch_that_raises_comes_again_and_in_the_end_one_by_one() -> None:
    receiver = opened("take", tries=3)
    taking.raise_for(2)
    for _ in range(2):
        with pytest.raises(NotTaken, match="ValueError: number 2 is odd"):
            receiver.receive(deliveries(1, 3))
    assert receiver.receive(deliveries(1, 3)) == [Refusal(2, "ValueError: number 2 is odd")]
    assert taking.calls() == [[1, 2, 3]] * 3 + [[1], [2], [3]]
    taking.forget()
    taking.raise_for(2)
    with pytest.raises(NotTaken):
        receiver.receive([*deliveries(4, 5), *deliveries(2, 2)])
    receiver.close()
    assert taking.calls() == [[4, 5, 2]], "it counts anew"


def test_a_class_is_made_with_data_and_closed() -> None:
    receiver = opened("Shop", data="blue")
    assert receiver.receive(deliveries(1, 2)) == []
    taking.say_late(Refusal(1, "late"))
    assert receiver.receive([Delivery(3, "finished", 1, "harbour", "")]) == [Refusal(1, "late")]
    receiver.close()
    receiver.close()
    with pytest.raises(BadSetting, match="not open"):
        receiver.receive(deliveries(1, 1))


@pytest.mark.parametrize(("call", "words"), [("nonsense", "no Refusal and no Stop"), ("ends", "SystemExit: over")])
def test_nothing_it_does_ends_anything(call: str, words: str) -> None:
    receiver = opened(call)
    with pytest.raises(NotTaken, match=words):
        receiver.receive(deliveries(1, 1))
    receiver.close()


def test_false_is_enough() -> None:
    receiver = opened("enough")
    assert receiver.receive(deliveries(1, 3)) == [Stop(1, "it said so")]
    receiver.close()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"call": "no.such.module:take"}, "ModuleNotFoundError"), ({"call": f"{HERE}:none"}, "AttributeError"),
        ({"call": f"{HERE}:FOLDER"}, "cannot be called"),
        ({"call": f"{HERE}:take", "veto": "true"}, "no method approve"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_told_when_it_is_opened(given: dict[str, str], words: str) -> None:
    receiver = PythonReceiver(parse_settings(PythonSettings, given), tools())
    with pytest.raises(BadSetting, match=words):
        receiver.open()
    receiver.close()


@pytest.mark.parametrize("call", ["take", "shop/deliver:take", "os:system('x')", "a:b:c"])
def test_what_names_no_callable(call: str) -> None:
    with pytest.raises(BadSetting, match="MODULE:NAME"):
        parse_settings(PythonSettings, {"call": call})


def test_a_folder_may_be_kept_out() -> None:
    settings = PythonSettings(call=f"{HERE}:Shop", data="drafts", veto=True)
    vetoed = veto(settings)
    assert vetoed is not None
    assert [vetoed(each) for each in ("file:///a/drafts/", "file:///a/")] == [True, False]
    with pytest.raises(NotTaken):
        vetoed("file:///raise/")
    assert vetoed("file:///a/drafts/"), "it is asked on"
    assert veto(settings.model_copy(update={"veto": False})) is None


@pytest.mark.parametrize("data", ["", "and says so"])
def test_a_veto_that_cannot_be_asked_or_does_not_come_back_lets_nothing_in(
    monkeypatch: pytest.MonkeyPatch, data: str
) -> None:
    lost = veto(PythonSettings(call="no.such.module:Shop", veto=True))
    assert lost is not None
    with pytest.raises(NotTaken, match="cannot be had"):
        lost("file:///a/")
    slow = veto(PythonSettings(call=f"{HERE}:Slow", data=data, veto=True))
    assert slow is not None
    assert slow("file:///0/")
    taking.hang()
    monkeypatch.setattr(python, "APPROVE_S", 0.1)
    with pytest.raises(NotTaken, match="has not come back"):
        slow("file:///a/")
    taking.hang(on=False)
    with pytest.raises(NotTaken):  # it is not asked again
        slow("file:///b/")


@pytest.mark.parametrize(
    ("how", "words"), [("exit", "with exit code 3"), ("SIGSEGV", r"\(SIGSEGV\)"), ("SIGKILL", "memory is short")]
)
def test_one_that_ends_its_process_is_started_anew_and_what_ends_it_is_refused(how: str, words: str) -> None:
    receiver = opened("take", tries=2)
    taking.die_for(2, how=how)
    with pytest.raises(Died, match=words):
        receiver.receive(deliveries(1, 3))
    (refusal,) = receiver.receive(deliveries(1, 3))
    assert (refusal[0], f"{HERE}:take" in refusal[1]) == (2, True), refusal
    assert sorted(taking.taken()) == [1, 3]
    taking.die_for()
    assert receiver.receive(deliveries(4, 5)) == []
    receiver.close()


def test_one_that_ends_with_everything_is_left_alone_in_between() -> None:
    receiver = opened("take", tries=1)
    taking.die_for(*range(1, 8))
    for _ in range(2):
        with pytest.raises(Died):
            receiver.receive(deliveries(1, 8))
    assert taking.calls() == [[*range(1, 9)], [1], [2], [3], [*range(1, 9)], [4], [5], [6]]
    assert [each[0] for each in receiver.receive(deliveries(1, 8))] == [*range(1, 8)]
    assert sorted(taking.taken()) == [8]
    receiver.close()


def test_a_class_that_ends_the_process_cannot_be_had() -> None:
    fatal = PythonReceiver(PythonSettings(call=f"{HERE}:Fatal"), tools())
    with pytest.raises(BadSetting, match="cannot be had: It ended its own process with exit code 4"):
        fatal.open()
    fatal.close()


def test_a_veto_that_ends_the_process_is_asked_on_but_not_for_ever(tmp_path: Path) -> None:
    asked = veto(PythonSettings(call=f"{HERE}:Poisoned", data=f"bad {tmp_path / 'lines'}", veto=True))
    assert asked is not None
    for _ in range(python.MOST_DEATHS - 1):
        with pytest.raises(Died):
            asked("file:///bad/")
        assert asked("file:///good/") is False
    with pytest.raises(Died):
        asked("file:///bad/")
    with pytest.raises(NotTaken, match="ended its own process"):
        asked("file:///good/")


def test_what_it_logs_is_logged_here(caplog: pytest.LogCaptureFixture) -> None:
    receiver = opened("talks")
    assert receiver.receive(deliveries(1, 1)) == []
    receiver.close()
    assert [each.__dict__["said"] for each in caplog.records if each.msg == "plug-in said"] == ["the mole is out"]


def test_what_it_logs_badly_harms_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """As everywhere: a line that cannot be made is told on its standard error, half a sign is told as another."""
    receiver = opened("babbles")
    assert receiver.receive(deliveries(1, 1)) == []
    receiver.close()
    assert "Message: '%d documents'" in capfd.readouterr().err


def test_nothing_of_it_is_left(tmp_path: Path) -> None:
    """Closed, forgotten, or left behind by whoever started it: no process stays."""
    apart = Apart(Make(f"{HERE}:take", "", veto=False))
    apart.open()
    closed = apart.process
    assert is_there(closed)
    apart.end()
    assert not is_there(closed)
    apart.open()
    forgotten = apart.process
    del apart
    assert not is_there(forgotten)
    script = f"""
import os
from cormorant.receivers.plugin_process import Apart, Make
apart = Apart(Make("{HERE}:take", "", False))
apart.open()
print(apart.process, flush=True)
os._exit(0)
"""
    left = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT)}
    )
    until(lambda: not is_there(int(left.stdout)))


def is_there(process: int | None) -> bool:
    """Is there a process of that number?"""
    try:
        os.kill(process or 0, 0)
    except ProcessLookupError:
        return False
    return True
