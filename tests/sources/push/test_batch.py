from __future__ import annotations

import base64
import json
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import UsageError
from cormorant.sources.push.batch import MAX_ITEMS, RefusedItem, read_batch
from cormorant.sources.push.item import PushedItem, bytes_of, moment, record_of, shown_as


def batch(*items: object, **more: object) -> bytes:
    return json.dumps({"items": items, **more}).encode()


def test_json_and_xml_say_the_same() -> None:
    said = {
        "id": "17", "version": 3, "url": "https://desk.example/17", "title": "Pump & seal", "content": "<p>Oil</p>",
        "encoding": "text", "media_type": "text/html", "attributes": {"Severity": "high", "Tags": ["a", "b"]},
        "acl": {"grants": ["group:support"], "denies": ["user:eve"]}, "modified_at": "2026-11-28T09:30:00Z",
        "attachments": [{"name": "n.txt", "content": "seal", "encoding": "text", "media_type": "text/plain"}],
    }  # fmt: skip
    xml = b"""<?xml version="1.0"?><feed mode="full" feed="f" sequence="2" end="true">
        <item id="17" version="3"><url>https://desk.example/17</url><title>Pump &amp; seal</title>
        <content type="text/html">&lt;p&gt;Oil&lt;/p&gt;</content><attribute name="Severity">high</attribute>
        <attribute name="Tags">a</attribute><attribute name="Tags">b</attribute>
        <acl><grant>group:support</grant><deny>user:eve</deny></acl><modified_at>2026-11-28T09:30:00Z</modified_at>
        <attachment name="n.txt" type="text/plain" encoding="text">seal</attachment></item>
        <item id="16" action="delete"/></feed>"""
    from_json = read_batch(batch(said, {"id": "16", "action": "delete"}, mode="full", feed="f", sequence=2, end=True))
    assert read_batch(xml, "application/xml") == from_json
    assert read_batch(xml) == from_json
    assert from_json.items[1] == PushedItem("16", "delete")
    assert (from_json.is_full, from_json.feed, from_json.sequence, from_json.end) == (True, "f", 2, True)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"id": ""}, "id needs"), ({"id": "a\0"}, "id needs"), ({"id": "a" * 1001}, "1,000 bytes"),
        ({"title": "x"}, "missing required field `id`"), ({"id": "1", "titel": "x"}, "unknown field `titel`"),
        ({"id": "1", "version": -1}, "version"), ({"id": "1", "version": 2**63}, "version"),
        ({"id": "1", "action": "upsert"}, "upsert"), ({"id": 1}, "Expected `str`"), ([], "Expected `object`"),
        ({"id": "1", "attachments": [{"name": "x"}] * 101}, "100 attachments"),
    ],
)  # fmt: skip
def test_a_wrong_item_is_refused_by_itself(item: object, reason: str) -> None:
    read = read_batch(batch(item, {"id": "fine"}))
    refused, fine = read.items
    assert isinstance(refused, RefusedItem)
    assert reason.lower() in refused.reason.lower()
    assert fine == PushedItem("fine")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "cannot be read"), (b"[]", "cannot be read"), (b'{"items": 3}', "cannot be read"),
        (b'{"items": [], "more": 1}', "unknown field"), (b'{"items": [], "mode": "full"}', "name of its own"),
        (b'{"items": [], "end": true}', "Only a full feed"), (b'{"items": [], "sequence": 0}', "from 1"),
        (batch(*[{"id": str(n)} for n in range(MAX_ITEMS + 1)]), "1,001 items"),
        (b"[" * 100_000, "cannot be read"), (b'{"items": [' + b"[" * 100_000, "cannot be read"),
        (b"<feed", "cannot be read"), (b"<items/>", "has to be 'feed'"), (b'<feed sequence="x"/>', "number"),
        (b'<!DOCTYPE feed [<!ENTITY a "b">]><feed/>', "document type"),
    ],
)  # fmt: skip
def test_what_is_no_batch_is_refused_as_a_whole(body: bytes, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_batch(body)


def test_an_unknown_element_refuses_its_item() -> None:
    read = read_batch(b'<feed><item id="1"><titel>x</titel></item><item id="2"/></feed>')
    assert read.items == [RefusedItem("1", "the element 'titel' is not known here."), PushedItem("2")]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_batch_or_refused(body: bytes) -> None:
    with suppress(UsageError):
        assert len(read_batch(body).items) <= MAX_ITEMS


def test_contents() -> None:
    assert bytes_of("Öl", "text") == "Öl".encode()
    assert bytes_of(" " + base64.b64encode(b"\0\1").decode() + "\n", "base64") == b"\0\1"
    with pytest.raises(ValueError, match="base64"):
        bytes_of("a&", "base64")


def test_addresses_that_readers_open() -> None:
    assert shown_as("HTTPS://Desk.example/a b") == "https://desk.example/a%20b"
    assert shown_as("") == ""
    for wrong in ("javascript:alert(1)", "file:///etc/passwd", "desk/1", "https://"):
        with pytest.raises(ValueError, match="url is"):
            shown_as(wrong)


def test_moments() -> None:
    assert moment("2026-11-28T09:30:00Z") == moment("Sat, 28 Nov 2026 09:30:00 +0000") == 1_795_858_200.0
    assert moment(12.5) == 12.5
    assert moment(None) is None
    for wrong in ("yesterday", 1e15, float("inf")):
        with pytest.raises(ValueError, match="modified_at"):
            moment(wrong)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"attributes": {"9": "x"}}, "letter"), ({"attributes": {"A": ["x", 1]}}, "mixes"),
        ({"attributes": {"A": "x" * 10_001}}, "10,000"), ({"attributes": {str(n): "x" for n in range(201)}}, "200"),
        ({"title": "a\0b"}, "code 0"), ({"language": "english!"}, "language"), ({"media_type": "pdf"}, "media_type"),
        ({"acl": {"grants": ["ada"]}}, "no reader"), ({"acl": {"grants": ["user:"]}}, "no reader"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_kept(more: dict[str, object], reason: str) -> None:
    (item,) = read_batch(batch({"id": "1", **more})).items
    assert isinstance(item, PushedItem)
    with pytest.raises(ValueError, match=reason):
        record_of(item)
