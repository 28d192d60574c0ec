"""Cookies as others have written down that they work: the IETF's cases, and those of the public suffix list."""

from __future__ import annotations

import json
import os
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urljoin

import pytest

from cormorant.model.url import canonical, origin_of, path_of
from cormorant.net.http.headers import Headers
from cormorant.sources.web.auth.cookies import Jar, is_public_suffix
from cormorant.sources.web.auth.set_cookie import date
from tests.suites.record import record

SUITES = Path(os.environ.get("CORMORANT_SUITES", "/nowhere"))
COOKIES, SUFFIXES = SUITES / "http-state-cookies", SUITES / "public-suffix-list"
AT = 1_300_000_000.0
"""March 2011, when the cases were written: what they call the future was that."""

DEVIATIONS = {
    "0028": "the case itself is wrong: what it wants sent are Set-Cookie fields, of two that are no cookies",
    "disabled-chromium0022": "switched off there: field values come to us with a space for a control character",
    "disabled-chromium0023": "switched off there: field values come to us with a space for a control character",
    "disabled-path0029": "switched off there: paths are compared as they are written (RFC 6265 section 5.1.4)",
}


def case(lines: list[str], name: str) -> str:
    """The Cookie field that follows an answer with these header lines."""
    jar = Jar(1, lasting=True)
    asked = f"http://home.example.org:8888/cookie-parser?{name}"
    headers = Headers("".join(f"{line}\r\n" for line in lines).encode("latin-1"))
    jar.take(origin_of(asked), path_of(asked), headers.all("set-cookie"), AT, "")
    to = headers.get("location") or f"/cookie-parser-result?{name}"
    there = canonical(urljoin(asked, to))
    line = jar.header(origin_of(there), path_of(there), AT)
    return f"Cookie: {line}" if line else ""


@pytest.mark.skipif(not COOKIES.is_dir(), reason="CORMORANT_SUITES does not name a folder with http-state-cookies")
def test_http_state() -> None:
    cases = json.loads((COOKIES / "parser_cases.json").read_text())["cases"]
    failed = {}
    for each in cases:
        said = case(each["response_headers"], each["name"])
        wanted = "".join(each["expected_request_headers"])
        if said.encode() != wanted.encode("latin-1"):
            failed[each["name"]] = f"{said!r} instead of {wanted!r} after {each['response_headers']}"
    record("http-state-cookies", len(cases) - len(failed), len(cases), DEVIATIONS)
    assert {name: why for name, why in failed.items() if name not in DEVIATIONS} == {}
    assert set(DEVIATIONS) <= set(failed), "what passes now is no deviation"


@pytest.mark.skipif(not COOKIES.is_dir(), reason="CORMORANT_SUITES does not name a folder with http-state-cookies")
@pytest.mark.parametrize("name", ["examples", "bsd-examples"])
def test_dates(name: str) -> None:
    text = (COOKIES / "data" / "dates" / f"{name}.json").read_text()
    cases = json.loads(text[text.index("\n[") :] if text.startswith("//") else text)
    failed = []
    for each in cases:
        wanted = each["expected"] and parsedate_to_datetime(each["expected"]).timestamp()
        if date(each["test"]) != wanted:
            failed.append((each, date(each["test"])))
    record(f"http-state-cookies-{name}", len(cases) - len(failed), len(cases), {})
    assert failed == []


@pytest.mark.skipif(not SUFFIXES.is_dir(), reason="CORMORANT_SUITES does not name a folder with public-suffix-list")
def test_public_suffixes() -> None:
    lines = (SUFFIXES / "tests" / "tests.txt").read_text().splitlines()
    cases = [line.split() for line in lines if line.strip() and not line.startswith("//")]
    hosts = [case for case in cases if case[0] != "null" and not case[0].startswith(".")]
    failed = []
    for domain, registrable in hosts:
        name = ascii_of(domain)
        public = registrable == "null"
        if is_public_suffix(name) != public or (not public and is_public_suffix(ascii_of(registrable))):
            failed.append(domain)
    left_out = {"no host: nothing, or it begins with a dot": len(cases) - len(hosts)}
    record("public-suffix-list", len(hosts) - len(failed), len(hosts), {}, left_out)
    assert failed == []


def ascii_of(domain: str) -> str:
    """A domain as an address has it."""
    return origin_of(canonical(f"http://{domain}/")).host
