from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.policy import priority
from cormorant.frontier.policy.transition import MOST_TRIES, RowUpdate, VisitConditions, fate, is_unreachable, reason_of
from cormorant.model.content import Content
from cormorant.model.outcome import (
    Deferred,
    Excluded,
    Failed,
    Gone,
    Held,
    Moved,
    Ok,
    Outcome,
    OutcomeKind,
    Quarantined,
    Unchanged,
)
from cormorant.model.resource import Resource, Role, UrlState
from cormorant.model.ruling import Gate, Ruling
from tests.frontier.samples import a_resource

NOW, GENERATION = 1000.0, 7
NEVER_SEEN = a_resource()._replace(depth=3)
INDEXED = NEVER_SEEN._replace(indexed=True, outcome=int(OutcomeKind.OK), status=200)
NOINDEX = Excluded(Ruling(admitted=False, gate=Gate.ROBOTS_META, rule="noindex", status=971), 971)
REFUSED = Failed(906, "connection refused")

EVERY_OUTCOME: list[Outcome] = [
    Ok(Content("a", b"", "text/html"), None), Unchanged(), Moved("https://a.example/b"), Gone(), NOINDEX,
    Deferred(500, "an error"), Failed(403, "forbidden"), Quarantined("it killed a child"), Held("too many"),
]  # fmt: skip


def decided(resource: Resource, outcome: Outcome, *, lists: bool = False) -> RowUpdate:
    return fate(resource, outcome, VisitConditions(GENERATION, lists, NOW))


def name(value: object) -> str:
    return type(value).__name__


def test_every_outcome_has_a_fate() -> None:
    assert {outcome.kind for outcome in EVERY_OUTCOME} == set(OutcomeKind) - {OutcomeKind.NONE}


@pytest.mark.parametrize("outcome", EVERY_OUTCOME, ids=name)
@pytest.mark.parametrize("lists", [False, True])
def test_a_page_is_due_in_the_next_generation_and_a_listed_file_when_it_changes(outcome: Outcome, lists: bool) -> None:
    got = decided(NEVER_SEEN, outcome, lists=lists)
    if isinstance(outcome, Deferred):
        assert (got.state, got.due) == (UrlState.READY, priority.due(GENERATION, priority.LAST, 3)), "behind all others"
        assert got.not_before == NOW + 60
    else:
        assert (got.state, got.not_before) == (UrlState.SETTLED if lists else UrlState.READY, 0.0)
        assert got.due == priority.due(GENERATION + 1, 128, 3)
    assert got.outcome == outcome.kind
    assert got.status == outcome.status


def test_a_sitemap_is_visited_in_every_run_before_the_pages() -> None:
    got = decided(NEVER_SEEN._replace(role=Role.SITEMAP), Gone())
    assert (got.state, got.due) == (UrlState.READY, priority.due(GENERATION + 1, 0, 3))


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.DOCUMENT, Role.SITEMAP)])
def test_what_is_no_document_is_visited_when_somebody_asks_for_it(role: Role) -> None:
    assert decided(NEVER_SEEN._replace(role=role), Gone()).state is UrlState.SETTLED
    assert decided(NEVER_SEEN._replace(role=role), Deferred(500, "an error")).state is UrlState.READY


KEEPING = {"Ok", "Unchanged", "Deferred", "Failed", "Held", "Quarantined"}


@pytest.mark.parametrize("outcome", EVERY_OUTCOME, ids=name)
def test_no_fault_takes_a_document_away(outcome: Outcome) -> None:
    assert decided(INDEXED, outcome).kept is (name(outcome) in KEEPING)


def test_deferrals_wait_longer_each_time() -> None:
    resource, rests = NEVER_SEEN, []
    for _ in range(4):
        got = decided(resource, Deferred(500, "an error"))
        rests.append(got.not_before - NOW)
        resource = resource._replace(attempts=got.attempts, outcome=int(got.outcome), status=got.status)
    assert rests == [60, 120, 240, 480]


def test_what_a_server_asks_for_is_obeyed() -> None:
    assert decided(NEVER_SEEN, Deferred(503, "busy", 5.0)).not_before == NOW + 5


def after(resource: Resource, *outcomes: Outcome) -> RowUpdate:
    """The fate after a row of visits."""
    got = decided(resource, outcomes[0])
    for outcome in outcomes[1:]:
        resource = resource._replace(attempts=got.attempts, outcome=int(got.outcome), status=got.status)
        got = decided(resource, outcome)
    return got


def test_only_being_gone_counts_towards_being_purged() -> None:
    deferred = Deferred(500, "an error")
    assert after(INDEXED, Gone()).attempts == 1
    assert after(INDEXED, deferred, deferred, Gone()).attempts == 1
    assert after(INDEXED, Failed(403, "no"), Failed(403, "no"), Gone()).attempts == 1
    assert after(INDEXED, Gone(), Gone(410)).attempts == 2
    assert after(INDEXED, Gone(), Unchanged(), Gone()).attempts == 1


