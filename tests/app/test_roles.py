"""What do the processes of an installation agree upon?"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from cormorant.app import roles
from cormorant.base.clock import SystemClock
from cormorant.egress.gate import Egress, Pinned, Refused
from cormorant.egress.policy import Consent
from cormorant.egress.resolve import Resolver
from cormorant.store.database import Store


def test_all_processes_go_by_the_first_resolution(store: Store, other: Store) -> None:
    consent = Consent.of([("a.example", 80)])

    def opened(at: Store, answer: str) -> object:
        """What a new process says to that answer."""
        house: Any = SimpleNamespace(store=at)
        clock = SystemClock()
        egress = Egress(clock, resolver=Resolver(clock, lambda _: (answer,)), settle=roles.settling(house))
        return asyncio.run(egress.open("a.example", 80, consent))

    assert isinstance(opened(store, "93.184.216.34"), Pinned)
    assert isinstance(opened(other, "10.0.0.1"), Refused)
    assert isinstance(opened(other, "93.184.216.35"), Pinned)
