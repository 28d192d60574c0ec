"""A page that stays the same is judged by its age all the same."""

from __future__ import annotations

import hashlib
from email.utils import formatdate

import pytest

from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Gone, Unchanged
from cormorant.model.resource import Resource, Role
from cormorant.sources.web import filters
from cormorant.sources.web.filters import WebGates
from cormorant.sources.web.settings.web import WebSettings

A, BODY, NOW, DAY = "https://a.example/", b"body", 1_800_000_000.0, 86_400.0


def gates(*rules: str, include: tuple[str, ...] = ()) -> WebGates:
    settings = WebSettings(start=(A,), index_exclude=rules, index_include=include)
    return WebGates(settings, [A], lambda: NOW)


def known(days: float, *, indexed: bool = True, status: int = 200, validator: str = "") -> Resource:
    modified = "" if validator else formatdate(NOW - days * DAY, usegmt=True)
    digest = hashlib.sha256(BODY).digest()
    return Resource(
        1, 1, 1, A, Role.DOCUMENT, 1, 0, 1, status, "", modified, validator, digest, b"", 1, indexed=indexed
    )


def page(days: float, body: bytes = BODY) -> Content:
    return Content(A, body, "text/html", modified_at=NOW - days * DAY)


@pytest.mark.parametrize("said", [Unchanged(), page(400)], ids=["304", "the same bytes"])
def test_what_has_grown_too_old_leaves(said: Content | Unchanged) -> None:
    outcome = filters.judged(gates("age:>365", "size:>0"), known(400), said)
    assert isinstance(outcome, Excluded)
    assert (outcome.ruling.rule, outcome.status, outcome.content) == ("index_exclude age:>365", 973, None)


def test_what_is_young_enough_or_new_is_judged_as_ever() -> None:
    ours = gates("age:>365")
    for resource, said in (
        (known(300), Unchanged()), (known(300), page(300)), (known(400), page(400, b"other")), (known(400), Gone(404)),
        (known(400, indexed=False), Unchanged()),
    ):  # fmt: skip
        assert filters.judged(ours, resource, said) is said


def test_what_has_come_to_the_right_age_is_read_in_full() -> None:
    ours = gates(include=("age:>30",))
    assert filters.comes_in(ours, known(31, indexed=False, status=973))
    assert not filters.comes_in(ours, known(29, indexed=False, status=973))
    never_found = "\n" + formatdate(NOW - 31 * DAY, usegmt=True)
    assert filters.comes_in(ours, known(0, indexed=False, status=973, validator=never_found))
    assert not filters.comes_in(ours, known(31, indexed=False, status=962))
    assert not filters.comes_in(ours, known(31))
    assert not filters.comes_in(gates("size:>1"), known(31, indexed=False, status=973))
