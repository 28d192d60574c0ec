from __future__ import annotations

import random
from contextlib import suppress

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.rtf.reader import extract_rtf
from cormorant.model.content import Extraction
from tests.clocks import cpu_s

TASK = ExtractionTask("application/rtf", "https://h.example/dir/file.rtf")
HEAD = rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS}"
HEAD += rb"{\f3\fcharset2 Symbol;}{\f4\fcharset2 Wingdings;}{\f5\fnil\fcharset0\cpg1250 Some;}}{\colortbl;\red0;}"
HEAD += rb"{\stylesheet{\s0 Normal;}{\*\cs10 Default Paragraph Font;}}{\*\generator Program;}"


def read(body: bytes) -> Extraction:
    return extract_rtf(HEAD + body + b"}", TASK)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb"one {\b two}{\i three} four", "one twothree four"),
        (rb"one\par two\line three\page four", "one\ntwo\nthree\nfour"),
        (b"one\\\ntwo", "one\ntwo"),
        (b"one\r\ntwo", "onetwo"),
        (rb"a\tab b\emdash c\endash d\bullet e", "a\tb\u2014c\u2013d\u2022e"),
        (rb"\ldblquote x\rdblquote  \lquote y\rquote", "\u201cx\u201d \u2018y\u2019"),
        (rb"a\~b\_c\-d", "a b-cd"),
        (rb"\{a\}\\", "{a}\\"),
        (rb"caf\'e9 \'80", "caf\xe9 \u20ac"),
        (rb"\u8217\'92s \u8364 ?", "\u2019s \u20ac"),
        (rb"\uc2\u12354\'82\'a0x \uc0\u228y", "\u3042x \xe4y"),
        (rb"{\uc0 {\u228}}\u228?z", "\xe4\xe4z"),
        (rb"\u-10179?\u-8704? \u128512?", "\U0001f600 \U0001f600"),
        (rb"\u-10179?alone", "\ufffdalone"),
        (rb"\u8217\rquote x", "\u2019x"),
        (rb"\u228{x}", "\xe4x"),
        (rb"\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0  \'e9", "\u041f\u0440\u0438\u0432\u0435\u0442 \xe9"),
        (rb"\f2 \'93\'fa\'96\'7b \'83A {\'82}{\'a0}", "\u65e5\u672c \u30a2 \u3042"),
        (rb"\f3 abG\'b7\f0  x", "\u03b1\u03b2\u0393\u2022 x"),
        (rb"\f4\'fc\f0 ticked", "ticked"),
        (rb"{\f3\u-3999?}", "\u03b1"),
        (rb"\f5 \'b3\'f3d\'9f", "\u0142\xf3d\u017a"),
        (rb"{\v hidden} seen", "hidden seen"),
        (
            rb'a{\field{\*\fldinst{ EQ \\* \\* "Font:MS" \\o\\ad(\\s\\up 9(upper),lower)}}{\fldrslt {}}}b\par c',
            "alowerb\nupper\nc",
        ),
        (rb"{\field{\*\fldinst EQ \\o(\\s\\up 11({\f1 \'f6}),\f1\'ef)}} x\par y", "\u043f x\n\u0446\ny"),
        (rb"{\field{\*\fldinst EQ \\f(one,two)}{\fldrslt }} x", "one two x"),
        (rb"{\field{\*\fldinst EQ \\o(\\s\\up 9(no),no)}{\fldrslt shown}}", "shown"),
        (rb"{\field{\*\fldinst SEQ \\o(\\s\\up 9(no),no)}{\fldrslt }}x", "x"),
        (rb"a{\deleted gone}b\deleted gone\deleted0 c{\revised new}", "abcnew"),
        (rb"{\*\unheard secret}{\unheard shown}", "shown"),
        (rb"{\pict\wmetafile8 0102{\*\blipuid ff}}x", "x"),
        (rb"a{\pict\bin8 }}{{\'zz}b", "ab"),
        (rb"{\xe{index}}{\tc entry}{\*\bkmkstart mark}x", "x"),
        (rb"{\listtext\pard\plain 1.\tab}Item", "1. Item"),
        (rb"{\pntext\f3\'b7\tab}Item", "Item"),
        (rb"\trowd\intbl a\cell b\cell\row c\cell\cell d\cell\row", "a\tb\nc\td"),
        (rb"x\nestcell y\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par twice}z\cell\row", "x\ty\nz"),
        (rb"{\upr{plain}{\*\ud{\u228?wide}}} end", "\xe4wide end"),
        (rb"{\mmath{\*\moMath{\mr E=}{\msSup{\msSupPr{\mctrlPr x}}{\me{\mr c}}{\msup{\mr 2}}}}}", "E=c2"),
        (rb"\htmlrtf twice\par\htmlrtf0 once", "once"),
        (rb"\emdash{}\u{}\f{}\uc{}x", "\u2014x"),
    ],
)  # fmt: skip
def test_text_reads_as_displayed(body: bytes, expected: str) -> None:
    said = read(body)
    assert said.text == expected
    assert not said.truncated


