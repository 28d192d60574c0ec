"""What every test stands on: nobody's settings, and property tests that do not depend on how busy the machine is."""

from __future__ import annotations

import os
import signal

import hypothesis

pytest_plugins = ("tests.order", "tests.stores")

_IN_CI = bool(os.environ.get("CI"))

# No deadline: two busy cores are not a fault. In CI always the same examples: a red build is the commit's doing.
hypothesis.settings.register_profile("cormorant", deadline=None, derandomize=_IN_CI, print_blob=not _IN_CI)
hypothesis.settings.load_profile("cormorant")


def pytest_configure() -> None:
    """Forget the settings of whoever runs the tests: no data folder of theirs, no proxy before a server on loopback.

    A shell starts what it puts into the background with Ctrl-C ignored, and children inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in list(os.environ):
        ours = name.startswith("CORMORANT_") and not name.startswith("CORMORANT_SUITE")
        if ours or name.lower() in {"http_proxy", "https_proxy", "all_proxy"}:
            del os.environ[name]
