from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings import parse_settings
from cormorant.receivers import python
from cormorant.receivers.protocol import Delivery, NotTaken, Refusal, Stop
from cormorant.receivers.python import PythonReceiver, PythonSettings, veto
from tests.receivers import taking
from tests.receivers.events import deliveries
from tests.receivers.tools import tools

HERE = "tests.receivers.taking"


@pytest.fixture(autouse=True)
def nothing_taken() -> Iterator[None]:
    taking.forget()
    yield
    taking.forget()


def opened(call: str, **settings: object) -> PythonReceiver:
    receiver = PythonReceiver(PythonSettings.model_validate({"call": f"{HERE}:{call}", **settings}), tools())
    receiver.open()
    return receiver


def test_a_batch_that_raises_comes_again_and_in_the_end_one_by_one() -> None:
    receiver = opened("take", tries=3)
    taking.RAISES.add(2)
    for _ in range(2):
        with pytest.raises(NotTaken, match="ValueError: number 2 is odd"):
            receiver.receive(deliveries(1, 3))
    assert receiver.receive(deliveries(1, 3)) == [Refusal(2, "ValueError: number 2 is odd")]
    assert taking.CALLS == [[1, 2, 3]] * 3 + [[1], [2], [3]]
    taking.CALLS.clear()
    with pytest.raises(NotTaken):
        receiver.receive([*deliveries(4, 5), *deliveries(2, 2)])
    receiver.close()
    assert taking.CALLS == [[4, 5, 2]], "it counts anew"


def test_a_class_is_made_with_data_and_closed() -> None:
    receiver = opened("Shop", data="blue")
    assert receiver.receive(deliveries(1, 2)) == []
    taking.LATE.append(Refusal(1, "late"))
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
        ({"call": f"{HERE}:TAKEN"}, "cannot be called"),
        ({"call": f"{HERE}:take", "veto": "true"}, "no method approve"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_told_when_it_is_opened(given: dict[str, str], words: str) -> None:
    receiver = PythonReceiver(parse_settings(PythonSettings, given), tools())
    with pytest.raises(BadSetting, match=words):
        receiver.open()
    receiver.close()


@pytest.mark.parametrize("call", ["take", "shop/deliver:take", "os:system('x')", "a:b:c", ""])
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


def test_a_veto_that_cannot_be_asked_or_does_not_come_back_lets_nothing_in(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = veto(PythonSettings(call="no.such.module:Shop", veto=True))
    assert lost is not None
    with pytest.raises(NotTaken, match="cannot be had"):
        lost("file:///a/")
    monkeypatch.setattr(python, "APPROVE_S", 0.05)
    slow = veto(PythonSettings(call=f"{HERE}:Slow", veto=True))
    assert slow is not None
    taking.HANGS.set()
    with pytest.raises(NotTaken, match="has not come back"):
        slow("file:///a/")
    taking.HANGS.clear()
    with pytest.raises(NotTaken):  # it is not asked again
        slow("file:///b/")
