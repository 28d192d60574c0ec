"""Header of a message as a page shows it: its fields by their labels, from the attributes of the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cormorant.model.content import Value

MESSAGE: Final = "message/rfc822"
MAIL_FOLDER: Final = "MailFolder"
"""The attribute with the folder of a message, its levels separated by slashes."""
MOST_NAMES: Final = 6
"""Recipients that are shown at once; more are folded away."""
_LABELS: Final = (("From", "Author"), ("To", "To"), ("Cc", "Cc"), ("List", "List"), ("Folder", MAIL_FOLDER))
_MANY: Final = frozenset(("To", "Cc"))


class HeaderFact(NamedTuple):
    """A field of a header: its label, its value, and the recipients that are folded away."""

    label: str
    value: str
    others: tuple[str, ...] = ()


def facts_of(attributes: Mapping[str, Value]) -> tuple[HeaderFact, ...]:
    """Return the fields that a document has."""
    return tuple(_fact(label, text_of_value(attributes[name])) for label, name in _LABELS if name in attributes)


def _fact(label: str, value: str) -> HeaderFact:
    names = value.split(", ") if label in _MANY else [value]
    if len(names) <= MOST_NAMES + 1:
        return HeaderFact(label, value)
    return HeaderFact(label, ", ".join(names[:MOST_NAMES]), tuple(names[MOST_NAMES:]))


def author_of(attributes: Mapping[str, Value]) -> str:
    """Return the first author of a message, without the address if there is a name."""
    author = first_of(attributes.get("Author"))
    return author.partition(" <")[0].strip('"') or author


def first_of(value: Value | None) -> str:
    """Return a text, or the first of several; "" for none."""
    if isinstance(value, str):
        return value
    return str(next(iter(value), "")) if isinstance(value, Sequence) else ""


def text_of_value(value: Value) -> str:
    """Return a text, or several joined by commas; "" for values that are no texts."""
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, Sequence) else ""
