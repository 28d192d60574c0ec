"""Boundary rules from a terminal: they are tried, doubted, previewed, and act as the preview says."""

from __future__ import annotations

import pytest

from tests.cli.world import Answer, InstalledCli, Site


def add(home: InstalledCli, site: Site, *pairs: str) -> str:
    """Add a source of the site; returns what was said."""
    given = [word for pair in (f"start={site.address}", *pairs) for word in ("--set", pair)]
    return home.fine("source", "add", "web", "docs", *given).err


def crawl(home: InstalledCli) -> dict[str, object]:
    """Crawl; returns the report."""
    report: dict[str, object] = home.run("crawl", "docs", "--json").object
    return report


def found(home: InstalledCli, text: str) -> list[str]:
    return sorted(hit["title"] for hit in home.fine("search", text, "--json").objects)


def test_contradictory_rules_are_reported_at_once(bare: InstalledCli) -> None:
    given = ("--set", "start=https://a.example/", "--set", "exclude=suffix:example", "--set", "include=host:a.example")
    said = bare.fine("source", "add", "web", "docs", *given).err
    assert "The start address https://a.example/ would not be visited, by boundary: exclude suffix:example." in said
    assert "'include host:a.example' lets nothing in because of 'exclude suffix:example'" in said
    assert len(bare.fine("source", "show", "docs", "--json").object["doubts"]) == 2
    said = bare.fine("source", "edit", "docs", "--set", "exclude=path:/x", "--set", "exclude=path:/x", "--yes").err
    assert said.count("'exclude path:/x' changes nothing: 'exclude path:/x' covers it") == 1
    assert "would not be visited" not in said


@pytest.mark.parametrize(
    ("address", "code", "ruling", "rule"),
    [
        ("", 0, "waits", None),
        ("old/x", 3, "excludes", "boundary: exclude path:/old"),
        ("x?y", 3, "excludes", "address: dynamic_pages false"),
        ("x.zip", 3, "excludes", "index: index_exclude ext:zip"),
        ("http://b.example/", 3, "excludes", "boundary: hosts of the start addresses"),
        ("ftp://b.example/", 3, "excludes", "scheme: only http and https are visited"),
    ],
)
def test_any_address_is_judged_without_asking_anybody(
    address: str, code: int, ruling: str, rule: str | None, bare: InstalledCli, site: Site
) -> None:
    add(bare, site, "exclude=path:/old", "index_exclude=ext:zip", "dynamic_pages=false")
    asked = address if "://" in address else site.address + address
    done = bare.run("source", "test", "docs", "--address", asked, "--no-fetch", "--json")
    assert (done.code, done.object["ruling"], done.object["rule"]) == (code, ruling, rule)
    decided = [f"{each['gate']}: {each['rule']}" for each in done.object["gates"] if each["ruling"] == "excludes"]
    assert decided == ([rule] if rule else [])
    assert site.asked == []
    shown = bare.run("source", "test", "docs", "--address", asked, "--no-fetch")
    assert shown.code == code
    assert ruling in shown.out


def test_an_address_that_nobody_knows_is_taken_for_linked_from_a_start(bare: InstalledCli, site: Site) -> None:
    add(bare, site, "depth=0")
    start = bare.fine("source", "test", "docs", "--address", site.address, "--no-fetch", "--json").object
    other = bare.run("source", "test", "docs", "--address", f"{site.address}x", "--no-fetch", "--json").object
    assert (start["depth"], start["rule"]) == (0, None)
    assert (other["depth"], other["rule"]) == (1, "depth: depth 0")


def test_what_a_crawl_learned_is_taken_into_account(bare: InstalledCli, site: Site) -> None:
    add(bare, site, "index_exclude=size:>1MB")
    crawl(bare)
    said = bare.fine("source", "test", "docs", "--address", f"{site.address}ferries", "--no-fetch", "--json").object
    assert said["ruling"] == "admits"
    said = bare.run("source", "test", "docs", "--address", f"{site.address}private/x", "--no-fetch", "--json").object
    assert said["rule"].startswith("robots: ")


def test_a_test_shows_every_gate_it_went_through(bare: InstalledCli, site: Site) -> None:
    site.answers["/note.txt"] = Answer("a note", mime="text/plain")
    add(bare, site, "index_exclude=mime:text/plain")
    done = bare.run("source", "test", "docs", "--address", f"{site.address}note.txt", "--json")
    assert [(each["gate"], each["ruling"]) for each in done.object["gates"]] == [
        ("scheme", "admits"), ("address", "admits"), ("depth", "admits"), ("boundary", "admits"), ("robots", "admits"),
        ("index", "excludes"),
    ]  # fmt: skip
    assert (done.code, done.object["status"], done.object["rule"]) == (3, 973, "index: index_exclude mime:text/plain")
    assert "index_exclude mime:text/plain" in bare.run(
        "source", "test", "docs", "--address", f"{site.address}note.txt"
    ).out  # fmt: skip


