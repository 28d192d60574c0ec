"""Rules that stand in each other's way are named, and no others."""

from __future__ import annotations

import ipaddress
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.rules import compile_rules, parse_rule
from cormorant.sources.rules.conflicts import conflicts, covers

WIDER = [
    ("any", "regex:x"), ("suffix:a.org", "host:x.a.org"), ("suffix:a.org", "host:A.org:81"),
    ("suffix:a.org", "suffix:x.a.org"), ("suffix:a.org", "prefix:https://x.a.org/y"), ("host:a.org", "host:a.org:80"),
    ("host:*.a.org", "host:x.a.org"), ("host:a.org", "prefix:http://a.org/"), ("host:a.org:80", "prefix:http://a.org/x"),
    ("prefix:http://a.org/x", "prefix:http://A.org/x/y"), ("prefix:http://a.org/x", "address:http://a.org/x?y"),
    ("contains:/print", "contains:/print/"), ("contains:/print", "prefix:http://a.org/print/x"),
    ("contains:a*c", "contains:abc"), ("path:/x", "prefix:http://a.org/x/y"),
    ("path:/x/*", "address:http://a.org/x/y?z"),
    ("path://a.org/x", "prefix:http://a.org/x/y"), ("ip:10.0.0.0/8", "ip:10.1.0.0/16"),
    ("ip:10.0.0.0/8", "host:10.1.2.3"),
    ("scheme:http", "prefix:http://a.org/"), ("port:80", "host:a.org:80"), ("port:80", "prefix:http://a.org/"),
    ("ext:pdf", "EXT:pdf"), ("prefix:http://a.org", "prefix:http://a.org/"),
]  # fmt: skip
APART = [
    ("suffix:a.org", "host:xa.org"), ("suffix:a.org", "host:a.org.evil.net"), ("suffix:a.org", "any"),
    ("host:a.org:80", "host:a.org"), ("host:a.org", "suffix:a.org"), ("prefix:http://a.org/x/", "prefix:http://a.org/x"),
    ("prefix:http://a.org/x", "contains:/x"), ("contains:/print/", "contains:/print"),
    ("path:/x", "prefix:http://a.org/xy"),
    ("path:/x", "prefix:http://a.org/x"), ("path://b.org/x", "prefix:http://a.org/x/y"),
    ("ip:10.1.0.0/16", "ip:10.0.0.0/8"),
    ("scheme:http", "host:a.org"), ("port:80", "host:a.org"), ("regex:x", "contains:x"), ("ends:.pdf", "ext:pdf"),
    ("path:/x", "path://a.org/x"), ("path://a.org/x", "path:/x"), ("host:*.a.org", "host:a.org"),
    ("path:/*.pdf", "prefix:http://a.org/x.pdf"), ("regex:A", "regex:a"),
]  # fmt: skip


@pytest.mark.parametrize(("wide", "narrow"), WIDER)
def test_a_rule_covers_another(wide: str, narrow: str) -> None:
    assert covers(parse_rule(wide), parse_rule(narrow))
    assert [each.rule for each in conflicts([narrow], [wide])] == [f"include {narrow}"]


@pytest.mark.parametrize(("wide", "narrow"), APART)
def test_a_rule_does_not_cover_another(wide: str, narrow: str) -> None:
    assert not covers(parse_rule(wide), parse_rule(narrow))
    assert conflicts([narrow], [wide]) == []


def test_what_is_said() -> None:
    (same,) = conflicts(["host:a.org"], ["host:A.org"])
    assert same.sentence == (
        "The rule 'include host:a.org' lets nothing in because of 'exclude host:A.org': both name the same, and "
        "exclusion wins."
    )
    (wider,) = conflicts([], ["path:/x", "suffix:a.org", "host:x.a.org"], "index_")
    assert wider.sentence == (
        "The rule 'index_exclude host:x.a.org' changes nothing: 'index_exclude suffix:a.org' covers it."
    )
    (twice,) = conflicts(["host:a.org", "host:a.org"], [])
    assert "covers it" in twice.sentence


def test_include_rules_that_narrow_are_not_covered_by_those_that_say_where() -> None:
    assert conflicts(["any", "path:/x"], []) == []
    assert conflicts(["suffix:a.org", "port:443", "scheme:https"], []) == []


HOSTS = ["a.org", "x.a.org", "b.org", "10.1.2.3"]
PARTS = ["", "x", "x/y", "print/x", "x.pdf", "x/y?z=1"]
RULES = [rule for pair in WIDER + APART for rule in pair]
ADDRESSES = [f"{scheme}://{host}/{part}" for scheme in ("http", "https") for host in HOSTS for part in PARTS]


@given(st.sampled_from(RULES), st.sampled_from(RULES))
def test_what_is_covered_is_matched_by_the_wider_rule_too(wide: str, narrow: str) -> None:
    if covers(parse_rule(wide), parse_rule(narrow)):
        outside, inside = (compile_rules([], [rule], None) for rule in (wide, narrow))
        for address in ADDRESSES:
            assert inside.ruling(address).admitted or not outside.ruling(address).admitted


def test_each_network_of_a_long_list_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, out = ([f"ip:10.{number}.{part}.0/24" for number in range(200)] for part in (1, 5))
    read: Counter[str] = Counter()

    def counted(text: str, *, strict: bool) -> ipaddress.IPv4Network:
        read[text] += 1
        return ipaddress.IPv4Network(text, strict=strict)

    monkeypatch.setattr(ipaddress, "ip_network", counted)
    assert conflicts(kept, out) == []
    assert len(read) == 400
    assert max(read.values()) <= 2, "to compile the rule, and to compare it with all others"