@pytest.mark.parametrize(
    ("page", "fonts", "data", "expected"),
    [
        (rb"\ansi\ansicpg1251", b"", rb"\'cf\'f0", "\u041f\u0440"),
        (rb"\ansi\ansicpg1251", rb"{\f0\fcharset0 A;}", rb"\'cf\'f0", "\u041f\u0440"),
        (rb"\ansi\ansicpg1251", rb"{\f0\fcharset0 A;}{\f1\fcharset204 B;}", rb"\f0\'e9", "\xe9"),
        (rb"\ansi\ansicpg932", rb"{\f0\fcharset128 A;}", b"\\'93\\'fa \x93\xfa", "\u65e5 \u65e5"),
        (rb"\ansi\ansicpg936", b"", rb"\'d6\'d0", "\u4e2d"),
        (rb"\ansi\ansicpg950", b"", rb"\'a4\'a4", "\u4e2d"),
        (rb"\ansi\ansicpg949", b"", rb"\'c7\'d1", "\ud55c"),
        (rb"\ansi\ansicpg65001", b"", "\xe4\u4e2d".encode(), "\xe4\u4e2d"),
        (rb"\ansi\ansicpg65000", b"", b"+AOQ-", "+AOQ-"),
        (rb"\mac", b"", rb"\'8a", "\xe4"),
        (rb"\pc", b"", rb"\'84", "\xe4"),
        (rb"\ansi\ansicpg99999", b"", rb"\'e4", "\xe4"),
    ],
)
def test_bytes_mean_what_their_charset_says(page: bytes, fonts: bytes, data: bytes, expected: str) -> None:
    said = extract_rtf(b"{\\rtf1" + page + b"\\deff0{\\fonttbl" + fonts + b"}\\plain " + data + b"}", TASK)
    assert said.text == expected


def test_a_note_a_header_and_a_comment_stand_after_the_body_once() -> None:
    said = read(
        rb"{\header\pard Head\par}{\headerf\pard Head\par}{\footer Foot {\field{\*\fldinst PAGE}{\fldrslt 1}}}"
        rb"word{\super\chftn{\footnote\pard\plain\chftn  noted}} more{\*\atnid AB}{\*\atnauthor Ann}\chatn"
        rb"{\*\annotation{\*\atnref 1}{\*\atndate 123}\pard why}\par end"
    )
    assert said.text == "word more\nend\n\nHead\nFoot 1\nnoted\nAnn: why"


def test_a_text_box_is_found_once_after_its_paragraph() -> None:
    said = read(
        rb"before{\shp{\*\shpinst\shpleft0{\sp{\sn wzName}{\sv Text Box 2}}{\sp{\sn wzDescription}{\sv A heron}}"
        rb"{\shptxt\pard in\par box\par}}{\shprslt{\*\do\dptxbx{\dptxbxtext in\par box}}}}after\par end"
    )
    assert said.text == "before after\nA heron\nin\nbox\nend"
    assert read(rb"x{\*\do\dptxbx{\dptxbxtext old}}").text == "x\nold"
    assert read(rb"{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv Art}}}}").text == "Art"


def test_alternative_text_of_a_picture_counts_when_a_person_wrote_it() -> None:
    picture = rb"x{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv %s}}}\pngblip 8950}}{\nonshppict{\pict 01}}"
    assert read(picture % b"A heron").text == "x\nA heron"
    assert read(picture % b"heron.png").text == "x"


def test_links_have_their_targets_and_fields_their_results() -> None:
    said = read(
        rb'{\field{\*\fldinst{\cs1 HYPERLINK "other.doc" \\o "tip" }}{\fldrslt{\ul next {\b one}}}} and '
        rb'{\field{\*\fldinst HYPERLINK \\l "mark"}{\fldrslt here}}, {\field{\*\fldinst DATE}{\fldrslt May}}'
        rb'{\field{\*\fldinst HYPERLINK mailto:a@b.example}{\fldrslt mail}}'
    )  # fmt: skip
    assert said.text == "next one and here, Maymail"
    assert [(link.address, link.text) for link in said.links] == [("https://h.example/dir/other.doc", "next one")]
    assert said.links_seen == 2


