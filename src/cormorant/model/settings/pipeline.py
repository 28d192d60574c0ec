r"""Settings of a source for the processing of documents between converter and index.

    services       redact find=email,phone
                   extract-attributes pattern='Invoice=Invoice no\. (\d+)'
    attribute_map  department=Department    generator=

Words of a service are separated by blanks; single or double quotes protect blanks, and a backslash is literal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from pydantic import BaseModel, Field, field_validator

from cormorant.model.attribute import attribute_name

NAMES: Final = ("services", "attribute_map")
"""Settings that affect the stored document."""
MOST_SERVICES: Final = 20
LONGEST_SERVICE: Final = 4_000
"""The longest service with its parameters, in characters."""
LONGEST_META: Final = 100
"""The longest name of a document's attribute, in characters."""
_SERVICE: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
_PARAMETER: Final = re.compile(r"[a-z][a-z0-9_]{0,40}")
_WORD: Final = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
_PIECE: Final = re.compile(r"""'([^']*)'|"([^"]*)"|([^'"]+)""")


class ServiceCall(NamedTuple):
    """A document service as a source names it: the service, and its parameters with all values of each."""

    name: str
    parameters: Mapping[str, tuple[str, ...]]


def service_call(line: str) -> ServiceCall:
    """Parse a service with its parameters. Raises ValueError, with a sentence, for an invalid one."""
    if len(line) > LONGEST_SERVICE:
        raise ValueError(f"A service with its parameters takes {LONGEST_SERVICE:,} characters at most.")
    words = _WORD.findall(line)
    if _WORD.sub("", line).strip():
        raise ValueError("A quote has no partner. Put what holds the quote between quotes of the other kind.")
    name = words[0] if words else ""
    if not _SERVICE.fullmatch(name):
        raise ValueError("Write the name of a service and its parameters, like `redact find=email`.")
    parameters: dict[str, tuple[str, ...]] = {}
    for word in words[1:]:
        parameter, equals, value = word.partition("=")
        if not equals or not _PARAMETER.fullmatch(parameter):
            raise ValueError(f"{word[:60]!r} is no parameter of {name}. Write NAME=VALUE.")
        parameters[parameter] = (*parameters.get(parameter, ()), _unquoted(value))
    return ServiceCall(name, parameters)


def _unquoted(value: str) -> str:
    return "".join(single or double or bare for single, double, bare in _PIECE.findall(value))


class PipelineSettings(BaseModel):
    """Settings for document services and for the names of attributes."""

    services: tuple[str, ...] = Field(
        default=(),
        description=(
            "The document services that each document passes, in this order: a name and its parameters, like "
            "`redact find=email`; may repeat."
        ),
    )
    attribute_map: tuple[str, ...] = Field(
        default=(),
        description=(
            "The search attribute in which the value of an attribute of the documents is kept: FROM=TO, where FROM is "
            "the name of a META element, a property or an attribute; `FROM=` drops it; may repeat."
        ),
    )

    @field_validator("services")
    @classmethod
    def _services(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Reject an invalid line; the names of services are checked elsewhere."""
        if len(lines) > MOST_SERVICES:
            raise ValueError(f"A source has {MOST_SERVICES} services at most.")
        for line in lines:
            service_call(line)
        return lines

    @field_validator("attribute_map")
    @classmethod
    def _map(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Reject an invalid name, and a name that is mapped twice."""
        names = [attribute_rule(line)[0] for line in lines]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} is mapped twice. An attribute is kept in one other.")
        return lines

    @property
    def attributes_by_name(self) -> Mapping[str, str]:
        """The search attribute, "" for none, by the documents' name for it, in lower case."""
        return _mapped(self.attribute_map)


def attribute_rule(line: str) -> tuple[str, str]:
    """Return the name in lower case and the search attribute of `FROM=TO`. Raises ValueError for an invalid line."""
    given, equals, wanted = line.partition("=")
    name = " ".join(given.split()).lower()
    if not equals or not name or len(name) > LONGEST_META or not name.isprintable():
        raise ValueError(f"{line[:60]!r} maps no attribute. Write FROM=TO, or FROM= to drop it.")
    return name, attribute_name(wanted.strip()) if wanted.strip() else ""


@lru_cache(256)
def _mapped(lines: tuple[str, ...]) -> Mapping[str, str]:
    return dict(map(attribute_rule, lines))
