from __future__ import annotations

from tests.extract.opendocument.packages import text

STYLES = (
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"'
    ' style:num-prefix="§ " style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a"'
    ' style:num-suffix=")" text:display-levels="2" text:start-value="3"/></text:list-style>'
    '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="*"/>'
    "</text:list-style>"
    '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="I"/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
)


def _item(inner: str, start: str = "") -> str:
    return f"<text:list-item{start}>{inner}</text:list-item>"


def _p(words: str) -> str:
    return f"<text:p>{words}</text:p>"


def test_items_have_their_numbers_and_further_paragraphs_none() -> None:
    body = f'<text:list text:style-name="L">{_item(_p("one") + _p("more"))}{_item(_p("two"))}</text:list>'
    assert text(body, styles=STYLES) == "§ 1. one\nmore\n§ 2. two"


def test_levels_count_for_themselves() -> None:
    inner = f"<text:list>{_item(_p('in'))}{_item(_p('again'))}</text:list>"
    body = f'<text:list text:style-name="L">{_item(_p("one") + inner)}{_item(_p("two") + inner)}</text:list>'
    assert text(body, styles=STYLES).split("\n") == [
        "§ 1. one", "1.c) in", "1.d) again", "§ 2. two", "2.c) in", "2.d) again",
    ]  # fmt: skip


def test_a_list_continues_only_when_it_says_so() -> None:
    one = f'<text:list text:style-name="L" xml:id="first">{_item(_p("a"))}</text:list>'
    more = f'<text:list text:style-name="L" text:continue-numbering="true">{_item(_p("b"))}</text:list>'
    named = f'<text:list text:style-name="L" text:continue-list="first">{_item(_p("c"))}</text:list>'
    assert text(one + more + one + named, styles=STYLES) == "§ 1. a\n§ 2. b\n§ 1. a\n§ 2. c"


def test_a_number_that_an_item_states_counts() -> None:
    given = ' text:start-value="7"'
    body = f'<text:list text:style-name="L">{_item(_p("a"), given)}{_item(_p("b"))}</text:list>'
    assert text(body, styles=STYLES) == "§ 7. a\n§ 8. b"


def test_bullets_and_headers_of_lists_have_no_label() -> None:
    body = (
        f'<text:list text:style-name="B">{_item(_p("dot"))}</text:list><text:list text:style-name="L">'
        f"<text:list-header>{_p('head')}</text:list-header>{_item(_p('a'))}</text:list>"
    )
    assert text(body, styles=STYLES) == "dot\nhead\n§ 1. a"


def test_headings_are_numbered_by_the_outline() -> None:
    body = "".join(
        f'<text:h text:outline-level="{level}">{words}</text:h>'
        for level, words in ((1, "A"), (2, "AA"), (2, "AB"), (1, "B"), (2, "BA"))
    )
    assert text(body, styles=STYLES).split("\n") == ["I A", "I.1 AA", "I.2 AB", "II B", "II.1 BA"]


def test_a_number_that_stands_in_the_text_is_not_shown_twice() -> None:
    body = '<text:h text:outline-level="1"><text:number>I</text:number>A</text:h>'
    assert text(body, styles=STYLES) == "I A"
    assert text(body) == "I A"


def test_levels_without_bounds_cost_nothing() -> None:
    style = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="i"'
        ' text:display-levels="999999999" text:start-value="999999999"/></text:list-style>'
    )
    body = f'<text:list text:style-name="L">{_item(_p("a"))}</text:list>'
    assert text(body, styles=style).endswith(" a")
