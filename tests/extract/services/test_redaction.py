"""What is confidential is found as it is written, and nothing else is taken for it."""

from __future__ import annotations

import time

import pytest

from cormorant.extract.services import sensitive_data
from cormorant.extract.services.protocol import DocumentVeto, ServiceDocument
from cormorant.extract.services.registry import made
from cormorant.model.settings.pipeline import service_call


def redacted(document: ServiceDocument, line: str = "redact") -> ServiceDocument:
    service, _ = made(service_call(line))
    found = service.process(document)
    assert not isinstance(found, DocumentVeto)
    return found


def found(text: str, name: str) -> list[str]:
    return [text[start:end] for start, end in getattr(sensitive_data, name)(text)]


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("write to ada@example.org, please", ["ada@example.org"]),
        ("<Ada.Lovelace+x@mail.example.co.uk>", ["Ada.Lovelace+x@mail.example.co.uk"]),
        ("jörg@müller.de; mailto:a@b.example", ["jörg@müller.de", "a@b.example"]),
        ("at 10 @ noon, user@host, @name, a@b", []),
        ("🐦 ada@example.org", ["ada@example.org"]),
    ],
)
def test_addresses(text: str, addresses: list[str]) -> None:
    assert found(text, "emails") == addresses


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("+49 30 12345-678", ["+49 30 12345-678"]),
        ("Tel. 0049 30 1234567.", ["0049 30 1234567"]),
        ("(030) 123 45 67", ["(030) 123 45 67"]),
        ("call 415-555-2671 or (415) 555-2671", ["415-555-2671", "(415) 555-2671"]),
        ("01.02.2026, 2026-03-14, 14:30", []),
        ("order 4711234567, ISBN 978-3-16-148410-0", []),
        ("0.1234567 and 1,234,567.00", []),
        ("A00123456789B", []),
    ],
)
def test_telephone_numbers(text: str, numbers: list[str]) -> None:
    assert found(text, "phones") == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("card 4111 1111 1111 1111 ok", ["4111 1111 1111 1111"]),
        ("5500-0000-0000-0004", ["5500-0000-0000-0004"]),
        ("378282246310005", ["378282246310005"]),
        ("2026 4111 1111 1111 1111 12", ["4111 1111 1111 1111"]),
        ("4111 1111 1111 1112", []),
        ("1" * 16 + " " + "9" * 30, []),
    ],
)
def test_cards_pass_the_check_of_luhn(text: str, numbers: list[str]) -> None:
    assert found(text, "cards") == numbers


def test_everything_that_a_reader_could_meet_is_redacted() -> None:
    document = ServiceDocument(
        "Ask ada@example.org\nor +49 30 1234567",
        "Ada <ada@example.org>",
        {"Author": "ada@example.org", "Keywords": ("a", "bob@example.org"), "Price": 3.5},
        anchors=("mail ada@example.org", "next"),
    )
    after = redacted(document)
    assert (after.text, after.title) == ("Ask [removed]\nor [removed]", "Ada <[removed]>")
    assert after.attributes == {"Author": "[removed]", "Keywords": ("a", "[removed]"), "Price": 3.5}
    assert after.anchors == ("mail [removed]", "next")


def test_only_what_was_asked_for_is_redacted() -> None:
    document = ServiceDocument("ada@example.org +49 30 1234567 case K-1234")
    line = r"redact find= pattern='K-\d+' replacement='***'"
    assert redacted(document, line).text == "ada@example.org +49 30 1234567 case ***"
    assert redacted(document, "redact find=email,card").text == "[removed] +49 30 1234567 case K-1234"


def test_a_pattern_beyond_a_line_leaves_each_link_its_text() -> None:
    document = ServiceDocument("", anchors=("secret a", "b end", "c"))
    assert redacted(document, r"redact find= pattern='secret[\s\S]*end'").anchors == document.anchors


@pytest.mark.parametrize("text", ["1 " * 100_000, "a@" * 100_000, "+1 (" * 60_000, "0-" * 100_000, "@." * 100_000])
def test_hostile_texts_take_no_long_time(text: str) -> None:
    began = time.process_time()
    redacted(ServiceDocument(text))
    assert time.process_time() - began < 5
