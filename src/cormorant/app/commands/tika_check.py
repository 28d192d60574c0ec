"""Check of the Tika server for `cormorant doctor`: whether it answers, and its version.

The request takes the same way as documents, by the network rules of a retriever, and stores nothing.
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

from cormorant.app.build import BuildPlan
from cormorant.app.egress_guard import own_ports
from cormorant.base.clock import SystemClock
from cormorant.crawl.visit.tika_client import TikaClient
from cormorant.extract.detect.tika_types import TikaTypes
from cormorant.model.status import Status
from cormorant.net.egress.guard import Egress, Settle
from cormorant.net.egress.policy import AddressClass
from cormorant.net.http.messages import TransportError
from cormorant.operate.installation import Installation
from cormorant.operate.storage.check import Finding
from cormorant.store.catalog import egress_consents
from cormorant.store.db.drivers import places_of

CHECK: Final = "tika"
OLDEST: Final = 2
"""The oldest major version of Tika that its makers still maintain."""
_VERSION: Final = re.compile(r"Apache Tika (\d{1,4})\.")


def tika_findings(plan: BuildPlan, house: Installation | None) -> list[Finding]:
    """Return one finding about the Tika server, none if the installation has none."""
    if not plan.installation.tika:
        return []
    said = asyncio.run(_version(plan, house))
    return [_unreached(plan, said) if isinstance(said, TransportError) else _reached(plan, said)]


async def _version(plan: BuildPlan, house: Installation | None) -> str | TransportError:
    clock = SystemClock()
    settle = _known(house) if house is not None else None
    egress = Egress(clock, own_ports(plan.installation.port), settle=settle, own_places=places_of(plan.store_url))
    tika = TikaClient(plan.installation.tika, TikaTypes(""), egress, clock)
    try:
        return await tika.version()
    finally:
        await tika.close()
        await egress.close()


def _known(house: Installation) -> Settle:
    """Return a function that gives the settled address classes of a host; it settles none."""

    def settle(host: str, port: int, classes: frozenset[AddressClass]) -> frozenset[AddressClass]:
        with house.store.read() as tx:
            known = egress_consents.of(tx, host, port)
        return frozenset(map(AddressClass, known)) or classes

    return settle


def _reached(plan: BuildPlan, said: str) -> Finding:
    at = plan.installation.tika
    version = _VERSION.match(said)
    if version is None:
        mend = "Set CORMORANT_TIKA to the address of an Apache Tika server."
        return Finding(CHECK, ok=False, said=f"{at} answers, but not as an Apache Tika server does", mend=mend)
    if int(version[1]) < OLDEST:
        mend = "Its makers no longer mend it: install Apache Tika 3."
        return Finding(CHECK, None, f"{said} at {at}", mend)
    return Finding(CHECK, ok=True, said=f"{said} at {at}")


def _unreached(plan: BuildPlan, error: TransportError) -> Finding:
    at = plan.installation.tika
    if error.status == Status.FORBIDDEN_NETWORK:
        mend = (
            "It may be none of this installation's own ports, nor a host that is now in another network than at first."
        )
        return Finding(CHECK, ok=False, said=f"no connection to {at} is allowed", mend=mend)
    mend = "Start that server, or unset CORMORANT_TIKA. Until then documents that it reads wait, and stay as they were."
    return Finding(CHECK, ok=False, said=f"{at} does not answer. {error.reason}", mend=mend)
