"""Which sitemaps a web source reads."""

from __future__ import annotations

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Role
from cormorant.model.settings.source import parse_settings
from cormorant.sources.web.settings.sitemaps import MAX_DEPTH
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource

HOME = "https://a.example/docs/"
FACTS = {
    "robots:https://a.example": b"Sitemap: /s.xml\nSitemap: https://b.example/s.xml\nSitemap: /s.xml\nSitemap: http://[",
    "robots:http://a.example": b"",
}


def source(**given: object) -> WebSource:
    return WebSource(1, parse_settings(WebSettings, {"start": [HOME], **given}), None, SystemClock())


def test_robots_names_sitemaps_each_once() -> None:
    found = source().leads(FACTS)
    assert [(each.address, each.role, each.how) for each in found] == [
        ("https://a.example/s.xml", Role.SITEMAP, DiscoveredBy.ROBOTS),
        ("https://b.example/s.xml", Role.SITEMAP, DiscoveredBy.ROBOTS),
    ]  # fmt: skip
    assert source().leads({}) == ()


@pytest.mark.parametrize("given", [{"sitemaps": "off"}, {"sitemaps": HOME}, {"robots": "ignore"}, {"depth": "0"}])
def test_when_robots_is_not_asked_for_them(given: dict[str, object]) -> None:
    assert source(**given).leads(FACTS) == ()


def test_where_a_sitemap_may_be() -> None:
    gates = source(include=["prefix:" + HOME], exclude=["path:/old/*"]).gates
    assert gates.consult("https://a.example/s.xml", 0).admitted, "rules speak of pages"
    assert not gates.consult("https://a.example/old/s.xml", 0).admitted, "exclusion wins"
    assert gates.consult("https://b.example/s.xml", 0).status == 964
    assert gates.consult("ftp://a.example/s.xml", 0).status == 964
    assert gates.consult("https://a.example/s.xml", MAX_DEPTH).admitted
    assert gates.consult("https://a.example/s.xml", MAX_DEPTH + 1).status == 979
    assert gates.consult("https://a.example/" + "a/" * 40, 0).status == 979
    assert source(sitemaps="off").gates.consult("https://a.example/s.xml", 0).rule == "sitemaps off"
    elsewhere = source(sitemaps=["robots", "https://c.example:8443/s.xml"])
    assert elsewhere.gates.consult("https://c.example:8443/t.xml", 1).admitted
    assert not elsewhere.gates.follow("https://c.example:8443/t.html", 1).admitted


def test_named_sitemaps_are_a_place_to_begin_at() -> None:
    alone = WebSource(1, parse_settings(WebSettings, {"sitemaps": "https://C.example/s.xml"}), None, SystemClock())
    (batch,) = list(alone.discover(""))
    assert [(each.address, each.role, each.how) for each in batch if isinstance(each, DiscoveredUrl)] == [
        ("https://c.example/s.xml", Role.SITEMAP, DiscoveredBy.SEED)
    ]
    assert alone.gates.follow("https://c.example/page", 1).admitted
    assert alone.settings.named_hosts == [("c.example", 443)]


@pytest.mark.parametrize("wrong", ["maybe", "ftp://a.example/s.xml", ["off", "robots"], []])
def test_what_is_no_choice_is_refused(wrong: object) -> None:
    with pytest.raises(BadSetting, match="sitemaps"):
        source(sitemaps=wrong)
