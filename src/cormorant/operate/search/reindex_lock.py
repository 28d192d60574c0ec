"""Reindex lock: a loan of the index, during which the provider does not write it, so that it can be rebuilt.

    in use --lend--> lent, and released by the provider at its next check --renew every RENEW_S--> lent
    lent --take back, or no renewal for LENT_S, as after a kill--> in use: deliveries resume after its place

New documents wait in the stream meanwhile; the other receivers get them, and search uses the old index. The lock on the
folder decides who writes; the loan is only a request, so a loan that runs out does no harm.
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
"""Seconds between two renewals; two may fail before the loan ends."""
AGAIN_S: Final = 1.0
"""Seconds until the next attempt to renew if the database is away."""
LET_GO_S: Final = 60.0
"""Seconds for the provider to finish its batch."""
NOTICE: Final = "The index is being rebuilt. New documents wait for it, and search uses the old one."


@contextmanager
def lent(house: Installation) -> Iterator[None]:
    """Keep the provider from writing the index, and kept copies from being moved, for the length of a block.

    Raises ConflictError if another rebuild is under way.
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
        with suppress(ConflictError):  # a run that begins compacts packs, and keeps the emptied ones for an hour
            held.enter_context(house.packs.held(alone=False))
        yield


class _Loan:
    """Loan of the index, renewed by a thread of its own: a reindex takes longer than one loan lasts."""

    def __init__(self, house: Installation, until: float) -> None:
        self._house, self._until = house, until
        self._over = Event()

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew the loan until the end of the block, then take the index back."""
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
