"""The address parser against the suites that browsers and crawlers are held to."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cormorant.model.url import join, try_canonical
from tests.suites.record import record

SUITES = os.environ.get("CORMORANT_SUITES", "")
pytestmark = pytest.mark.skipif(not SUITES, reason="CORMORANT_SUITES does not name the folder of the suites")
OLDER = frozenset((
    "http://a.b.c.xn--pokxncvks", "http://10.0.0.xn--pokxncvks", "http://a.b.c.XN--pokxncvks",
    "http://a.b.c.Xn--pokxncvks", "http://10.0.0.XN--pokxncvks", "http://10.0.0.xN--pokxncvks", "file://xn--/p",
    "https://xn--/",
))  # fmt: skip
"""Addresses with hosts that the newest edition of IDNA lets through though no name can be made of them."""

NO_WEB = "of a scheme that is never visited"
LATER = "with a base: in wpt-url-relative"


def cases() -> list[dict[str, Any]]:
    found = json.loads((Path(SUITES) / "wpt-url" / "urltestdata.json").read_text())
    return [each for each in found if isinstance(each, dict)]


def href(case: dict[str, Any]) -> str | None:
    """The address as it is known here: without fragment and user information."""
    if case.get("failure"):
        return None
    text: str = case["href"].partition("#")[0]
    user = case["username"] + (f":{case['password']}" if case["password"] else "")
    return text.replace(f"{user}@", "", 1) if user else text


def is_web(case: dict[str, Any]) -> bool:
    """Is it about an address that could be visited, or about one that is none?"""
    return "failure" in case or case["protocol"] in ("http:", "https:", "file:", "ftp:")


def unjoined(base: str | None, case: dict[str, Any]) -> str:
    """Why a reference is not joined with a page of this address; "" when it is."""
    if case["base"] is None:
        return "without a base: in wpt-url-absolute"
    if not (base or "").startswith(("http:", "https:")):
        return "beside an address that no page has"
    if not case["input"].strip(" \t\r\n\f\0").partition("#")[0]:
        return "a page's link to itself is none"
    return "" if is_web(case) else NO_WEB


def test_every_absolute_web_address_is_written_as_the_standard_says() -> None:
    wrong = {
        case["input"]: (try_canonical(case["input"]), href(case))
        for case in cases()
        if case["base"] is None and is_web(case) and try_canonical(case["input"]) != href(case)
    }
    assert wrong.keys() == OLDER
    total = sum(case["base"] is None and is_web(case) for case in cases())
    others = Counter(LATER if case["base"] else NO_WEB for case in cases() if case["base"] or not is_web(case))
    why = dict.fromkeys(wrong, "a label that the newest IDNA lets through, though no name can be made of it")
    record("wpt-url-absolute", total - len(wrong), total, why, others)


def test_every_reference_is_joined_as_the_standard_says() -> None:
    wrong, judged = {}, 0
    others: Counter[str] = Counter()
    for case in cases():
        base = try_canonical(case["base"] or "")
        if why_not := unjoined(base, case):
            others[why_not] += 1
            continue
        assert base
        judged += 1
        got = next((address for _, address in join(base, [case["input"]])), None)
        if got != href(case):
            wrong[case["input"]] = (got, href(case))
    assert judged > 150
    assert not wrong
    record("wpt-url-relative", judged, judged, {}, others)


def test_references_are_joined_as_crawlers_expect() -> None:
    wrong = {}
    for line in (Path(SUITES) / "crawler-commons" / "url-utils" / "url-resolve.csv").read_text().splitlines():
        fields = [field.strip().strip('"') for field in line.split(", ")]
        if line.startswith("#") or len(fields) != 3 or not fields[1].startswith("http"):
            continue
        base = try_canonical(fields[1])
        assert base is not None
        got = next(
            (address for _, address in join(base, [fields[0]])), base if not fields[0].partition("#")[0] else None
        )
        if got != try_canonical(fields[2]):
            wrong[fields[0], fields[1]] = (got, fields[2])
    assert not wrong
