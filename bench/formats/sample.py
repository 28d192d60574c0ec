"""A document with known contents, and the places that it has."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from typing import Final, NamedTuple

from bench.formats.places import NOISE, PLACES, Kind, Place

_TAG: Final = re.compile(r"<[^<>]*>|\{?\\\*?\\?[a-z]+-?\d* ?|\\-|[{}]")


class Sample(NamedTuple):
    """A document of a format, made by a writer; `name` is its file name."""

    form: str
    writer: str
    name: str
    body: bytes
    places: tuple[Place, ...]


class Unmade(NamedTuple):
    """Documents that could not be made, and the sentence that says why."""

    form: str
    writer: str
    why: str


def sample(form: str, writer: str, body: bytes, places: Iterable[Place]) -> Sample:
    """Return a sample with a file name after its writer; nothing of the places may stand in the name."""
    plain = re.sub(r"\W+", "-", writer.lower())
    return Sample(form, writer, f"{plain}.{form}", body, (*dict.fromkeys(places), NOISE))


def named(*names: str) -> tuple[Place, ...]:
    """Return places by their names. Raises KeyError for a name that no place has."""
    return tuple(PLACES[name] for name in names)


def places_in(source: str) -> tuple[Place, ...]:
    """Return the places whose words stand in the source of a document, whole or parted by tags; patterns do not."""
    lines = source.lower().replace("\xad", "").replace("&#xad;", "")
    text = lines + "\n" + _TAG.sub("", lines)
    known = re.sub(r"\s+", " ", text)
    return tuple(
        place
        for place in PLACES.values()
        if place.kind is not Kind.PATTERN and all(_has(known, w) for w in place.words)
    )


def still_in(places: Iterable[Place], body: bytes) -> tuple[Place, ...]:
    """Return those places whose words a program left in a document that it converted; patterns stay."""
    source = _source(body)
    return tuple(place for place in places if place.kind is Kind.PATTERN or all(word in source for word in place.words))


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text) is not None


def _source(body: bytes) -> str:
    """Return all that could be text of a document, in small letters: each part, in bytes and as UTF-16."""
    parts = [body]
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            parts = [archive.read(name) for name in archive.namelist()]
    single = "\n".join(part.decode("utf-8", "replace") for part in parts).replace("\xad", "")
    wide = "\n".join(part.decode("latin-1").replace("\0", "") for part in parts if not body.startswith(b"PK"))
    return "\n".join((single, _TAG.sub("", single), wide)).lower()
