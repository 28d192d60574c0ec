from __future__ import annotations

import pytest

from tests.extract.ooxml.package_writer import WORD, paragraph, read_word, root, run, word


def text_of(body: str, **stories: str) -> str:
    return read_word(body, **stories).text


def test_runs_of_one_word_join() -> None:
    assert text_of(paragraph("Cormo", "rant")) == "Cormorant"


@pytest.mark.parametrize(
    ("element", "between"),
    [
        ("<w:tab/>", "\t"), ("<w:ptab/>", "\t"), ("<w:br/>", "\n"), ("<w:cr/>", "\n"), ('<w:br w:type="page"/>', "\n"),
        ("<w:noBreakHyphen/>", "-"), ("<w:softHyphen/>", ""), ("<w:lastRenderedPageBreak/>", ""),
    ],
)  # fmt: skip
def test_characters_that_are_elements_part_words_as_they_are_displayed(element: str, between: str) -> None:
    body = f"<w:p><w:r><w:t>north</w:t>{element}<w:t>south</w:t></w:r></w:p>"
    assert text_of(body) == f"north{between}south"


def test_tab_stops_of_a_paragraph_are_no_text() -> None:
    tabs = '<w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs>'
    assert text_of(paragraph("word", properties=tabs)) == "word"


def test_a_line_end_in_the_source_is_a_space() -> None:
    assert text_of("<w:p><w:r><w:t>one\ntwo</w:t></w:r></w:p>") == "one two"


@pytest.mark.parametrize(
    ("font", "char", "found"),
    [
        ("Symbol", "F061", "north \N{GREEK SMALL LETTER ALPHA}"),
        ("Symbol", "F0B7", "north"),
        ("Wingdings", "F0FC", "north"),
        ("Arial", "00E9", "north é"),
        ("Symbol", "zz", "north"),
        ("Symbol", "110000", "north"),
    ],
)
def test_a_symbol_is_text_where_its_font_has_letters(font: str, char: str, found: str) -> None:
    assert text_of(f'<w:p><w:r><w:t>north </w:t><w:sym w:font="{font}" w:char="{char}"/></w:r></w:p>') == found


def test_letters_of_the_symbol_font_are_greek_in_plain_text_too() -> None:
    fonts = '<w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr>'
    assert text_of(f"<w:p><w:r>{fonts}<w:t>\uf062-carotene</w:t></w:r></w:p>") == "β-carotene"


def test_insertions_are_read_and_deletions_are_not() -> None:
    body = (
        f"<w:p>{run('kept ')}<w:ins>{run('inserted ')}</w:ins><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('away')}</w:moveFrom><w:moveTo>{run('arrived')}</w:moveTo></w:p>"
    )
    assert text_of(body) == "kept inserted arrived"


def test_a_deleted_end_of_a_paragraph_joins_it_with_the_next() -> None:
    mark = "<w:rPr><w:del/></w:rPr>"
    assert text_of(paragraph("light", properties=mark) + paragraph("house")) == "lighthouse"
    assert text_of(paragraph("last", properties=mark)) == "last"


def test_deleted_rows_and_cells_are_not_read() -> None:
    row = "<w:tr>{}<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc></w:tr>"
    cell = f"<w:tr><w:tc><w:tcPr><w:cellDel/></w:tcPr>{paragraph('gone')}</w:tc><w:tc>{paragraph('here')}</w:tc></w:tr>"
    table = f"<w:tbl>{row.format('<w:trPr><w:del/></w:trPr>', 'lost')}{row.format('', 'left')}{cell}</w:tbl>"
    assert text_of(table) == "left\nhere"


def test_cells_are_apart_and_nested_tables_are_read_where_they_stand() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('c')}</w:tc><w:tc>{paragraph('d')}</w:tc></w:tr></w:tbl>"
    row = f"<w:tr><w:tc>{paragraph('a')}{paragraph('b')}</w:tc><w:tc>{inner}</w:tc></w:tr>"
    about = '<w:tblPr><w:tblCaption w:val="Tides"/><w:tblDescription w:val="of the week"/></w:tblPr>'
    assert text_of(f"<w:tbl>{about}{row}</w:tbl>{paragraph('after')}") == "Tides\nof the week\na\nb\tc\td\nafter"


