"""The thread of a message, and the messages of a month of a source.

All data comes through the one reader of documents, so readers see only messages that search finds for them.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cormorant.base.errors import NotFoundError
from cormorant.model.acl import ANYONE, Reader
from cormorant.model.content import Value
from cormorant.operate.mail.mail_header import MESSAGE, author_of, first_of
from cormorant.search.query.filters import Filters
from cormorant.search.reader import Hit, Library, Question, Sort

MOST_MESSAGES: Final = 1_000
"""Messages of a month or of a day that are listed."""
MOST_DEPTH: Final = 100
"""Depth of nested answers; deeper ones are listed side by side."""
_PREFIXES: Final = ("re:", "aw:", "fw:", "fwd:", "wg:", "sv:", "antw:", "tr:")


class ThreadEntry(NamedTuple):
    """A message of a thread, and how many messages it answers in turn."""

    hit: Hit
    author: str
    depth: int


class ThreadPosition(NamedTuple):
    """The place of a message in its thread by time: `place` is from 1 on; None for no such message."""

    place: int
    messages: int
    earlier: Hit | None
    later: Hit | None
    answers: Hit | None


def thread(shelf: Library, number: int, reader: Reader = ANYONE) -> list[ThreadEntry]:
    """Return the messages of the thread that a message belongs to, answers after the messages that they answer.

    They are found by the words of the subject, which answers share, and filtered by the identifier of the first
    message. Raises NotFoundError for unknown and forbidden messages alike.
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


def position(entries: Sequence[ThreadEntry], number: int) -> ThreadPosition:
    """Return where a message stands in its thread by time, and which one it answers."""
    hits = sorted((each.hit for each in entries), key=lambda hit: (hit.modified_at or 0.0, hit.id))
    place = next(index for index, each in enumerate(hits) if each.id == number)
    parent = first_of(hits[place].attributes.get("InReplyTo"))
    answers = next((each for each in hits if parent and first_of(each.attributes.get("MessageId")) == parent), None)
    return ThreadPosition(
        place + 1, len(hits), hits[place - 1] if place else None, hits[place + 1] if place + 1 < len(hits) else None,
        answers if answers is None or answers.id != number else None,
    )  # fmt: skip


def month(
    shelf: Library, source: str, when: tuple[int, int], day: int = 0, reader: Reader = ANYONE
) -> tuple[int, list[Hit]]:
    """Return the number of messages of a source in a year and month, and the first MOST_MESSAGES, the oldest first.

    With a `day`, those of that day. Raises NotFoundError for an unknown source and for one without visible documents
    alike.
    """
    if not shelf.count(source, reader):
        raise NotFoundError("There is no such source, or you have no access to it.")
    if day > monthrange(*when)[1]:
        return 0, []
    span = f"{when[0]:04}-{when[1]:02}" + (f"-{day:02}" if day else "")
    question = Question(
        f"type:{MESSAGE}", (source,), limit=MOST_MESSAGES, sort=Sort.OLDEST, fold=False,
        chosen=Filters(since=span, until=span), as_typed=True,
    )  # fmt: skip
    answer = shelf.find(question, reader)
    return answer.total, list(answer.hits)


def bare_subject(title: str) -> str:
    """Return a subject without the prefixes of an answer, and without signs of the query language."""
    subject = title.strip()
    while mark := next((each for each in _PREFIXES if subject.lower().startswith(each)), ""):
        subject = subject[len(mark) :].strip()
    return " ".join(subject.replace('"', " ").replace("\\", " ").split())


def root_of(attributes: Mapping[str, Value]) -> str:
    """Return the identifier of the message that began a thread, "" if the header names none."""
    return next(filter(None, (first_of(attributes.get(name)) for name in _ROOTS)), "")


_ROOTS: Final = ("Thread", "References", "InReplyTo", "MessageId")


def _nested(hits: Sequence[Hit]) -> list[ThreadEntry]:
    """Put answers after the messages that they answer. Answers to themselves or to absent ones begin a thread."""
    known = {first_of(each.attributes.get("MessageId")): each.id for each in hits}
    below: dict[int, list[Hit]] = {}
    for each in hits:
        parent = known.get(first_of(each.attributes.get("InReplyTo")), 0)
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
