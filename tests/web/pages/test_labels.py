"""The names of document types."""

from __future__ import annotations

import pytest

from cormorant.web.pages import labels


@pytest.mark.parametrize(
    ("mime", "called"),
    [
        ("text/html", "Web page"), ("text/csv", labels.label("type", "sheet")), ("application/epub+zip", "Book"),
        ("application/vnd.oasis.opendocument.text", "Word"), ("message/rfc822", "Message"),
        ("application/json", "JSON"), ("application/x-dvi", "Document"), ("image/png", "PNG"), ("", "Document"),
    ],
)  # fmt: skip
def test_a_type_has_the_name_that_the_list_of_types_gives_it(mime: str, called: str) -> None:
    assert labels.of_mime(mime) == called


def test_a_media_type_in_the_list_of_types_is_called_as_in_a_hit() -> None:
    assert labels.label("type", "application/zip") == labels.of_mime("application/zip") == "ZIP"
    assert labels.label("type", "application/x-odd-things") == "application/x-odd-things"
