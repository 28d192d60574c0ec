"""Exit statuses of child processes, in words."""

from __future__ import annotations

import signal
from contextlib import suppress


def how_ended(code: int) -> str:
    """Return in words how a process ended, by the return code of `subprocess`: negative for a signal."""
    if code >= 0:
        return f"with exit code {code}"
    if code == -signal.SIGKILL:
        return "by signal 9 (SIGKILL), which is what the system sends where memory is short"
    with suppress(ValueError):
        return f"by signal {-code} ({signal.Signals(-code).name})"
    return f"by signal {-code}"
