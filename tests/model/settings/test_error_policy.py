from __future__ import annotations

import pytest

from cormorant.base.errors import BadSetting
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome, OutcomeKind
from cormorant.model.resource import Resource, Role
from cormorant.model.settings.error_policy import DEFAULTS, Action, ErrorPolicy, ErrorRule, policy_of
from cormorant.model.settings.source import SourceSettings, parse_settings
from tests.frontier.samples import a_resource

INDEXED = a_resource()._replace(indexed=True, outcome=int(OutcomeKind.OK), status=200)


def outcome_of(status: int) -> Outcome:
    """What a visit ends as that a server answers so."""
    if status in (404, 410):
        return Gone(status)
    if status in (408, 429) or (status >= 500 and status not in (501, 505)):
        return Deferred(status, "It failed.")
    return Failed(status, "It failed.")


def decided(resource: Resource, status: int, *lines: str) -> tuple[OutcomeKind, bool, int]:
    got = fate(resource, outcome_of(status), VisitConditions(3, False, 1000.0, errors=ErrorPolicy(lines)))
    return got.outcome, got.kept, got.attempts


@pytest.mark.parametrize("status", range(400, 600))
def test_the_default_is_what_is_done_without_a_policy(status: int) -> None:
    said = outcome_of(status)
    at = VisitConditions(3, False, 1000.0)
    given = VisitConditions(3, False, 1000.0, errors=ErrorPolicy(DEFAULTS))
    assert fate(INDEXED, said, given) == fate(INDEXED, said, at)
    rule = ErrorPolicy(()).rule(status)
    assert rule is not None
    kinds = {Gone: Action.DELETE, Deferred: Action.RETRY, Failed: Action.KEEP}
    assert rule.action is (Action.DELETE_AFTER if status in (401, 403) else kinds[type(said)])


def test_the_default_setting_makes_no_policy() -> None:
    assert SourceSettings().errors is None
    assert policy_of(("403 delete",)) is not None


def test_a_number_wins_over_its_class_and_what_was_said_over_the_defaults() -> None:
    policy = ErrorPolicy(["5xx retry 5", "503 keep"])
    assert policy.rule(503) == ErrorRule(Action.KEEP)
    assert policy.rule(501) == ErrorRule(Action.RETRY, 5)
    assert policy.rule(404) == ErrorRule(Action.DELETE)
    assert policy.rule(902) is None


def test_delete_and_keep() -> None:
    assert decided(INDEXED, 403, "403 delete") == (OutcomeKind.GONE, False, 1)
    assert decided(INDEXED, 503, "5xx delete") == (OutcomeKind.GONE, False, 1)
    assert decided(INDEXED, 404, "404 keep") == (OutcomeKind.FAILED, True, 1)


def test_delete_after_counts_runs_with_the_same_status() -> None:
    page, line = INDEXED._replace(attempts=7, status=902, outcome=int(OutcomeKind.FAILED)), "4xx delete_after 3"
    for run in (1, 2, 3):
        kind, kept, tries = decided(page, 403, line)
        assert (kind is OutcomeKind.GONE, kept, tries) == (run == 3, run < 3, run)
        page = page._replace(attempts=tries, status=403, outcome=int(kind))
    assert decided(page._replace(outcome=int(OutcomeKind.FAILED)), 401, line) == (OutcomeKind.FAILED, True, 1)


def test_retry_tries_so_often_in_a_run_and_then_it_has_failed() -> None:
    page = INDEXED
    for tries in (1, 2):
        assert decided(page, 500, "5xx retry 2") == (OutcomeKind.DEFERRED, True, tries)
        page = page._replace(attempts=tries, status=500, outcome=int(OutcomeKind.DEFERRED))
    assert decided(page, 500, "5xx retry 2") == (OutcomeKind.FAILED, True, 3)
    assert decided(page, 404, "404 retry 2") == (OutcomeKind.GONE, False, 3), "as by default after its tries"


def test_it_speaks_of_documents_and_of_their_own_server_alone() -> None:
    at = VisitConditions(3, False, 1000.0, errors=ErrorPolicy(["5xx delete", "4xx delete"]))
    assert fate(INDEXED._replace(role=Role.ROBOTS), outcome_of(503), at).outcome is OutcomeKind.DEFERRED
    assert fate(INDEXED, Deferred(503, "robots.txt: away", elsewhere=True), at).kept
    assert fate(INDEXED, Failed(403, "It redirects to x: no", elsewhere=True), at).kept
    assert fate(INDEXED, Failed(902, "timed out"), at).kept


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("404", "'404' is no rule"), ("404 hide", "is no rule"), ("200 keep", "is no rule"), ("3xx keep", "is no rule"),
        ("403 delete_after", "needs a number"), ("403 delete_after 0", "needs a number"), ("5xx retry 101", "needs a"),
        ("403 keep 3", "needs no number"), ("", "is no rule"),
    ],
)  # fmt: skip
def test_what_is_no_rule_is_named_with_what_is_meant(line: str, said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_settings(SourceSettings, {"error_policy": [line]})
    assert said in caught.value.sentence
    assert "403 delete_after 3" in caught.value.sentence


def test_two_rules_for_one_status_are_refused() -> None:
    with pytest.raises(BadSetting, match="second rule for 403"):
        parse_settings(SourceSettings, {"error_policy": ["403 keep", "403 delete"]})
