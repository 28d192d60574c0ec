"""The names of document types."""

from __future__ import annotations

import pytest

from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.detect.media_types import EXTENSIONS
from cormorant.search.query.type_names import NAMES
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


@pytest.mark.parametrize(
    ("mime", "called"),
    [
        ("text/x-python", "Python"), ("text/x-c++src", "C++"), ("text/x-perl", "Perl"),
        ("text/javascript", "JavaScript"),
        ("application/x-sh", "Shell script"), ("application/rss+xml", "RSS feed"), ("application/onenote", "OneNote"),
        ("application/x-ipynb+json", "Jupyter notebook"), ("application/mbox", "Mailbox"),
        ("application/vnd.ms-word.document.macroenabled.12", "Word with macros"),
    ],
)  # fmt: skip
def test_the_list_of_types_shows_names_instead_of_media_types(mime: str, called: str) -> None:
    assert labels.label("type", mime) == labels.of_mime(mime) == called


def test_no_media_type_of_the_table_has_the_name_of_a_group_that_the_list_shows_too() -> None:
    assert not set(labels.TYPES_ALONE.values()) & set(labels.TYPES.values())


def test_every_built_in_format_has_a_name_of_its_own_or_of_a_group() -> None:
    grouped = {mime for name, several in NAMES.items() if name in labels.TYPES for mime in several}
    for mime in {*BY_MEDIA_TYPE, *EXTENSIONS.values()} - grouped:
        assert labels.label("type", mime) not in {*labels.TYPES.values(), mime}, mime
