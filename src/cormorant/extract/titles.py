"""Fallback title and description of a document that has no usable one.

The settings of the source decide.

Titles that editors and office programs leave behind do not count in any case (`extract.sanitize`,
`extract.html.page`). Here are those that an administrator names, and a description for what has none: its first prose.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from cormorant.extract.sanitize import name_of, one_line
from cormorant.model.content import Content, Extraction, Manner
from cormorant.model.text.prose import is_prose

LONGEST: Final = 300
"""Characters of a description that is made of the text."""
SEARCHED: Final = 20_000
"""Characters of a text in which prose is looked for."""
_HEADLINES: Final = ("Headline1", "Headline2")


def named(said: Extraction, manner: Manner, content: Content) -> Extraction:
    """Give a document the title and the description that its source's settings ask for; most are returned as they are.

    In the place of a title that does not count comes its first heading that is none of them, else what it is called:
    the name that its server gives it, or that of its address.
    """
    address = content.address
    if content.given_name and said.title == name_of(address):
        said = replace(said, title=name_of(address, content.given_name))
    if manner.bad_titles and (bad := _bad(manner.bad_titles)).fullmatch(said.title):
        good = (each for each in _headlines(said) if not bad.fullmatch(each))
        said = replace(said, title=next(good, "") or name_of(address, content.called))
    if manner.describe and not said.attributes.get("Description") and (prose := _prose(said.text)):
        said = replace(said, attributes={**said.attributes, "Description": prose})
    return said


def _headlines(said: Extraction) -> Iterator[str]:
    for name in _HEADLINES:
        value = said.attributes.get(name, ())
        yield from (value,) if isinstance(value, str) else _texts(value)


def _texts(value: object) -> Iterable[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, tuple | list) else []


@lru_cache(256)
def _bad(titles: tuple[str, ...]) -> re.Pattern[str]:
    """Whole titles in any case; a * at the end stands for whatever follows."""
    made = (re.escape(each.removesuffix("*")) + (".*" if each.endswith("*") else "") for each in titles)
    return re.compile("|".join(made), re.IGNORECASE | re.DOTALL)


def _prose(text: str) -> str:
    """The first line of prose, cut after a word; "" where there is none."""
    for line in text[:SEARCHED].split("\n"):
        if is_prose(line, 0, len(line)):
            said = one_line(line, LONGEST)
            return said if len(said) < LONGEST else said.rpartition(" ")[0] or said
    return ""
