"""Messages of Outlook as files: [MS-OXMSG], properties by [MS-OXPROPS], compressed RTF by [MS-OXRTFCP]."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from bench.formats.by_hand.ole import Tree, compound_file
from bench.formats.packages import attachment
from bench.formats.sample import Sample, named, sample

_UNICODE, _BINARY, _LONG, _OBJECT = 0x001F, 0x0102, 0x0003, 0x000D
_SUBJECT, _SENDER, _DISPLAY_TO, _DISPLAY_CC, _BODY, _HTML, _RTF = (
    0x0037, 0x0C1A, 0x0E04, 0x0E03, 0x1000, 0x1013, 0x1009,
)  # fmt: skip
_NAME, _ADDRESS, _DATA, _LONG_NAME, _METHOD, _CLASS, _TYPE = 0x3001, 0x3003, 0x3701, 0x3707, 0x3705, 0x001A, 0x370E
_PAGE: Final = (
    b"<html><body><p>quokkahtmlbody</p><p>quokkabreakone<br>quokkabreaktwo</p>"
    b'<p><a href="https://example.org/quokkalinktarget">quokkalinktext</a></p></body></html>'
)
_RICH: Final = (
    rb"{\rtf1\ansi\fromhtml1{\*\htmltag64 <p class=quokkamarkupname>}quokkartfbody\par{\*\htmltag72 </p>}"
    rb"\pard quokkabreakone\line quokkabreaktwo}"
)

_Properties = dict[tuple[int, int], "str | bytes | int"]


def outlook_samples() -> Iterator[Sample]:
    """Yield messages with a plain body and files, with an HTML body, and with nothing but RTF."""
    yield sample(
        "msg", "by hand", compound_file(_message()),
        named(
            "property title", "sender", "recipient", "plain body", "attachment name", "attachment text",
            "forwarded mail",
        ),
    )  # fmt: skip
    page: _Properties = {**_heads(), (_HTML, _BINARY): _PAGE}
    yield sample(
        "msg", "by hand, HTML", compound_file(_storage(page, 32)),
        named("property title", "HTML body", "line break", "link text", "link target"),
    )  # fmt: skip
    rich: _Properties = {**_heads(), (_RTF, _BINARY): _stored(_RICH)}
    yield sample(
        "msg", "by hand, RTF", compound_file(_storage(rich, 32)),
        named("property title", "RTF body", "line break", "other bodies' markup"),
    )  # fmt: skip


def _message() -> Tree:
    body: _Properties = {**_heads(), (_BODY, _UNICODE): "quokkaplainbody"}
    tree = _storage(body, 32)
    tree["__recip_version1.0_#00000000"] = _storage(
        {(_NAME, _UNICODE): "Quokkarecipient Miller", (_ADDRESS, _UNICODE): "miller@example.org"}, 8
    )
    tree["__attach_version1.0_#00000000"] = _storage(
        {
            (_DATA, _BINARY): attachment(), (_LONG_NAME, _UNICODE): "quokkaattachmentname.xlsx", (_METHOD, _LONG): 1,
            (_TYPE, _UNICODE): "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }, 8,
    )  # fmt: skip
    inner = _storage({**_heads("Forwarded"), (_BODY, _UNICODE): "quokkaforwarded"}, 24)
    held = _storage({(_METHOD, _LONG): 5, (_NAME, _UNICODE): "Forwarded", (_DATA, _OBJECT): 1}, 8)
    held[f"__substg1.0_{_DATA:04X}{_OBJECT:04X}"] = inner
    tree["__attach_version1.0_#00000001"] = held
    tree["__nameid_version1.0"] = {f"__substg1.0_000{number}0102": b"" for number in (2, 3, 4)}
    return tree


def _heads(subject: str = "quokkatitle of the mail") -> _Properties:
    return {
        (_CLASS, _UNICODE): "IPM.Note", (_SUBJECT, _UNICODE): subject, (_SENDER, _UNICODE): "Quokkasender Smith",
        (_DISPLAY_TO, _UNICODE): "Quokkarecipient Miller",
    }  # fmt: skip


def _storage(properties: _Properties, header: int) -> Tree:
    """Return a storage of properties; `header` is the length of what stands before them: [MS-OXMSG] 2.4.1."""
    tree: Tree = {}
    rows = b""
    for (identifier, kind), value in properties.items():
        if isinstance(value, int):
            rows += struct.pack("<HHIII", kind, identifier, 6, value, 0)
            continue
        data = value.encode("utf-16-le") if isinstance(value, str) else value
        tree[f"__substg1.0_{identifier:04X}{kind:04X}"] = data
        rows += struct.pack("<HHIII", kind, identifier, 6, len(data) + 2 * isinstance(value, str), 0)
    counts = struct.pack("<8sIIII", bytes(8), 1, 2, 1, 2).ljust(header, b"\0")[:header] if header > 8 else bytes(8)
    tree["__properties_version1.0"] = counts + rows
    return tree


def _stored(rich: bytes) -> bytes:
    """Return RTF in the envelope of what is not compressed: [MS-OXRTFCP] 2.1.3.1."""
    return struct.pack("<IIII", len(rich) + 12, len(rich), 0x414C454D, 0) + rich
