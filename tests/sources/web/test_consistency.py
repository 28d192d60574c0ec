"""What is said of settings that are each well and do not go together."""

from __future__ import annotations

import pytest

from cormorant.model.settings.source import parse_settings
from cormorant.sources.web.consistency import doubts
from cormorant.sources.web.settings.web import WebSettings

TWO = ["https://a.example/", "https://a.example/x", "https://b.example/"]


@pytest.mark.parametrize(
    ("name", "entry", "doubted"),
    [
        ("credentials", "basic me secret:canary", True),
        ("credentials", "https://a.example bearer secret:canary", False),
        ("headers", "X-Key: secret:canary", True), ("headers", "X-Tenant: blue", False),
        ("headers", "https://a.example X-Key: secret:canary", False), ("client_certificate", "secret:canary", True),
    ],
)  # fmt: skip
def test_whoever_tells_many_the_same_hears_of_it(name: str, entry: str, doubted: bool) -> None:
    said = doubts(parse_settings(WebSettings, {"start": TWO, name: entry}))
    assert len(said) == doubted
    assert all(f"The setting {name} has" in each and "all 2 origins" in each for each in said)
    assert "canary" not in " ".join(said)
    assert doubts(parse_settings(WebSettings, {"start": TWO[:2], name: entry})) == []


def test_a_start_that_is_left_out_is_named() -> None:
    (said,) = doubts(parse_settings(WebSettings, {"start": TWO, "exclude": "host:b.example"}))
    assert said == "The start address https://b.example/ would not be visited, by boundary: exclude host:b.example."
