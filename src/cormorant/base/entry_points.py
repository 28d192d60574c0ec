"""Entry points of installed packages, found by their group and loaded at first use.

    [project.entry-points."cormorant.sources"]        in the pyproject.toml of a package
    tickets = "cormorant_tickets:TicketSource"

The code of a package runs here, with all rights of the process. An exception while it is loaded becomes a
PluginUnusable that names the package, and affects nothing else.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final, Generic, NamedTuple, TypeVar

from cormorant.base.errors import NotFoundError, PluginUnusable
from cormorant.base.log import logger

K = TypeVar("K")
_log = logger(__name__)
NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
"""Names that a package may use: they begin addresses, and appear in commands and settings."""
_MOST_WORDS: Final = 300


class PluginEntry(NamedTuple):
    """One entry point of a package: its group, its name, and its code (`module:name`)."""

    group: str
    name: str
    reference: str
    package: str

    @property
    def title(self) -> str:
        """Return the beginning of a sentence about this entry point."""
        return f"{self.name!r} of the package {self.package} ({self.group})"


def announced(group: str) -> tuple[PluginEntry, ...]:
    """List the entry points that installed packages add to a group, without loading them."""
    return _announced(group, tuple(sys.path))


@lru_cache(32)
def _announced(group: str, _path: tuple[str, ...]) -> tuple[PluginEntry, ...]:
    found = (
        PluginEntry(group, each.name, each.value.partition("[")[0].strip(), _package(each))
        for each in entry_points(group=group)
    )
    return tuple(sorted(found))


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"


def load(entry: PluginEntry) -> object:
    """Load the object of an entry point. Raises PluginUnusable with its package."""
    try:
        return imported(entry.reference)
    except PluginUnusable as error:
        raise PluginUnusable(f"{entry.title} cannot be loaded: {error.sentence}") from error


def imported(reference: str) -> object:
    """Import a module and return the named object. Raises PluginUnusable for any exception of the module."""
    module, _, names = reference.partition(":")
    try:
        found: object = importlib.import_module(module)
        for name in filter(None, names.split(".")):
            found = getattr(found, name)
    except (Exception, SystemExit) as error:
        words = "".join(each for each in " ".join(str(error).split()) if each.isprintable())[:_MOST_WORDS]
        raise PluginUnusable(f"{type(error).__name__}: {words.rstrip('.')}.".replace(": .", ".")) from error
    return found


class BuiltInKinds(Mapping[str, K]):
    """Kinds that come with the product, by the place of their code (`module:name`), imported when first asked for.

    A command uses few of them: importing all of them took a third of a search. Names are listed without an import. A
    kind that is put together from several modules is named by the function that does it.
    """

    def __init__(self, references: Mapping[str, str | Callable[[], object]], adopt: Callable[[str, object], K]) -> None:
        self._references, self._adopt = references, adopt
        self._loaded: dict[str, K] = {}

    def __getitem__(self, name: str) -> K:
        if name not in self._loaded:
            place = self._references[name]
            self._loaded[name] = self._adopt(name, imported(place) if isinstance(place, str) else place())
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)

    def __contains__(self, name: object) -> bool:
        return name in self._references


class KindRegistry(Generic[K]):
    """All kinds of one sort: the built-in ones, and those that packages add to a group of entry points.

    `adopt` makes a kind of a loaded object. It raises PluginUnusable or TypeError for an unsuitable one.
    """

    def __init__(self, word: str, group: str, built_in: Mapping[str, K], adopt: Callable[[str, object], K]) -> None:
        self._word, self._group, self._built_in, self._adopt = word, group, built_in, adopt
        self._made: dict[PluginEntry, K | PluginUnusable] = {}

    def get(self, name: str) -> K:
        """Return the kind of that name. Raises NotFoundError, which lists the kinds, and PluginUnusable."""
        if name in self._built_in:
            return self._built_in[name]
        entry = self._entry(name)
        if entry is None:  # it may have been installed since the last search
            _announced.cache_clear()
            entry = self._entry(name)
        if entry is None:
            known = ", ".join(self._names())
            raise NotFoundError(
                f"There is no kind of {self._word} {name!r}. There is: {known}. If a package adds it, install that."
            )
        made = self._of(entry)
        if isinstance(made, PluginUnusable):
            raise PluginUnusable(made.sentence)
        return made

    def _entry(self, name: str) -> PluginEntry | None:
        return next((each for each in announced(self._group) if each.name == name), None)

    def every(self) -> dict[str, K]:
        """Return every usable kind, the built-in ones first."""
        found = dict[str, K]()
        for name in self._built_in:
            try:
                found[name] = self._built_in[name]
            except PluginUnusable as error:
                _log.warning("kind left out", extra={"word": self._word, "kind": name, "error": error.sentence})
        for each in announced(self._group):
            made = self._of(each)
            if not isinstance(made, PluginUnusable):
                found[each.name] = made
        return found

    def package(self, name: str) -> str:
        """Return the package that a kind comes from, "" for a built-in one."""
        if name in self._built_in:
            return ""
        return next((each.package for each in announced(self._group) if each.name == name), "")

    def looked_at(self) -> Iterator[tuple[PluginEntry, PluginUnusable | None]]:
        """Yield all entry points of the group, each with its error, if any."""
        for each in announced(self._group):
            made = self._of(each)
            yield each, made if isinstance(made, PluginUnusable) else None

    def added_names(self) -> set[str]:
        """Return the names that packages add, usable or not, without loading them."""
        return {each.name for each in announced(self._group)} - self._built_in.keys()

    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self._built_in, *(each.name for each in announced(self._group))]))

    def _of(self, entry: PluginEntry) -> K | PluginUnusable:
        if entry not in self._made:
            try:
                self._see_name(entry)
                self._made[entry] = self._adopted(entry)
            except PluginUnusable as error:
                self._made[entry] = error
        return self._made[entry]

    def _adopted(self, entry: PluginEntry) -> K:
        found = load(entry)
        try:
            return self._adopt(entry.name, found)
        except (TypeError, ValueError, AttributeError) as error:
            raise PluginUnusable(f"{entry.title} is no kind of {self._word}: {error}.") from error

    def _see_name(self, entry: PluginEntry) -> None:
        """Raise PluginUnusable for an invalid name, or one that another package uses."""
        if not NAME.fullmatch(entry.name):
            raise PluginUnusable(f"{entry.title}: a name has small letters, digits and hyphens, 31 at the most.")
        if entry.name in self._built_in:
            raise PluginUnusable(f"{entry.title} has the name of a built-in {self._word}. Rename it in its package.")
        others = [each.package for each in announced(self._group) if each.name == entry.name and each != entry]
        if others:
            raise PluginUnusable(f"{entry.title} has the name of one of {others[0]}. Uninstall one of the packages.")
