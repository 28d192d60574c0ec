"""Document service that extracts attributes from a document's text, title or address by regular expressions.

Every expression of RE2 takes time linear in the text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

import re2
from pydantic import Field, field_validator

from cormorant.extract.sanitize import MAX_VALUE, one_line
from cormorant.extract.services.protocol import DocumentService, ServiceDocument, ServiceSettings
from cormorant.model.attribute import MOST_VALUES, attribute_name, each_value, packed
from cormorant.model.content import Value

LONGEST_PATTERN: Final = 1_000
_MEMORY: Final = 1 << 20
"""Bytes that RE2 may take for one expression."""


class ExtractAttributesSettings(ServiceSettings):
    """Parameters of `extract-attributes`."""

    pattern: tuple[str, ...] = Field(
        min_length=1,
        max_length=50,
        description="An attribute and the expression (RE2) that finds its values, NAME=EXPRESSION: its first group is "
        "the value, or all of it where it has none; may repeat.",
    )
    within: Literal["text", "title", "address"] = Field(default="text", description="Where it looks.")
    ignore_case: bool = Field(default=False, description="Whether small and capital letters are the same.")

    @field_validator("pattern")
    @classmethod
    def _patterns(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Reject an invalid name or expression."""
        for line in lines:
            name, equals, expression = line.partition("=")
            if not equals or not expression:
                raise ValueError(f"{line[:60]!r} finds nothing. Write NAME=EXPRESSION.")
            attribute_name(name)
            compiled_pattern(expression)
        return lines


@lru_cache(256)
def compiled_pattern(expression: str, ignore_case: bool = False) -> Any:
    """Return a compiled expression. Raises ValueError with a sentence about the part that RE2 does not accept."""
    if len(expression) > LONGEST_PATTERN:
        raise ValueError(f"An expression has {LONGEST_PATTERN:,} characters at most.")
    options = re2.Options()
    options.log_errors, options.max_mem, options.case_sensitive = False, _MEMORY, not ignore_case
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        said = error.args[0]
        words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(
            f"{expression[:60]!r} is no expression of RE2, which has no look-around and no back-references: {words}."
        ) from None


class ExtractAttributes(DocumentService[ExtractAttributesSettings]):
    """Gives a document the attributes that expressions find in it, beside the values that it has."""

    about: ClassVar[str] = "Attributes found in the text, the title or the address by regular expressions."
    Settings: ClassVar[type[ServiceSettings]] = ExtractAttributesSettings

    def __init__(self, settings: ExtractAttributesSettings) -> None:
        super().__init__(settings)
        self._patterns = [
            (name, compiled_pattern(expression, settings.ignore_case))
            for name, _, expression in (line.partition("=") for line in settings.pattern)
        ]

    def process(self, document: ServiceDocument) -> ServiceDocument:
        """Add matches, each value once, at most MOST_VALUES of an attribute."""
        looked_at: str = getattr(document, self.settings.within)
        attributes = dict(document.attributes)
        for name, pattern in self._patterns:
            if values := _found(pattern, looked_at):
                attributes[name] = _joined(attributes.get(name), values)
        return document if attributes == document.attributes else document.changed(attributes=attributes)


def _found(pattern: Any, text: str) -> list[str]:
    found: dict[str, None] = {}
    for match in pattern.finditer(text):
        groups = [each for each in match.groups() if each is not None]
        value = one_line(groups[0] if groups else match.group(), MAX_VALUE)
        if value:
            found[value] = None
        if len(found) == MOST_VALUES:
            break
    return [*found]


def _joined(known: Value | None, values: list[str]) -> Value:
    """Return the values that an attribute has with those that were found; a number is as a person writes it."""
    texts = [each if isinstance(each, str) else f"{each:g}" for each in each_value(known)] if known is not None else []
    return packed([*texts, *values][:MOST_VALUES]) or ""
