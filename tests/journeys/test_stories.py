"""Which journeys a run of all tests tells on which store."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.journeys.stories import BOTH, PROVEN, left_out
from tests.stores import KINDS


def a_story(name: str, kind: str = "", *, marked: tuple[str, ...] = ()) -> Any:
    spec = SimpleNamespace(params={"kind": kind}) if kind else None
    return SimpleNamespace(
        nodeid=f"test_x.py::{name}[{kind}-1]", get_closest_marker=lambda mark: (mark in marked) or None,
        **({"callspec": spec} if spec else {}),
    )  # fmt: skip


STORIES = [
    *(a_story(name, kind) for name in ("one", "two", "six") for kind in KINDS),
    *(a_story("kill", kind, marked=(BOTH,)) for kind in KINDS),
    *(a_story("long", kind, marked=(BOTH, PROVEN)) for kind in KINDS),
    a_story("single", "postgresql"),
    a_story("none"),
]


def selected(asked: str) -> list[str]:
    out = {id(each) for each in left_out(STORIES, asked)}
    return [each.nodeid.partition("::")[2] for each in STORIES if id(each) not in out]


@pytest.mark.parametrize("asked", ["", "all"])
def test_all_are_selected(asked: str) -> None:
    assert len(selected(asked)) == len(STORIES)


@pytest.mark.parametrize("of", KINDS)
def test_those_of_a_store(of: str) -> None:
    single = ["single[postgresql-1]"] if of == "postgresql" else []
    assert selected(of) == [*(f"{name}[{of}-1]" for name in ("one", "two", "six", "kill", "long")), *single]


def test_what_nobody_can_ask_for() -> None:
    with pytest.raises(pytest.UsageError, match="turns, all, sqlite or postgresql"):
        selected("both")


def test_in_turns_each_runs_on_one_store() -> None:
    """But for what has a mark, and what is selected on one alone; what a proof tells in its long form is left to it."""
    assert selected("turns") == [
        "one[sqlite-1]", "two[sqlite-1]", "six[postgresql-1]", "kill[sqlite-1]", "kill[postgresql-1]",
        "single[postgresql-1]", "none[-1]",
    ]  # fmt: skip


def test_one_that_is_added_leaves_the_others_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    before = selected("turns")
    monkeypatch.setitem(globals(), "STORIES", [*(a_story("added", kind) for kind in KINDS), *STORIES])
    assert [each for each in selected("turns") if not each.startswith("added")] == before
