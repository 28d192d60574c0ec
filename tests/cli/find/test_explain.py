"""The wording of `explain`."""

from __future__ import annotations

from typing import Any

import pytest

from cormorant.cli.find.explain import _next, _read_as
from cormorant.model.schedule.timezones import wall_time
from tests.cli.conftest import World

AT = wall_time("2026-11-22T10:00:00Z")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"when": "in the next run"}, "in the next run"),
        ({"when": "in the run under way", "level": "low"}, "in the run under way, at level low"),
        ({"when": "when a listing shows a change"}, "when a listing shows a change"),
        ({"not_before": "2026-11-22T10:00:00Z", "attempts": 1}, f"not before {AT}, after 1 try"),
        (
            {"when": "before a visit, when it holds no longer", "holds_until": "2026-11-22T10:00:00Z"},
            f"before a visit, when it holds no longer, which is until {AT}",
        ),
    ],
)
def test_the_next_visit_is_said_as_a_sentence(said: dict[str, Any], sentence: str) -> None:
    assert _next(said) == sentence


def test_a_person_reads_when_it_is_visited_again(world: World) -> None:
    assert "  Next visit: in the next run." in world.home.fine("explain", world.site.address).out.splitlines()


def test_a_charset_known_in_a_way_of_another_version_is_shown_as_it_is() -> None:
    said = {
        "mime": "text/html",
        "charset": "utf-8",
        "charset_from": "a guess",
        "language": "en",
        "language_from": "page",
    }
    assert _read_as(said) == ["text/html, utf-8 (a guess), en (as it says itself)"]
