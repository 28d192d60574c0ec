"""Source addresses: the URLs that an address or a name may stand for in a source, by the source's present settings."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final
from urllib.parse import unquote

from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.model.ruling import Renamed
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.model.url import origin_of
from cormorant.plugins import source_kind
from cormorant.sources.kind import SourceKind
from cormorant.store.catalog.sources import SourceRow

_log = logger(__name__)
KIND_FAULTS: Final = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""Exceptions of a faulty kind of source, which must not end a lookup in other sources."""


class SourceAddresses:
    """The addresses of one source. Its settings are parsed once, when they are needed first.

    If its kind is no longer installed, or its settings are no longer valid, every address stands for itself.
    """

    def __init__(self, owner: SourceRow) -> None:
        self.owner = owner

    @cached_property
    def _parsed(self) -> tuple[SourceKind, SourceSettings] | None:
        with suppress(CormorantError):
            kind = source_kind(self.owner.kind)
            return kind, parse_settings(kind.settings, self.owner.settings)
        return None

    @property
    def settings(self) -> SourceSettings | None:
        """The settings of the source; None if they, or its kind, can no longer be read."""
        return self._parsed[1] if self._parsed else None

    def renamed(self, address: str) -> Renamed | None:
        """Return the name under which the source knows a discovered address; None if it is unchanged."""
        with suppress(CormorantError):  # a rewriter that is no longer installed
            return self._parsed[1].renamed(address) if self._parsed else None
        return None

    def meanings(self, address: str) -> list[str]:
        """Return the URLs that an address may stand for: itself, after rewriting, or as readers see it."""
        known = self.renamed(address)
        if known is not None:
            return list(dict.fromkeys((address, known.address)))
        shown = None
        with suppress(CormorantError):
            shown = self._parsed[1].shown_as(address) if self._parsed else None
        path = unquote(address.removeprefix("file://")) if address.startswith("file:///") else ""
        return [address, *([shown] if shown else ()), *(self.meant_by(path) if path else ())]

    def meant_by(self, text: str) -> Sequence[str]:
        """Return the addresses that a name may mean, like a key or a path; none if its kind fails."""
        try:
            if self._parsed is None:
                return ()
            kind, settings = self._parsed
            return tuple(kind.meant_by(self.owner.id, settings, text))
        except CormorantError:
            return ()
        except KIND_FAULTS as error:
            fault = f"{type(error).__name__}: {error}"
            _log.warning("no addresses by name", extra={"source": self.owner.name, "error": fault})
            return ()

    def site_key(self, address: str) -> str:
        """Return the key of the site of an address."""
        with suppress(CormorantError):
            if self._parsed:
                return self._parsed[1].site_of(address)
        return origin_of(address).site
