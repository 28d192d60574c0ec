from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from cormorant.extract.errors import Protected, Unreadable
from tests.extract.opendocument.packages import content, flat, manifest, odf, read
from tests.extract.writers import zipped

BODY = (
    "<text:p>one<draw:frame><draw:text-box><text:p>two</text:p></draw:text-box></draw:frame></text:p><table:table>"
    "<table:table-row><table:table-cell><text:p>three</text:p></table:table-cell></table:table-row></table:table>"
)


def test_what_a_flat_and_a_packed_document_say_is_the_same() -> None:
    assert read(odf(BODY)).text == read(flat(BODY)).text == "one\ntwo\nthree"


def test_a_document_behind_a_password_is_protected() -> None:
    entry = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    with pytest.raises(Protected):
        read(odf(BODY, **{"META-INF/manifest.xml": manifest(entry)}))
    whole = (
        '<manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry>'
    )
    with pytest.raises(Protected):
        read(zipped({"encrypted-package": b"x", "META-INF/manifest.xml": manifest(whole)}))


def test_damaged_content_is_read_as_far_as_it_goes() -> None:
    cut = content(BODY)
    said = read(zipped({"content.xml": cut[: cut.index("three")]}))
    assert said.text == "one\ntwo"
    assert said.truncated
    assert said.fault == "Its XML is damaged: text behind the damage may be missing."


def test_damaged_styles_and_particulars_cost_only_themselves() -> None:
    said = read(zipped({"content.xml": content(BODY), "styles.xml": "<a><b>", "meta.xml": "nothing"}))
    assert said.text == "one\ntwo\nthree"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"PK",
        b"PK\x03\x04 nothing",
        b"no xml",
        b"<html/>",
        zipped({"mimetype": "application/vnd.oasis.opendocument.text"}),
        zipped({"content.xml": ""}),
        zipped({"content.xml": "<office>"}),
        zipped({"content.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}),
    ],
)
def test_what_is_no_document_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body)


@pytest.mark.parametrize("kind", ["text", "spreadsheet", "presentation"])
@pytest.mark.parametrize("make", [odf, flat])
def test_mutations_raise_nothing_unexpected(kind: str, make: Callable[..., bytes]) -> None:
    chance = random.Random(kind)
    whole = make(
        f"<draw:page>{BODY}</draw:page>" if kind == "presentation" else BODY, kind, meta="<dc:title>T</dc:title>"
    )
    for _ in range(100):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        with suppress(Unreadable, Protected):
            read(bytes(broken[: chance.randrange(len(broken) // 2, len(broken) + 1)]))
