"""All formats: those of `media_types`, and those that installed packages add to `cormorant.converters`.

    ics = "cormorant_ics:FORMAT"      the entry point names a Format, which says what it reads and by which function

A package may add a format that nothing here reads, or that is read as plain text for want of anything better. What has
a reader of its own here keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cormorant.base.entry_points import KindRegistry, PluginEntry, imported
from cormorant.base.errors import PluginUnusable
from cormorant.extract.detect import media_types, signatures
from cormorant.extract.detect.media_types import IN_WORDS, FormatReader
from cormorant.sandbox.limits import Limits

GROUP: Final = "cormorant.converters"
LEAST_SIGNATURE: Final = 4
"""Bytes that a signature has at least: fewer begin documents of other formats by chance."""
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")
_EXTENSION: Final = re.compile(r"[a-z0-9_+-]{1,20}")
_REFERENCE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of documents, and the function that reads it.

    `label` is what people call a document of it, `media_types` are its names, the first the usual one, in small
    letters without parameters. `extensions` are those of file names, small and without the dot; `signatures` the bytes
    that its documents begin with, where they do. `converter` is "module:function"; the function takes the bytes and an
    ExtractionTask and returns an Extraction, or raises Unreadable or Protected. It runs in a child that can only
    compute, within `limits`; None: those of all converters.
    """

    label: str
    media_types: tuple[str, ...]
    converter: str
    extensions: tuple[str, ...] = ()
    signatures: tuple[bytes, ...] = ()
    limits: Limits | None = None

    def check(self) -> None:
        """Raise TypeError or ValueError that says what of it cannot be."""
        for name in ("media_types", "extensions", "signatures"):
            if not isinstance(getattr(self, name), tuple):
                raise TypeError(f"{name} is no tuple")
        if not self.label or not self.media_types:
            raise ValueError("it has no label, or no media types")
        if not _REFERENCE.fullmatch(self.converter):
            raise ValueError(f"its converter {self.converter!r} is not written module:function")
        for mime in self.media_types:
            if not _TYPE.fullmatch(mime):
                raise ValueError(f"{mime!r} is no media type in small letters")
            if media_types.has_reader(mime):
                raise ValueError(f"{mime} has a built-in converter")
        for extension in self.extensions:
            self._check_extension(extension)
        if short := [each for each in self.signatures if len(each) < LEAST_SIGNATURE]:
            raise ValueError(f"the signature {short[0]!r} has fewer than {LEAST_SIGNATURE} bytes")

    def _check_extension(self, extension: str) -> None:
        if not _EXTENSION.fullmatch(extension):
            raise ValueError(f"{extension!r} is no extension in small letters without its dot")
        known = media_types.EXTENSIONS.get(extension)
        if known is not None and known not in self.media_types:
            raise ValueError(f"the extension {extension} stands for {known}")


class Formats(KindRegistry[Format]):
    """The formats that packages add, looked up by what is known of a document."""

    def __init__(self) -> None:
        super().__init__("converter", GROUP, {}, _format_of)
        self._owners: dict[str, PluginEntry] = {}
        self._by_mime: dict[str, tuple[str, Format]] | None = None
        self._by_extension: dict[str, str] = {}
        self._signatures: tuple[tuple[bytes, str], ...] = ()

    def looked_at(self) -> Iterator[tuple[PluginEntry, PluginUnusable | None]]:
        """Yield everything that packages add, with what is wrong with it or its converter."""
        for entry, error in super().looked_at():
            yield entry, error or self._lacks_converter(entry)

    def _lacks_converter(self, entry: PluginEntry) -> PluginUnusable | None:
        reference = self.get(entry.name).converter
        try:
            if callable(imported(reference)):
                return None
            return PluginUnusable(f"{entry.title}: its converter {reference} is no function.")
        except PluginUnusable as error:
            return PluginUnusable(f"{entry.title}: its converter {reference} cannot be loaded: {error.sentence}")

    def of(self, mime: str) -> Format | None:
        """Return the added format of a media type, None when there is none."""
        found = self._loaded().get(mime)
        return found[1] if found else None

    def name_of(self, mime: str) -> str:
        """Return the name of the entry point that reads a media type, "" when none does."""
        return self._loaded().get(mime, ("", None))[0]

    def by_extension(self, extension: str) -> str:
        """Return the media type that an extension stands for, "" when it stands for none that was added."""
        self._loaded()
        return self._by_extension.get(extension, "")

    def by_signature(self, head: bytes) -> str:
        """Return the media type that the first bytes prove, "" when they prove none that was added."""
        self._loaded()
        return next((mime for start, mime in self._signatures if head.startswith(start)), "")

    def _adopted(self, entry: PluginEntry) -> Format:
        """Make a format of an entry. Raises PluginUnusable also for what another package reads already."""
        made = super()._adopted(entry)
        for mime in made.media_types:
            if (other := self._owners.setdefault(mime, entry)) != entry:
                raise PluginUnusable(f"{entry.title} reads {mime}, as {other.package} does. Uninstall one of them.")
        return made

    def _loaded(self) -> dict[str, tuple[str, Format]]:
        """Load all formats once: from then on what is installed later is not seen before the next start."""
        if self._by_mime is None:
            self._by_mime = {}
            for name, made in self.every().items():
                for mime in made.media_types:
                    self._by_mime.setdefault(mime, (name, made))
                for extension in made.extensions:
                    self._by_extension.setdefault(extension, made.media_types[0])
                self._signatures += tuple((start, made.media_types[0]) for start in made.signatures)
        return self._by_mime


def _format_of(_name: str, found: object) -> Format:
    if not isinstance(found, Format):
        raise TypeError("it is no Format")
    found.check()
    return found


FORMATS: Final = Formats()
"""The formats that packages add, loaded when the first document comes that nothing built in reads."""


def reader_of(mime: str) -> FormatReader | None:
    """Return the reader of a media type (lower case, without parameters), None when there is none."""
    if not media_types.has_reader(mime) and FORMATS.of(mime) is not None:
        return FormatReader.PLUGIN
    return media_types.reader_of(mime)


def by_name(file_name: str) -> str:
    """Return the media type that the extension of a file name or path stands for, "" when it stands for none."""
    return media_types.by_name(file_name) or FORMATS.by_extension(media_types.extension_of(file_name))


def signature(body: bytes) -> str:
    """Return the media type that the first bytes prove, "" when they prove none."""
    return signatures.signature(body) or FORMATS.by_signature(body[: signatures.HEAD])


def is_in_words(mime: str) -> bool:
    """Say whether documents of a media type are text in themselves."""
    reader = reader_of(mime)
    if reader is FormatReader.PLUGIN:
        return mime.startswith("text/") or mime.endswith(("+xml", "+json"))
    return reader in IN_WORDS


def is_signed(mime: str) -> bool:
    """Say whether documents of a media type that somebody reads prove themselves by their first bytes."""
    added = FORMATS.of(mime) if not media_types.has_reader(mime) else None
    return bool(added.signatures) if added is not None else media_types.reader_of(mime) is not None
