"""What every kind of receiver must do. A new kind gets one more row in `KINDS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.plugins import RECEIVERS
from cormorant.receivers.jsonlines import JsonLinesReceiver, JsonLinesSettings
from cormorant.receivers.opensearch import OpenSearchReceiver, OpenSearchSettings
from cormorant.receivers.protocol import Delivery, Receiver, ReceiverSettings, Refusal
from cormorant.receivers.python import PythonReceiver, PythonSettings
from cormorant.receivers.warc import WarcReceiver, WarcSettings
from cormorant.receivers.webhook import WebhookReceiver, WebhookSettings
from cormorant.testing import ReceiverSuite
from tests.receivers import taking
from tests.receivers.archive import seqs_in
from tests.receivers.cluster import Cluster
from tests.receivers.events import deliveries, delivery
from tests.receivers.hook import Hook
from tests.receivers.tools import tools


class Memory:
    """The smallest receiver there can be; what is kept outlives the object, as a file does."""

    kind: ClassVar[str] = "memory"

    def __init__(self, settings: ReceiverSettings, kept: dict[int, Delivery]) -> None:
        self.settings, self.kept = settings, kept

    def open(self) -> None:
        pass

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
        refusals = [Refusal(each.seq, "not JSON") for each in batch if not is_json(each.document)]
        refused = {refusal.seq for refusal in refusals}
        self.kept |= {each.seq: each for each in batch if each.seq not in refused}
        return refusals

    def close(self) -> None:
        pass


def is_json(value: object) -> bool:
    try:
        msgspec.json.encode(value)
    except TypeError:
        return False
    return True


@dataclass
class Rig:
    """A kind on the bench: makes receivers on the same place, and says which events that place holds.

    `holds` says which events the kind writes down; `picky` whether it refuses what JSON does not have.
    """

    make: Callable[[], Receiver]
    kept: Callable[[], list[int]]
    holds: Callable[[Delivery], bool] = lambda _: True
    picky: bool = True

    def wanted(self, *seqs: int) -> list[int]:
        return [seq for seq in seqs if self.holds(delivery(seq))]


def memory(folder: Path) -> Iterator[Rig]:
    kept: dict[int, Delivery] = {}
    yield Rig(lambda: Memory(ReceiverSettings(), kept), lambda: list(kept))


def jsonlines(folder: Path) -> Iterator[Rig]:
    path = folder / "found.jsonl"

    def kept() -> list[int]:
        return [msgspec.json.decode(line)["seq"] for line in path.read_bytes().splitlines()]

    yield Rig(lambda: JsonLinesReceiver(JsonLinesSettings(path=path)), kept)


def webhook(folder: Path) -> Iterator[Rig]:
    with Hook() as hook:
        settings = WebhookSettings(url=hook.url, secret="secret:shop")
        yield Rig(lambda: WebhookReceiver(settings, tools()), lambda: list(hook.taken))
        assert all(post.is_signed() for post in hook.posts)


def opensearch(folder: Path) -> Iterator[Rig]:
    with Cluster() as cluster:
        settings = OpenSearchSettings(url=cluster.url)

        def kept() -> list[int]:
            return [each.version for each in cluster.indices["cormorant"].documents.values()]

        yield Rig(lambda: OpenSearchReceiver(settings, tools()), kept, picky=False)


def warc(folder: Path) -> Iterator[Rig]:
    settings = WarcSettings(folder=folder, rotate_bytes=20_000)
    yield Rig(
        lambda: WarcReceiver(settings, tools()), lambda: seqs_in(folder), lambda each: each.kept is not None, False
    )


def python(folder: Path) -> Iterator[Rig]:
    settings = PythonSettings(call="tests.receivers.taking:take")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(taking.FOLDER, str(folder))
        yield Rig(lambda: PythonReceiver(settings, tools()), lambda: list(taking.taken()))


KINDS: dict[str, tuple[Callable[[Path], Iterator[Rig]], type[ReceiverSettings]]] = {
    "memory": (memory, ReceiverSettings),
    "jsonlines": (jsonlines, JsonLinesSettings),
    "webhook": (webhook, WebhookSettings),
    "opensearch": (opensearch, OpenSearchSettings),
    "warc": (warc, WarcSettings),
    "python": (python, PythonSettings),
}


def test_every_kind_there_is_is_on_the_bench() -> None:
    assert KINDS.keys() - {"memory"} == RECEIVERS.keys()


@pytest.fixture(params=KINDS)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    yield from KINDS[request.param][0](tmp_path)


class TestEveryKind(ReceiverSuite):
    """The suite that packages test their receivers with."""

    @pytest.fixture(autouse=True)
    def on_the_bench(self, rig: Rig) -> None:
        self.rig = rig

    def make(self) -> Receiver:
        return self.rig.make()

    def kept(self) -> list[int]:
        return self.rig.kept()

    def wanted(self, *seqs: int) -> list[int]:
        return self.rig.wanted(*seqs)

    def test_what_cannot_be_taken_is_named_and_stops_nothing(self) -> None:
        batch = deliveries(1, 4)
        batch[1] = replace(batch[1], document={"odd": object()})
        refusals = self.told(batch)
        if self.rig.picky:
            (refusal,) = refusals
            assert isinstance(refusal, Refusal)
            assert (refusal.seq, bool(refusal.reason)) == (2, True)
        assert self.rig.kept() == ([1, 3, 4] if self.rig.picky else [1, 2, 3, 4])


def test_every_kind_says_its_name(rig: Rig, request: pytest.FixtureRequest) -> None:
    receiver = rig.make()
    assert receiver.kind == request.node.callspec.params["rig"]
    assert isinstance(receiver.settings, KINDS[receiver.kind][1])


@pytest.mark.parametrize("settings", [settings for _, settings in KINDS.values()], ids=KINDS)
def test_settings_are_described_and_unknown_ones_refused(settings: type[ReceiverSettings]) -> None:
    assert all(field.description for field in settings.model_fields.values())
    given: dict[str, Any] = {"no_such_setting": "1"}
    with pytest.raises(BadSetting, match="no_such_setting"):
        parse_settings(settings, given)
