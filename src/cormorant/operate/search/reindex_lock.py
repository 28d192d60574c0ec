"""Reindex lock: it lets the index be rebuilt while others crawl and deliver.

It is lent: whoever delivers leaves it alone meanwhile.

    in use --lend--> lent, and let go of at the next look of whoever delivers --lend on, every RENEW_S--> lent
    lent --take back, or nothing was said for LENT_S, as after a kill--> in use: deliveries go on behind its place

What is found meanwhile waits in the stream, the other receivers are told of it, and search goes on with what the index
has. The lock on the folder says who writes; the loan only asks for it, so one that runs out harms nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread
from typing import Final

from cormorant.base.errors import ConflictError, CormorantError
from cormorant.operate.installation import Installation
from cormorant.store.catalog import receivers

RENEW_S: Final = 10.0
"""Two may fail before it is taken for over."""
AGAIN_S: Final = 1.0
"""How soon it is tried again when the database is away."""
LET_GO_S: Final = 60.0
"""How long whoever delivers has to end what it is at."""
SAID: Final = "The index is being rebuilt. New documents wait for it, and search uses the old one."


@contextmanager
def lent(house: Installation) -> Iterator[None]:
    """Have whoever delivers leave the index alone for the length of a block, and the kept copies stay where they are.

    Raises ConflictError when another process rebuilds it.
    """
    with house.store.begin() as tx:
        until = receivers.lend(tx)
    if until is None:
        raise ConflictError(
            f"Another command is rebuilding the index. Wait until it ends, or for {receivers.LENT_S:.0f} seconds if "
            "it was killed."
        )
    loan = _Loan(house, until)
    with loan.renewed(), ExitStack() as held:
        with suppress(ConflictError):  # a run that begins thins them, and what it has emptied stays for an hour
            held.enter_context(house.packs.held(alone=False))
        yield


class _Loan:
    """Loan of the index, renewed by a thread of its own: a reindex takes longer than one loan lasts."""

    def __init__(self, house: Installation, until: float) -> None:
        self._house, self._until = house, until
        self._over = Event()

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Lend on until the end of the block, and then take back."""
        thread = Thread(target=self._renew, name="loan", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()
            with suppress(CormorantError), self._house.store.begin() as tx:
                receivers.take_back(tx, self._until)

    def _renew(self) -> None:
        rest_s = RENEW_S
        while not self._over.wait(rest_s):
            rest_s = AGAIN_S
            with suppress(CormorantError):
                with self._house.store.begin() as tx:
                    until = receivers.lend(tx, self._until)
                self._until, rest_s = until or self._until, RENEW_S
