"""Pages of HTML that were wrapped in RTF."""

from __future__ import annotations

import random

from cormorant.extract.ole.mapi.encapsulated_html import is_html_in_rtf, unwrap_html

HEAD = rb"{\rtf1\ansi\ansicpg1251\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset128 MS Gothic;}}{\colortbl;}"


def unwrap(body: bytes) -> str:
    return unwrap_html(HEAD + body + b"}")


def test_a_page_is_told_from_other_rtf() -> None:
    assert is_html_in_rtf(HEAD)
    assert not is_html_in_rtf(rb"{\rtf1\ansi\fromtext text}")


def test_tags_and_text_make_the_page() -> None:
    body = rb"{\*\htmltag64 <p>}\htmlrtf \b\par \htmlrtf0 one\par two{\*\htmltag72 </p>}{\*\mhtmltag64 <p>}"
    assert unwrap(body) == "<p>one\ntwo</p>"


def test_entities_and_escapes_are_those_of_the_page() -> None:
    body = rb"a{\*\htmltag84 &amp;}\htmlrtf &\htmlrtf0 b\{\}\\{\*\htmltag <br title=\'22x\'22>}\ldblquote q"
    body += rb"\rdblquote\tab z"
    assert unwrap(body) == 'a&amp;b{}\\<br title="x">\u201cq\u201d\tz'


def test_bytes_are_in_the_charset_of_their_font() -> None:
    assert unwrap(rb"\'cf\'f0\'e8\'e2\'e5\'f2 {\f1\'82\'a0}") == "Привет \u3042"
    assert unwrap(rb"{\*\htmltag <i>\'cf}") == "<i>\u041f"


def test_unicode_has_a_fallback_that_is_passed() -> None:
    assert unwrap(rb"\u1055?\u1083\'3f!") == "\u041f\u043b!"
    assert unwrap(rb"\uc2\u1055??x\uc0\u1083 y") == "\u041fx\u043by"
    assert unwrap(rb"\u-10179?\u-8704?") == "\U0001f600"


def test_groups_that_do_not_end_and_ends_without_groups_are_read() -> None:
    assert unwrap(b"{{{{{text") == "text"
    assert unwrap(b"}}}}}text") == "text"
    assert unwrap(b"{" * 5_000 + b"deep") == "deep"


def test_mutations_raise_nothing() -> None:
    sound = HEAD + rb"{\*\htmltag64 <p>}\htmlrtf \b\htmlrtf0 \'cf\u1055?{\f1\'82\'a0}\uc2\u-10179??\par}"
    chance = random.Random(8)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 8)):
            body[chance.randrange(len(body))] = chance.choice(b"{}\\'u*0129 \xff")
        unwrap_html(bytes(body))
