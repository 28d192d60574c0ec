from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.queue import host_leases, host_recovery
from cormorant.frontier.queue.host_leases import ReadWindow
from cormorant.frontier.queue.host_recovery import MissedDocuments
from cormorant.frontier.staging import pending_deletes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role, UrlState
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource
from tests.frontier.samples import SOURCE, admitted, pages, site_numbers

RUN, GENERATION = 5, 1
PAGE = pages(1)[0]


def ended(tx: Tx, address: str, outcome: OutcomeKind, status: int, **more: int) -> None:
    """A visit of this run ended so."""
    values = {"outcome": int(outcome), "status": status, "run": RUN, "due": priority.due(GENERATION + 1)} | more
    tx.execute(sa.update(resource).where(resource.c.address == address).values(**values))


def revived(tx: Tx) -> MissedDocuments:
    return host_recovery.revive(tx, site_numbers(tx)["a.example"], SOURCE, RUN, GENERATION)


@pytest.mark.parametrize(
    ("outcome", "status", "missed", "before"),
    [
        (OutcomeKind.FAILED, 906, MissedDocuments(1, 0), 906), (OutcomeKind.FAILED, 975, MissedDocuments(1, 0), 975),
        (OutcomeKind.FAILED, 1020, MissedDocuments(1, 0), 906), (OutcomeKind.FAILED, 1022, MissedDocuments(1, 0), 1021),
        (OutcomeKind.GONE, 1024, MissedDocuments(0, 1), 1023),
    ],
)  # fmt: skip
def test_what_was_missed_is_due_again_as_if_it_had_not_failed(
    store: Store, outcome: OutcomeKind, status: int, missed: MissedDocuments, before: int
) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        ended(tx, PAGE, outcome, status, state=int(UrlState.SETTLED))
        assert revived(tx) == missed
        for new_of in (None, RUN):
            found = host_leases.read(tx, ReadWindow(1, SOURCE, GENERATION, new_of=new_of))
            assert [each.address for each in found] == [pages(2)[1], PAGE], "behind the rest"
            assert (found[1].outcome, found[1].status) == (OutcomeKind.DEFERRED, before)
        assert revived(tx) == MissedDocuments(0, 0)


def test_what_had_counted_as_gone_is_found_until_it_is_visited_again(store: Store) -> None:
    admitted(store, PAGE)
    with store.begin() as tx:
        ended(tx, PAGE, OutcomeKind.GONE, 1024)
        pending_deletes.hide(tx, [(1, SOURCE, RUN)])
        revived(tx)
        assert pending_deletes.everything(tx) == set()


@pytest.mark.parametrize(
    ("outcome", "status", "more"),
    [
        (OutcomeKind.FAILED, 403, {}), (OutcomeKind.GONE, 404, {}), (OutcomeKind.OK, 200, {}),
        (OutcomeKind.DEFERRED, 902, {}), (OutcomeKind.FAILED, 906, {"run": RUN - 1}),
        (OutcomeKind.FAILED, 906, {"role": int(Role.ROBOTS)}), (OutcomeKind.FAILED, 906, {"source_id": SOURCE + 1}),
    ],
)  # fmt: skip
def test_nothing_else_is(store: Store, outcome: OutcomeKind, status: int, more: dict[str, int]) -> None:
    admitted(store, PAGE)
    with store.begin() as tx:
        ended(tx, PAGE, outcome, status, **more)
        assert revived(tx) == MissedDocuments(0, 0)
