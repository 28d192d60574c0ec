"""Egress guard: network access of a process, closed to the installation's own ports and database."""

from __future__ import annotations

from pathlib import Path

from cormorant.app import data_dir
from cormorant.base.clock import Clock
from cormorant.net.egress.guard import Egress, Settle
from cormorant.net.egress.policy import AddressClass
from cormorant.store.catalog import egress_consents
from cormorant.store.db.database import Store
from cormorant.store.db.drivers import places_of


def own_ports(port: int | None) -> frozenset[int]:
    """The port that the settings of the installation name, if they do."""
    return frozenset() if port is None else frozenset({port})


def way_out(folder: Path, port: int | None, store_url: str, store: Store, clock: Clock) -> Egress:
    """Make the network access of one event loop, closed to the installation's own ports and its database."""
    own = own_ports(port) | data_dir.noted_ports(folder)
    return Egress(clock, own, settle=settling(store), own_places=places_of(store_url))


def settling(store: Store) -> Settle:
    """Return a function that stores the first address classes of a named host in the database, for all processes.

    It is called once for each host and process, before the first connection.
    """

    def settle(host: str, port: int, classes: frozenset[AddressClass]) -> frozenset[AddressClass]:
        with store.read() as tx:
            known = egress_consents.of(tx, host, port)
        if not known:
            with store.begin() as tx:
                known = egress_consents.settle(tx, host, port, [each.value for each in classes])
        return frozenset(map(AddressClass, known))

    return settle
