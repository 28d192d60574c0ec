"""What rules and plug-ins may make of an address, and what is refused when it is typed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cormorant.base.entry_points import PluginEntry
from cormorant.base.errors import BadRule
from cormorant.model.ruling import Discard, Renamed, Rewritten
from cormorant.sources.web.urls import rewrite as url_rewriting
from cormorant.sources.web.urls.rewrite import AddressRules, read_rule
from cormorant.sources.web.urls.strip_params import Stripping

OFF = Stripping(("off",), sort=False)


def known_as(rule: str, address: str) -> str:
    said = AddressRules(OFF, [rule]).rename(address)
    return address if said is None else said.address


@pytest.mark.parametrize(
    ("rule", "address", "other"),
    [
        ("/a -> /é", "http://h/a", "http://h/%C3%A9"),
        ("^http://h/ -> https://bücher.example/", "http://h/a", "https://xn--bcher-kva.example/a"),
        (r"/(a)$ -> /\g<1>0", "http://h/a", "http://h/a0"),
        (r"/(?P<name>a)$ -> /\g<name>b", "http://h/a", "http://h/ab"),
        (r"/a$ -> /(\g<0>)", "http://h/a", "http://h/(/a)"),
        ("/a -> /%41?x=1&y", "http://h/a", "http://h/%41?x=1&y"),
    ],
)
def test_what_takes_the_place_of_a_match(rule: str, address: str, other: str) -> None:
    assert known_as(rule, address) == other


@pytest.mark.parametrize(
    ("rule", "piece"),
    [
        ("/a -> /b\\", "'\\\\'"), (r"/a -> /\0", r"'\\0'"), (r"/(a) -> /\01", r"'\\01'"), (r"/(a) -> /\2", r"'\\2'"),
        (r"/(a) -> /\n", r"'\\n'"), (r"/(a) -> /\g<2>", r"'\\g<2>'"), (r"/(a) -> /\g<x", r"'\\g'"),
        ("/a -> /b access", "' access'"), ("/a -> /b -> /c", "' ->'"), ("/a -> /b access /c access /d", "' access'"),
    ],
)  # fmt: skip
def test_what_could_not_be_written_so_is_refused(rule: str, piece: str) -> None:
    with pytest.raises(BadRule) as raised:
        read_rule(rule)
    assert f"at {piece}:" in raised.value.sentence


@given(st.text(alphabet="ab\\01g<>{}é%/?*.()", min_size=1, max_size=12))
def test_a_rule_that_was_read_never_fails(template: str) -> None:
    try:
        rules = AddressRules(OFF, [rf"/(a)(?P<n>b)? -> {template}"])
    except BadRule:
        return
    rules.rename("http://h/ab")
    rules.rename("http://h/a?b")


@pytest.mark.parametrize(
    ("made", "known"),
    [
        (Rewritten("http://h/b"), Renamed("http://h/b", "", "rewriter: ours")), (None, None), (Discard(), None),
        ("http://h/b", None), (Rewritten(None), None), (Rewritten("http://h/b", b"http://h/c"), None),  # type: ignore[arg-type]
        (Rewritten("mailto:x"), None),
    ],
)  # fmt: skip
def test_a_plugin_that_fails_leaves_the_address_as_it_is(
    made: Any, known: Renamed | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ours:
        def rewrite(self, address: str) -> Any:
            return made if address.endswith("/a") else None

    monkeypatch.setitem(sys.modules, "ours", SimpleNamespace(Ours=Ours))
    there = PluginEntry(url_rewriting.ENTRY_POINTS, "ours", "ours:Ours", "ours 1.0")
    monkeypatch.setattr(url_rewriting, "announced", lambda _: [there])
    assert AddressRules(OFF, rewriter="ours").rename("http://h/a") == known
