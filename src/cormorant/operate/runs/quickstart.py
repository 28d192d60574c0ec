"""Quickstart: sources from the arguments of a newcomer, and a first search from the titles found."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

import sqlalchemy as sa

from cormorant.base.errors import BadAddress, NotFoundError, NotPermitted, UsageError
from cormorant.base.secret_masking import redacted
from cormorant.model.url import canonical, origin_of
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources
from cormorant.search.index.tokenizer import words
from cormorant.sources.files.places import see_place
from cormorant.store.catalog import sources as catalog
from cormorant.store.schema import content

TITLES = 300
"""Documents whose titles are read for a first search."""
LEAST_LETTERS = 4
WORDS = 2


_THEN: Final = "`cormorant quickstart /mnt/share`"


class QuickstartSource(NamedTuple):
    """A source to add: its kind, its proposed name, and the one setting that gives its place."""

    kind: str
    name: str
    setting: str
    value: str


class Made(NamedTuple):
    """The source of an argument; `new` if it was added."""

    name: str
    new: bool


def wish(text: str) -> QuickstartSource:
    """Return the source that an argument means: an address or a folder.

    Raises UsageError for a file and for other text, BadAddress for an invalid address, NotFoundError for a missing
    folder, NotPermitted for one that cannot be read.
    """
    if not text.strip():
        raise UsageError("Name a folder, or an address like https://example.org/.")
    if not text.lower().startswith(("http:", "https:", "file:")) and (elsewhere := see_place(text, _THEN)):
        raise BadAddress(
            f"{redacted(text)} is no folder here, nor a web address, which begins with http:// or https://: {elsewhere}"
        )
    if "://" in text and not text.lower().startswith("file:"):
        return _web(text)
    place = _place(text)
    if place.is_dir():
        return _folder(place.absolute())
    if place.exists():
        raise UsageError(f"{text} is a file. Name the folder it is in: {place.absolute().parent}")
    if "/" not in text.rstrip("/") and ("." in text or text == "localhost" or ":" in text):
        raise UsageError(f"{text!r} is no folder here and no address. An address is written in full: https://{text}")
    raise NotFoundError(f"There is no folder {text}. Name an existing folder, or an address like https://example.org/.")


def _place(text: str) -> Path:
    """The path of a text, or of a `file:` address with its escapes decoded. Raises UsageError."""
    scheme, _, rest = text.partition(":")
    if scheme.lower() != "file":
        return Path(text).expanduser()
    if rest.startswith("//"):
        host, slash, rest = rest.removeprefix("//").partition("/")
        if host.lower() not in ("", "localhost"):
            raise UsageError(f"{text} is on another machine ({host}). Mount it, and name the folder it is mounted at.")
        rest = slash + rest
    if not rest:
        raise UsageError(f"{text} names no folder. Write its whole path, like file:///srv/papers.")
    return Path(os.fsdecode(unquote_to_bytes(rest)))


def _web(text: str) -> QuickstartSource:
    address = canonical(text)
    if not address.startswith(("http://", "https://")):
        raise BadAddress(f"{text!r} is not a web address: it must begin with http:// or https://.")
    origin = origin_of(address)
    if not origin.host:
        raise BadAddress(f"{text!r} names no host. Write it in full, like https://example.org/docs/.")
    return QuickstartSource("web", origin.host.strip("[]").removeprefix("www.").replace(":", "-"), "start", address)


def _folder(place: Path) -> QuickstartSource:
    try:
        next(place.iterdir(), None)
    except PermissionError:
        raise NotPermitted(f"The folder {place} may not be read by you. Check its permissions.") from None
    name = "".join(each if each.isalnum() or each in ".-_" else "-" for each in place.name).strip("-")
    return QuickstartSource("files", name or "root", "path", str(place))


def make(house: Installation, wishes: Iterable[QuickstartSource]) -> list[Made]:
    """Add a source for each argument, or take the existing one; names that are taken get a number."""
    made: list[Made] = []
    for each in wishes:
        rows = sources.every(house)
        found = next((row.name for row in rows if row.kind == each.kind and _stands_for(row, each)), None)
        if found is None:
            taken = {row.name for row in rows}
            name = next(n for n in _names(each.name) if n not in taken)
            sources.add(house, each.kind, name, {each.setting: each.value})
            made.append(Made(name, new=True))
        elif found not in [one.name for one in made]:
            made.append(Made(found, new=False))
    return made


def _stands_for(row: catalog.SourceRow, wanted: QuickstartSource) -> bool:
    value = row.settings.get(wanted.setting)
    return value in (wanted.value, [wanted.value])


def _names(name: str) -> Iterable[str]:
    name = name[: sources.LONGEST - 5]
    yield name
    yield from (f"{name}-{number}" for number in range(2, 10_000))


def sample_query(house: Installation, names: Sequence[str]) -> str:
    """Words for a first search: the rarest of a title in these sources; "" if there is no title."""
    with house.store.read() as tx:
        numbers = [catalog.named(tx, name).id for name in names]
        statement = (
            sa.select(content.c.title)
            .where(content.c.source_id.in_(numbers), content.c.indexed, content.c.title != "")
            .order_by(content.c.id)
            .limit(TITLES)
        )
        titles = [_candidates(row.title) for row in tx.rows(statement)]
    found = [title for title in titles if title]
    if not found:
        return ""
    count = Counter(word for title in found for word in set(title))
    # Of titles with two words or more, the one whose words are rarest; of equal ones the first.
    best = max(found, key=lambda title: (min(len(title), WORDS), -sum(sorted(count[word] for word in title)[:WORDS])))
    rare = sorted(dict.fromkeys(best), key=lambda word: (count[word], best.index(word)))[:WORDS]
    return " ".join(sorted(rare, key=best.index))


def _candidates(title: str) -> list[str]:
    """The words of a title that are long enough, and no mere numbers."""
    return [word for word in words(title[:200]) if len(word) >= LEAST_LETTERS and not word.isdecimal()]
