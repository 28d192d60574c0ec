"""Addresses as a source knows them by default, against the normaliser suite of another crawler's library."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote_to_bytes

import pytest

from cormorant.model.url import try_canonical
from cormorant.sources.web.settings.web import WebSettings
from tests.suites.record import record

SUITE = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "crawler-commons" / "normalizer"
pytestmark = pytest.mark.skipif(
    not SUITE.is_dir(), reason="CORMORANT_SUITES does not name a folder with its normalizer"
)
RULES = WebSettings(start=("http://a.example/",)).address_rules()


def rows(name: str) -> Iterator[list[str]]:
    """The cases of a file, whose lines of remarks begin with #."""
    text = (SUITE / name).read_text("utf-8")
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    yield from csv.reader(lines, skipinitialspace=True)


def known_as(text: str) -> str | None:
    """Under which address it is known."""
    address = try_canonical(text)
    renamed = RULES.rename(address) if address is not None else None
    return renamed.address if renamed is not None else address


def _same_bytes(got: str, want: str) -> bool:
    """Do they differ in how bytes are escaped alone?"""
    return unquote_to_bytes(got) == unquote_to_bytes(want)


def _slashes(got: str, want: str) -> bool:
    """Do they differ in repeated slashes alone?"""
    scheme, _, rest = got.partition("://")
    return f"{scheme}://" + re.sub("/{2,}", "/", rest) == want


def _parameters(got: str, want: str) -> bool:
    """Have they the same parameters in the same order, but for empty ones?"""
    (one, _, mine), (other, _, theirs) = got.partition("?"), want.partition("?")
    named = [[pair for pair in parse_qsl(each, keep_blank_values=True) if pair[0]] for each in (mine, theirs)]
    return one == other and named[0] == named[1]


def _no_list(got: str, want: str) -> bool:
    """Is it a query that is no list of names with values, and so is left in its order?"""
    pieces = got.partition("?")[2].split("&")
    ours, theirs = parse_qsl("&".join(pieces), keep_blank_values=True), parse_qsl(want.partition("?")[2], True)
    return not all("=" in each for each in pieces) and sorted(ours) == sorted(theirs)


REASONS: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("no host: it leads nowhere", lambda got, want: not got and re.match(r"(https?|ftp):/?$", want) is not None),
    ("an address without a scheme is joined with a page's, or refused", lambda got, want: not got and "://" in want),
    ("file addresses are written as the URL standard has it, with three slashes, and slashes in them are kept",
     lambda got, want: got.startswith("file:///") and re.sub("/{2,}", "/", got) == re.sub("/{2,}", "/", want)),
    ("escapes stay as they were written (URL standard section 1.3): servers tell them apart", _same_bytes),
    ("repeated slashes are kept (URL standard): servers tell them apart", _slashes),
    ("the dot at the end of a host is kept (URL standard): it is another host to a server",
     lambda got, want: got.replace("./", "/", 1) == want),
    ("a query with a part that is no name with a value is left in its order", _no_list),
    ("an empty query or parameter is kept: servers tell it apart", _parameters),
)  # fmt: skip


def reason(got: str | None, want: str) -> str:
    """Why a case is meant to differ; "" when nobody knows."""
    return next((text for text, holds in REASONS if holds(got or "", want)), "")


def test_addresses_are_known_as_the_suite_writes_them() -> None:
    cases = list(rows("weirdToNormalizedUrls.csv"))
    wrong = {given: (known_as(given), want) for given, want in cases if known_as(given) != want}
    why = {given: reason(*both) for given, both in wrong.items()}
    assert not [(given, wrong[given]) for given, text in why.items() if not text]
    assert len(cases) == 112
    record("crawler-commons-normalizer", len(cases) - len(wrong), len(cases), why)


def test_what_is_written_once_stays_as_it_is() -> None:
    for given, _ in rows("weirdToNormalizedUrls.csv"):
        known = known_as(given)
        assert known is None or known_as(known) == known


def test_what_is_no_address_is_none() -> None:
    invalid = [line for (line, *_) in rows("invalidUrls.csv")]
    assert [known_as(each) for each in invalid] == [None] * len(invalid)
    record("crawler-commons-normalizer-invalid", len(invalid), len(invalid), {})
