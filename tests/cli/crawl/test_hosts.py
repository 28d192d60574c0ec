"""How politely a host is visited, as a person reads it."""

from __future__ import annotations

from tests.cli.world import Done, InstalledCli, Site
from tests.clocks import around_today

DELAY_S = 0.1


def unknown(done: Done, hint: str) -> None:
    assert done.code == 4
    assert hint in done.err


def test_the_ledger_of_a_host(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/1", "/2"))
    for number in (1, 2):
        site.page(f"/{number}", f"Page {number}", "")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", f"delay_s={DELAY_S}")
    unknown(bare.run("site", "show", "example.org"), "cormorant site list")
    bare.fine("crawl", "docs")
    key = site.address.split("/")[2]
    (listed,) = bare.fine("site", "list", "--json").objects
    assert (listed["site"], listed["requests_lately"], listed["rule"]) == (key, len(site.asked), f"delay_s {DELAY_S}")
    assert listed["asked_gap_s"] == DELAY_S <= listed["smallest_gap_s"] < 30 * DELAY_S
    for name in (key, key.partition(":")[0], site.address):
        (shown,) = bare.fine("site", "show", name, "--json").objects
        assert (shown["site"], shown["visited_by"], shown["left_alone_until"]) == (key, None, None)
        assert sum(each["requests"] for each in shown["hours"]) == shown["requests"] == len(site.asked)
        (source,) = shown["sources"]
        assert (source["source"], source["delay_s"], source["rule"]) == ("docs", DELAY_S, f"delay_s {DELAY_S}")
        assert [each["name"] for each in shown["facts"]] == [f"robots:http://{key}"]
    said = bare.fine("site", "show", key).out
    assert f"source 'docs': 4 addresses, {DELAY_S:g} s apart, 4 at once: delay_s {DELAY_S:g}" in said
    assert f" s where {DELAY_S:g} s were required; the newest by delay_s {DELAY_S:g}" in said
    shut = [word for window in around_today() for word in ("--set", f"variable_delay={window} suspend")]
    bare.fine("source", "edit", "docs", *shut, "--set", "time_zone=UTC")
    (source,) = bare.fine("site", "show", key, "--json").objects[0]["sources"]
    assert source["rule"] in {f"variable_delay '{window} suspend'" for window in around_today()}
    assert source["suspended_until"] is not None


def test_listing_the_sites_of_an_unknown_source_is_an_error(bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    unknown(bare.run("site", "list", "--source", "docx"), "docx")
    assert bare.fine("site", "list", "--json").out == ""
