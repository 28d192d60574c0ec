from __future__ import annotations

import binascii

from cormorant.extract.mail.uuencode import without_files
from tests.extract.mail.reading import HEAD, body_of, files

DATA = bytes(range(256))
LINES = b"".join(binascii.b2a_uu(DATA[place : place + 45]) for place in range(0, 256, 45))
BLOCK = b"begin 644 my file.bin\n" + LINES + b"`\nend\n"


def test_a_file_in_the_text_is_taken_out() -> None:
    text, found = without_files(b"before\n" + BLOCK + b"after")
    assert text == b"before\nafter"
    assert [(each.name, each.body) for each in found] == [("my file.bin", DATA)]


def test_lines_without_trailing_blanks_are_read() -> None:
    line = binascii.b2a_uu(b"a\0\0").rstrip()
    text, [file] = without_files(b"begin 644 a\n" + line + b"\n\nend\nx")
    assert text == b"x"
    assert file.body == b"a\0\0"


def test_what_only_looks_like_a_file_stays() -> None:
    for text in (b"begin 644 words\nare here\nend\n", b"begin 644 x\n" + LINES, b"they begin 644 x\n`\nend\n"):
        assert without_files(text) == (text, [])


def test_a_mail_with_such_a_file_has_it_attached() -> None:
    mail = f"{HEAD}\nbefore\n".encode() + BLOCK + b"after"
    assert body_of(mail) == "before\nafter\n\nAttachment: my file.bin"
    assert [(each.path, each.body) for each in files(mail)] == [("my file.bin", DATA)]