def test_success_ends_the_count() -> None:
    assert after(NEVER_SEEN, Gone(), Unchanged()).attempts == 0
    assert after(NEVER_SEEN, Failed(403, "no"), NOINDEX).attempts == 0


@given(st.integers(0, MOST_TRIES), st.sampled_from(EVERY_OUTCOME))
def test_the_count_fits_its_column(attempts: int, outcome: Outcome) -> None:
    resource = NEVER_SEEN._replace(attempts=attempts, outcome=int(outcome.kind))
    assert 0 <= decided(resource, outcome).attempts <= MOST_TRIES


def test_a_document_goes_when_it_could_not_be_reached_in_five_runs() -> None:
    resource, seen = INDEXED, []
    for _ in range(5):
        got = decided(resource, REFUSED)
        seen.append((got.outcome, got.status, got.kept))
        resource = resource._replace(attempts=got.attempts, outcome=int(got.outcome), status=got.status)
    kept = [(OutcomeKind.FAILED, status, True) for status in (1020, 1021, 1022, 1023)]
    assert seen == [*kept, (OutcomeKind.GONE, 1024, False)]
    assert after(INDEXED, *[REFUSED] * 5).reason == "connection refused"
    gone = resource._replace(indexed=False)
    assert after(gone, REFUSED)[3:5] == (OutcomeKind.GONE, 1024), "it is gone, and no failure of each run from now on"
    assert after(gone, Failed(403, "no"))[3:5] == (OutcomeKind.FAILED, 403)


def test_the_five_runs_are_in_a_row() -> None:
    assert after(INDEXED, REFUSED, REFUSED, Unchanged(), REFUSED).status == 1020
    assert after(INDEXED, REFUSED, REFUSED, Failed(403, "no"), REFUSED).status == 1020


def test_an_answer_that_says_no_is_no_silence() -> None:
    got = after(INDEXED, *[Failed(402, "pay first")] * 9)
    assert (got.outcome, got.status, got.kept) == (OutcomeKind.FAILED, 402, True)


@pytest.mark.parametrize("status", [401, 403])
def test_what_may_not_be_read_in_three_runs_goes(status: int) -> None:
    no = Failed(status, "no")
    assert [after(INDEXED, *[no] * runs).kept for runs in (1, 2, 3)] == [True, True, False]
    assert after(INDEXED, no, no, Unchanged(), no).kept, "in a row"
    assert after(INDEXED, *[Failed(status, "no", elsewhere=True)] * 5).kept, "another host says no"
    assert after(NEVER_SEEN, *[no] * 5).outcome is OutcomeKind.FAILED, "search never found it"


def test_what_was_never_found_is_not_counted_so() -> None:
    assert after(NEVER_SEEN, REFUSED, REFUSED).status == 906


def test_an_excluded_page_that_did_not_change_stays_excluded() -> None:
    excluded = NEVER_SEEN._replace(outcome=int(OutcomeKind.EXCLUDED), status=971)
    got = decided(excluded, Unchanged())
    assert (got.outcome, got.status, got.kept, got.reason) == (OutcomeKind.EXCLUDED, 971, False, None)


@pytest.mark.parametrize("status", [902, 905, 906, 907, 975, 976, 1002])
def test_no_answer_is_unreachable(status: int) -> None:
    assert is_unreachable(status)


@pytest.mark.parametrize("status", [200, 304, 403, 404, 500, 503, 970, 981, 984, 1020])
def test_an_answer_is_not(status: int) -> None:
    assert not is_unreachable(status)


@pytest.mark.parametrize(
    ("known", "status", "kept"),
    [(OutcomeKind.QUARANTINED, 981, True), (OutcomeKind.EXCLUDED, 971, False)],
    ids=["quarantined", "excluded"],
)
def test_the_same_version_ends_again_as_it_did(known: OutcomeKind, status: int, *, kept: bool) -> None:
    before = NEVER_SEEN._replace(outcome=int(known), status=status)
    got = decided(before, Unchanged())
    assert (got.outcome, got.status, got.reason, got.kept) == (known, status, None, kept)
    assert decided(before, Unchanged(200)).outcome is OutcomeKind.UNCHANGED, "a body came"


REASONS = {
    "Ok": None, "Unchanged": None, "Gone": None, "Moved": "to https://a.example/b", "Excluded": "robots_meta: noindex",
    "Deferred": "an error", "Failed": "forbidden", "Quarantined": "it killed a child", "Held": "too many",
}  # fmt: skip


@pytest.mark.parametrize("outcome", EVERY_OUTCOME, ids=name)
def test_the_words_kept_beside_the_status(outcome: Outcome) -> None:
    assert reason_of(outcome) == REASONS[name(outcome)]
    assert decided(NEVER_SEEN, outcome).reason == REASONS[name(outcome)]