def test_a_form_field_shows_its_value() -> None:
    choices = rb"{\*\ffname D1}{\*\ffl Red}{\*\ffl Blue}"
    form = rb"{\field{\*\fldinst FORMDROPDOWN {\*\formfield{\fftype2%s" + choices + rb"}}}{\fldrslt}}"
    assert read(form % rb"\ffres1\ffdefres0").text == "Blue"
    assert read(form % rb"\ffres25\ffdefres0").text == "Red"
    assert read(form % rb"\ffres7").text == ""
    entry = rb"{\field{\*\fldinst FORMTEXT {\*\formfield{\fftype0{\*\ffdeftext Name?}}}}{\fldrslt Jane}}"
    assert read(entry).text == "Jane"


def test_a_document_states_its_particulars() -> None:
    said = read(
        rb"{\info{\title Caf\'e9 \u8217?s}{\author Ann;Cid}{\operator Bob}{\author Bob}{\subject Money}"
        rb"{\keywords a, b; a}{\doccomm All}"
        rb"{\*\company ACME}{\category Report}{\creatim\yr2020\mo1\dy2}{\*\unheard x}}"
        rb"{\*\userprops{\propname Dept}\proptype30{\staticval Sales}{\propname Cost}\proptype5{\staticval 2.5}"
        rb"{\propname Author}\proptype30{\staticval Mallory}{\propname Protection}\proptype30{\staticval password}}text"
    )
    assert said.title == "Caf\xe9 \u2019s"
    assert said.text == "text"
    assert said.attributes == {
        "Author": ("Ann", "Cid"), "Subject": "Money", "Description": "All", "Category": "Report", "Company": "ACME",
        "Keywords": ("a", "b"), "Dept": "Sales", "Cost": 2.5,
    }  # fmt: skip


def test_a_document_without_a_title_has_its_name() -> None:
    assert read(b"x").title == "file.rtf"


def test_a_document_that_is_cut_is_read_up_to_the_cut() -> None:
    said = extract_rtf(HEAD + rb"one\par {\field{\*\fldinst HYPERLINK x}{\fldrslt two {\footnote three", TASK)
    assert said.text == "one\ntwo\n\nthree"
    assert said.truncated
    assert said.fault == "Its end is missing."


@pytest.mark.parametrize("body", [b"", b"{\\r", b"no rtf", b" " * 2_000 + b"{\\rtf1 x}", b"{\\html x}"])
def test_what_is_no_rtf_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        extract_rtf(body, TASK)


def test_what_stands_before_and_behind_a_document_is_no_part_of_it() -> None:
    assert extract_rtf(b"\xef\xbb\xbf\r\n{\\rtf1 x}\0 junk {y}", TASK).text == "x"


@pytest.mark.parametrize(
    "body",
    [
        b"{" * 300_000 + b"deep",
        rb"{\*\x " * 100_000,
        rb"{\footnote x" * 30_000 + b"}" * 30_000,
        rb"{\shptxt x" * 30_000 + b"}" * 30_000,
        rb'{\field{\*\fldinst HYPERLINK "http://a/"}{\fldrslt x' * 10_000 + b"}}" * 10_000,
        rb"{\bin999999999 x" * 10_000,
        rb"\bin-5 x" * 10_000,
        b"\\" + b"a" * 1_000_000,
        b"\\u" + b"9" * 1_000_000,
        rb"\uc999999999\u1 " * 10_000,
        rb"{\upr" * 10_000,
        rb"{\fonttbl{\f0 " * 10_000,
        rb"{\info{\title " * 10_000,
        b"\\" * 100_001,
        b"}" * 100_000,
        rb"\'4" * 100_000,
    ],
)
def test_hostile_documents_cost_little(body: bytes) -> None:
    assert cpu_s(lambda: read(body), 1) < 5


def test_mutations_raise_nothing() -> None:
    chance = random.Random(7)
    whole = HEAD + (
        rb"{\info{\title T}}{\header h}a\f2\'93\'fa\u228?{\footnote f}{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt t}}}"
        rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt r}}{\pict\bin3 abc}\trowd a\cell\row{\upr{a}{\*\ud b}}"
        rb"{\object{\*\objdata 0105000002000000080000005061636b61676500}}{\*\userprops{\propname p}{\staticval v}}}"
    )
    for _ in range(400):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 12)):
            broken[chance.randrange(6, len(broken))] = chance.choice(b"{}\\*'0123456789abcdefux \xff\x00")
        with suppress(Unreadable):
            extract_rtf(bytes(broken[: chance.randrange(len(broken) // 2, len(broken) + 1)]), TASK)
