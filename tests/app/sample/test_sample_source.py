"""Whose crawl the bundled sample is served for: that of its own source, and of no other."""

from __future__ import annotations

import socket
from collections.abc import Mapping

import pytest

from cormorant.app.sample import sample_source
from cormorant.app.sample.sample_source import PORT, SITE, port_of
from cormorant.app.sample.site import SampleSite


@pytest.mark.parametrize(
    ("name", "settings", "port"),
    [
        (SITE, {"start": f"http://127.0.0.1:{PORT}/"}, PORT),
        (SITE, {"start": ["http://127.0.0.1:41234/"]}, 41234),
        ("docs", {"start": [f"http://127.0.0.1:{PORT}/"]}, None),
        (SITE, {"start": [f"http://127.0.0.1:{PORT}/", "http://127.0.0.1:1/"]}, None),
        (SITE, {"start": ["http://127.0.0.1:41234/docs/"]}, None),
        (SITE, {"start": ["https://127.0.0.1:41234/"]}, None),
        (SITE, {"start": ["http://www.example.org/"]}, None),
        (SITE, {"path": "/srv/papers"}, None),
    ],
)
def test_where_the_sample_is_expected(name: str, settings: Mapping[str, object], port: int | None) -> None:
    assert port_of(name, settings) == port


def test_what_is_served_already_is_left_alone() -> None:
    with SampleSite() as there:
        port = int(there.address.split(":")[2].strip("/"))
        with sample_source.served_at(port) as address:
            assert address == ""
    with sample_source.served_at(port) as address:
        assert address == there.address
        with socket.create_connection(("127.0.0.1", port), 5):
            pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 5)
