from __future__ import annotations

import pytest

from cormorant.model.url import MAX_ADDRESS
from cormorant.sources.web import filters
from cormorant.sources.web.filters import WebGates
from cormorant.sources.web.settings.web import WebSettings
from tests.crawl.samples import web_source

HOME = "https://a.example"


def test_the_rules_of_origins_are_kept_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST_ROBOTS", 2)
    ours = WebGates(WebSettings(start=(HOME,)), [HOME], float)
    body = b"User-agent: *\nDisallow: /no\n"
    origins = [f"https://{name}.example" for name in "abc"]
    for origin in origins:
        assert not ours.robots_ruling(origin, body, f"{origin}/no").admitted
    assert [ours.newest(origin) for origin in origins] == [None, body, body]
    assert ours.robots_of(origins[2], body) is ours.robots_of(origins[2], body)
    assert not ours.robots_ruling(origins[0], body, f"{origins[0]}/no").admitted


def test_large_ones_push_out_others_sooner() -> None:
    ours = WebGates(WebSettings(start=(HOME,)), [HOME], float)
    body = b"#" * (filters.MOST_ROBOTS_BYTES // 2)
    for name in "abc":
        ours.robots_of(name, body)
    assert [ours.newest(name) for name in "abc"] == [None, body, body]


def test_an_address_that_is_too_long_says_so() -> None:
    ours = WebGates(WebSettings(start=(HOME,), include=("any",)), [HOME], float)
    ruling = ours.follow(f"{HOME}/{'x' * MAX_ADDRESS}", 0)
    assert (ruling.admitted, ruling.status) == (False, 414)


def test_a_host_name_that_no_name_server_knows_is_excluded() -> None:
    ours = WebGates(WebSettings(start=(HOME,), include=("any",)), [HOME], float)
    longest = ".".join(["a" * 63] * 3 + ["b" * 61])
    assert len(longest) == 253
    assert ours.follow(f"https://{longest}:65535/{'x' * 300}", 0).admitted
    ruling = ours.follow(f"https://aaaaaa.{longest}/", 0)
    assert (ruling.status, ruling.rule) == (979, "a host name of more than 253 characters")


@pytest.mark.parametrize(
    ("address", "admitted"),
    [
        ("https://a.example/robots.txt", False), ("https://a.example:8443/robots.txt", False),
        ("https://a.example/docs/robots.txt", True), ("https://a.example/robots.txt?x", True),
        ("https://a.example/my-robots.txt", True),
    ],
)  # fmt: skip
def test_the_robots_txt_of_an_origin_is_no_document(address: str, *, admitted: bool) -> None:
    ruling = web_source(include=["any"], robots="obey").gates.follow(address, 0)
    assert (ruling.admitted, ruling.status) == (admitted, 0 if admitted else 962)
    assert web_source(include=["any"]).gates.follow(address, 0).admitted, "who ignores it may read it"
