"""When is a limit of a site met, and what is told of it?"""

from __future__ import annotations

from cormorant.frontier.policy.host_budget import Spent
from cormorant.model.settings.budget import SiteBudget

NOW = 1_000_000.0


def test_documents_are_counted_when_they_are_asked_for() -> None:
    spent, most = Spent(), SiteBudget(documents=2)
    assert [bool(spent.refuse(most, NOW)) for _ in range(4)] == [False, False, True, True]
    assert (spent.documents, spent.refused) == (2, 2)
    assert spent.limit.startswith("max_host_documents 2:")


def test_bytes_are_counted_when_they_came() -> None:
    spent, most = Spent(), SiteBudget(received=1_000)
    assert not spent.refuse(most, NOW)
    spent.received += 999
    assert not spent.refuse(most, NOW)
    spent.received += 1
    assert spent.refuse(most, NOW) == "max_host_bytes 1,000: this run has received 1,000 bytes of it"


def test_minutes_are_counted_from_the_first_document() -> None:
    spent, most = Spent(), SiteBudget(minutes=0.5)
    assert not spent.refuse(most, NOW)
    assert not spent.refuse(most, NOW + 29)
    assert spent.refuse(most, NOW + 30).startswith("max_host_minutes 0.5:")


def test_a_run_goes_on_and_the_next_begins_anew() -> None:
    spent = Spent(run=3, documents=2, received=10, since=NOW, limit="x", refused=1)
    spent.begin(3)
    assert (spent.documents, spent.received, spent.refused) == (2, 10, 1)
    spent.begin(4)
    assert spent == Spent(run=4)
