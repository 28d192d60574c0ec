"""The example of a receiver by the suite that packages use; built-in kinds: tests/contracts/test_receivers.py."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from cormorant.testing import ReceiverSuite
from cormorant.testing.receivers import Taking, delivery
from tests.journeys.plugins import EXAMPLES


class TestExample(ReceiverSuite):
    @pytest.fixture(autouse=True)
    def file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(EXAMPLES / "host-counts")
        self.path = tmp_path / "hosts.csv"

    def make(self) -> Taking:
        example = import_module("cormorant_host_counts")
        receiver: Taking = example.HostCounts(example.CountSettings(path=self.path))
        return receiver

    def kept(self) -> str:
        return self.path.read_text()

    def wanted(self, *seqs: int) -> str:
        count = sum({"found": 1, "deleted": -1}[delivery(seq).event] for seq in seqs)
        return f"last,{max(seqs)}\r\nharbour.example,{count}\r\n".replace("\r\n", "\n")
