"""What does the log of a run say of one exchange with a server, where its source asks for headers?"""

from __future__ import annotations

from collections.abc import Sequence

from cormorant.base import run_context
from cormorant.net.http.loggable_headers import shown
from cormorant.net.http.messages import Response, TransportError


def exchange(address: str, sent: Sequence[str], got: Response | TransportError) -> None:
    """Write what was sent and what came, less what lets anybody in."""
    if isinstance(got, TransportError):
        run_context.said("header", address=address, sent=shown(sent), fault=got.reason, status=got.status)
        return
    answered = [f"{name}: {value}" for name, value in got.headers.items()]
    run_context.said("header", address=address, sent=shown(sent), status_line=got.status_line, received=shown(answered))
