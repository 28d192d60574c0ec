"""What does it mean that no connection was made? Whoever is to blame is named by the status."""

from __future__ import annotations

import errno

import pytest

from cormorant.fetch.faults import COULDNT_CONNECT, Failure, fault_of
from cormorant.fetch.values import Request


@pytest.mark.parametrize(
    ("error", "status", "whole_site"),
    [
        (errno.ECONNREFUSED, 906, True),
        (errno.EHOSTUNREACH, 906, True),
        (errno.ETIMEDOUT, 902, True),
        (errno.EADDRNOTAVAIL, 907, False),
    ],
)
def test_why_no_connection_was_made(error: int, status: int, whole_site: bool) -> None:
    fault = fault_of(Failure(COULDNT_CONNECT, "", error, False, False, 0), Request("http://a.example/"))
    assert (fault.status, fault.retryable, fault.whole_site) == (status, True, whole_site)
