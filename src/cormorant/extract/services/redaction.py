"""Document service that removes confidential parts of a document: addresses, numbers, and matches of patterns.

The text, the title, the attributes and the texts of links are changed. The original stays in the cache, for whatever
reads it again, and is shown and handed to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final, Literal

from pydantic import Field, field_validator

from cormorant.extract.services import sensitive_data
from cormorant.extract.services.attribute_patterns import compiled_pattern
from cormorant.extract.services.protocol import DocumentService, ServiceDocument, ServiceSettings
from cormorant.model.attribute import each_value, shaped
from cormorant.model.content import Value

_FINDERS: Final = {"card": sensitive_data.cards, "email": sensitive_data.emails, "phone": sensitive_data.phones}
_LINE: Final = "\n"


class RedactSettings(ServiceSettings):
    """Parameters of `redact`."""

    find: tuple[Literal["email", "phone", "card"], ...] = Field(
        default=("email", "phone", "card"),
        description="The confidential data to look for: email, phone, card (numbers of payment cards); parted by "
        "commas, or repeated; `find=` for nothing but patterns.",
    )
    pattern: tuple[str, ...] = Field(
        default=(), max_length=50, description="An expression (RE2) of your own for what is to go; may repeat."
    )
    replacement: str = Field(default="[removed]", max_length=100, description="The text that stands in its place.")

    @field_validator("find", mode="before")
    @classmethod
    def _parted(cls, given: object) -> object:
        """Take names between commas apart."""
        if isinstance(given, list | tuple) and all(isinstance(each, str) for each in given):
            return tuple(name.strip() for each in given for name in each.split(",") if name.strip())
        return given

    @field_validator("pattern")
    @classmethod
    def _patterns(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Reject an invalid expression."""
        for line in lines:
            compiled_pattern(line)
        return lines


class Redact(DocumentService[RedactSettings]):
    """Replaces matches in all searchable and displayed parts."""

    about: ClassVar[str] = "E-mail addresses, telephone and card numbers, and other patterns replaced."
    withholds: ClassVar[bool] = True
    Settings: ClassVar[type[ServiceSettings]] = RedactSettings

    def __init__(self, settings: RedactSettings) -> None:
        super().__init__(settings)
        built_in = [find for name, find in _FINDERS.items() if name in settings.find]
        self._finders = [*map(sensitive_data.own, settings.pattern), *built_in]

    def process(self, document: ServiceDocument) -> ServiceDocument:
        """Return the document without the matches."""
        return document.changed(
            text=self._clean(document.text),
            title=self._clean(document.title),
            attributes={name: self._value(value) for name, value in document.attributes.items()},
            anchors=tuple(self._each(document.anchors)),
        )

    def _clean(self, text: str) -> str:
        for find in self._finders:
            text = _replaced(text, find, self.settings.replacement)
        return text

    def _value(self, value: Value) -> Value:
        values = [each if isinstance(each, float | int) else self._clean(each) for each in each_value(value)]
        return shaped(value, values) or ""

    def _each(self, lines: Sequence[str]) -> Sequence[str]:
        """Clean many short texts, all at once where nothing that is found goes beyond its line."""
        whole = self._clean(_LINE.join(lines)).split(_LINE) if lines else []
        return whole if len(whole) == len(lines) else [self._clean(each) for each in lines]


def _replaced(text: str, find: Callable[[str], Iterator[tuple[int, int]]], replacement: str) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in find(text):
        pieces += (text[done:start], replacement)
        done = end
    return "".join((*pieces, text[done:])) if pieces else text
