from __future__ import annotations

import hashlib

import pytest

from cormorant.index.keys import fold_key, keys, language_keys, site_keys
from cormorant.index.query import Key
from tests.index.shelves import entry


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://docs.example.org:8443/a", ("docs.example.org", "example.org", "docs.example.org:8443")),
        ("https://example.org/", ("example.org",)),
        ("http://localhost:8000/", ("localhost", "localhost:8000")),
        ("http://10.0.0.1/x", ("10.0.0.1",)),
        ("http://[::1]:80/x", ("::1", "::1:80")),
        ("https://user:word@Host.Example.ORG?x=/1", ("host.example.org", "example.org")),
        ("smb://share/folder", ("share",)),
        ("file:///srv/x", ()),
        ("mailto:ada@example.org", ()),
        ("http://[bad/", ()),
        ("http://h:99999/", ()),
        ("", ()),
    ],
)
def test_site(url: str, found: tuple[str, ...]) -> None:
    assert site_keys(url) == found


def test_language() -> None:
    assert (language_keys("de-CH"), language_keys("en"), language_keys("")) == (("de-ch", "de"), ("en",), ("und",))


def test_fold() -> None:
    assert fold_key(b"") is None
    assert fold_key(b"\xff" * 32) == -1
    assert fold_key(hashlib.sha256(b"a").digest()) != fold_key(hashlib.sha256(b"b").digest())


def test_every_key_but_the_id() -> None:
    filed = keys(entry(1, mime="Text/HTML", language="en"))
    assert set(filed) == set(Key) - {Key.ID}
    assert (filed[Key.MIME], filed[Key.SOURCE]) == (("text/html",), ("docs",))
    assert keys(entry(1))[Key.MIME] == ()
