"""What does a page ask not to be shown?"""

from __future__ import annotations

import pytest

from cormorant.model.text.display_directives import ATTRIBUTE, NO_COPY, NO_SNIPPET, asked, forbids


@pytest.mark.parametrize(
    ("header", "meta", "want"),
    [
        ((), (), ()),
        (("nofollow", "max-snippet:20"), ("index",), ()),
        (("noarchive",), ("nocache",), (NO_COPY,)),
        (("max-snippet: 0",), ("noarchive",), (NO_COPY, NO_SNIPPET)),
        ((), ("nosnippet",), (NO_SNIPPET,)),
    ],
)
def test_what_directives_ask(header: tuple[str, ...], meta: tuple[str, ...], want: tuple[str, ...]) -> None:
    assert asked(header, meta) == want


def test_an_attribute_says_it() -> None:
    kept = {ATTRIBUTE: [NO_COPY]}  # as it comes back from the index
    assert forbids(kept, NO_COPY)
    assert not forbids(kept, NO_SNIPPET)
    assert not forbids({}, NO_COPY)
    assert not forbids({ATTRIBUTE: 1.0}, NO_COPY)
