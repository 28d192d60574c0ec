"""A message as it is read: head, text with quoted parts apart, attachments; its thread, its month.

Everything is asked of the one reader of documents, so nobody sees a message that the search would not find for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cormorant.base.clock import date_of
from cormorant.base.errors import NotFoundError
from cormorant.frontier.staging import member_rows
from cormorant.model.acl import ANYONE, Reader
from cormorant.model.content import Value
from cormorant.model.member import path_within
from cormorant.operate.documents import cached_copy
from cormorant.operate.installation import Installation
from cormorant.search.query.filters import Filters
from cormorant.search.reader import Hit, Library, Question, Sort

MESSAGE: Final = "message/rfc822"
MOST_ATTACHMENTS: Final = 100
MOST_MESSAGES: Final = 1_000
"""Messages of a month that are listed."""
MOST_DEPTH: Final = 100
"""Answers to answers that are nested; deeper ones stand beside each other."""
_PREFIXES: Final = ("re:", "aw:", "fw:", "fwd:", "wg:", "sv:", "antw:", "tr:")


class TextBlock(NamedTuple):
    """Lines of a message, quoted from another one or not."""

    text: str
    quoted: bool

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return self.text.count("\n") + 1


class MailAttachment(NamedTuple):
    """A document in a message, with its name there."""

    name: str
    hit: Hit


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A message. `facts` are fields of its header by their labels; `sent_at` is in epoch seconds."""

    hit: Hit
    facts: tuple[tuple[str, str], ...]
    blocks: tuple[TextBlock, ...]
    attachments: tuple[MailAttachment, ...]

    @property
    def sent_at(self) -> float | None:
        """The moment it was sent, in epoch seconds; None when nobody knows."""
        return self.hit.modified_at


class ThreadEntry(NamedTuple):
    """A message of a thread, and how many messages it answers in turn."""

    hit: Hit
    author: str
    depth: int


def message(house: Installation, shelf: Library, number: int, reader: Reader = ANYONE) -> MailMessage:
    """Return one message. Raises NotFoundError, the same for what is unknown, forbidden or none; NotShown."""
    hit, text = cached_copy.text_of(house, shelf, number, reader)
    if hit.mime != MESSAGE:
        raise NotFoundError("There is no such message, or you have no access to it.")
    with house.store.read() as tx:
        members = member_rows.of_containers(tx, [number]).get(number, [])[:MOST_ATTACHMENTS]
    found = ((each, shelf.see(each.id, reader)) for each in members if each.indexed)
    attachments = tuple(MailAttachment(path_within(each.address), seen) for each, seen in found if seen is not None)
    return MailMessage(hit, _facts(hit.attributes), tuple(blocks_of(_body(text))), attachments)


def thread(shelf: Library, number: int, reader: Reader = ANYONE) -> list[ThreadEntry]:
    """Return the messages of the thread that a message belongs to, answers behind what they answer.

    Found by the words of the subject, which answers have too, and told apart by the identifier of the first message.
    Raises NotFoundError, the same for what is unknown and what is forbidden.
    """
    hit = shelf.see(number, reader)
    if hit is None or hit.mime != MESSAGE:
        raise NotFoundError("There is no such message, or you have no access to it.")
    root, subject = root_of(hit.attributes), bare_subject(hit.title)
    asked = f'type:{MESSAGE} title:"{subject}"' if subject else f"type:{MESSAGE}"
    question = Question(asked, (hit.source,), limit=MOST_MESSAGES, sort=Sort.OLDEST, fold=False, as_typed=True)
    hits = [each for each in shelf.find(question, reader).hits if root and root_of(each.attributes) == root]
    if hit.id not in {each.id for each in hits}:
        hits.append(hit)
    return _nested(hits)


