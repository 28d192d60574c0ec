"""Shorthands for a mail in a test."""

from __future__ import annotations

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.mail.message import extract_eml, mail_embedded_files
from cormorant.model.content import PLAIN, Extraction, Manner

HEAD = "From: Anna <anna@example.org>\nSubject: Plans\nMIME-Version: 1.0\n"


def task(name: str = "a.eml", manner: Manner = PLAIN) -> ExtractionTask:
    return ExtractionTask("message/rfc822", f"file:///share/{name}", "", name, manner)


def as_bytes(mail: str | bytes) -> bytes:
    return mail if isinstance(mail, bytes) else mail.encode()


def read(mail: str | bytes, manner: Manner = PLAIN) -> Extraction:
    return extract_eml(as_bytes(mail), task(manner=manner))


def body_of(mail: str | bytes) -> str:
    """Return the text of a mail without its head, which ends with the subject."""
    return read(mail).text.partition("Subject: Plans")[2].strip()


def files(mail: str | bytes) -> list[EmbeddedFile]:
    return list(mail_embedded_files(as_bytes(mail), task()))


def multipart(kind: str, *parts: str) -> str:
    """Return a mail of these parts, each with its header."""
    inner = "".join(f"--limit\n{part}\n" for part in parts)
    return f'{HEAD}Content-Type: multipart/{kind}; boundary="limit"\n\n{inner}--limit--\n'


def plain(text: str, more: str = "") -> str:
    return f"Content-Type: text/plain; charset=utf-8{more}\n\n{text}"


def page(text: str, more: str = "") -> str:
    return f"Content-Type: text/html; charset=utf-8{more}\n\n<html><body>{text}</body></html>"
