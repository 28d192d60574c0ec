from __future__ import annotations

from tests.extract.opendocument.packages import flat, odf, read

MASTERS = (
    '<style:master-page style:name="Standard"><style:header><text:p>Head <text:page-number>1</text:page-number>'
    "</text:p></style:header><style:footer><text:p>Foot</text:p></style:footer></style:master-page>"
    '<style:master-page style:name="First" style:next-style-name="Second"><style:header><text:p>Cover</text:p>'
    '</style:header><style:footer><text:p>Foot</text:p></style:footer></style:master-page><style:master-page'
    ' style:name="Second"><style:footer-first><text:p>Follows</text:p></style:footer-first></style:master-page>'
    '<style:master-page style:name="Spare"><style:header><text:p>never</text:p></style:header></style:master-page>'
)  # fmt: skip
USED = '<style:style style:name="P1" style:family="paragraph" style:master-page-name="First"/>'


def test_headers_and_footers_of_pages_in_use_are_found_once_after_the_body() -> None:
    body = "<text:p>body</text:p>"
    assert read(odf(body, masters=MASTERS)).text == "body\n\nHead 1\nFoot"
    assert read(odf(body, masters=MASTERS, styles=USED)).text == "body\n\nHead 1\nFoot\nCover\nFollows"
    assert read(flat(body, masters=MASTERS, styles=USED)).text == "body\n\nHead 1\nFoot\nCover\nFollows"


def test_pages_that_follow_each_other_in_a_circle_are_read_once() -> None:
    masters = (
        '<style:master-page style:name="A" style:next-style-name="B"><style:header><text:p>a</text:p></style:header>'
        '</style:master-page><style:master-page style:name="B" style:next-style-name="A"><style:header>'
        "<text:p>b</text:p></style:header></style:master-page>"
    )
    assert read(odf("<text:p>x</text:p>", masters=masters)).text == "x\n\na\nb"


def test_a_header_that_is_switched_off_is_left_out() -> None:
    masters = MASTERS.replace("<style:header>", '<style:header style:display="false">')
    assert read(odf("<text:p>x</text:p>", masters=masters)).text == "x\n\nFoot"
