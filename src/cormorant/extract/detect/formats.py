"""All formats: the text of `media_types`, those of `built_in`, and those that packages add to `cormorant.converters`.

Those of `tika_formats` are recognised too, though no built-in converter reads them.

    ics = "cormorant_ics:FORMAT"      the entry point names a Format, with its media types and its converter

A package may add a format without a built-in converter, or one that is only read as plain text. It cannot replace a
built-in converter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cormorant.base.entry_points import KindRegistry, PluginEntry, imported
from cormorant.base.errors import PluginUnusable
from cormorant.extract.detect import built_in, media_types, signatures, tika_formats
from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.detect.format import Format
from cormorant.extract.detect.media_types import FormatReader, reader_of_family, text_reader

GROUP: Final = "cormorant.converters"
LEAST_SIGNATURE: Final = 4
"""The least bytes of a signature: documents of other formats begin with fewer ones by chance."""
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")
_EXTENSION: Final = re.compile(r"[a-z0-9_+-]{1,20}")
_REFERENCE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_EXTENSIONS: Final = media_types.EXTENSIONS | built_in.EXTENSIONS


class Formats(KindRegistry[Format]):
    """The formats that packages add, looked up by media type, name or first bytes."""

    def __init__(self) -> None:
        super().__init__("converter", GROUP, {}, _format_of)
        self._owners: dict[str, PluginEntry] = {}
        self._by_mime: dict[str, tuple[str, Format]] | None = None
        self._by_extension: dict[str, str] = {}
        self._signatures: tuple[tuple[bytes, str], ...] = ()

    def looked_at(self) -> Iterator[tuple[PluginEntry, PluginUnusable | None]]:
        """Yield everything that packages add, with the problems of each and its converter."""
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
        """Make a format of an entry point. Raises PluginUnusable also for a type that another package reads."""
        made = super()._adopted(entry)
        for mime in made.media_types:
            if (other := self._owners.setdefault(mime, entry)) != entry:
                raise PluginUnusable(f"{entry.title} reads {mime}, as {other.package} does. Uninstall one of them.")
        return made

    def _loaded(self) -> dict[str, tuple[str, Format]]:
        """Load all formats once: packages installed later are found at the next start."""
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
    check_format(found)
    return found


def check_format(made: Format) -> None:
    """Check a format that a package adds. Raises TypeError or ValueError that names the invalid part."""
    for name in ("media_types", "extensions", "signatures"):
        if not isinstance(getattr(made, name), tuple):
            raise TypeError(f"{name} is no tuple")
    if not made.label or not made.media_types:
        raise ValueError("it has no label, or no media types")
    for reference in (made.converter, made.embedded or made.converter):
        if not _REFERENCE.fullmatch(reference):
            raise ValueError(f"its converter {reference!r} is not written module:function")
    for mime in made.media_types:
        _check_type(mime)
    for extension in made.extensions:
        _check_extension(made, extension)
    if short := [each for each in made.signatures if len(each) < LEAST_SIGNATURE]:
        raise ValueError(f"the signature {short[0]!r} has fewer than {LEAST_SIGNATURE} bytes")


def _check_type(mime: str) -> None:
    if not _TYPE.fullmatch(mime):
        raise ValueError(f"{mime!r} is no media type in small letters")
    if has_reader(mime):
        raise ValueError(f"{mime} has a built-in converter")


def _check_extension(made: Format, extension: str) -> None:
    if not _EXTENSION.fullmatch(extension):
        raise ValueError(f"{extension!r} is no extension in small letters without its dot")
    known = _EXTENSIONS.get(extension)
    if known is not None and known not in made.media_types:
        raise ValueError(f"the extension {extension} stands for {known}")


FORMATS: Final = Formats()
"""The formats that packages add, loaded at the first document without a built-in converter."""


def has_reader(mime: str) -> bool:
    """Return whether a type has a built-in reader of its own, not just that of its family."""
    return mime in BY_MEDIA_TYPE or text_reader(mime) is not None


def reader_of(mime: str) -> FormatReader | None:
    """Return the reader of a media type (lower case, without parameters), None when there is none."""
    reader = text_reader(mime)
    if reader is not None:
        return reader
    if mime in BY_MEDIA_TYPE or FORMATS.of(mime) is not None:
        return FormatReader.DECLARED
    return reader_of_family(mime)


def format_of(mime: str) -> Format | None:
    """Return the format that declares a media type, built in or added; None for text and for types without a reader."""
    return BY_MEDIA_TYPE.get(mime) or (FORMATS.of(mime) if text_reader(mime) is None else None)


def by_name(file_name: str) -> str:
    """Return the media type that the extension of a file name or path stands for, "" when it stands for none."""
    extension = media_types.extension_of(file_name)
    known = _EXTENSIONS.get(extension, "") or FORMATS.by_extension(extension)
    return known or tika_formats.EXTENSIONS.get(extension, "")


def signature(body: bytes) -> str:
    """Return the media type that the first bytes prove, "" when they prove none."""
    head = body[: signatures.HEAD]
    return signatures.signature(body) or FORMATS.by_signature(head) or tika_formats.by_start(head)


def is_in_words(mime: str) -> bool:
    """Return whether documents of a media type are text."""
    reader = reader_of(mime)
    if reader is FormatReader.DECLARED:
        return mime not in BY_MEDIA_TYPE and (mime.startswith("text/") or mime.endswith(("+xml", "+json")))
    return reader is not None


def is_signed(mime: str) -> bool:
    """Return whether documents of a readable media type are recognised by their first bytes."""
    if text_reader(mime) is not None:
        return True
    if mime in BY_MEDIA_TYPE:
        return BY_MEDIA_TYPE[mime].proves_itself
    added = FORMATS.of(mime)
    if added is not None:
        return bool(added.signatures)
    return mime in tika_formats.SIGNED or reader_of_family(mime) is not None


def proves_itself(mime: str) -> bool:
    """Return whether all documents of a built-in format begin with a signature, so that others are damaged."""
    made = BY_MEDIA_TYPE.get(mime)
    return made is not None and made.proves_itself
