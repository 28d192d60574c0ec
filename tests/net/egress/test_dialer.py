"""Connections of other protocols: judged before they are made, and explained when they are not."""

from __future__ import annotations

import socket

import pytest

from cormorant.base.errors import Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import PUBLIC_ONLY, Consent
from cormorant.net.egress.resolver import Resolver
from tests.clocks import Hands


def dialer_of(consent: Consent, *addresses: str) -> Dialer:
    hands = Hands()
    return Dialer(lambda: Egress(hands, frozenset(), Resolver(hands, lambda _: addresses, 5.0)), consent)


def test_a_named_server_is_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        dialer = dialer_of(Consent.of((("mail.example", port),)), "127.0.0.1")
        with dialer.connect("mail.example", port, 5.0) as connection:
            assert connection.getpeername() == ("127.0.0.1", port)
            assert connection.gettimeout() == 5.0


def test_networks_without_consent_are_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        dialer = dialer_of(PUBLIC_ONLY, "127.0.0.1")
        with pytest.raises(Unreachable, match="network rules"):
            dialer.connect("inner.example", server.getsockname()[1], 5.0)
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_port_on_which_nobody_listens() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        dialer = dialer_of(Consent.of((("db.example", port),)), "127.0.0.1")
        with pytest.raises(Unreachable, match=f"db.example, port {port}, did not answer: connection refused"):
            dialer.connect("db.example", port, 5.0)