def month(shelf: Library, source: str, when: tuple[int, int], reader: Reader = ANYONE) -> tuple[int, list[Hit]]:
    """Return how many messages of a source are of a year and month, and the first MOST_MESSAGES, the oldest first.

    Raises NotFoundError, the same for an unknown source and one of which this reader may see nothing.
    """
    if not shelf.count(source, reader):
        raise NotFoundError("There is no such source, or you have no access to it.")
    span = f"{when[0]:04}-{when[1]:02}"
    question = Question(
        f"type:{MESSAGE}", (source,), limit=MOST_MESSAGES, sort=Sort.OLDEST, fold=False,
        chosen=Filters(since=span, until=span), as_typed=True,
    )  # fmt: skip
    answer = shelf.find(question, reader)
    return answer.total, list(answer.hits)


def month_of(moment: float | None) -> tuple[int, int] | None:
    """Return year and month of epoch seconds in UTC, None where there are none."""
    found = date_of(moment) if moment is not None else None
    return (found.year, found.month) if found is not None else None


def blocks_of(text: str) -> list[TextBlock]:
    """Split the text of a message at lines that are quoted: those that begin with >."""
    blocks = list[TextBlock]()
    lines = list[str]()
    quoted = False
    for line in text.split("\n"):
        if lines and line.startswith(">") is not quoted:
            blocks.append(TextBlock("\n".join(lines).strip("\n"), quoted))
            lines = []
        quoted = line.startswith(">")
        lines.append(line)
    blocks.append(TextBlock("\n".join(lines).strip("\n"), quoted))
    return [each for each in blocks if each.text.strip()]


def author_of(attributes: Mapping[str, Value]) -> str:
    """Return who wrote a message, without the address where there is a name."""
    author = _text(attributes.get("Author", "")).partition(", ")[0]
    return author.partition(" <")[0] or author


def bare_subject(title: str) -> str:
    """Return a subject without the marks of an answer, and without what a query would read as its own signs."""
    subject = title.strip()
    while mark := next((each for each in _PREFIXES if subject.lower().startswith(each)), ""):
        subject = subject[len(mark) :].strip()
    return " ".join(subject.replace('"', " ").replace("\\", " ").split())


def root_of(attributes: Mapping[str, Value]) -> str:
    """Return the identifier of the message that began a thread, "" where no message says it."""
    for name in ("Thread", "References", "InReplyTo", "MessageId"):
        value = attributes.get(name)
        if value:
            return value if isinstance(value, str) else str(next(iter(value))) if isinstance(value, Sequence) else ""
    return ""


def _facts(attributes: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    named = (("From", "Author"), ("To", "To"), ("Cc", "Cc"), ("List", "List"), ("Folder", "MailFolder"))
    return tuple((label, _text(attributes[name])) for label, name in named if name in attributes)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, Sequence) else ""


def _body(text: str) -> str:
    """Return the text behind the head that converters put in front."""
    head, blank, body = text.partition("\n\n")
    return body if blank and head.startswith(("From: ", "To: ", "Cc: ", "Date: ", "Subject: ")) else text


def _nested(hits: Sequence[Hit]) -> list[ThreadEntry]:
    """Put answers behind what they answer. A message that answers itself, or none that is here, begins anew."""
    known = {_text(each.attributes.get("MessageId", "")): each.id for each in hits}
    below: dict[int, list[Hit]] = {}
    for each in hits:
        parent = known.get(_text(each.attributes.get("InReplyTo", "")), 0)
        below.setdefault(parent if parent != each.id else 0, []).append(each)
    found, seen = list[ThreadEntry](), set[int]()
    ahead = [(each, 0) for each in reversed(below.get(0, []))]
    while ahead:
        hit, depth = ahead.pop()
        if hit.id not in seen:
            seen.add(hit.id)
            found.append(ThreadEntry(hit, author_of(hit.attributes), min(depth, MOST_DEPTH)))
            ahead += [(each, depth + 1) for each in reversed(below.get(hit.id, []))]
    found += [ThreadEntry(each, author_of(each.attributes), 0) for each in hits if each.id not in seen]
    return found
