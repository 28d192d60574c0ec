"""Reader of mail (RFC 5322): addresses, date, subject, text, and attached files.

bytes --parse_mime--> parts --content_of--> texts, attachments --> Extraction | EmbeddedFile
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from cormorant.extract.archives.member_path import DistinctPaths, harmless_path
from cormorant.extract.detect.signatures import is_binary
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.html.link_options import written
from cormorant.extract.html.links import MAX_LINKS, links_written
from cormorant.extract.job import ExtractionTask
from cormorant.extract.mail.header_field import addresses, epoch_of, message_ids
from cormorant.extract.mail.mail_content import NO_BASE, Attachment, MailContent, MailText, content_of
from cormorant.extract.mail.mail_header import MailHeader, read_header
from cormorant.extract.mail.mime import parse_mime
from cormorant.extract.sanitize import MAX_TEXT, MAX_VALUE, name_of, one_line
from cormorant.model.content import Extraction, PageLink, Value

MESSAGE: Final = "message/rfc822"
_SUFFIXES: Final = {
    MESSAGE: "eml", "application/pdf": "pdf", "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif",
    "text/html": "html", "text/plain": "txt", "text/calendar": "ics", "text/csv": "csv", "text/xml": "xml",
    "text/vcard": "vcf", "text/x-vcard": "vcf", "application/zip": "zip", "application/msword": "doc",
}  # fmt: skip
"""Extensions for attachments without a name."""
_HEAD_SAMPLE: Final = 2048


def extract_eml(body: bytes, task: ExtractionTask) -> Extraction:
    """Return a mail's extraction: a head of From, To, Cc, Date and Subject, its text, and the names of its attachments.

    A mail that is encrypted has a head only, and the attribute Protection. Raises Unreadable for any other document.
    """
    tree = parse_mime(body)
    header = tree.root.header
    if not header.fields and (not body.strip() or is_binary(body[:_HEAD_SAMPLE])):
        raise Unreadable("it is empty" if not body.strip() else "it begins with no header of a mail")
    content = content_of(tree.root, task.charset or task.manner.charset)
    builder = _text(header, content)
    attributes = _attributes(header)
    if content.encrypted:
        attributes["Protection"] = "password"
    links, seen = _links(content, task)
    languages = (each.language for each in content.texts if each.language)
    charset = next((each.charset for each in content.texts if each.charset), "")
    return Extraction(
        text=builder.text(),
        title=one_line(header.text("subject")) or name_of(task.address, task.file_name),
        links=links,
        language=language_tag(header.text("content-language")) or next(languages, ""),
        charset=charset,
        attributes=attributes,
        links_seen=seen,
        truncated=bool(tree.fault) or builder.full,
        fault=tree.fault or ("" if header.fields else "It has no header."),
        charset_from="header" if charset else "",
        embeds=bool(content.attachments),
    )


def mail_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the attachments of a mail, mails that are attached to it among them, under distinct names."""
    tree = parse_mime(body)
    content = content_of(tree.root, task.charset or task.manner.charset)
    paths = DistinctPaths()
    for attachment in content.attachments:
        data = attachment.body()
        name = _shown_name(attachment, data) or _made_name(attachment)
        yield EmbeddedFile(paths.distinct(name), data, attachment.mime)


def _shown_name(attachment: Attachment, data: bytes) -> str:
    """Return the name of an attachment as a person sees it, "" when it has none; of a mail without one its subject."""
    name = harmless_path(attachment.name).rpartition("/")[2]
    if name or attachment.mime != MESSAGE:
        return name
    header, _ = read_header(data, 0, len(data))
    subject = one_line(header.text("subject"), 100).replace("/", "-").replace("\\", "-")
    return harmless_path(f"{subject}.eml") if subject else ""


def _made_name(attachment: Attachment) -> str:
    suffix = _SUFFIXES.get(attachment.mime, "")
    return "attachment" + (f".{suffix}" if suffix else "")


def _text(header: MailHeader, content: MailContent) -> TextBuilder:
    builder = TextBuilder()
    for label in ("From", "To", "Cc"):
        builder.line(_labelled(label, ", ".join(addresses(header.joined(label.lower()), header.charset))))
    for label in ("Date", "Subject"):
        builder.line(_labelled(label, one_line(header.text(label.lower()), MAX_VALUE)))
    for text in content.texts:
        builder.end_paragraph()
        builder.add("\n")
        builder.add(text.text)
        if builder.full:
            return builder
    builder.end_paragraph()
    builder.add("\n")
    shown = "\n".join(text.text for text in content.texts)
    for line in content.calendar:
        if line not in shown:
            builder.line(line)
    for attachment in content.attachments:
        data = attachment.body() if attachment.mime == MESSAGE and not attachment.name else b""
        builder.line(_labelled("Attachment", _shown_name(attachment, data)))
    return builder


def _labelled(label: str, value: str) -> str:
    return f"{label}: {value}" if value else ""


def _attributes(header: MailHeader) -> dict[str, Value]:
    found: dict[str, Value] = {}
    authors = addresses(header.joined("from") or header.raw("sender"), header.charset)
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    for name in ("To", "Cc"):
        if several := addresses(header.joined(name.lower()), header.charset):
            found[name] = several
    if subject := one_line(header.text("subject"), MAX_VALUE):
        found["Subject"] = subject
    if (sent := epoch_of(header.raw("date"))) is not None:
        found["sent_at"] = sent
    for name, field in (("MessageId", "message-id"), ("InReplyTo", "in-reply-to")):
        if ids := message_ids(header.raw(field)):
            found[name] = ids[0]
    return found | _further(header)


def _further(header: MailHeader) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if references := message_ids(header.raw("references")):
        found["References"] = references
    if listed := header.text("list-id"):
        found["ListId"] = one_line((message_ids(listed.encode()) or (listed,))[0])
    words = (one_line(word) for word in header.text("keywords")[:MAX_VALUE].replace(";", ",").split(","))
    if keywords := tuple(dict.fromkeys(word for word in words if word))[:MAX_KEYWORDS]:
        found["Keywords"] = keywords
    return found


def _links(content: MailContent, task: ExtractionTask) -> tuple[tuple[PageLink, ...], int]:
    """Return links of the pages in a mail, and by choice the addresses that are written out in its plain texts."""
    found: dict[str, PageLink] = {}
    plain = (text for text in content.texts if not text.page and {"text", "all"} & {*task.manner.links})
    in_text = chain.from_iterable(_written(text) for text in plain)
    seen = 0
    for link in chain(content.links, in_text):
        seen += 1
        if len(found) < MAX_LINKS:
            found.setdefault(link.address, link)
    return tuple(found.values()), seen


def _written(text: MailText) -> Iterator[PageLink]:
    return links_written(NO_BASE, written(text.text[:MAX_TEXT]))
