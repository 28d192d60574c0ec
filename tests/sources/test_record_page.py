"""Pages made of records: everything that comes from outside is text, and the reader of pages finds it."""

from __future__ import annotations

from cormorant.extract.html.page import extract_html
from cormorant.sources.record_page import RecordSection, record_page

HERE = "tickets://3/17"


def test_a_record_is_read_like_any_page() -> None:
    body = record_page(
        "Pump <b> & valve",
        [("State", "open"), ("Priority", 2), ("Owner", None), ("Room", "")],
        [
            RecordSection("", "One.\nTwo.\n\nThree <i>."),
            RecordSection("Answer", "<p>It <b>leaks</b></p>", is_html=True),
        ],
        language="en",
        links=[("https://desk.example/17", "the ticket")],
    )
    said = extract_html(body, address=HERE, charset="utf-8")
    assert said.title == "Pump <b> & valve"
    assert said.language == "en"
    for words in ("State open", "Priority 2", "One.\nTwo.", "Three <i>.", "Answer", "It leaks"):
        assert " ".join(words.split()) in " ".join(said.text.split()), words
    assert "Owner" not in said.text
    assert "Room" not in said.text
    assert [(link.address, link.text) for link in said.links] == [("https://desk.example/17", "the ticket")]


def test_text_cannot_leave_its_place() -> None:
    hostile = '"><script>alert(1)</script><a href="https://evil.example/">'
    sections = [RecordSection(hostile, hostile)]
    body = record_page(hostile, [(hostile, hostile)], sections, language=hostile, links=[(HERE, hostile)])
    said = extract_html(body, address=HERE, charset="utf-8")
    assert said.title == hostile
    assert {link.address for link in said.links} <= {HERE}
    assert said.text.count("<script>alert(1)</script>") >= 4
