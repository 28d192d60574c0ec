"""Services as they are written in settings: what is understood, and what is refused in which words."""

from __future__ import annotations

import pytest

from cormorant.base.errors import BadSetting
from cormorant.extract.services.protocol import ServiceDocument
from cormorant.extract.services.registry import check_services, made, steps_of
from cormorant.model.settings.pipeline import service_call


def test_words_and_quotes() -> None:
    call = service_call(r"""extract-attributes pattern='A=a b\d' pattern="B=it's" within=title""")
    assert call == ("extract-attributes", {"pattern": (r"A=a b\d", "B=it's"), "within": ("title",)})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("redact find=ssn", "email"),
        ("redact fnd=email", "Did you mean 'find'?"),
        ("redact pattern='(?=a)'", "no look-around"),
        ("redakt", "There is no kind of document service 'redakt'. There is: extract-attributes, redact"),
        ("extract-attributes", "The setting 'pattern' is needed"),
        ("extract-attributes pattern=1x=a", "is no name of an attribute"),
        ("extract-attributes pattern=Name", "Write NAME=EXPRESSION"),
        ("redact time_s=0", "time_s"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(line: str, words: str) -> None:
    with pytest.raises(BadSetting) as raised:
        check_services([line])
    assert words in raised.value.sentence
    assert steps_of((line,))[0].fault, "at every document, once it is there"


@pytest.mark.parametrize("line", ["", "Redact", "redact find", "redact 'find=a", "redact =a", "x" * 5_000])
def test_lines_that_are_none(line: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        service_call(line)


def test_attributes_are_extracted() -> None:
    text = "Invoice no. 17\nInvoice no. 18\nInvoice no. 17\nDue 2026-03-14\ninvoice no. 99"
    service, _ = made(
        service_call(r"extract-attributes pattern='Invoice=Invoice no\. (\d+)' pattern='Due_at=\d{4}-\d\d-\d\d'")
    )
    document = ServiceDocument(text, attributes={"Invoice": "3", "Other": 1.0})
    assert service.process(document) == document.changed(
        attributes={"Invoice": ("3", "17", "18"), "Other": 1.0, "Due_at": "2026-03-14"}
    )
    once = service.process(document)
    assert isinstance(once, ServiceDocument)
    assert service.process(once) == once
    assert service.process(ServiceDocument("none")) == ServiceDocument("none")


def test_attributes_of_title_and_address() -> None:
    document = ServiceDocument("", "REPORT 7", address="https://a.example/dept/sales/x.html")
    by_title, _ = made(
        service_call("extract-attributes pattern='Number=report (?:no )?(\\d)' within=title ignore_case=true")
    )
    by_address, _ = made(service_call("extract-attributes pattern='Department=/dept/([^/]+)/' within=address"))
    assert by_title.process(document) == document.changed(attributes={"Number": "7"})
    assert by_address.process(document) == document.changed(attributes={"Department": "sales"})