def test_the_code_of_a_field_is_no_text_and_its_result_is() -> None:
    body = (
        '<w:p><w:r><w:t>On </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        "<w:r><w:instrText> REF </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>INNER</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>bookmark</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>Monday</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t> next</w:t></w:r></w:p>'
    )
    assert text_of(body) == "On Monday next"


def test_a_field_that_never_ends_costs_no_text_after_its_paragraph() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    assert text_of(f"<w:p>{begin}{run('code')}</w:p>{paragraph('text')}") == "text"
    assert text_of(f"<w:p>{begin * 5_000}</w:p>{paragraph('text')}") == "text"


def test_a_simple_field_shows_its_result() -> None:
    assert text_of(f'<w:p><w:fldSimple w:instr=" DATE ">{run("14.03.2026")}</w:fldSimple></w:p>') == "14.03.2026"


def test_hyperlinks_are_links_by_relationship_and_by_field() -> None:
    field = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> HYPERLINK "https://b.example/x" \\o "tip" </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("second")}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    simple = f'<w:p><w:fldSimple w:instr="HYPERLINK page.html">{run("third")}</w:fldSimple></w:p>'
    inside = f'<w:p><w:hyperlink w:anchor="place">{run("inside")}</w:hyperlink></w:p>'
    package = word(
        f'<w:p>{run("go ")}<w:hyperlink r:id="rId1">{run("fir")}{run("st")}</w:hyperlink></w:p>{field}{simple}{inside}'
    )
    package.relate(WORD, "hyperlink", "https://a.example/", external=True)
    said = read_word(package)
    assert said.text == "go first\nsecond\nthird\ninside"
    assert [(link.address, link.text) for link in said.links] == [
        ("https://a.example/", "first"),
        ("https://b.example/x", "second"),
        ("https://host.example/folder/page.html", "third"),
    ]


def test_the_chosen_entry_of_a_list_is_text_and_the_others_are_not() -> None:
    data = (
        '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="green"/></w:ddList>'
        "</w:ffData>"
    )
    body = (
        f'<w:p>{run("Colour: ")}<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r>'
        '<w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    assert text_of(body) == "Colour: green"


def test_content_of_controls_is_read_and_their_prompts_are_not() -> None:
    control = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent><w:r><w:t>{}</w:t></w:r></w:sdtContent></w:sdt>"
    body = "".join(
        (
            control.format("<w:text/>", "Typed "),
            control.format("<w:showingPlcHdr/>", "Click here to enter text."),
            control.format('<w:showingPlcHdr w:val="0"/>', "chosen"),
            control.format('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', "☒"),
        )
    )
    assert text_of(f"<w:p>{body}</w:p>") == "Typed chosen"


def test_a_control_may_hold_paragraphs_and_rows() -> None:
    block = f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('one')}{paragraph('two')}</w:sdtContent></w:sdt>"
    rows = f"<w:tbl><w:sdt><w:sdtContent><w:tr><w:tc>{paragraph('x')}</w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>"
    assert text_of(block + rows) == "one\ntwo\nx"


def box(text: str) -> str:
    content = f"<w:txbxContent>{paragraph(text)}</w:txbxContent>"
    return (
        "<mc:AlternateContent>"
        f"<mc:Choice Requires='wps'><w:drawing><wps:txbx>{content}</wps:txbx></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{content}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
    )


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    assert text_of(f"<w:p>{run('before ')}<w:r>{box('boxed')}</w:r>{run('after')}</w:p>") == "before after\nboxed"


def test_a_text_box_parts_the_words_around_it() -> None:
    assert text_of(f"<w:p>{run('north')}<w:r>{box('boxed')}</w:r>{run('south')}</w:p>") == "north south\nboxed"


def test_a_box_without_a_newer_form_is_read() -> None:
    pict = f"<w:pict><v:shape alt='A map of the isle'><v:textbox><w:txbxContent>{paragraph('old')}</w:txbxContent>"
    assert text_of(f"<w:p><w:r>{pict}</v:textbox></v:shape></w:pict></w:r></w:p>") == "A map of the isle\nold"


def test_word_art_is_text() -> None:
    assert text_of('<w:p><w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r></w:p>') == "DRAFT"


