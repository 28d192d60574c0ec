"""What every test stands on: nobody's settings, and property tests that do not depend on how busy the machine is."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Generator

import hypothesis
import pytest

pytest_plugins = ("tests.order", "tests.stores")

_IN_CI = bool(os.environ.get("CI"))

# No deadline: two busy cores are not a fault. In CI always the same examples: a red build is the commit's doing.
hypothesis.settings.register_profile("cormorant", deadline=None, derandomize=_IN_CI, print_blob=not _IN_CI)
hypothesis.settings.load_profile("cormorant")


_HUNG_S = 120
"""How long a test may clean up after its time is over, before its process is ended with the place where it stands."""
_STDERR = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    """Forget the settings of whoever runs the tests: no data folder of theirs, no proxy before a server on loopback.

    A shell starts what it puts into the background with Ctrl-C ignored, and children inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in list(os.environ):
        ours = name.startswith("CORMORANT_") and not name.startswith("CORMORANT_SUITE")
        if ours or name.lower() in {"http_proxy", "https_proxy", "all_proxy"}:
            del os.environ[name]
    config.stash[_STDERR] = os.dup(2)  # not captured here, as it is while a test runs


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End a process that hangs although the time of its test is over; the others run what it left.

    The timeout of a test only interrupts it: one that then waits for a thread of its own would wait for ever.
    """
    mark = item.get_closest_marker("timeout")
    limit = float(mark.args[0] if mark and mark.args else item.config.getini("timeout"))
    faulthandler.dump_traceback_later(limit + _HUNG_S, exit=True, file=item.config.stash[_STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
