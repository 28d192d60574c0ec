from __future__ import annotations

from tests.extract.ooxml.package_writer import paragraph, read_word, word


def level(place: int, number_format: str, text: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def numbering(*levels: str, numbers: str = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>') -> str:
    return f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>{numbers}'


def item(text: str, place: int = 0, list_id: int = 1) -> str:
    about = f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return paragraph(text, properties=about)


def lines(body: str, **parts: str) -> list[str]:
    return read_word(word(body, **parts)).text.split("\n")


def test_levels_count_and_restart() -> None:
    levels = level(0, "decimal", "%1."), level(1, "lowerLetter", "%1%2)"), level(2, "upperRoman", "(%3)")
    body = item("a") + item("b", 1) + item("c", 1) + item("d", 2) + item("e") + item("f", 1) + item("g", 2)
    assert lines(body, numbering=numbering(*levels)) == ["1. a", "1a) b", "1b) c", "(I) d", "2. e", "2a) f", "(I) g"]


def test_a_level_that_does_not_restart_goes_on() -> None:
    levels = level(0, "decimal", "%1."), level(1, "decimal", "%1.%2", '<w:lvlRestart w:val="0"/>')
    body = item("a") + item("b", 1) + item("c") + item("d", 1)
    assert lines(body, numbering=numbering(*levels)) == ["1. a", "1.1 b", "2. c", "2.2 d"]


def test_a_level_restarts_below_its_limit_alone() -> None:
    limited = level(2, "decimal", "%3", '<w:lvlRestart w:val="1"/>')
    levels = level(0, "decimal", "%1"), level(1, "decimal", "%1.%2"), limited
    body = item("a") + item("b", 1) + item("c", 2) + item("d", 1) + item("e", 2) + item("f") + item("g", 2)
    assert lines(body, numbering=numbering(*levels)) == ["1 a", "1.1 b", "1 c", "1.2 d", "2 e", "2 f", "1 g"]


def test_bullets_and_removed_numbers_are_no_text() -> None:
    parts = numbering(level(0, "bullet", "\uf0b7"))
    assert lines(item("a") + item("b", 0, 0) + item("c", 0, 77), numbering=parts) == ["a", "b", "c"]


def test_another_list_of_the_same_kind_may_start_at_a_number_of_its_own() -> None:
    numbers = (
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    )
    body = item("a") + item("b") + item("c", 0, 2) + item("d", 0, 2)
    assert lines(body, numbering=numbering(level(0, "decimal", "%1."), numbers=numbers)) == [
        "1. a", "2. b", "5. c", "6. d",
    ]  # fmt: skip


def test_headings_are_numbered_by_their_styles() -> None:
    styles = (
        '<w:style w:styleId="H1"><w:name w:val="heading 1"/>'
        '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/></w:style>'
    )
    levels = (
        level(0, "decimal", "Chapter %1", '<w:pStyle w:val="H1"/>'),
        level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>'),
    )
    body = paragraph("Birds", properties='<w:pStyle w:val="H1"/>') + paragraph(
        "Auks", properties='<w:pStyle w:val="H2"/>'
    )
    assert lines(body, styles=styles, numbering=numbering(*levels)) == ["Chapter 1 Birds", "1.1 Auks"]


def test_legal_numbers_are_decimal_at_every_level() -> None:
    levels = level(0, "upperRoman", "%1."), level(1, "decimal", "%1.%2", "<w:isLgl/>")
    assert lines(item("a") + item("b", 1), numbering=numbering(*levels)) == ["I. a", "1.1 b"]


def test_an_empty_item_shows_no_number() -> None:
    assert lines(item("") + item("b"), numbering=numbering(level(0, "decimal", "%1."))) == ["2. b"]


def test_a_loop_of_styles_ends() -> None:
    styles = (
        '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>'
    )
    body = paragraph("x", properties='<w:pStyle w:val="A"/>')
    assert lines(body, styles=styles, numbering=numbering(level(0, "decimal", "%1."))) == ["x"]


def test_a_list_style_holds_the_levels_of_others() -> None:
    styles = '<w:style w:styleId="S"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    more = (
        '<w:abstractNum w:abstractNumId="9"><w:numStyleLink w:val="S"/></w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="9"/></w:num>'
    )
    parts = numbering(level(0, "decimal", "%1)")) + more
    assert lines(item("a", 0, 3), styles=styles, numbering=parts) == ["1) a"]


def test_numbers_without_bounds_are_bounded() -> None:
    levels = level(0, "lowerLetter", "%1" * 60).replace('w:start w:val="1"', 'w:start w:val="999999999"')
    (line,) = lines(item("a"), numbering=numbering(levels))
    assert len(line) <= 102
