"""Judged connections of protocols other than HTTP: IMAP, SFTP, SMB, databases."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from cormorant.base.errors import Unreachable
from cormorant.net.egress.guard import Egress, EgressRefused, Pinned, Unsettled
from cormorant.net.egress.policy import Consent
from cormorant.net.egress.resolver import Unresolved


class Dialer:
    """Opens TCP connections for one source, from threads without an event loop.

    A name is resolved once for each connection, every address of the answer is judged by `consent`, and the connection
    goes to a judged address.
    """

    def __init__(self, egress: Callable[[], Egress], consent: Consent) -> None:
        self._egress, self._consent = egress, consent

    def pinned(self, host: str, port: int) -> Pinned:
        """Return the addresses of a host that may be connected to, for a library that connects by itself.

        Raises Unreachable if the name is unknown, or the network rules of the source refuse one of its addresses.
        """
        return asyncio.run(self._pinned(host, port))

    def connect(self, host: str, port: int, timeout_s: float) -> socket.socket:
        """Return a connection, blocking, with `timeout_s` as its timeout. Raises Unreachable."""
        last = ""
        for address in self.pinned(host, port).addresses:
            try:
                return socket.create_connection((address, port), timeout_s)
            except TimeoutError:
                last = f"did not answer within {timeout_s:g} seconds"
            except OSError as error:
                last = f"did not answer: {(error.strerror or str(error)).lower()}"
        raise Unreachable(f"{host}, port {port}, {last}. Check that the server runs and that this machine reaches it.")

    async def _pinned(self, host: str, port: int) -> Pinned:
        egress = self._egress()
        try:
            answer = await egress.open(host, port, self._consent)
        finally:
            await egress.close()
        if isinstance(answer, Pinned):
            return answer
        raise Unreachable(_sentence(host, port, answer))


def _sentence(host: str, port: int, answer: EgressRefused | Unresolved | Unsettled) -> str:
    if isinstance(answer, EgressRefused):
        return f"{host}, port {port}, may not be connected to by the network rules. The setting network widens them."
    if isinstance(answer, Unresolved):
        return f"The name server knows no host {host!r}. Check how it is written, and the name server."
    return f"The network of {host!r} could not be settled in the database. The next crawl tries once more."