def test_what_is_found_is_bounded_by_type_size_and_name(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/note.txt", "/long", "/draft-1", "/plain"))
    site.answers["/note.txt"] = Answer("gannet note", mime="text/plain")
    site.page("/long", "Long", "gannet " * 500)
    site.page("/draft-1", "Draft", "gannet")
    site.page("/plain", "Plain", "gannet")
    add(bare, site)
    crawl(bare)
    assert found(bare, "gannet") == ["Draft", "Long", "Plain", "note.txt"]
    rules = ("mime:text/plain", "size:>2kB", "name:draft-*")
    pairs = [word for rule in rules for word in ("--set", f"index_exclude={rule}")]
    effect = bare.fine("source", "edit", "docs", *pairs, "--preview", "--json").object
    assert (effect["leave"], effect["enter"], effect["no_longer_visited"], effect["unjudged"]) == (3, 0, 0, [])
    assert {each["rule"] for each in effect["leave_rules"]} == {f"index: index_exclude {rule}" for rule in rules}
    bare.fine("source", "edit", "docs", *pairs, "--yes")
    crawl(bare)
    assert found(bare, "gannet") == ["Plain"]
    back = bare.fine("source", "edit", "docs", "--set", "index_exclude=size:>2kB", "--preview", "--json").object
    assert (back["found_again"], back["leave"]) == (2, 0)
    bare.fine("source", "edit", "docs", "--set", "index_exclude=size:>2kB", "--yes")
    crawl(bare)
    assert found(bare, "gannet") == ["Draft", "Plain", "note.txt"]


def test_what_may_come_in_is_visited_though_no_page_links_to_it_any_more(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/elsewhere/a",))
    site.page("/elsewhere/a", "Away", "gannet")
    add(bare, site, "exclude=path:/elsewhere")
    crawl(bare)
    site.page("/", "Start")
    crawl(bare)
    assert bare.fine("source", "edit", "docs", "--set", "exclude=", "--preview", "--json").object["enter"] == 1
    bare.fine("source", "edit", "docs", "--set", "exclude=", "--yes")
    assert crawl(bare)["discovered"] == 1
    assert found(bare, "gannet") == ["Away"]


def test_rules_that_match_nothing_known_are_named_before_the_edit(bare: InstalledCli, site: Site) -> None:
    add(bare, site)
    crawl(bare)
    rules = ("exclude=path:/tide", "exclude=path:/tides", "include=any", "include=scheme:http", "include=port:1")
    pairs = [word for rule in rules for word in ("--set", rule)]
    effect = bare.fine("source", "edit", "docs", *pairs, "--preview", "--json").object
    assert effect["idle"] == ["include port:1", "exclude path:/tide"]
    said = bare.fine("source", "edit", "docs", *pairs, "--preview").err
    assert "The rule 'exclude path:/tide' matches no known address." in said


def test_links_that_do_something_are_not_followed(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/logout", "/pages/1/delete", "/x?action=remove", "/how-to-delete"))
    site.page("/how-to-delete", "How to")
    site.answers["/"].body += '<a href="javascript:x()">x</a><a href="mailto:a@a.example">m</a><a href="data:,x">d</a>'
    add(bare, site, "exclude_actions=true")
    report = crawl(bare)
    assert sorted(set(site.asked)) == ["/", "/how-to-delete", "/robots.txt"]
    assert (report["excluded"], report["failed"], report["fetch_failures"]) == (3, 0, 0)
    rules = {each["rule"] for each in bare.fine("document", "list", "--excluded", "--json").objects}
    assert rules == {"exclude_actions: logout", "exclude_actions: delete", "exclude_actions: remove"}


def test_a_name_server_that_knows_every_name_is_no_endless_site(bare: InstalledCli, site: Site) -> None:
    port = site.address.rpartition(":")[2]
    site.page("/", "Start", "", tuple(f"http://h{number}.trap.localhost:{port}" for number in range(9)))
    add(bare, site, "include=any", "network=loopback", "max_hosts=4")
    crawl(bare)
    hosts = {each["url"].split("/")[2] for each in bare.fine("document", "list", "--json").objects}
    assert len(hosts) == 5
    problem = next(each for each in bare.fine("run", "show", "--json").object["problems"] if each["kind"] == "hosts")
    assert (problem["domain"], problem["most"], problem["addresses"]) == ("trap.localhost", 4, 5)
    bare.fine("source", "edit", "docs", "--set", "max_hosts=unlimited", "--yes")
    crawl(bare)
    hosts = {each["url"].split("/")[2] for each in bare.fine("document", "list", "--json").objects}
    assert len(hosts) == 10


def test_a_range_that_is_excluded_is_not_reached_by_a_name_either(bare: InstalledCli, site: Site) -> None:
    port = site.address.rpartition(":")[2]
    site.address = f"http://localhost:{port}"
    add(bare, site, "exclude=ip:127.0.0.0/8", "exclude=ip:::1")
    done = bare.run("source", "test", "docs", "--json")
    assert (done.code, done.object["status"], site.asked) == (3, 974, [])
    bare.fine("source", "edit", "docs", "--set", "exclude=ip:10.0.0.0/8", "--yes")
    assert bare.fine("source", "test", "docs", "--json").object["status"] == 200


def test_a_wider_boundary_does_not_follow_nofollow_links(bare: InstalledCli, site: Site) -> None:
    site.page("/", "Start", "", ("/elsewhere/a",))
    site.answers["/"].body += '<a href="/elsewhere/n" rel="nofollow">n</a>'
    site.page("/elsewhere/a", "Away")
    site.page("/elsewhere/n", "Never")
    add(bare, site, "exclude=path:/elsewhere")
    crawl(bare)
    bare.fine("source", "edit", "docs", "--set", "exclude=", "--yes")
    crawl(bare)
    assert "/elsewhere/a" in site.asked
    assert "/elsewhere/n" not in site.asked
