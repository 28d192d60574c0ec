"""No answer reveals a document that the reader may not see; the long form is `sight`."""

from __future__ import annotations

import pytest

from cormorant.model.scope import Scope
from cormorant.web import app
from cormorant.web.security.authorization import Policy
from tests.journeys.sight.__main__ import prove
from tests.journeys.sight.faces import FACES, STRANGERS, VISITED, FaceAnswer, Ranked
from tests.journeys.sight.same import close, differences

CHECKS = 900


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101])
def test_answers_are_those_of_an_installation_that_never_had_what_is_forbidden(seed: int) -> None:
    tally = prove(CHECKS, seed, readers=5)
    assert not tally.leaks, "\n".join(tally.leaks)
    assert tally.checks.total() >= CHECKS
    assert tally.checks.keys() == {face.__name__ for face in (*FACES, *STRANGERS)}
    assert min(tally.hits, tally.hidden, tally.suggestions) > 0
    rules = Policy.of(app.application(None)[0]).rules  # type: ignore[arg-type] # asked nothing but its routes
    readers = [each for each in rules if each.needs is Scope.SEARCH and "GET" in (each.methods or ())]
    assert not [each.path for each in readers if not any(map(each.pattern.fullmatch, VISITED))], "nobody asked there"


@pytest.mark.parametrize(
    ("one", "other", "fine"),
    [
        (3.0, 3.0, True), (3.0, 3.05, True), (3.0, 3.2, False), (2_003.0, 2_003.05, True), (2_003.0, 3.0, False),
        (0.0, 0.1, False),
    ],
)  # fmt: skip
def test_a_score_may_differ_by_the_slack_and_not_by_a_word(one: float, other: float, fine: bool) -> None:
    assert close(one, other, 1.02) == close(other, one, 1.02) == fine


def test_differences_are_reported() -> None:
    def answer(said: str, *order: tuple[int, float], title: str = "a") -> FaceAnswer:
        return FaceAnswer(said, Ranked(order, {number: {"title": title} for number, _ in order}))

    one = answer("x", (1, 5.0), (2, 3.0))
    assert not list(differences(one, one, 1.0))
    assert not list(differences(answer("x", (2, 3.01), (1, 3.0)), answer("x", (1, 3.01), (2, 3.0)), 1.02))
    for other in (
        answer("y", (1, 5.0), (2, 3.0)), answer("x", (1, 5.0)), answer("x", (1, 5.0), (2, 3.5)),
        answer("x", (1, 5.0), (2, 3.0), title="b"), answer("x", (2, 3.0), (1, 5.0)),
    ):  # fmt: skip
        assert list(differences(other, one, 1.02)), other
