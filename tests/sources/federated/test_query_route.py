from __future__ import annotations

import pytest

from cormorant.base.errors import BadRule
from cormorant.sources.federated.query_route import QueryRoute


@pytest.mark.parametrize(
    ("rules", "text", "sent"),
    [
        ((), " tide  gauge ", "tide  gauge"),
        ((), "  ", None),
        (("wiki",), "wiki tide gauge", "tide gauge"),
        (("Wiki",), "WIKI tide", "tide"),
        (("wiki",), "wiki", None),
        (("wiki",), "tide wiki", None),
        (("wiki",), "wikitide", None),
        (("!w",), "!w tide", "tide"),
        (("regex:^[A-Z]+-[0-9]+$",), "ABC-12", "ABC-12"),
        (("regex:^[A-Z]+-[0-9]+$",), "see ABC-12", None),
        (("wiki", "regex:ISBN"), "the ISBN 1", "the ISBN 1"),
        (("wiki", "regex:ISBN"), "wiki the ISBN 1", "the ISBN 1"),
    ],
)
def test_routes(rules: tuple[str, ...], text: str, sent: str | None) -> None:
    assert QueryRoute.of(rules).routed(text) == sent


@pytest.mark.parametrize("rule", ["", " ", "two words", "regex:", "regex:(", "x" * 101, "regex:(?=a)b"])
def test_what_is_no_rule_is_told(rule: str) -> None:
    with pytest.raises(BadRule, match="rule"):
        QueryRoute.of([rule])


def test_an_expression_takes_no_time_that_grows() -> None:
    assert QueryRoute.of(["regex:^(a+)+$"]).routed("a" * 50_000 + "b") is None
