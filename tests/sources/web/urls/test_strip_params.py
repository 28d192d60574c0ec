"""What is left out of an address, and what stays."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import BadRule
from cormorant.model.url import canonical
from cormorant.sources.web.urls.rewrite import AddressRules
from cormorant.sources.web.urls.strip_params import Stripping

HOST = "http://a.example"
ID = "4F1C9A7E22B05D8810C3"
OURS = Stripping(("sessions", "tracking"), sort=True)


@pytest.mark.parametrize(
    ("found", "known"),
    [
        (f"/a;jsessionid={ID}", "/a"),
        (f"/a;v=1;JSESSIONID={ID}/b?x=1", "/a;v=1/b?x=1"),
        (f"/a?PHPSESSID={ID}", "/a"),
        (f"/a?b=1&ASPSESSIONIDQQ={ID}&c=2", "/a?b=1&c=2"),
        ("/a?CFID=12&CFTOKEN=34&p=7", "/a?p=7"),
        (f"/(S({ID.lower()}))/a.aspx", "/a.aspx"),
        (f"/(A(x)S({ID})F(y))", "/"),
        (f"/a?sid={ID}", "/a"),
        ("/a?session_id=123e4567-e89b-12d3-a456-426614174000", "/a"),
        ("/a?utm_source=x&utm_medium=y&id=3", "/a?id=3"),
        ("/a?gclid=abc", "/a"),
        ("/a?b=2&a=1&b=1", "/a?a=1&b=2&b=1"),
    ],
)
def test_what_says_nothing_is_left_out(found: str, known: str) -> None:
    assert OURS.of(HOST + found)[0] == HOST + known


@pytest.mark.parametrize(
    "kept",
    [
        "/a?sid=12", "/a?session=spring", "/a?s=a-long-search-of-2024", "/a?side=1", "/mysid=1/?q=1", "/f(x)/g",
        "/a?utm=1", "/wiki/(S(band))x", "/a?b&a", "/a?/route/x&b=2&a=1", "/a?b=2&a=1&sig=77", "/a;v=2?", "/a?x=%26sid",
    ],
)  # fmt: skip
def test_what_may_say_something_stays(kept: str) -> None:
    assert OURS.of(HOST + kept) == (HOST + kept, "")


def test_names_beginnings_and_exceptions() -> None:
    ours = Stripping(("sessions", "ref", "ad_*", "!cfid"), sort=False)
    assert ours.of(f"{HOST}/?z=1&ref=2&ad_x=3&CFID=4&a=5&utm_source=6")[0] == f"{HOST}/?z=1&CFID=4&a=5&utm_source=6"
    off = Stripping(("off",), sort=False)
    assert off.of(f"{HOST}/(S({ID}))/a;jsessionid={ID}?b=1&a=2")[1] == ""
    with pytest.raises(BadRule, match="a=b"):
        Stripping(("a=b",), sort=True)


PIECES = st.lists(st.sampled_from(["b=2", "a=1", "a=0", f"PHPSESSID={ID}", "utm_x=1", "c", "sid=3", ""]), max_size=6)


@given(st.sampled_from(["/", f"/a;jsessionid={ID}", f"/(S({ID}))/(S({ID}))/b", "/a/;x/"]), PIECES)
def test_what_was_done_once_is_not_done_again(path: str, pieces: list[str]) -> None:
    once = OURS.of(HOST + path + "?" + "&".join(pieces))[0]
    assert OURS.of(once) == (once, "")
    assert canonical(once) == once


RULES = st.lists(
    st.sampled_from([
        "a -> b", "b -> a", r"/(\w)/ -> /\1\1/", "^(.*)$ -> \\1x", "/c -> discard", "/x -> ://", "a -> b access c",
        "b/ -> / access /q/", r"http: -> https:",
    ]), max_size=4,
)  # fmt: skip


@given(st.lists(st.sampled_from(["a", "b", "c", "x"]), max_size=4), RULES)
def test_what_was_renamed_stays_as_it_is_whatever_the_rules(segments: list[str], rules: list[str]) -> None:
    ours = AddressRules(OURS, rules)
    known = ours.rename(f"{HOST}/{'/'.join(segments)}")
    if known is not None:
        again = ours.rename(known.address)
        assert again is None or again.address == known.address
