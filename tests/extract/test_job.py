from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given, strategies as st

from cormorant.extract import job
from cormorant.extract.job import ConversionFault, decode_result, decode_task, encode_result, encode_task
from cormorant.model.content import Extraction, Manner, PageLink


def test_a_task_survives_the_way() -> None:
    payload = encode_task(
        "text/xml", b"\0\xff", address="file:///a", charset="c", file_name="n", manner=Manner(main=True)
    )
    sent, body = decode_task(b"".join(payload))
    assert (sent.mime, body.take(), sent.address) == ("text/xml", b"\0\xff", "file:///a")
    assert (sent.charset, sent.file_name, sent.manner) == ("c", "n", Manner(main=True))
    assert body.take() == b"", "they were given up"


FULL = Extraction(
    text="text",
    title="title",
    links=(PageLink("http://a/", "t", "nofollow", of_part=True), PageLink("http://b/")),
    language="de",
    charset="utf-8",
    directives=("noindex",),
    canonical="http://c/",
    refresh="http://d/",
    attributes={"Author": "Ada", "Keywords": ("a", "b"), "Sizes": (1.5, 2.0), "made_at": 12.5},
    links_seen=9,
    truncated=True,
    main_text="main",
)


@pytest.mark.parametrize("result", [FULL, Extraction(text=""), ConversionFault(903, "why")])
def test_a_result_survives_the_way(result: Extraction | ConversionFault) -> None:
    assert decode_result(encode_result(result)) == result


@given(st.binary())
@example(b"\x91\xa5\x00\x00\x00\x00\x80")
def test_an_answer_that_is_none_is_a_fault(answer: bytes) -> None:
    result = decode_result(answer)
    assert isinstance(result, ConversionFault)
    assert result.status == 903


def test_an_answer_with_the_wrong_shape_is_a_fault() -> None:
    assert isinstance(decode_result(msgspec.msgpack.encode(["extraction", 1, 2])), ConversionFault)


def test_an_answer_is_cleaned_again() -> None:
    links = [
        ["javascript:x()", "", "", False], ["HTTP://A.example/../b", "t\0", "no\nfollow", True], ["[", "", "", False]
    ]  # fmt: skip
    forged = msgspec.msgpack.encode(
        [
            "extraction",
            "a\0b",
            "c\0",
            links,
            "d\0",
            "",
            ["x\0"],
            "about:blank",
            "?",
            {"e\0": ["f\0", 1.5]},
            0,
            False,
            "\0",
            "\0",
            0,
        ]
    )
    assert decode_result(forged) == Extraction(
        text="ab",
        title="c",
        links=(PageLink("http://a.example/b", "t", "no follow", of_part=True),),
        language="d",
        directives=("x",),
        attributes={"e": ("f", "1.5")},
    )


def test_a_long_answer_loses_the_end_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "MAX_ANSWER", 10_000)
    links = tuple(PageLink(f"http://a/{number}") for number in range(900))
    answer = encode_result(Extraction(text="é" * 20_000, links=links, main_text="m" * 20_000))
    assert len(answer) <= 10_000
    result = decode_result(answer)
    assert isinstance(result, Extraction)
    assert result.truncated
    assert result.links
    assert set(result.text) == {"é"}


def test_a_reason_is_one_line() -> None:
    result = decode_result(encode_result(ConversionFault(903, "two\nlines\0" + "x" * 9_999)))
    assert isinstance(result, ConversionFault)
    assert result.reason.startswith("two linesx")
    assert len(result.reason) == 500