def test_the_alternative_text_of_a_picture_is_read_once_and_its_name_is_not() -> None:
    about = 'name="Picture 1" descr="Gannets above the cliff" title="Colony"'
    picture = f'<w:drawing><wp:inline><wp:docPr {about}/><pic:cNvPr id="0" {about}/></wp:inline></w:drawing>'
    assert text_of(f"<w:p><w:r>{picture}</w:r></w:p>") == "Colony\nGannets above the cliff"
    generated = picture.replace("Gannets above the cliff", "Picture 3").replace("Colony", "C:\\img\\photo.jpg")
    assert text_of(f"<w:p>{run('x')}<w:r>{generated}</w:r></w:p>") == "x"


def test_ruby_keeps_the_word_whole_and_gives_its_reading_in_brackets() -> None:
    base = "<w:rubyBase><w:r><w:t>{}</w:t></w:r></w:rubyBase>"
    ruby = "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>{}</w:t></w:r></w:rt>" + base + "</w:ruby></w:r>"
    body = f"<w:p>{ruby.format('とう', '東')}{ruby.format('きょう', '京')}{run('です')}</w:p>"
    assert text_of(body) == "東京(とうきょう)です"


def test_a_phonetic_guide_in_a_field_is_read_like_ruby() -> None:
    code = "EQ \\* jc2 \\* hps10 \\o\\ad(\\s\\up 9(かんじ),漢字)"
    body = (
        f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    assert text_of(body) == "漢字(かんじ)"


def test_formulas_are_text() -> None:
    half = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    brackets = "<m:d><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d>"
    assert (
        text_of(f"<w:p><m:oMath><m:r><m:t>f</m:t></m:r>{brackets}<m:r><m:t>=</m:t></m:r>{half}</m:oMath></w:p>")
        == "f(x)=1/2"
    )


def test_hidden_text_is_read() -> None:
    assert text_of("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r></w:p>") == "unseen"


def test_a_note_and_its_mark() -> None:
    notes = (
        f'<w:footnote w:type="separator" w:id="-1">{paragraph("-----")}</w:footnote>'
        f'<w:footnote w:id="1">{paragraph(" first of ", "two")}{paragraph("paragraphs")}</w:footnote>'
    )
    body = f'<w:p>{run("seen")}<w:r><w:footnoteReference w:id="1"/></w:r>{run("here")}</w:p>'
    endnotes = f'<w:endnote w:id="2">{paragraph("at the end")}</w:endnote>'
    text = text_of(body, footnotes=notes, endnotes=endnotes)
    assert text == "seen here\n\nfirst of two\nparagraphs\nat the end"


def test_comments_are_read_with_their_authors() -> None:
    comments = (
        f'<w:comment w:id="1" w:author="Ada">{paragraph("Is this so?")}</w:comment>'
        f'<w:comment w:id="2" w:author="Ben">{paragraph("It is.")}</w:comment>'
        f'<w:comment w:id="3" w:author="Ben"><w:p/></w:comment>'
    )
    assert text_of(paragraph("body"), comments=comments) == "body\n\nAda: Is this so?\nBen: It is."


def test_headers_and_footers_are_read_once_after_the_body() -> None:
    page = f'<w:p><w:fldSimple w:instr=" PAGE ">{run("3")}</w:fldSimple></w:p>'
    package = word(paragraph("body"), header=paragraph("Skarvholm") + page, footer=paragraph("Skarvholm"))
    assert read_word(package).text == "body\n\nSkarvholm"


def test_a_page_number_among_words_stays() -> None:
    page = f'<w:p>{run("Page ")}<w:fldSimple w:instr="PAGE">{run("3")}</w:fldSimple></w:p>'
    assert text_of(paragraph("body"), footer=page) == "body\n\nPage 3"


def test_a_number_in_a_header_that_is_no_page_stays() -> None:
    assert text_of(paragraph("body"), footer=paragraph("+49 89 123456")) == "body\n\n+49 89 123456"


def test_the_building_blocks_of_a_template_are_not_read() -> None:
    package = word(paragraph("body"))
    part = package.add("word/glossary/document.xml", root("w:glossaryDocument", paragraph("block")))
    package.relate(WORD, "glossaryDocument", part)
    assert read_word(package).text == "body"
