"""Messages, appointments and contacts of Outlook (MSG): [MS-OXMSG]."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Final

from cormorant.extract.detect.compound_file import CompoundFile, Storage
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import storage_tree, write_compound
from cormorant.extract.ole.object_storage import embedded_object
from cormorant.extract.outlook.message import (
    MapiMessage,
    attachment_name,
    is_in_page,
    media_type,
    message_extraction,
    shown_parts,
    with_damage,
)
from cormorant.extract.outlook.property_bag import (
    BINARY,
    OBJECT,
    OF_FIXED_SIZE,
    SEVERAL,
    NamedProperty,
    PropertyBag,
    Tag,
)
from cormorant.model.content import Extraction

MAX_PARTS: Final = 10_000
"""Recipients of a message that are read, and attachments."""
MAX_VALUES: Final = 1_000
"""Values of one property that are read."""

_PROPERTIES: Final = "__properties_version1.0"
_NAMES: Final = "__nameid_version1.0"
_RECIPIENT: Final = "__recip_version1.0_#"
_ATTACHMENT: Final = "__attach_version1.0_#"
_VALUE: Final = "__substg1.0_{:04X}{:04X}"
_HEADER, _INNER_HEADER, _PART_HEADER = 32, 24, 8
_ENTRY: Final = struct.Struct("<HH4x8s")
_NAME: Final = struct.Struct("<IHH")
_STREAM: Final = re.compile("__substg1.0_([0-9a-f]{4})([0-9a-f]{4})")
_SET_SIZE: Final = 16
_LONGEST_NAME: Final = 1_024
_FIRST_NAMED: Final = 0x8000
_KNOWN_SETS: Final = (b"", *(bytes.fromhex(f"{part}03020000000000C000000000000046") for part in ("28", "29")))
_MESSAGE: Final = "application/vnd.ms-outlook"


def extract_msg(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of a message. Raises Unreadable when it has no properties."""
    root = CompoundFile(body).root
    names = _named_properties(root)
    values = _MsgValues(root, _HEADER)
    if not any(values.tags()):
        raise Unreadable("it has no properties of a message: it is cut short or damaged")
    bag = PropertyBag(values, names)
    recipients, attachments = (
        [PropertyBag(_MsgValues(each, _PART_HEADER), names, bag.codec) for each in _parts(root, prefix)]
        for prefix in (_RECIPIENT, _ATTACHMENT)
    )
    extraction = message_extraction(MapiMessage(bag, recipients, attachments), task)
    return with_damage(extraction) if root.file.damaged else extraction


def msg_embedded_files(root: Storage) -> Iterator[EmbeddedFile]:
    """Yield the attachments of a message, given its root; a message that is attached is one like the outer one."""
    names = _named_properties(root)
    message = PropertyBag(_MsgValues(root, _HEADER), names)
    shown = shown_parts(message)
    for storage in _parts(root, _ATTACHMENT):
        bag = PropertyBag(_MsgValues(storage, _PART_HEADER), names, message.codec)
        file = None if is_in_page(bag, shown) else _attached(storage, bag, root)
        if file is not None:
            yield file


def _attached(storage: Storage, bag: PropertyBag, root: Storage) -> EmbeddedFile | None:
    name = attachment_name(bag)
    body = storage.read(_VALUE.format(Tag.ATTACHED, BINARY))
    if body is not None:
        return EmbeddedFile(name, body, media_type(bag))
    inner = storage.storage(_VALUE.format(Tag.ATTACHED, OBJECT))
    if inner is None:
        return None
    if _PROPERTIES in inner:
        return EmbeddedFile(f"{name}.msg" if name else "", _whole_message(inner, root), _MESSAGE)
    file = embedded_object(inner)
    return file and file._replace(path=file.path or name)


def _whole_message(inner: Storage, root: Storage) -> bytes:
    """Return an attached message as a file: its properties get the longer header, and the names of the outer one."""
    tree = dict(storage_tree(inner))
    properties = inner.read(_PROPERTIES) or b""
    tree[_PROPERTIES] = properties[:_INNER_HEADER].ljust(_HEADER, b"\0") + properties[_INNER_HEADER:]
    names = root.storage(_NAMES)
    if names is not None:
        tree[_NAMES] = storage_tree(names)
    return write_compound(tree)


def _parts(storage: Storage, prefix: str) -> list[Storage]:
    """Return the storages of recipients or attachments in their order: [MS-OXMSG] 2.2."""
    names = sorted(name for name in storage.entries if name.startswith(prefix))[:MAX_PARTS]
    return [part for name in names if (part := storage.storage(name)) is not None]


def _named_properties(root: Storage) -> dict[NamedProperty, int]:
    """Return the numbers that properties without one have in this file: [MS-OXMSG] 2.2.3."""
    storage = root.storage(_NAMES)
    if storage is None:
        return {}
    sets, entries, strings = (storage.read(_VALUE.format(stream, BINARY)) or b"" for stream in (2, 3, 4))
    found: dict[NamedProperty, int] = {}
    for name, which, place in _NAME.iter_unpack(entries[: len(entries) // _NAME.size * _NAME.size]):
        number = which >> 1
        start = (number - len(_KNOWN_SETS)) * _SET_SIZE
        of = _KNOWN_SETS[number] if number < len(_KNOWN_SETS) else sets[start : start + _SET_SIZE]
        size = int.from_bytes(strings[name : name + 4], "little") if which & 1 else 0
        text = strings[name + 4 : name + 4 + min(size, _LONGEST_NAME)].decode("utf-16-le", "replace")
        found.setdefault((of, text if which & 1 else name), _FIRST_NAMED + place)
    return found


class _MsgValues:
    """The properties in a storage: those of fixed size in one stream, each other in one of its own."""

    def __init__(self, storage: Storage, header: int) -> None:
        self._storage = storage
        data = (storage.read(_PROPERTIES) or b"")[header:]
        data = data[: len(data) // _ENTRY.size * _ENTRY.size]
        self._fixed = {(tag, kind): value for kind, tag, value in _ENTRY.iter_unpack(data)}

    def raw(self, tag: int, kind: int) -> bytes | None:
        if kind in OF_FIXED_SIZE:
            return self._fixed.get((tag, kind))
        return self._storage.read(_VALUE.format(tag, kind))

    def raw_several(self, tag: int, kind: int) -> list[bytes]:
        found: list[bytes] = []
        while len(found) < MAX_VALUES:
            value = self._storage.read(f"{_VALUE.format(tag, kind | SEVERAL)}-{len(found):08X}")
            if value is None:
                break
            found.append(value)
        return found

    def tags(self) -> Iterable[tuple[int, int]]:
        yield from self._fixed
        for name in self._storage.entries:
            match = _STREAM.fullmatch(name)
            if match is not None:
                yield int(match[1], 16), int(match[2], 16)
