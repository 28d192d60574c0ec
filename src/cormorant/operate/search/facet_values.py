"""Lists of values for a form: where there is something to be found that a reader may see."""

from __future__ import annotations

from typing import Final, NamedTuple

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.query.type_names import ALIASES, NAMES
from cormorant.search.reader import Key, Library

MOST: Final = 200
"""Values in a list, those first that most documents have."""
UNKNOWN: Final = "und"
"""The language of documents whose language nobody knows."""


class Lists(NamedTuple):
    """Hosts and domains, names of types as `type:` takes them, language tags."""

    sites: tuple[str, ...]
    types: tuple[str, ...]
    languages: tuple[str, ...]


def lists(shelf: Library, reader: Reader = ANYONE) -> Lists:
    """What this reader can choose from. Raises IndexDamaged."""
    mimes = shelf.filed(Key.MIME, reader, MOST)
    languages = shelf.filed(Key.LANGUAGE, reader, MOST)
    return Lists(
        tuple(shelf.filed(Key.SITE, reader, MOST)),
        tuple(name for name, each in NAMES.items() if name not in ALIASES and not mimes.keys().isdisjoint(each)),
        tuple(each for each in languages if each != UNKNOWN),
    )
