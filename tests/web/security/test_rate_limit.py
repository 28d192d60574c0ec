"""How many wrong tokens one place may show."""

from __future__ import annotations

from cormorant.web.security import rate_limit
from cormorant.web.security.rate_limit import MOST, Tries
from tests.clocks import Hands


def test_a_place_has_so_many_a_minute() -> None:
    clock = Hands()
    counted = Tries(clock)
    for left in range(MOST, 0, -1):
        assert counted.left("192.0.2.1") == left
        counted.fail("192.0.2.1")
    assert counted.left("192.0.2.1") == 0
    assert counted.left("192.0.2.2") == MOST
    clock.at += rate_limit.WITHIN_S - 1
    assert counted.left("192.0.2.1") == 0
    clock.at += 1
    assert counted.left("192.0.2.1") == MOST


def test_neighbours_in_ipv6_are_one_place() -> None:
    counted = Tries(Hands())
    counted.fail("2001:db8::1")
    assert counted.left("2001:db8::ffff:1") == MOST - 1
    assert counted.left("2001:db8:0:1::1") == MOST
    counted.fail("::ffff:192.0.2.1")
    assert counted.left("192.0.2.1") == MOST - 1
    assert counted.left("::ffff:192.0.2.2") == MOST
    counted.fail("fe80::1%eth0")
    assert counted.left("fe80::2%eth1") == MOST - 1


def test_no_more_places_are_remembered_than_that() -> None:
    counted = Tries(Hands())
    for number in range(rate_limit.PLACES + 5):
        counted.fail(f"place {number}")
    assert counted.left("place 0") == MOST
    assert counted.left(f"place {rate_limit.PLACES + 4}") == MOST - 1
    assert len(counted._failed) == rate_limit.PLACES
