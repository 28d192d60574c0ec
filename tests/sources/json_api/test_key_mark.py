"""Marks of listings: which keys are gone since."""

from __future__ import annotations

import json

import pytest

from cormorant.sources.json_api import key_mark as marks
from cormorant.sources.json_api.key_mark import gone_since, key_mark


def test_gone_keys_are_named_in_order() -> None:
    mark = json.loads(json.dumps(key_mark({9: "", 2: "", 30: ""})))
    assert mark == [2, 9, 30]
    assert gone_since(mark, {9, 31}) == [2, 30]
    assert gone_since(key_mark(["b", "a"]), ["a", "b", "c"]) == []


def test_a_digest_of_many_keys_shows_only_whether_they_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "MOST_KEYS", 2)
    mark = key_mark([1, 2, 3])
    assert isinstance(mark, str)
    assert mark == key_mark([3, 2, 1]) != key_mark([1, 2, 4])
    assert gone_since(mark, [3, 1, 2]) == []
    assert gone_since(mark, [1, 2]) is None
    assert gone_since([1, 2], [2, 3, 4]) == [1], "a listing that has grown is compared with the keys of the mark"
